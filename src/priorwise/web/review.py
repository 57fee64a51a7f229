"""Evaluate: judge both rankings of a run blindly, with every verdict on the disk before the next document comes."""

from __future__ import annotations

import threading
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.errors import InputError, UnknownName
from priorwise.review.queue import Choices, Item, items_of
from priorwise.review.results import results_of, reviewers
from priorwise.review.verdicts import LONGEST_NAME, WORDS, Verdict, Verdicts, said_in
from priorwise.web.answers import answer, body_of, query_of
from priorwise.web.app import Page
from priorwise.web.workspace import Workspace

_LONGEST_ID = 200
_LONGEST_SECONDS = 24 * 3600.0


class Desk:
    """The evaluation of one run: its list and its verdicts. Nothing is written before the first verdict."""

    def __init__(self, run: Run, corpus: Corpus, path: Path, choices: Choices) -> None:
        self.run = run
        self._corpus = corpus
        self._path = path
        self._choices = choices
        self._lock = threading.Lock()
        self._verdicts: Verdicts | None = None

    @cached_property
    def items(self) -> dict[str, Item]:
        """What there is to judge, by id."""
        return {item.id: item for item in items_of(self.run, self._choices)}

    def item(self, id: str) -> Item:
        """Return a document that is to be judged; others are not shown here."""
        if id not in self.items:
            raise UnknownName("document in this review", id, [])
        return self.items[id]

    def said(self) -> list[Verdict]:
        return said_in(self._path) if self._verdicts is None else self._verdicts.current()

    def add(self, verdict: Verdict) -> Verdict:
        with self._lock:
            if self._verdicts is None:
                self._verdicts = Verdicts.of_run(self._path)
        return self._verdicts.add(verdict)


class Desks:
    """The reviews that are open, by the names of their runs; each is opened once."""

    def __init__(self, workspace: Workspace, choices: Choices) -> None:
        self._workspace = workspace
        self._choices = choices
        self._lock = threading.Lock()
        self._open: dict[str, tuple[Run, Desk]] = {}

    def of(self, name: str) -> Desk:
        run = self._workspace.run(name)
        with self._lock:
            if name not in self._open or self._open[name][0] is not run:
                self._open[name] = (
                    run,
                    Desk(run, self._workspace.corpus, self._workspace.run_path(name), self._choices),
                )
            return self._open[name][1]

    def default_name(self) -> str:
        """Return the name of the first run, for a page that was opened without one."""
        names = [fact["name"] for fact in self._workspace.facts()]
        if not names:
            raise InputError("choose a category and find what is missing from it first")
        return str(names[0])


def review_page(workspace: Workspace, choices: Choices | None = None) -> Page:
    """Return the page; all runs of a workspace are reviewed by the same choices."""
    corpus = workspace.corpus
    desks = Desks(workspace, choices or Choices())

    def desk_of(request: Request) -> tuple[str, Desk]:
        name = query_of(request).text("run", longest=300, default="") or desks.default_name()
        return name, desks.of(name)

    def start(request: Request) -> Response:
        name, desk = desk_of(request)
        return answer(
            {
                "run": name,
                "runs": [{"name": each["name"], "label": each["label"]} for each in workspace.facts()],
                "label": desk.run.about.label,
                "items": [asdict(item) for item in desk.items.values()],
                "reviewers": [{"name": each["name"]} for each in reviewers(desk.said())],
                "keeps_text": corpus.keeps_text,
            }
        )

    def own(request: Request) -> Response:
        query = query_of(request)
        reviewer = query.text("reviewer", longest=LONGEST_NAME)
        everything = desk_of(request)[1].said()
        said = [each for each in everything if each.reviewer == reviewer and each.is_blind]
        return answer({"verdicts": [{"id": v.id, "item": v.item, "verdict": v.verdict} for v in said]})

    def document(request: Request) -> Response:
        query = query_of(request)
        item = desk_of(request)[1].item(query.exact("id", longest=100_000))
        row = corpus.row(item.id)
        return answer({**asdict(item), "address": corpus.address(row), "text": corpus.text(row)})

    async def judge(request: Request) -> Response:
        from starlette.concurrency import run_in_threadpool

        fields = await body_of(request)
        desk = await run_in_threadpool(desks.of, fields.text("run", longest=300))
        given = fields.get("previous")
        item = await run_in_threadpool(desk.item, fields.exact("item", longest=100_000))
        verdict = Verdict(
            fields.text("id", longest=_LONGEST_ID),
            fields.text("reviewer", longest=LONGEST_NAME),
            item.id,
            fields.choice("verdict", WORDS),
            None if given is None else fields.text("previous", longest=_LONGEST_ID),
            None if fields.get("seconds") is None else fields.number("seconds", 0.0, _LONGEST_SECONDS),
            chosen="blind",
        )
        stored = await run_in_threadpool(desk.add, verdict)
        return answer({"stored": stored.id, "at": stored.at})

    def results(request: Request) -> Response:
        desk = desk_of(request)[1]
        said = desk.said()
        found = results_of(desk.run, said)
        waiting = len(set(desk.items) - {each.item for each in said if each.is_blind})
        return answer({**{name: value for name, value in found.items() if name != "documents"}, "waiting": waiting})

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
