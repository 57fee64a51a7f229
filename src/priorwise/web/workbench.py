"""The workbench: the ranked queue, one document at a time, and a model that learns from every verdict."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from priorwise.corpus import Corpus
from priorwise.errors import InputError, UnknownName
from priorwise.priors.keywords import Keywords
from priorwise.ranking.evidence import most_similar
from priorwise.review.session import Session
from priorwise.review.verdicts import LONGEST_NAME, WORDS, Verdict, current
from priorwise.text.tokens import tokens
from priorwise.web.answers import Fields, answer, body_of, query_of
from priorwise.web.app import Page
from priorwise.web.library import document_facts, start_finding
from priorwise.web.openapi import takes
from priorwise.web.workspace import Categories, Note, Workspace

SHOWN, MOST_SHOWN = 200, 10_000
"""How many candidates the queue sends at once, and how many it shows at most."""

COMING = 8
WHY = 6
LONGEST_NOTE = 2000
FOR_GUESTS = ("start", "state", "queue", "document", "judge", "undo", "history")
"""What a reviewer may do who came by a link."""

_LONGEST_ID = 100_000
_LONGEST_IDENTITY = 200
_LONGEST_SECONDS = 24 * 3600.0


@dataclass
class Bench:
    """A session that is open, and what it knew when somebody last looked."""

    session: Session
    lock: threading.Lock = field(default_factory=threading.Lock)
    places: dict[str, int] = field(default_factory=dict)
    number: int = 0
    learned: list[str] = field(default_factory=list)

    def said(self, reviewer: str) -> dict[str, Verdict]:
        return {
            each.item: each for each in current(self.session.log) if each.reviewer == reviewer and each.kind == "open"
        }


class Benches:
    """The sessions that are open, by the keys of their categories."""

    def __init__(
        self, workspace: Workspace, categories: Categories, ask: str = "best", subcategories: bool = False
    ) -> None:
        self._workspace = workspace
        self._settings: dict[str, Any] = {"ask": ask, "subcategories": subcategories}
        self.categories = categories
        self._lock = threading.Lock()
        self._open: dict[str, tuple[str, Bench]] = {}

    def of(self, key: str) -> tuple[Note, Bench]:
        note = self.categories.get(key)
        if not note.runs:
            raise UnknownName("round of the category", note.name, [])
        name = note.runs[-1]
        with self._lock:
            if key not in self._open or self._open[key][0] != name:
                if key in self._open:
                    self._open.pop(key)[1].session.close()
                session = Session.of_run(self._workspace.run_path(name), self._workspace.corpus, **self._settings)
                self._open[key] = name, Bench(session)
            return note, self._open[key][1]

    def keep(self, note: Note, summary: dict[str, Any]) -> None:
        """Keep what the library shows of a category; where nothing can be written, nothing is."""
        kept = {name: summary[name] for name in ("found", "judged", "waiting", "missing", "members")}
        if kept == {name: getattr(note, name) for name in kept} and note.safe == summary["stop"]["safe"]:
            return
        with suppress(InputError, OSError):
            self.categories.change(note.key, **kept, safe=summary["stop"]["safe"], at=time.time())


def workbench_page(workspace: Workspace, benches: Benches) -> Page:
    """Return the page."""
    corpus = workspace.corpus
    categories = benches.categories

    def asked(request: Request, fields: Fields) -> tuple[Note, Bench, str]:
        """Return the category and the reviewer of a request; whoever came by a link is who the link says."""
        guest = request.scope.get("guest")
        if guest is None:
            return *benches.of(fields.text("category", longest=300)), fields.text("reviewer", longest=LONGEST_NAME)
        note, bench = benches.of(guest.category)
        if bench.session.team is None or guest.reviewer not in bench.session.team.reviewers:
            raise InputError("this link is no longer valid: ask the person who sent it for a new one")
        return note, bench, guest.reviewer

    async def posted(request: Request) -> tuple[Fields, Note, Bench, str]:
        fields = await body_of(request)
        return fields, *(await run_in_threadpool(asked, request, fields))

    @takes(
        "Open a category.",
        "key name description words round run reviewer reviewers is_guest keeps_text can_learn_again",
        category="text",
        reviewer="text?",
    )
    def start(request: Request) -> Response:
        guest = request.scope.get("guest")
        given = {"reviewer": "me", **request.query_params}
        note, bench, reviewer = asked(request, Fields(given))
        names = list(dict.fromkeys(each.reviewer for each in bench.session.log))
        return answer(
            {
                "key": note.key,
                "name": note.name,
                "description": note.description,
                "words": note.words,
                "round": len(note.runs),
                "run": note.runs[-1],
                "reviewer": reviewer,
                "reviewers": [] if guest else names,
                "is_guest": guest is not None,
                "keeps_text": corpus.keeps_text,
                "can_learn_again": workspace.folder is not None and guest is None,
            }
        )

    @takes(
        "Return the queue, what comes next, and the estimate of missing members.",
        "summary queue total new next verdicts",
        category="text",
        reviewer="text",
    )
    def state(request: Request) -> Response:
        note, bench, reviewer = asked(request, query_of(request))
        found = look(bench, reviewer)
        benches.keep(note, found["summary"])
        return answer(found)

    @takes("Return a part of the queue.", "rows total", category="text", reviewer="text", offset="whole?", q="text?")
    def queue(request: Request) -> Response:
        query = query_of(request)
        _, bench, reviewer = asked(request, query)
        offset = query.whole("offset", 0, MOST_SHOWN, default=0)
        rows = candidates(bench, reviewer, MOST_SHOWN)
        if query.get("q"):
            rows = fitting(corpus, rows, query.text("q", longest=300))
        return answer({"rows": rows[offset : offset + SHOWN], "total": len(rows)})

    @takes(
        "Return a document and explain its rank.",
        "id title address text labels other for against similar own",
        category="text",
        reviewer="text",
        id="text",
    )
    def document(request: Request) -> Response:
        query = query_of(request)
        note, bench, reviewer = asked(request, query)
        return answer(read(workspace, note, bench, reviewer, query.exact("id", longest=_LONGEST_ID)))

    @takes(
        "Store a verdict: yes, no, unsure or skip.",
        "stored at",
        category="text",
        reviewer="text",
        id="text",
        verdict="text",
        identity="text",
        previous="text?",
        seconds="number?",
        note="text?",
    )
    async def judge(request: Request) -> Response:
        fields, _, bench, reviewer = await posted(request)
        given = {
            "reviewer": reviewer,
            "identity": fields.text("identity", longest=_LONGEST_IDENTITY),
            "note": fields.text("note", longest=LONGEST_NOTE) if fields.get("note") else None,
            "seconds": None if fields.get("seconds") is None else fields.number("seconds", 0.0, _LONGEST_SECONDS),
        }
        id, word = fields.exact("id", longest=_LONGEST_ID), fields.choice("verdict", WORDS[:4])
        previous = None if fields.get("previous") is None else fields.text("previous", longest=_LONGEST_IDENTITY)
        stored = await run_in_threadpool(judged, bench, id, word, previous, given)
        return answer({"stored": stored.id, "at": stored.at})

    @takes("Take back the last verdict.", "id", category="text", reviewer="text")
    async def undo(request: Request) -> Response:
        _, _, bench, reviewer = await posted(request)
        return answer({"id": await run_in_threadpool(bench.session.undo, reviewer)})

    @takes("Draw unread documents at random, to be judged next.", "drawn", category="text", n="whole")
    async def sample(request: Request) -> Response:
        fields = await body_of(request)
        _, bench = await run_in_threadpool(benches.of, fields.text("category", longest=300))
        drawn = await run_in_threadpool(bench.session.sample, fields.whole("n", 1, 10_000))
        return answer({"drawn": len(drawn)})

    @takes("Learn again with keywords; verdicts stay.", category="text", words="text?")
    async def words(request: Request) -> Response:
        fields = await body_of(request)
        note, _ = await run_in_threadpool(benches.of, fields.text("category", longest=300))
        given = fields.text("words", longest=20_000) if fields.get("words") else ""
        await run_in_threadpool(learn_again, note, given)
        return answer({}, 202)

    def learn_again(note: Note, given: str) -> None:
        if given:
            Keywords.parse(given)
        start_finding(workspace, categories, categories.change(note.key, next_round={"words": given}, at=time.time()))

    @takes("List the verdicts; a guest's own only.", "verdicts", category="text", reviewer="text?")
    def history(request: Request) -> Response:
        _, bench, reviewer = asked(request, Fields({"reviewer": "me", **request.query_params}))
        said = [each for each in current(bench.session.log) if not each.is_blind and each.verdict != "skip"]
        if "guest" in request.scope:
            said = [each for each in said if each.reviewer == reviewer]
        names = ("item", "verdict", "reviewer", "note", "at")
        titles = corpus.titles(corpus.rows([each.item for each in said])) if said else []
        rows = [
            {**{name: getattr(each, name) for name in names}, "title": title}
            for each, title in zip(said, titles, strict=True)
        ]
        return answer({"verdicts": rows[::-1]})

    return Page(
        "workbench",
        "Workbench",
        [
            Route("/start", start),
            Route("/state", state),
            Route("/queue", queue),
            Route("/document", document),
            Route("/judge", judge, methods=["POST"]),
            Route("/undo", undo, methods=["POST"]),
            Route("/sample", sample, methods=["POST"]),
            Route("/words", words, methods=["POST"]),
            Route("/history", history),
        ],
        in_menu=False,
    )


def judged(bench: Bench, id: str, word: str, previous: str | None, given: dict[str, Any]) -> Verdict:
    """Store a verdict, unless the reviewer said something about the document that this page does not know."""
    with bench.lock:
        own = bench.said(given["reviewer"]).get(id)
        if own is not None and own.id not in (previous, given["identity"]):
            raise HTTPException(409, f"you said {own.verdict} about this document in another window")
        return bench.session.judge(id, word, **given)


def candidates(bench: Bench, reviewer: str, most: int) -> list[dict[str, Any]]:
    """Return the first documents of a reviewer's queue, as the list shows them."""
    session, team = bench.session, bench.session.team
    is_shared = team is not None and reviewer in team.reviewers
    found = session.queue(most * len(team.reviewers) if team and is_shared else most, evidence=False).table
    columns = (found[name].to_pylist() for name in ("id", "title", "probability"))
    rows = [{"id": id, "title": title, "probability": share} for id, title, share in zip(*columns, strict=True)]
    if team and is_shared:
        rows = [each for each in rows if team.asks(reviewer, each["id"])]
    return rows[:most]


