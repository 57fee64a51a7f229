"""The report of runs as a page of the app, and its files to take away."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from priorwise.errors import InputError
from priorwise.report.lists import accepted_csv, accepted_wikitext
from priorwise.report.page import report_html, report_main, report_style
from priorwise.report.subject import Subject, subjects_of
from priorwise.web.answers import answer
from priorwise.web.app import Page
from priorwise.web.workspace import Workspace

MOST_RUNS = 50


def report_page(workspace: Workspace) -> Page:
    """Return the page; without a run in its address it asks which runs to report on."""

    def runs(_request: Request) -> Response:
        return answer({"runs": workspace.facts()})

    def style(_request: Request) -> Response:
        return Response(report_style(), media_type="text/css")

    def subjects(request: Request) -> list[Subject]:
        names = list(dict.fromkeys(request.query_params.getlist("run")))
        if not 1 <= len(names) <= MOST_RUNS:
            raise InputError(f"say of which runs, from 1 to {MOST_RUNS}")
        for name in names:
            # Of this corpus, or refused.
            workspace.run(name)
        return subjects_of([workspace.run_path(name) for name in names], workspace.corpus.path)

    def file(name: str, kind: str, made: Callable[[Sequence[Subject]], str]) -> Callable[[Request], Response]:
        def endpoint(request: Request) -> Response:
            text = made(subjects(request))
            headers = {"Content-Disposition": f'attachment; filename="{name}"'}
            return Response(text, media_type=kind, headers=headers)

        return endpoint

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
            Route("/accepted.csv", file("accepted.csv", "text/csv", accepted_csv)),
            Route("/accepted.wiki", file("accepted.wiki", "text/plain", accepted_wikitext)),
        ],
    )
