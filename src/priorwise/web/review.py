"""The review page: a document, five keys, and every verdict on the disk before the next document comes."""

from __future__ import annotations

import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.errors import InputError, UnknownName
from priorwise.review.queue import Choices, Item, items_of
from priorwise.review.reading import said_in
from priorwise.review.results import decisions, results_of, reviewers
from priorwise.review.session import Session
from priorwise.review.teaching import teaching_items
from priorwise.review.verdicts import LONGEST_NAME, WORDS, Verdict, Verdicts
from priorwise.web.answers import Fields, answer, body_of, query_of
from priorwise.web.app import Page
from priorwise.web.workspace import Workspace

_LONGEST_ID = 200
COMING = 4
"""How many documents of a review in rank order the page knows ahead, to read their texts."""

_LONGEST_SECONDS = 24 * 3600.0


class Desk:
    """The review of one run: its lists and verdicts. Nothing is written before a verdict or a session."""

    def __init__(self, run: Run, corpus: Corpus, path: Path, choices: Choices, ask: str) -> None:
        self.run = run
        self._ask = ask
        self._session: Session | None = None
        self._corpus = corpus
        self._path = path
        self._choices = choices
        self._lock = threading.Lock()
        self._verdicts: Verdicts | None = None
        self._lists: dict[str, dict[str, Item]] = {}

    @property
    def session(self) -> Session:
        """The session that learns; it is opened when it is first asked for."""
        with self._lock:
            if self._session is None:
                choices = self._choices
                self._session = Session.of_run(
                    self._path, self._corpus, ask=self._ask, subcategories=choices.subcategories
                )
            return self._session

    def items(self, mode: str, reviewer: str = "me") -> dict[str, Item]:
        """Return what there is to judge by id; the blind list and that to teach are made when first asked for."""
        if mode == "rank":
            # A page has one list. It holds documents for one reviewer only as far as they are shown.
            coming = self.session.next(COMING, reviewer=reviewer)
            return {each.id: Item(each.id, each.title) for each in coming}
        with self._lock:
            if mode not in self._lists:
                found = self._to_teach() if mode == "teach" else items_of(self.run, self._choices)
                self._lists[mode] = {item.id: item for item in found}
            return self._lists[mode]

    def _to_teach(self) -> list[Item]:
        blind = decisions(each for each in said_in(self._path) if each.is_blind)
        return teaching_items(self.run, self._corpus, self._choices, judged=blind)

    def item(self, id: str, mode: str) -> Item:
        """Return a document that is to be judged; others are not shown here."""
        if mode == "rank":
            row = self._corpus.row(id)
            return Item(id, self._corpus.titles([row])[0])
        items = self.items(mode)
        if id not in items:
            raise UnknownName("document in this review", id, [])
        return items[id]

    def said(self) -> list[Verdict]:
        """Return each reviewer's last word on each document."""
        return said_in(self._path) if self._verdicts is None else self._verdicts.current()

    def add(self, verdict: Verdict, mode: str) -> Verdict:
        """Store a verdict; when this returns, it is on the disk."""
        if mode == "rank":
            who, session = verdict.reviewer, self.session
            if verdict.verdict == "withdrawn":
                session.undo(who, id=verdict.item, identity=verdict.id)
                return verdict
            return session.judge(
                verdict.item, verdict.verdict, reviewer=who, seconds=verdict.seconds, identity=verdict.id
            )
        with self._lock:
            if self._verdicts is None:
                self._verdicts = Verdicts.of_run(self._path)
        return self._verdicts.add(verdict)


class Desks:
    """The reviews that are open, by the names of their runs; each is opened once."""

    def __init__(self, workspace: Workspace, choices: Choices, ask: str) -> None:
        self._workspace = workspace
        self._choices = choices
        self._ask = ask
        self._lock = threading.Lock()
        self._open: dict[str, tuple[Run, Desk]] = {}

    def of(self, name: str) -> Desk:
        """Return the review of a run."""
        run = self._workspace.run(name)
        with self._lock:
            if name not in self._open or self._open[name][0] is not run:
                self._open[name] = (
                    run,
                    Desk(run, self._workspace.corpus, self._workspace.run_path(name), self._choices, self._ask),
                )
            return self._open[name][1]

    def default_name(self) -> str:
        """Return the name of the first run, for a page that was opened without one."""
        names = [fact["name"] for fact in self._workspace.facts()]
        if not names:
            raise InputError("there is no run to review yet: find a category and discover what is missing from it")
        return str(names[0])


