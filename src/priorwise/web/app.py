"""Pages put together: each with its address, its API and its modules, under one guard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from priorwise.errors import PriorwiseError
from priorwise.web.answers import failed, refused, said
from priorwise.web.guard import POLICY, POLICY_WITH_CHARTS, Access, Guard
from priorwise.web.static_files import static_file

Endpoint = Callable[[Request], Response]


@dataclass(frozen=True)
class Page:
    """One page of the app.

    Parameters
    ----------
    name : str
        Its address is ``/name``, its API lies under ``/api/name``, its module is ``static/name/name.js`` and its style
        ``static/name/name.css``.
    title : str
        In the window's title and in the menu.
    routes : sequence of Route
        Its API; a path such as ``/items`` becomes ``/api/name/items``.
    in_menu : bool
        Whether every page links to it.
    has_charts : bool
        Whether its module draws with ``static/charts.js``.
    """

    name: str
    title: str
    routes: Sequence[BaseRoute]
    in_menu: bool = True
    has_charts: bool = False


def make_app(pages: Sequence[Page], access: Access | None = None) -> Guard:
    """Put pages together; the first is the one at ``/``.

    Examples
    --------
    >>> app = make_app([Page("home", "Categories", [])])
    >>> [route.path for route in app.app.routes]
    ['/', '/static/{path:path}', '/home', '/api/home']
    """
    routes: list[BaseRoute] = [
        Route("/", _to_first(pages[0])),
        Route("/static/{path:path}", static_file),
    ]
    for page in pages:
        routes.append(Route(f"/{page.name}", _shown(page, pages)))
        routes.append(Mount(f"/api/{page.name}", routes=list(page.routes)))
    handlers = {PriorwiseError: said, HTTPException: refused, Exception: failed}
    # Around everything, so that no answer is without the guard's headers, the one to a mistake of ours included.
    return Guard(Starlette(routes=routes, exception_handlers=handlers), access or Access())


def _to_first(page: Page) -> Endpoint:
    def first(_request: Request) -> Response:
        return RedirectResponse(f"/{page.name}", status_code=307)

    return first


def _shown(page: Page, pages: Sequence[Page]) -> Endpoint:
    html = shell(page, pages)
    headers = {"Content-Security-Policy": POLICY_WITH_CHARTS if page.has_charts else POLICY}

    def shown(_request: Request) -> Response:
        return HTMLResponse(html, headers=headers)

    return shown


def shell(page: Page, pages: Sequence[Page]) -> str:
    """Return the page's HTML: a head, a menu, and an empty main part that its module fills."""
    links = "".join(
        f'<a href="/{escape(other.name)}"{" aria-current=page" if other is page else ""}>{escape(other.title)}</a>'
        for other in pages
        if other.in_menu
    )
    name = escape(page.name)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(page.title)} · priorwise</title>
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/base.css">
<link rel="stylesheet" href="/static/{name}/{name}.css">
<script src="/static/theme.js"></script>
<script type="module" src="/static/{name}/{name}.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="/">priorwise</a>
<nav aria-label="Pages">{links}</nav>
<button type="button" id="theme" class="plain" aria-label="Switch between light and dark">◐</button>
</header>
<main id="main" tabindex="-1"><noscript>This page needs JavaScript, which comes from your own machine.</noscript></main>
<div id="said" class="said" role="status" aria-live="polite"></div>
</body>
</html>
"""
