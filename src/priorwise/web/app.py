"""Pages put together: each with its address, its API and its modules, under one guard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Receive, Scope, Send

from priorwise.errors import MissingExtra, PriorwiseError
from priorwise.web.answers import failed, refused, said
from priorwise.web.guard import POLICY, POLICY_WITH_CHARTS, Access, Guard

Endpoint = Callable[[Request], Response]
FOLDER = Path(__file__).parent / "static"
PLOTLY = "plotly.min.js"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def static_file(request: Request) -> Response:
    """Serve one of the files that are known by name."""
    path = known_files().get(request.path_params["path"])
    if path is None:
        raise HTTPException(404, "there is no such file")
    # The browser asks each time whether its copy is still good, so that an update of the package shows at once.
    return FileResponse(path, media_type=_TYPES[path.suffix], headers={"Cache-Control": "no-cache"})


@cache
def known_files() -> dict[str, Path]:
    """Return every file that is served, by its name.

    Examples
    --------
    >>> sorted(name for name in known_files() if "/" not in name)
    ['base.css', 'base.js', 'charts.js', 'icon.svg', 'judging.js', 'plotly.min.js', 'theme.js']
    """
    files = {
        path.relative_to(FOLDER).as_posix(): path
        for path in sorted(FOLDER.rglob("*"))
        if path.is_file() and path.suffix in _TYPES
    }
    return {**files, PLOTLY: plotly_file()}


def plotly_file() -> Path:
    """Return the charts' JavaScript, found without importing the package."""
    spec = find_spec("plotly")
    if spec is None or spec.submodule_search_locations is None:
        raise MissingExtra("plotly", "web")
    return Path(next(iter(spec.submodule_search_locations))) / "package_data" / PLOTLY


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
    place : str
        What people call the corpus that it is about.
    home : str
        Where the name of the app links to.
    """

    name: str
    title: str
    routes: Sequence[BaseRoute]
    in_menu: bool = True
    has_charts: bool = False
    place: str = ""
    home: str = "/"


def make_app(
    pages: Sequence[Page],
    access: Access | None = None,
    corpora: Callable[[str], Sequence[Page]] | None = None,
    more: Sequence[BaseRoute] = (),
) -> Guard:
    """Put pages together; the first is the one at ``/``.

    With ``corpora``, which returns the pages of the corpus of a name, those are at ``/c/NAME/``. ``more``
    are routes that belong to no page.

    Examples
    --------
    >>> app = make_app([Page("home", "Categories", [])])
    >>> [route.path for route in app.app.routes]
    ['/', '/static/{path:path}', '/home', '/api/home']
    """
    routes: list[BaseRoute] = [Route("/static/{path:path}", static_file), *more]
    if corpora is not None:
        routes.append(Mount("/c/{corpus}", app=_CorpusPages(corpora)))
    # Around everything, so that no answer is without the guard's headers, the one to a mistake of ours included.
    first, *others = routes_of(pages)
    return Guard(Starlette(routes=[first, *routes, *others], exception_handlers=_HANDLERS), access or Access())


_HANDLERS: Any = {PriorwiseError: said, HTTPException: refused, Exception: failed}


def routes_of(pages: Sequence[Page], place: str = "") -> list[BaseRoute]:
    """Return the routes of pages, and first one to the first of them; ``place`` is the corpus they belong to."""
    routes: list[BaseRoute] = [Route("/", _to_first(pages[0]))]
    for page in pages:
        routes.append(Route(f"/{page.name}", _shown(page, pages, place)))
        routes.append(Mount(f"/api/{page.name}", routes=list(page.routes)))
    return routes


class _CorpusPages:
    """The pages of each corpus; those of a corpus are made when it is first asked for."""

    def __init__(self, pages_of: Callable[[str], Sequence[Page]]) -> None:
        self._pages_of = pages_of
        self._made: dict[str, tuple[Sequence[Page], Router]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = scope["path_params"]["corpus"]
        pages = await run_in_threadpool(self._pages_of, name)
        if name not in self._made or self._made[name][0] is not pages:
            self._made[name] = pages, Router(routes=routes_of(pages, pages[0].place))
        await self._made[name][1](scope, receive, send)


def _to_first(page: Page) -> Endpoint:
    def first(request: Request) -> Response:
        return RedirectResponse(f"{request.scope.get('root_path', '')}/{page.name}", status_code=307)

    return first


def _shown(page: Page, pages: Sequence[Page], place: str) -> Endpoint:
    html = shell(page, pages, place)
    headers = {"Content-Security-Policy": POLICY_WITH_CHARTS if page.has_charts else POLICY}

    def shown(_request: Request) -> Response:
        return HTMLResponse(html, headers=headers)

    return shown


def shell(page: Page, pages: Sequence[Page], place: str = "") -> str:
    """Return the page's HTML: a head, a menu, and an empty main part that its module fills."""
    links = "".join(
        f'<a href="{escape(other.name)}"{" aria-current=page" if other is page else ""}>{escape(other.title)}</a>'
        for other in pages
        if other.in_menu
    )
    name = escape(page.name)
    where = f'<a class="place" href="./" dir="auto">{escape(place)}</a>' if place else ""
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
<a class="brand" href="{page.home}">priorwise</a>{where}
<nav aria-label="Pages">{links}</nav>
<button type="button" id="theme" class="plain" aria-label="Switch between light and dark">◐</button>
</header>
<main id="main" tabindex="-1"><noscript>This page needs JavaScript, which comes from your own machine.</noscript></main>
<div id="said" class="said" role="status" aria-live="polite"></div>
</body>
</html>
"""