def fitting(corpus: Corpus, rows: list[dict[str, Any]], wanted: str) -> list[dict[str, Any]]:
    """Return the documents whose title holds a text, or that have all its words."""
    plain, asked = wanted.casefold(), np.unique(corpus.token_ids(tokens(wanted)))
    has_all = np.zeros(len(rows), bool)
    if rows and len(asked) and asked[0] >= 0:
        starts, found = corpus.take(corpus.rows([each["id"] for each in rows]))
        seen = np.concatenate([[0], np.cumsum(np.isin(found, asked))])
        has_all = seen[starts[1:]] - seen[starts[:-1]] == len(asked)
    return [each for each, fits in zip(rows, has_all, strict=True) if fits or plain in each["title"].casefold()]


def look(bench: Bench, reviewer: str) -> dict[str, Any]:
    """Return the queue as it is now, and what the model learned since somebody last looked."""
    session = bench.session
    rows = candidates(bench, reviewer, SHOWN)
    progress, missing, stop = session.progress, session.missing, session.stop
    ids = [each["id"] for each in rows]
    with bench.lock:
        before, bench.places = bench.places, {id: place for place, id in enumerate(ids)}
        if before and progress.judged != bench.number:
            bench.learned = [id for id in ids[:20] if before.get(id, SHOWN) >= 20]
        bench.number = progress.judged
        learned = bench.learned
    coming = session.next(COMING, reviewer=reviewer)
    summary = {
        "members": session.run.about.members,
        "waiting": sum((each["probability"] or 0.0) >= 0.5 for each in rows),
        **{name: getattr(progress, name) for name in ("judged", "found", "unsure", "last", "curve", "unread")},
        "missing": [missing.expected, missing.low, missing.high],
        "stop": {name: getattr(stop, name) for name in ("safe", "reason", "probability", "recall")},
    }
    return {
        "summary": summary,
        "queue": rows,
        "total": len(rows) if len(rows) < SHOWN else min(MOST_SHOWN, progress.unread),
        "new": learned,
        "next": [{"id": each.id, "title": each.title, "chosen": each.chosen} for each in coming],
        "verdicts": {item: {"id": each.id, "verdict": each.verdict} for item, each in bench.said(reviewer).items()},
    }


