"""Stop and finish: how complete a category is, how sure that is, and everything to take along."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from priorwise.errors import BrokenFile, InputError
from priorwise.exports import Finished, Result, finished_bytes
from priorwise.review.export import write_into
from priorwise.tables import BYTE_ORDER_MARK, row_text
from priorwise.web.answers import answer, query_of
from priorwise.web.app import Page
from priorwise.web.openapi import takes
from priorwise.web.workbench import Bench, Benches
from priorwise.web.workspace import Note, Workspace, slug

KINDS = {
    "csv": ("csv", "text/csv"),
    "xlsx": ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "ris": ("ris", "application/x-research-info-systems"),
    "wikitext": ("wiki", "text/plain"),
}
WHAT = {"accepted": ["accepted"], "complete": ["member", "accepted"], "ranking": None}
_LOG = ("at", "reviewer", "item", "verdict", "note", "rank", "seconds", "chosen")


def finish_page(workspace: Workspace, benches: Benches) -> Page:
    """Return the page."""

    def bench_of(request: Request) -> tuple[Note, Bench]:
        return benches.of(query_of(request).text("category", longest=300))

    @takes(
        "Say how complete a category is, and whether it is safe to stop.",
        "key name label run members judged found unread curve missing stop disagreements original",
        category="text",
    )
    def state(request: Request) -> Response:
        note, bench = bench_of(request)
        session = bench.session
        progress, missing, stop = session.progress, session.missing, session.stop
        return answer(
            {
                "key": note.key,
                "name": note.name,
                "label": note.label,
                "run": note.runs[-1],
                "members": session.run.about.members,
                "judged": progress.judged,
                "found": progress.found,
                "unread": progress.unread,
                "curve": progress.curve,
                "missing": [missing.expected, missing.low, missing.high],
                "stop": {"safe": stop.safe, "reason": stop.reason},
                "disagreements": sum(each.decision is None for each in session.disagreements),
                "original": _original(workspace),
            }
        )

    @takes(
        "Download what was found, the whole category, or all candidates.",
        "*",
        category="text",
        what="text",
        **{"as": "text"},
    )
    def file(request: Request) -> Response:
        query = query_of(request)
        note, bench = bench_of(request)
        what, kind = query.choice("what", tuple(WHAT)), query.choice("as", tuple(KINDS))
        ending, media = KINDS[kind]
        content = finished_bytes([finished_now(workspace, note, bench)], kind, statuses=WHAT[what])
        return _download(content, f"{slug(note.name)}-{what}.{ending}", media)

    @takes("Download every verdict.", "*", category="text")
    def verdicts(request: Request) -> Response:
        note, bench = bench_of(request)
        lines = [
            row_text(_LOG),
            *(row_text([_plain(getattr(each, name)) for name in _LOG]) for each in bench.session.log),
        ]
        text = BYTE_ORDER_MARK + "".join(f"{line}\n" for line in lines)
        return _download(text.encode("utf-8", "replace"), f"{slug(note.name)}-verdicts.csv", "text/csv")

    @takes("Download the original file with the new category added.", "*", category="text")
    def original(request: Request) -> Response:
        note, bench = bench_of(request)
        name = _original(workspace)
        if name is None:
            raise InputError("this corpus was not made from a file that results can be written into")
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder, f"result{_written_as(name)}")
            source = None if workspace.source is None else workspace.source[0].path_in(workspace.source[1])
            write_into(finished_now(workspace, note, bench), target, source=source)
            content = target.read_bytes()
        stem = Path(name).name.partition(".")[0]
        return _download(content, f"{stem}-completed{target.suffix}", "application/octet-stream")

    return Page(
        "finish",
        "Finish",
        [
            Route("/state", state),
            Route("/file", file),
            Route("/verdicts", verdicts),
            Route("/original", original),
        ],
        in_menu=False,
    )


def finished_now(workspace: Workspace, note: Note, bench: Bench) -> Finished:
    """Return everything that is known of a category now: members, what was judged, and the ranking of the rest."""
    corpus, session = workspace.corpus, bench.session
    members = corpus.members(note.label) if note.label is not None else corpus.rows(note.examples)
    results = {
        id: Result(id, "member", title=title)
        for id, title in zip(corpus.ids(members), corpus.titles(members), strict=True)
    }
    judged = session.judged
    for status, ids in (("accepted", judged.accepted), ("rejected", judged.rejected), ("unsure", judged.unsure)):
        rows = corpus.rows(ids)
        results |= {id: Result(id, status, title=title) for id, title in zip(ids, corpus.titles(rows), strict=True)}
    for row in session.ranking.rows():
        if row["id"] not in results:
            results[row["id"]] = Result(
                row["id"], "unjudged", row["rank"], row["probability"], row["title"], {"evidence": row["evidence"]}
            )
    return Finished(note.name, list(results.values()), corpus)


def _original(workspace: Workspace) -> str | None:
    """Return the name of the file that results can be written into, if it is still there."""
    read_from = workspace.corpus.read_from
    if read_from is None:
        return None
    if workspace.source is not None:
        source, folder = workspace.source
        return source.name if source.path_in(folder).is_file() else None
    try:
        return read_from.found(None, workspace.corpus.path).name
    except (BrokenFile, InputError):
        return None


def _written_as(name: str) -> str:
    """Return the ending of the file to write: the same, or a table where the format cannot be written."""
    ending = Path(name).suffix.lower()
    return ending if ending in (".csv", ".tsv", ".xlsx", ".jsonl", ".ris", ".nbib", ".bib") else ".csv"


def _download(content: bytes, name: str, media: str) -> Response:
    plain = name.encode("ascii", "replace").decode().replace("?", "_").replace('"', "_")
    headers = {"Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"}
    return Response(content, media_type=media, headers=headers)


def _plain(value: Any) -> Any:
    return "" if value is None else round(value, 1) if isinstance(value, float) else value
