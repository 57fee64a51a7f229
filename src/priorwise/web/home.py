"""The first page of ``priorwise app``: find a category, then explore, discover or review it."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from priorwise.web.answers import answer, body_of, query_of
from priorwise.web.app import Page
from priorwise.web.jobs import Jobs, Report
from priorwise.web.workspace import Workspace

MOST_LABELS = 200


def home_page(workspace: Workspace, others: tuple[str, ...] = ()) -> Page:
    """Return the page; ``others`` are the names of the pages that it links to."""
    corpus = workspace.corpus
    jobs = Jobs()

    def facts(_request: Request) -> Response:
        return answer(
            {
                "corpus": corpus.path.name if corpus.path else str(corpus.store or "in memory"),
                "documents": corpus.n_documents,
                "labels": corpus.n_labels,
                "vocabulary": corpus.n_vocabulary,
                "pages": others,
                "runs": workspace.facts(),
            }
        )

    def labels(request: Request) -> Response:
        query = query_of(request)
        limit = query.whole("limit", 1, MOST_LABELS, default=20)
        wanted = query.text("q", longest=300, default="")
        found = corpus.search_labels(wanted, limit) if wanted else corpus.largest_labels(limit)
        return answer({"labels": [{"label": label, "documents": size} for label, size in found]})

    async def discover(request: Request) -> Response:
        fields = await body_of(request)
        label = fields.text("label")
        corpus.members(label)
        path = workspace.new_run_path(label)

        def job(report: Report) -> str:
            return _discovered(workspace, label, path, report)

        jobs.start(label, job)
        return answer({"started": label}, 202)

    def job_state(_request: Request) -> Response:
        return answer({"job": jobs.state()})

    return Page(
        "home",
        "Categories",
        [
            Route("/facts", facts),
            Route("/labels", labels),
            Route("/discover", discover, methods=["POST"]),
            Route("/job", job_state),
        ],
    )


def _discovered(workspace: Workspace, label: str, path: Any, report: Report) -> str:
    from priorwise.discovery import discover

    discover(workspace.corpus, label, progress=report).save(path)
    return str(path.name)