def mode_of(fields: Fields) -> str:
    """Return which list a request is about: that in rank order, which learns, that which teaches, or the blind one."""
    for name in ("rank", "teach"):
        if fields.whole(name, 0, 1, default=0) == 1:
            return name
    return "blind"


def _now(session: Session) -> dict[str, Any]:
    """What a session in rank order says of itself."""
    progress, missing, stop = session.progress, session.missing, session.stop
    return {
        "judged": progress.judged,
        "found": progress.found,
        "unread": progress.unread,
        "missing": asdict(missing),
        "safe": stop.safe,
        "reason": stop.reason,
    }


def review_page(workspace: Workspace, choices: Choices | None = None, ask: str = "best") -> Page:
    """Return the page; all runs of a workspace are reviewed by the same choices."""
    corpus = workspace.corpus
    desks = Desks(workspace, choices or Choices(), ask)

    def desk_of(request: Request) -> tuple[str, Desk]:
        name = query_of(request).text("run", longest=300, default="") or desks.default_name()
        return name, desks.of(name)

    def start(request: Request) -> Response:
        name, desk = desk_of(request)
        query = query_of(request)
        mode, reviewer = mode_of(query), query.text("reviewer", longest=LONGEST_NAME, default="")
        # Before a reviewer is known, no document is held for anybody.
        items = desk.items(mode, reviewer) if reviewer or mode != "rank" else {}
        return answer(
            {
                "run": name,
                "runs": [{"name": each["name"], "label": each["label"]} for each in workspace.facts()],
                "label": desk.run.about.label,
                "teaching": mode == "teach",
                "learning": mode == "rank",
                "now": _now(desk.session) if mode == "rank" else None,
                "items": [asdict(item) for item in items.values()],
                "reviewers": [{"name": each["name"]} for each in reviewers(desk.said())],
                "keeps_text": corpus.keeps_text,
            }
        )

    def own(request: Request) -> Response:
        query = query_of(request)
        reviewer, mode = query.text("reviewer", longest=LONGEST_NAME), mode_of(query)
        everything = desk_of(request)[1].said()
        said = [each for each in everything if each.reviewer == reviewer and each.is_blind is (mode == "blind")]
        return answer({"verdicts": [{"id": v.id, "item": v.item, "verdict": v.verdict} for v in said]})

    def document(request: Request) -> Response:
        query = query_of(request)
        item = desk_of(request)[1].item(query.exact("id", longest=100_000), mode_of(query))
        row = corpus.row(item.id)
        return answer({**asdict(item), "address": corpus.address(row), "text": corpus.text(row)})

    async def judge(request: Request) -> Response:
        from starlette.concurrency import run_in_threadpool

        fields = await body_of(request)
        desk = await run_in_threadpool(desks.of, fields.text("run", longest=300))
        given, mode = fields.get("previous"), mode_of(fields)
        item = await run_in_threadpool(desk.item, fields.exact("item", longest=100_000), mode)
        verdict = Verdict(
            fields.text("id", longest=_LONGEST_ID),
            fields.text("reviewer", longest=LONGEST_NAME),
            item.id,
            fields.choice("verdict", WORDS),
            None if given is None else fields.text("previous", longest=_LONGEST_ID),
            None if fields.get("seconds") is None else fields.number("seconds", 0.0, _LONGEST_SECONDS),
            chosen=mode,
        )
        stored = await run_in_threadpool(desk.add, verdict, mode)
        return answer({"stored": stored.id, "at": stored.at})

    def results(request: Request) -> Response:
        desk = desk_of(request)[1]
        found = results_of(desk.run, desk.said())
        return answer({name: value for name, value in found.items() if name != "documents"})

    return Page(
        "review",
        "Evaluate",
        [
            Route("/start", start),
            Route("/own", own),
            Route("/document", document),
            Route("/verdict", judge, methods=["POST"]),
            Route("/results", results),
        ],
        has_charts=True,
    )
