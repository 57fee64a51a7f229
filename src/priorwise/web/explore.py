"""The explorer: a point for each document, which moves while a slider does."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import asdict
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from priorwise.errors import InputError, NotEnoughData
from priorwise.explorer import FAMILIES, Family, FamilySetting, View, explore, setting_of
from priorwise.explorer.documents import MOST_DOCUMENTS, Line
from priorwise.explorer.families import ALIASES
from priorwise.search import PPV, FBeta, Target
from priorwise.web.answers import Fields, answer, query_of
from priorwise.web.app import Page
from priorwise.web.workspace import Workspace

TARGETS: dict[str, Target] = {"f1": FBeta(1.0), "f0.5": FBeta(0.5), "f2": FBeta(2.0), "ppv": PPV(floor=0.1)}
_MOST_SHOWN = 100_000
_KEPT = 4
_GLANCE, _STRONGEST, _MOVED = 6, 12, 12
_FARTHEST = 1e7
_LONGEST = 2000


class Views:
    """The views that were asked for last; each is made once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._corpus = workspace, workspace.corpus
        self._lock = threading.Lock()
        self._views: OrderedDict[tuple[Any, ...], tuple[View, threading.Lock]] = OrderedDict()

    def of(self, query: Fields) -> tuple[View, threading.Lock]:
        """Return a view, and the lock of what takes long and is kept in it."""
        key = (
            query.text("label", default="") or self._largest(),
            query.whole("documents", 4, _MOST_SHOWN, default=MOST_DOCUMENTS),
            query.number("held", 0.01, 0.99, default=0.3),
            query.whole("seed", 0, 2**31, default=0),
            query.text("run", default=""),
        )
        with self._lock:
            if key not in self._views:
                label, most, held_out, seed, run = key
                tried = self._workspace.run(run).stages[-1].tried if run else ()
                view = explore(self._corpus, label, most=most, held_out=held_out, seed=seed, tried=tried)
                self._views[key] = (view, threading.Lock())
            self._views.move_to_end(key)
            while len(self._views) > _KEPT:
                self._views.popitem(last=False)
            return self._views[key]

    def _largest(self) -> str:
        """The largest label that leaves others to compare with, for a page that was opened without one."""
        for label, size in self._corpus.largest_labels(100):
            if size <= self._corpus.n_documents / 2:
                return label
        raise NotEnoughData("this corpus has no label to explore")


def family_in(query: Fields) -> Family:
    """Return the family that a request names."""
    return FAMILIES[query.choice("model", (*FAMILIES, *ALIASES), default=next(iter(FAMILIES)))]


def setting_in(query: Fields, view: View) -> FamilySetting:
    """Return the prior that a request describes; a number that it does not give is the one where sliders open."""
    family = family_in(query)
    given = [query.get(each.name) is not None for each in family.parameters]
    opening = family.default if all(given) else view.opening(family.name).values
    usual = zip(family.parameters, opening, strict=True)
    values = [query.number(each.name, each.least, each.most, default=value) for each, value in usual]
    return setting_of(family.name, values, query.text("keywords", default="", longest=_LONGEST))


def line_in(query: Fields) -> Line:
    """Return the decision line that a request gives."""
    slope = query.number("slope", -100.0, 100.0, default=1.0)
    return Line(slope, query.number("shift", -_FARTHEST, _FARTHEST, default=0.0))


def described(family: Family, types: int) -> dict[str, Any]:
    """Return what the page has to know of a family."""
    names = ("name", "also", "symbol", "low", "high", "is_share", "may_be_zero", "least", "most", "caption")
    parameters = [
        {**{name: getattr(each, name) for name in names}, "default": value}
        for each, value in zip(family.parameters, family.default, strict=True)
    ]
    return {
        "name": family.name,
        "also": [short for short, name in ALIASES.items() if name == family.name],
        "title": family.title,
        "group": family.group,
        "says": family.formula,
        "parameters": parameters,
        "across": family.axes.across,
        "up": family.axes.up,
        "shades": family.shades,
        "keywords": family.takes_keywords,
        "best": family.best,
        "best_by": family.best_by,
        "targets": list(TARGETS) if family.chooses_objective else [],
        "presets": [asdict(each) for each in family.presets(types)],
    }


def _numbers(*arrays: Any) -> Response:
    """Return numbers of 32 bits, one array after the other."""
    content = b"".join(np.ascontiguousarray(each, dtype="<f4").tobytes() for each in arrays)
    return Response(content, media_type="application/octet-stream")


