"""The first page of the app: bring a file, see what it holds, open a corpus, or try the demo."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from priorwise.counting import counted
from priorwise.errors import BrokenFile, DiskFull, DownloadFailed, InputError
from priorwise.readers.fields import PEEKED, Columns, guess_columns, said
from priorwise.readers.opening import BY_SUFFIX, Opening, opened
from priorwise.readers.records import RecordReader, settled
from priorwise.web import answers
from priorwise.web.answers import Fields, answer, body_of, query_of
from priorwise.web.app import Page
from priorwise.web.corpora import Corpora, Source, told_by
from priorwise.web.jobs import Report
from priorwise.web.openapi import takes

SHOWN = 10
LONGEST_CELL = 160
_WIKI = b"<mediawiki"
_HEAD = 4096


def is_wiki(path: Path) -> bool:
    """Return whether a file is the dump of a wiki."""
    try:
        with opened(path, lambda n: None) as stream:
            return _WIKI in stream.read(_HEAD)
    except BrokenFile:
        return False


def preview(path: Path, opening: Opening, chosen: Mapping[str, str]) -> dict[str, Any]:
    """Look at the first thousand records of a file."""
    reader = RecordReader([path], opening=replace(opening, join=False))
    reader.checked = False
    head = [dict(record) for _, _, record in islice(reader.records(), PEEKED + 1)]
    if not head:
        raise BrokenFile(path.name, "there is no record in it")
    whole, head = len(head) <= PEEKED, head[:PEEKED]
    names = list(dict.fromkeys(name for record in head for name in record))
    columns = columns_of(chosen, guess_columns(head))
    columns.check(names, "the file")
    columns = settled(columns, head).applied(columns)
    documents = [columns.document(record, number, number + 1) for number, record in enumerate(head)]
    labels = Counter(label for document in documents for label in document.labels)
    return {
        "columns": [str(name) for name in names],
        "rows": [[_cell(record.get(name)) for name in names] for record in head[:SHOWN]],
        "roles": {
            "id": columns.id if columns.id in names else "",
            "title": columns.title if columns.title in names else "",
            "text": columns.texts[0],
            "labels": columns.labels if columns.labels in names else "",
        },
        "separator": columns.separator or "",
        "separator_said": said(columns.separator) if columns.separator else "",
        "looked_at": len(head),
        "whole": whole,
        "categories": [{"label": label, "documents": size} for label, size in labels.most_common(8)],
        "n_categories": len(labels),
        "unlabelled": sum(not document.labels for document in documents),
        "remarks": _remarks(columns, names, head, documents),
    }


def columns_of(chosen: Mapping[str, str], guessed: Columns) -> Columns:
    """Return the columns that somebody chose; the others are as guessed. An empty string means that there is none."""
    roles = {role: chosen.get(role, getattr(guessed, role)) for role in ("id", "title", "text", "labels")}
    roles = {role: name for role, name in roles.items() if name}
    return Columns(**roles, separator=chosen.get("separator"))


def _remarks(columns: Columns, names: list[Any], head: list[dict[str, Any]], documents: list[Any]) -> list[str]:
    found = []
    if empty := sum(not document.text.strip() and not document.title_words for document in documents):
        found.append(
            f"{counted(empty, 'row')} without text: read as {'an empty document' if empty == 1 else 'empty documents'}"
        )
    if columns.id not in names:
        found.append("no column for the id: rows are numbered")
    else:
        ids = [columns.identity(record, number, number + 1) for number, record in enumerate(head)]
        if repeated := len(ids) - len(set(ids)):
            found.append(f"{counted(repeated, 'row')} with an id that an earlier row has: numbered, such as “7#2”")
        if blank := sum(not str(record.get(columns.id) or "").strip() for record in head):
            found.append(f"{counted(blank, 'row')} without an id: named by {'its' if blank == 1 else 'their'} row")
    if columns.labels not in names:
        found.append("no column for the categories: make a category yourself, from examples")
    return found


def _cell(value: Any) -> str:
    shown = "; ".join(map(str, value)) if isinstance(value, list | tuple | set) else "" if value is None else str(value)
    return shown if len(shown) <= LONGEST_CELL else shown[: LONGEST_CELL - 1] + "…"


LARGEST_UPLOAD = 20 << 30
"""Bytes of a file that is brought in the browser; `priorwise ingest` reads larger ones."""

DEMO_ARTICLES = 6000
DEMOS = {"enwik8": "Film actors", "made-up": "Astronomy"}
_ROLES = ("id", "title", "text", "labels", "separator")
_LONGEST_COLUMN = 500


def start_page(corpora: Corpora, largest: int = LARGEST_UPLOAD) -> Page:
    """Return the page."""

    @takes(
        "List the corpora, imports that were interrupted, and jobs.", "corpora interrupted jobs endings folder largest"
    )
    def state(_request: Request) -> Response:
        return answer(
            {
                "corpora": corpora.facts(),
                "interrupted": corpora.interrupted(),
                "jobs": corpora.jobs.states(kind="import"),
                "endings": sorted({*BY_SUFFIX, ".xml"}),
                "folder": str(corpora.folder),
                "largest": largest,
            }
        )

    @takes("Bring a file.", "upload bytes", name="text", file="file")
    async def upload(request: Request) -> Response:
        name = query_of(request).text("name", longest=1000)
        number, path = await run_in_threadpool(corpora.new_upload, name)
        try:
            received = await _received(request, path, largest)
            if not received:
                raise InputError(f"{name} is empty")
        except BaseException:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise
        Source(name, path.name).write(path.parent)
        return answer({"upload": number, "bytes": received}, 201)

    @takes(
        "Look into a file that was brought.",
        "name bytes wiki columns rows roles separator separator_said looked_at whole categories n_categories "
        "unlabelled remarks",
        upload="text",
        id="text?",
        title="text?",
        text="text?",
        labels="text?",
        separator="text?",
    )
    def look(request: Request) -> Response:
        query = query_of(request)
        source, folder = corpora.upload(query.text("upload"))
        path = source.path_in(folder)
        facts = {"name": source.name, "bytes": path.stat().st_size}
        if is_wiki(path):
            return answer({**facts, "wiki": True})
        return answer({**facts, "wiki": False, **preview(path, Opening(), _chosen(query))})

    @takes("Make a corpus of a file that was brought.", "name", upload="text", columns="object?")
    async def begin(request: Request) -> Response:
        fields = await body_of(request)
        number = fields.text("upload")
        columns = fields.get("columns") or {}
        if not isinstance(columns, dict):
            raise InputError("'columns' must name columns")
        name = await run_in_threadpool(_begin, corpora, number, _chosen(Fields(columns)))
        return answer({"name": name}, 202)

    @takes("Throw a file away that was brought.", upload="text")
    async def drop(request: Request) -> Response:
        await run_in_threadpool(corpora.drop_upload, (await body_of(request)).text("upload"))
        return answer({})

    @takes("Continue an import that was interrupted.", "name", name="text")
    async def resume(request: Request) -> Response:
        name = await run_in_threadpool(corpora.resume, (await body_of(request)).text("name"))
        return answer({"name": name}, 202)

    @takes("Throw an interrupted import away.", name="text")
    async def forget(request: Request) -> Response:
        await run_in_threadpool(corpora.forget, (await body_of(request)).text("name"))
        return answer({})

    @takes("Stop a job.", job="whole")
    async def cancel(request: Request) -> Response:
        corpora.jobs.cancel((await body_of(request)).whole("job", 0, 1 << 40))
        return answer({})

    @takes("Make the corpus of the demo.", "name")
    async def demo(_request: Request) -> Response:
        name = "demo"
        if name not in {each["name"] for each in corpora.facts()}:
            corpora.jobs.add("import", name, "The demo", lambda report: _demo(corpora, name, report))
        return answer({"name": name}, 202)

    return Page(
        "start",
        "Start",
        [
            Route("/state", state),
            Route("/upload", upload, methods=["POST"]),
            Route("/preview", look),
            Route("/import", begin, methods=["POST"]),
            Route("/drop", drop, methods=["POST"]),
            Route("/resume", resume, methods=["POST"]),
            Route("/forget", forget, methods=["POST"]),
            Route("/cancel", cancel, methods=["POST"]),
            Route("/demo", demo, methods=["POST"]),
        ],
        in_menu=False,
    )


def _chosen(fields: Fields) -> dict[str, str]:
    """Return the columns that were chosen; an empty text means none, and a field that is not there means: guess."""
    chosen = {}
    for role in _ROLES:
        value = fields.get(role)
        if value is None:
            continue
        if not isinstance(value, str) or len(value) > _LONGEST_COLUMN:
            raise InputError(f"'{role}' must be the name of a column")
        chosen[role] = value
    return chosen


def _begin(corpora: Corpora, number: str, chosen: dict[str, str]) -> str:
    source, folder = corpora.upload(number)
    path = source.path_in(folder)
    if is_wiki(path):
        return corpora.begin_import(number, {}, wiki=True)
    found = preview(path, Opening(), chosen)
    columns = {role: name for role, name in found["roles"].items() if name}
    return corpora.begin_import(number, {**columns, "separator": found["separator"]}, wiki=False)


async def _received(request: Request, path: Path, largest: int) -> int:
    """Write what comes to a file; what is too large, or stops coming, is refused."""
    done = 0
    free = shutil.disk_usage(path.parent).free
    chunks = request.stream().__aiter__()
    with path.open("wb") as file:
        while True:
            try:
                async with asyncio.timeout(answers.SECONDS_FOR_BODY):
                    chunk = await anext(chunks, None)
            except ClientDisconnect as error:
                raise HTTPException(400, "the upload broke off") from error
            except TimeoutError as error:
                raise HTTPException(408, "the upload stopped; try again") from error
            if chunk is None:
                return done
            done += len(chunk)
            if done > largest:
                raise HTTPException(
                    413, f"files up to {largest >> 20:,} MB can be uploaded; import larger ones with `priorwise ingest`"
                )
            if done > free // 2:
                raise DiskFull("no space left for this file and what is made of it")
            await run_in_threadpool(file.write, chunk)


def _demo(corpora: Corpora, name: str, report: Report) -> str:
    """Make the corpus of the demo: the Wikipedia of 2006 if it can be had, or a made-up wiki."""
    from priorwise.corpus.build.wikipedia import ingest_wikipedia
    from priorwise.discovery.demo import write_wiki
    from priorwise.readers.addresses import cache_folder
    from priorwise.readers.download import find_enwik8

    source = corpora.folder / f"{name}.source"
    source.mkdir(parents=True, exist_ok=True)
    report("Looking for the demo’s texts", None)

    def told(_host: str, done: int, total: int) -> None:
        report("Downloading 36 MB of Wikipedia", done / total if total else None)

    try:
        path, kind, title = find_enwik8([cache_folder()], progress=told), "enwik8", "Demo: Wikipedia in 2006"
    except DownloadFailed:
        path, kind, title = source / "original.xml", "made-up", "Demo: a made-up wiki"
        report("No network: writing a made-up wiki", None)
        write_wiki(path, DEMO_ARTICLES)
    Source(title, str(path.resolve()), wiki=True, label=DEMOS[kind]).write(source)

    ingest_wikipedia([path], corpora.folder / f"{name}.corpus", progress=told_by(report))
    return name
