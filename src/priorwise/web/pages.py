"""All pages of the app, in the order of the menu. A new page is one more line here."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace

from priorwise.corpus import Corpus
from priorwise.web.app import Page
from priorwise.web.corpora import Corpora
from priorwise.web.explore import explore_page
from priorwise.web.finish import finish_page
from priorwise.web.library import library_page
from priorwise.web.report import report_page
from priorwise.web.review import review_page
from priorwise.web.together import Invitations, together_page
from priorwise.web.workbench import Benches, workbench_page
from priorwise.web.workspace import Categories, Workspace

PAGES: tuple[Callable[[Workspace], Page], ...] = (explore_page, review_page, report_page)
"""The pages of a corpus that need nothing but its workspace."""


def pages_of(workspace: Workspace, invitations: Invitations | None = None) -> list[Page]:
    """Return the pages over a corpus and its runs, the list of categories first."""
    pages = [*bench_pages(workspace, invitations=invitations), *(make(workspace) for make in PAGES)]
    library = library_page(workspace)
    return [replace(page, place=workspace.title) for page in (library, *pages)]


def bench_pages(
    workspace: Workspace, ask: str = "best", subcategories: bool = False, invitations: Invitations | None = None
) -> list[Page]:
    """Return the pages on which a category is completed; they share its session, which has these settings."""
    benches = Benches(workspace, Categories(workspace), ask, subcategories)
    together = together_page(workspace, benches, invitations or Invitations(secrets.token_bytes(32)))
    return [workbench_page(workspace, benches), finish_page(workspace, benches), together]


def corpus_pages(corpora: Corpora, invitations: Invitations | None = None) -> Callable[[str], Sequence[Page]]:
    """Return a function from the name of a corpus to its pages; they are made once for each corpus."""
    made: dict[str, tuple[Workspace, list[Page]]] = {}

    def pages(name: str) -> Sequence[Page]:
        workspace = corpora.workspace(name)
        if name not in made or made[name][0] is not workspace:
            made[name] = workspace, pages_of(workspace, invitations)
        return made[name][1]

    return pages


def documented_pages() -> list[Page]:
    """Return the pages of any corpus, to describe their interface."""
    return pages_of(Workspace(Corpus.from_texts(["a"])))