def explore_page(workspace: Workspace) -> Page:
    """Return the page."""
    corpus = workspace.corpus
    views = Views(workspace)

    def start(request: Request) -> Response:
        view, _ = views.of(query_of(request))
        shown = view.documents
        return answer(
            {
                "label": view.label,
                "documents": len(shown),
                "in_corpus": corpus.n_documents,
                "members": int(np.count_nonzero(shown.member)),
                "held_out": int(np.count_nonzero(shown.held_out)),
                "held_out_members": int(np.count_nonzero(shown.held_out & shown.member)),
                "tokens": len(shown.features),
                "others_per_member": shown.others_per_member,
                "families": [described(family, len(shown.features)) for family in FAMILIES.values()],
                "targets": list(TARGETS),
            }
        )

    def opening(request: Request) -> Response:
        query = query_of(request)
        view, lock = views.of(query)
        with lock:
            return answer({"values": view.opening(family_in(query).name).values})

    def kinds(request: Request) -> Response:
        shown = views.of(query_of(request))[0].documents
        content = (shown.member + 2 * shown.held_out.astype(np.uint8)).astype(np.uint8).tobytes()
        return Response(content, media_type="application/octet-stream")

    def points(request: Request) -> Response:
        query = query_of(request)
        view, _ = views.of(query)
        # Where a document is, and its log odds: of two large numbers in 32 bits the difference would be lost.
        return _numbers(*view.points(setting_in(query, view)))

    def words(request: Request) -> Response:
        query = query_of(request)
        view, _ = views.of(query)
        return answer({"words": [each._asdict() for each in view.words(setting_in(query, view), _MOVED)]})

    def trial(request: Request) -> Response:
        query = query_of(request)
        (view, lock), line = views.of(query), line_in(query)
        setting = setting_in(query, view)
        found = {name: each.as_dict() for name, each in view.measures(setting, line).items()}
        with lock:
            # A left-out document has log odds alone, which say nothing of a line that is turned.
            left_out = view.left_out(setting, line.shift).as_dict() if line.slope == 1.0 else None
        return answer({"prior": str(setting), **found, "left_out": left_out})

    def terrain(request: Request) -> Response:
        query = query_of(request)
        view, lock = views.of(query)
        target = TARGETS[query.choice("target", tuple(TARGETS), default="f1")]
        with lock:
            found = view.objective_map(family_in(query).name)
        return answer(found.drawn(target))

    def best(request: Request) -> Response:
        query = query_of(request)
        view, lock = views.of(query)
        setting = setting_in(query, view)
        target = TARGETS[query.choice("target", tuple(TARGETS), default="f1")]
        with lock:
            path = view.find_best(setting, target)
        return answer({"path": [each.values for each in path], "keywords": path[-1].keywords})

    def document(request: Request) -> Response:
        from priorwise.explorer.documents import marked_text

        query = query_of(request)
        view, _ = views.of(query)
        shown = view.documents
        place = query.whole("point", 0, len(shown) - 1)
        row = int(shown.rows[place])
        found = view.evidence(place, setting_in(query, view))
        about = {
            "title": corpus.titles([row])[0],
            "member": bool(shown.member[place]),
            "held_out": bool(shown.held_out[place]),
            "distinct": int(shown.indptr[place + 1] - shown.indptr[place]),
        }
        if query.choice("brief", ("yes", "no"), default="no") == "yes":
            return answer({**about, "evidence": [asdict(each) for each in found[:_GLANCE]]})
        text = corpus.text(row)
        sides = [[each for each in found if (each.weight > 0) == speaks_for] for speaks_for in (True, False)]
        return answer(
            {
                **about,
                "id": corpus.ids([row])[0],
                "address": corpus.address(row),
                "evidence": [asdict(each) for side in sides for each in side[:_STRONGEST]],
                "pieces": None if text is None else marked_text(text, found),
            }
        )

    def density(request: Request) -> Response:
        from priorwise.explorer.view import density_of

        query = query_of(request)
        view, lock = views.of(query)
        setting = setting_in(query, view)
        if len(view.documents) == corpus.n_documents:
            raise InputError("all documents of this corpus are points already")
        with lock:
            found = density_of(view, setting)
        return _numbers(found.low, found.high, found.bins.shape[1:], found.bins)

    routes = (start, opening, kinds, points, words, trial, terrain, best, document, density)
    return Page("explore", "Lab", [Route(f"/{each.__name__}", each) for each in routes], has_charts=True)
