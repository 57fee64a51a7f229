"""A page that somebody adds: the largest categories of the corpus."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from priorwise.web.answers import answer, query_of
from priorwise.web.app import Page
from priorwise.web.workspace import Workspace


def largest_page(workspace: Workspace) -> Page:
    """Return the page."""

    def categories(request: Request) -> Response:
        limit = query_of(request).whole("limit", 1, 50, default=10)
        return answer({"categories": workspace.corpus.largest_labels(limit)})

    return Page("largest", "Largest", [Route("/categories", categories)])
