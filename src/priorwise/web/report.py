"""The report of runs as a page of the app, and its files to take away."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from priorwise.errors import InputError
from priorwise.exports import finished_bytes
from priorwise.report.page import report_html, report_main, report_style
from priorwise.report.subject import Subject, subjects_of
from priorwise.review.export import check_accepted, finished_of
from priorwise.web.answers import answer
from priorwise.web.app import Page
from priorwise.web.openapi import takes
from priorwise.web.workspace import Workspace

MOST_RUNS = 50


def report_page(workspace: Workspace) -> Page:
    """Return the page; without a run in its address it asks which runs to report on."""

    @takes("List the runs.", "runs")
    def runs(_request: Request) -> Response:
        return answer({"runs": workspace.facts()})

    def style(_request: Request) -> Response:
        return Response(report_style(), media_type="text/css")

    def subjects(request: Request) -> list[Subject]:
        names = list(dict.fromkeys(request.query_params.getlist("run")))
        if not 1 <= len(names) <= MOST_RUNS:
            raise InputError(f"choose 1 to {MOST_RUNS} runs")
        for name in names:
            # Of this corpus, or refused.
            workspace.run(name)
        return subjects_of([workspace.run_path(name) for name in names], workspace.corpus.path)

    def file(name: str, kind: str, made: Callable[[Sequence[Subject]], str | bytes]) -> Callable[[Request], Response]:
        @takes(f"Download {name} of a run.", "*", run="text")
        def endpoint(request: Request) -> Response:
            content = made(subjects(request))
            headers = {"Content-Disposition": f'attachment; filename="{name}"'}
            return Response(content, media_type=kind, headers=headers)

        return endpoint

    def accepted(kind: str) -> Callable[[Sequence[Subject]], bytes]:
        def made(of: Sequence[Subject]) -> bytes:
            found = [finished_of(each.path, workspace.corpus.path, each.name) for each in of]
            check_accepted(found, of[0].path)
            return finished_bytes(found, kind, statuses=["accepted"])

        return made

    def html(request: Request) -> Response:
        return Response(report_main(subjects(request)), media_type="text/html")

    return Page(
        "report",
        "Report",
        [
            Route("/runs", runs),
            Route("/style.css", style),
            Route("/html", html),
            Route("/report.html", file("report.html", "text/html", report_html)),
            Route("/accepted.csv", file("accepted.csv", "text/csv", accepted("csv"))),
            Route("/accepted.wiki", file("accepted.wiki", "text/plain", accepted("wikitext"))),
        ],
    )
