"""All pages of the app, in the order of the menu. A new page is one more line here."""

from __future__ import annotations

from collections.abc import Callable

from priorwise.web.app import Page
from priorwise.web.explore import explore_page
from priorwise.web.home import home_page
from priorwise.web.report import report_page
from priorwise.web.review import review_page
from priorwise.web.workspace import Workspace

PAGES: tuple[Callable[[Workspace], Page], ...] = (explore_page, review_page, report_page)


def pages_of(workspace: Workspace) -> list[Page]:
    """Return the pages over a corpus and its runs, the list of categories first."""
    pages = [make(workspace) for make in PAGES]
    return [home_page(workspace, tuple(page.name for page in pages)), *pages]
