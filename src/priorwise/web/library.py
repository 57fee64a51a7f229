"""The library: the categories of a corpus, those that somebody works on first, and a new one from examples."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from priorwise.discovery import Run, discover
from priorwise.discovery.category import FILE_NAME
from priorwise.errors import InputError
from priorwise.review.verdicts import Verdicts
from priorwise.text.tokens import tokens
from priorwise.web.answers import answer, body_of, query_of
from priorwise.web.app import Page
from priorwise.web.jobs import Report
from priorwise.web.openapi import takes
from priorwise.web.workspace import Categories, Note, Workspace

MOST_LABELS = 200
MOST_EXAMPLES = 1000
_LONGEST_TEXT = 20_000
_EXCERPT = 240


def library_page(workspace: Workspace) -> Page:
    """Return the page."""
    corpus = workspace.corpus
    categories = Categories(workspace)

    @takes("Say what the corpus holds.", "corpus documents labels vocabulary suggested")
    def facts(_request: Request) -> Response:
        return answer(
            {
                "corpus": workspace.title,
                "documents": corpus.n_documents,
                "labels": corpus.n_labels,
                "vocabulary": corpus.n_vocabulary,
                "suggested": workspace.source[0].label if workspace.source else "",
            }
        )

    @takes("List the categories that somebody works on, and jobs.", "categories jobs")
    def begun(_request: Request) -> Response:
        jobs = workspace.jobs.states(corpus=workspace.name, kind="find")
        working = {job["name"] for job in jobs if job["state"] in ("waiting", "running")}
        notes = [
            {**_shown(note), "interrupted": note.name not in working and (not note.runs or note.next_round is not None)}
            for note in categories.all()
        ]
        return answer({"categories": notes, "jobs": jobs})

    @takes("Find categories; typing errors do not matter.", "labels more", q="text?", offset="whole?", limit="whole?")
    def labels(request: Request) -> Response:
        query = query_of(request)
        limit = query.whole("limit", 1, MOST_LABELS, default=20)
        offset = query.whole("offset", 0, 1 << 40, default=0)
        wanted = query.text("q", longest=300, default="")
        found = (
            corpus.search_labels(wanted, offset + limit + 1) if wanted else corpus.largest_labels(offset + limit + 1)
        )
        known = {note.label: _shown(note) for note in categories.all() if note.label is not None}
        rows = [{"label": label, "documents": size, "begun": known.get(label)} for label, size in found[offset:]]
        return answer({"labels": rows[:limit], "more": len(rows) > limit})

    @takes("Search the documents.", "documents", q="text", limit="whole?")
    def documents(request: Request) -> Response:
        query = query_of(request)
        return answer(
            {
                "documents": found_documents(
                    workspace, query.text("q", longest=300), query.whole("limit", 1, 50, default=12)
                )
            }
        )

    @takes("Find what is missing from a category (discover).", "key", label="text")
    async def find(request: Request) -> Response:
        fields = await body_of(request)
        label = fields.text("label")
        note = await run_in_threadpool(begin, label)
        return answer({"key": note.key}, 202)

    def begin(label: str) -> Note:
        named = corpus.label_named(label)
        members = len(corpus.members(named))
        note = categories.of_label(named) or categories.new(named, named, members=members)
        start_finding(workspace, categories, note)
        return note

    @takes(
        "Make a category of examples, words or a description.",
        "key",
        name="text",
        description="text?",
        words="text?",
        examples="texts?",
    )
    async def make(request: Request) -> Response:
        fields = await body_of(request)
        name = fields.text("name", longest=200)
        given = {
            part: fields.text(part, longest=_LONGEST_TEXT, default="") if fields.get(part) else ""
            for part in ("description", "words")
        }
        examples = fields.get("examples") or []
        if (
            not isinstance(examples, list)
            or len(examples) > MOST_EXAMPLES
            or not all(isinstance(each, str) for each in examples)
        ):
            raise InputError(f"'examples' must be a list of at most {MOST_EXAMPLES} ids")
        note = await run_in_threadpool(created, name, given, examples)
        return answer({"key": note.key}, 202)

    def created(name: str, given: dict[str, str], examples: list[str]) -> Note:
        distinct = list(dict.fromkeys(examples))
        corpus.rows(distinct)
        if categories.of_label(name) is not None or name in {label for label, _ in corpus.search_labels(name, 1)}:
            raise InputError(f"there is a category '{name}' already")
        if not distinct and not given["words"] and not given["description"]:
            raise InputError("tick some documents that belong to it, or describe it")
        note = categories.new(name, None, examples=distinct, members=len(distinct), **given)
        start_finding(workspace, categories, note)
        return note

    @takes("Continue a search that was interrupted.", "key", key="text")
    async def resume(request: Request) -> Response:
        note = await run_in_threadpool(categories.get, (await body_of(request)).text("key"))
        await run_in_threadpool(start_finding, workspace, categories, note)
        return answer({"key": note.key}, 202)

    @takes("Give up a search that was interrupted; rounds that are done stay.", key="text")
    async def forget(request: Request) -> Response:
        await run_in_threadpool(categories.give_up, (await body_of(request)).text("key"))
        return answer({})

    @takes("Stop a job.", job="whole")
    async def cancel(request: Request) -> Response:
        workspace.jobs.cancel((await body_of(request)).whole("job", 0, 1 << 40))
        return answer({})

    return Page(
        "library",
        "Categories",
        [
            Route("/facts", facts),
            Route("/begun", begun),
            Route("/labels", labels),
            Route("/documents", documents),
            Route("/find", find, methods=["POST"]),
            Route("/new", make, methods=["POST"]),
            Route("/resume", resume, methods=["POST"]),
            Route("/forget", forget, methods=["POST"]),
            Route("/cancel", cancel, methods=["POST"]),
        ],
    )


def start_finding(workspace: Workspace, categories: Categories, note: Note) -> None:
    """Find what is missing from a category, as a job; its run becomes the category's latest round.

    What a further round learns from replaces what the last one did when it is done, not before.
    """
    path = workspace.new_run_path(note.name)
    given: dict[str, Any] = {**(note.next_round or {})}
    note = replace(note, **given)

    def job(report: Report) -> str:
        run = _discovered(workspace, note, path, report)
        missing = run.missing
        known = None if missing is None else [missing.expected, missing.low, missing.high]
        done = {"runs": [*note.runs, path.name], "members": run.about.members, "missing": known, "next_round": None}
        categories.change(note.key, **given, **done)
        return note.key

    workspace.jobs.add("find", workspace.name, note.name, job)


def _discovered(workspace: Workspace, note: Note, path: Path, report: Report) -> Run:
    """Make a run of what is known of a category. A later round keeps the verdicts of the one before."""
    given: dict[str, Any] = {"words": note.words or None}
    if note.label is None:
        given["members"] = note.examples
        text = "\n".join(filter(None, (note.name, note.description)))
        # A name of which no document has a word says nothing; a description that says nothing is refused.
        has_words = (workspace.corpus.token_ids(tokens(note.name)) >= 0).any()
        given["description"] = text if note.description or has_words else None
    elif note.description:
        given["description"] = note.description
    run = discover(workspace.corpus, note.label, progress=lambda what, share: report(what.capitalize(), share), **given)
    if not note.runs:
        run.save(path)
        return run
    before = Verdicts.of_run(workspace.run_path(note.runs[-1]))
    try:
        run.save(path)
        before.copy_to(path / FILE_NAME)
    finally:
        before.close()
    return run


def found_documents(workspace: Workspace, wanted: str, limit: int) -> list[dict[str, Any]]:
    """Search the documents for words: those with the most and the rarest of them come first."""
    from priorwise.engines.engine import Local
    from priorwise.models.weights import Weights
    from priorwise.ranking.scorer import Scorer

    corpus = workspace.corpus
    known = np.unique(corpus.token_ids(list(dict.fromkeys(tokens(wanted)))))
    known = known[known >= 0]
    if not len(known):
        return []
    rarity = np.log((corpus.n_documents + 1) / (corpus.document_frequency[known] + 0.5))
    (top,) = Local().rank_corpus(corpus, [Scorer(Weights(known, rarity[np.newaxis], np.zeros(1)))], top=limit)
    rows = top.documents[top.scores > 0]
    return [document_facts(workspace, row) for row in rows.tolist()]


def document_facts(workspace: Workspace, row: int) -> dict[str, Any]:
    """Return a document's id and title, and how it begins."""
    corpus = workspace.corpus
    text = (corpus.text(row) or "").strip()
    brief = text if len(text) <= _EXCERPT else text[:_EXCERPT].rsplit(" ", 1)[0] + "…"
    return {"id": corpus.ids([row])[0], "title": corpus.titles([row])[0], "text": brief}


def _shown(note: Note) -> dict[str, Any]:
    facts = asdict(note)
    del facts["examples"]
    return {**facts, "rounds": len(note.runs)}
