"""The modules and styles of the package, and the charts' JavaScript that ships with plotly: nothing else."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from priorwise.errors import MissingExtra

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
    ['base.css', 'base.js', 'charts.js', 'icon.svg', 'plotly.min.js', 'theme.js']
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