def read(workspace: Workspace, note: Note, bench: Bench, reviewer: str, id: str) -> dict[str, Any]:
    """Return a document, why it is where it is, and which members it resembles."""
    corpus, session = workspace.corpus, bench.session
    row = corpus.row(id)
    explained = session.explain(id, reviewer=reviewer)
    own = bench.said(reviewer).get(id)
    strongest: list[dict[str, Any]] = [
        {
            "name": each.name,
            "group": each.group,
            "adds": each.adds,
            "in_members": _share(each.in_members, explained.n_members),
            "in_others": _share(each.in_others, explained.n_others),
        }
        for each in explained.words
        if abs(each.adds) > 1e-6
    ]
    members = corpus.members(note.label) if note.label is not None else corpus.rows(note.examples)
    known = np.unique(np.concatenate([members, corpus.rows(session.accepted)])).astype(np.int64)
    return {
        "id": id,
        "title": corpus.titles([row])[0],
        "address": corpus.address(row) or _address(corpus.other(row)),
        "text": corpus.text(row),
        "labels": corpus.labels_of(row),
        "other": {name: str(value) for name, value in list(corpus.other(row).items())[:12]},
        "for": [each for each in strongest if each["adds"] > 0][:WHY],
        "against": [each for each in strongest if each["adds"] < 0][:WHY],
        "similar": [
            {**document_facts(workspace, other), "shared": shared} for other, shared in most_similar(corpus, row, known)
        ],
        "own": None if own is None else {"id": own.id, "verdict": own.verdict, "note": own.note},
    }


def _share(number: float, of: float) -> float | None:
    return None if not of > 0 or number != number else min(1.0, max(0.0, number / of))


def _address(other: dict[str, Any]) -> str | None:
    """Return an address of the web among a record's other columns."""
    for name, value in other.items():
        if isinstance(value, str) and value.startswith(("https://", "http://")):
            return value
        if name.casefold() == "doi" and isinstance(value, str) and value.startswith("10."):
            return f"https://doi.org/{value}"
    return None
