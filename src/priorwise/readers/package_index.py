"""Where the user's package registry keeps a source package: what pip is set to ask, asked by the simple API.

The registry's address comes from pip alone, with all of its files and variables. Nothing that is downloaded is run.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit, urlunsplit

from priorwise.readers.download import failed, fetch

ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
LONGEST_PAGE = 1 << 23

_SETTING = re.compile(r"^(:env:|download|global)\.(index-url|extra-index-url|no-index)=(.+)$", re.MULTILINE)
_DEFAULT = re.compile(r"--index-url\b.*?\(default:?\s+(https?://\S+?)\)", re.DOTALL)
_PIP_SECONDS = 60


def package_indexes() -> list[str]:
    """Return the addresses of the registries that the user's pip asks; none if there is no pip, or it asks none."""
    settings = settings_of_pip(_pip("config", "list"))
    if settings.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        return []
    main = settings.get("index-url") or default_of_pip(_pip("help", "download"))
    return list(dict.fromkeys([*main.split(), *settings.get("extra-index-url", "").split()]))


def settings_of_pip(listed: str) -> dict[str, str]:
    r"""Read the output of ``pip config list``; variables go before what is set for a command, and that before all else.

    Examples
    --------
    >>> settings_of_pip("global.index-url='https://a.example/simple'\n:env:.index-url='https://b.example/simple'")
    {'index-url': 'https://b.example/simple'}
    """
    found = {(where, key): value for where, key, value in _SETTING.findall(listed)}
    settings = {}
    for where in ("global", "download", ":env:"):
        for (place, key), value in found.items():
            if place == where:
                settings[key] = _unquoted(value.strip())
    return settings


def default_of_pip(helped: str) -> str:
    """Read out of ``pip help download`` which registry pip asks when nothing is set; empty if it does not say.

    Examples
    --------
    >>> default_of_pip("-i, --index-url <url>  The base URL (default https://a.example/simple). This …")
    'https://a.example/simple'
    """
    found = _DEFAULT.search(helped)
    return found[1] if found else ""


def find_sdist(index: str, project: str, version: str) -> str:
    """Return the address of a source package.

    Parameters
    ----------
    index : str
        A registry's simple API: JSON (PEP 691) or HTML (PEP 503).
    project, version : str

    Raises
    ------
    DownloadFailed
        The registry does not answer, or does not have it.
    """
    url = f"{index.rstrip('/')}/{_plain(project)}/"
    page, kind, came_from = fetch(url, accept=ACCEPT, at_most=LONGEST_PAGE)
    try:
        for name, link in _files_of_json(page) if kind.endswith("json") else _files_of_html(page):
            stem, suffix = name.removesuffix(f"-{version}.tar.gz"), name.endswith(f"-{version}.tar.gz")
            if suffix and _plain(stem) == _plain(project):
                return _with_login(urldefrag(urljoin(came_from, link)).url, index)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise failed(index, "its answer is not that of a package registry") from error
    raise failed(index, f"it has no source package {project} {version}")


def _plain(project: str) -> str:
    return re.sub(r"[-_.]+", "-", project).lower()


def _files_of_json(page: str) -> Iterator[tuple[str, str]]:
    for file in json.loads(page)["files"]:
        yield str(file["filename"]), str(file["url"])


def _files_of_html(page: str) -> Iterator[tuple[str, str]]:
    links = _Links()
    links.feed(page)
    for link in links.found:
        yield urlsplit(link).path.rpartition("/")[2], urljoin(links.base, link)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.base = ""
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        link = dict(attrs).get("href")
        if tag == "base" and link:
            self.base = link
        elif tag == "a" and link:
            self.found.append(link)


def _with_login(url: str, index: str) -> str:
    """Take the index's name and password along to its own host, and to no other."""
    parts, known = urlsplit(url), urlsplit(index)
    login, at, host = known.netloc.rpartition("@")
    if at and parts.scheme == known.scheme and parts.netloc == host:
        return urlunsplit(parts._replace(netloc=f"{login}@{host}"))
    return url


def _unquoted(value: str) -> str:
    """Pip shows its settings as Python would."""
    try:
        return str(ast.literal_eval(value))
    except (ValueError, SyntaxError):
        return value


def _pip(*arguments: str) -> str:
    """Return what pip says, or nothing if there is no pip."""
    try:
        done = subprocess.run(
            # -P: no folder named pip where we happen to be is taken for it.
            [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", *arguments],
            env={**os.environ, "COLUMNS": "1000"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PIP_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
