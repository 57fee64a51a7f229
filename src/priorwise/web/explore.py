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

from priorwise.corpus import Corpus
from priorwise.errors import InputError, NotEnoughData
from priorwise.search import PPV, CountTarget, FBeta
from priorwise.view import FAMILIES, Family, Setting, View, explore, setting_of
from priorwise.view.documents import MOST_DOCUMENTS
from priorwise.view.measures import Line
from priorwise.web.answers import Fields, answer, query_of
from priorwise.web.app import Page
from priorwise.web.workspace import Workspace

TARGETS: dict[str, CountTarget] = {"f1": FBeta(1.0), "f0.5": FBeta(0.5), "f2": FBeta(2.0), "ppv": PPV(floor=0.1)}
_MOST_SHOWN = 100_000
_KEPT = 4
_GLANCE, _STRONGEST = 6, 12
_FARTHEST = 1e7


class Views:
    """The views that were asked for last; each is made once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._lock = threading.Lock()
        self._views: OrderedDict[tuple[Any, ...], tuple[View, threading.Lock]] = OrderedDict()

    def of(self, query: Fields) -> tuple[View, threading.Lock]:
        """Return a view, and the lock of what takes long and is kept in it."""
        key = (
            query.text("label", default="") or self._largest(),
            query.whole("documents", 4, _MOST_SHOWN, default=MOST_DOCUMENTS),
            query.number("held", 0.01, 0.99, default=0.3),
            query.whole("seed", 0, 2**31, default=0),
        )
        with self._lock:
            if key not in self._views:
                label, most, held_out, seed = key
                view = explore(self._corpus, label, most=most, held_out=held_out, seed=seed)
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


def setting_in(query: Fields) -> Setting:
    """Return the prior that a request speaks of."""
    family = FAMILIES[query.choice("model", tuple(FAMILIES), default="beta")]
    usual = zip(family.parameters, family.default, strict=True)
    return setting_of(family.name, [query.number(p.name, p.least, p.most, default=value) for p, value in usual])


def line_in(query: Fields) -> Line:
    """Return the decision line that a request speaks of."""
    slope = query.number("slope", -100.0, 100.0, default=1.0)
    return Line(slope, query.number("shift", -_FARTHEST, _FARTHEST, default=0.0))


def described(family: Family, types: int) -> dict[str, Any]:
    """Return what the page has to know of a family."""
    parameters = [
        {**asdict(each), "least": each.least, "most": each.most, "default": value}
        for each, value in zip(family.parameters, family.default, strict=True)
    ]
    presets = [asdict(each) for each in family.presets(types)]
    about = {"name": family.name, "title": family.title, "model": family.model, "says": family.says}
    return {**about, "parameters": parameters, "presets": presets}


def _numbers(*arrays: Any) -> Response:
    """Return numbers of 32 bits, one array after the other."""
    content = b"".join(np.ascontiguousarray(each, dtype="<f4").tobytes() for each in arrays)
    return Response(content, media_type="application/octet-stream")


def explore_page(workspace: Workspace) -> Page:
    """Return the page."""
    corpus = workspace.corpus
    views = Views(corpus)

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
                "tokens": len(shown.features),
                "others_per_member": shown.others_per_member,
                "families": [described(family, len(shown.features)) for family in FAMILIES.values()],
                "targets": list(TARGETS),
            }
        )

    def kinds(request: Request) -> Response:
        shown = views.of(query_of(request))[0].documents
        content = (shown.member + 2 * shown.held_out.astype(np.uint8)).astype(np.uint8).tobytes()
        return Response(content, media_type="application/octet-stream")

    def points(request: Request) -> Response:
        query = query_of(request)
        found = views.of(query)[0].points(setting_in(query))
        # Where a document is, and its log odds: of two large numbers in 32 bits the difference would be lost.
        return _numbers(found[:, 0], found[:, 0] - found[:, 1])

    def trial(request: Request) -> Response:
        query = query_of(request)
        (view, lock), setting, line = views.of(query), setting_in(query), line_in(query)
        found = {name: each.as_dict() for name, each in view.measures(setting, line).items()}
        with lock:
            # A left-out document has log odds alone, which say nothing of a line that is turned.
            left_out = view.left_out(setting, line.shift).as_dict() if line.slope == 1.0 else None
        return answer({"prior": repr(setting.prior), **found, "left_out": left_out})

    def terrain(request: Request) -> Response:
        query = query_of(request)
        (view, lock), setting = views.of(query), setting_in(query)
        target = TARGETS[query.choice("target", tuple(TARGETS), default="f1")]
        with lock:
            found = view.terrain(setting.family.name)
        values = found.values(target).round(5)
        return answer({"axes": [axis.tolist() for axis in found.axes], "values": values.tolist()})

    def best(request: Request) -> Response:
        query = query_of(request)
        (view, lock), setting = views.of(query), setting_in(query)
        target = TARGETS[query.choice("target", tuple(TARGETS), default="f1")]
        with lock:
            path = view.find_best(setting, target)
        return answer({"path": [each.values for each in path]})

    def document(request: Request) -> Response:
        from priorwise.view.evidence import evidence, marked_text

        query = query_of(request)
        (view, _), setting = views.of(query), setting_in(query)
        shown = view.documents
        place = query.whole("point", 0, len(shown) - 1)
        row = int(shown.rows[place])
        found = evidence(view, place, setting)
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
        from priorwise.view.density import density_of

        query = query_of(request)
        (view, lock), setting = views.of(query), setting_in(query)
        if len(view.documents) == corpus.n_documents:
            raise InputError("all documents of this corpus are points already")
        with lock:
            found = density_of(view, setting)
        return _numbers(found.low, found.high, found.bins.shape[1:], found.bins)

    routes = (start, kinds, points, trial, terrain, best, document, density)
    return Page("explore", "Explore", [Route(f"/{each.__name__}", each) for each in routes], has_charts=True)
