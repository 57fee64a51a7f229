"""Files from the network: no larger than expected, no later than bearable, and from where they broke off."""

from __future__ import annotations

import base64
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import cast
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from priorwise.errors import DownloadFailed

TIMEOUT = 10.0
"""Seconds without a byte after which a connection is given up."""

PATIENCE = 900.0
"""Seconds after which a download is given up, however many bytes still trickle in."""

ATTEMPTS = 4
"""How often a download that breaks off is taken up again, the first time included."""

PAUSE = 1.0
"""Seconds before it is taken up again."""

_PIECE = 1 << 16
_PART, _NOTHING_AFTER = 206, 416

Progress = Callable[[int, int], None]
"""Told the bytes that are there and the bytes to come to, 0 if that is not known."""


class _BrokenOff(Exception):
    """What may go better the next time."""


def failed(url: str, reason: str) -> DownloadFailed:
    """Return the error of an address that was of no use.

    Examples
    --------
    >>> print(failed("https://me:secret@example.org/a.zip", "it answered 404 Not Found"))
    example.org: it answered 404 Not Found
    """
    return DownloadFailed(f"{host_of(url)}: {reason}")


def host_of(url: str) -> str:
    """Return the host of an address, without a user's name and password."""
    return url.partition("://")[2].partition("/")[0].rpartition("@")[2] or "an address without a host"


@contextmanager
def _answer(url: str, headers: Mapping[str, str], timeout: float) -> Iterator[HTTPResponse]:
    """Ask for an address; what goes wrong is a `DownloadFailed`, or a `_BrokenOff` if it may go better the next time.

    A user's name and a password in the address are sent to its host alone, and never on to where it redirects.
    """
    answered = False
    try:
        with cast("HTTPResponse", urlopen(_request(url, headers), timeout=timeout)) as response:
            answered = True
            yield response
    except HTTPError as error:
        with error:
            said = f"it answered {error.code} {error.reason}"
            if error.code == _NOTHING_AFTER or error.code >= 500:
                raise _BrokenOff(said) from error
            raise failed(url, said) from error
    except (URLError, TimeoutError, ConnectionError, ssl.SSLError, HTTPException) as error:
        said = _said(error.reason if isinstance(error, URLError) else error, timeout)
        if answered:
            raise _BrokenOff(said) from error
        raise failed(url, said) from error


def _request(url: str, headers: Mapping[str, str]) -> Request:
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise failed(url, "only addresses that begin with http:// or https:// are asked")
        parts.hostname.encode("idna")
        request = Request(urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])), headers=dict(headers))
    except ValueError as error:
        raise failed(url, f"its address cannot be used ({error})") from error
    request.add_header("User-Agent", "priorwise")
    if parts.username is not None:
        known = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        request.add_unredirected_header("Authorization", f"Basic {base64.b64encode(known).decode()}")
    return request


def fetch(url: str, *, accept: str, at_most: int, timeout: float = TIMEOUT) -> tuple[str, str, str]:
    """Return a page of text, its media type, and the address it came from after redirects."""
    try:
        with _answer(url, {"Accept": accept}, timeout) as response:
            page = response.read(at_most + 1)
            if len(page) > at_most:
                raise failed(url, f"the page is longer than {at_most:,} bytes")
            return page.decode("utf-8", "replace"), response.headers.get_content_type(), response.url
    except _BrokenOff as error:
        raise failed(url, str(error)) from error


def download(
    url: str,
    path: Path,
    *,
    at_most: int,
    progress: Progress = lambda done, total: None,
    timeout: float = TIMEOUT,
    patience: float = PATIENCE,
) -> None:
    """Download a file; bytes that are in `path` from a download that broke off are not asked for again.

    Parameters
    ----------
    url : str
    path : Path
        It stays as far as it came when the connection breaks off, so that the same call goes on from there.
    at_most : int
        A file of more bytes is refused.
    progress : function, optional
        Told the bytes that are there and the bytes to come to.
    timeout, patience : float
        Seconds without a byte, and seconds in all, after which it is given up.

    Raises
    ------
    DownloadFailed
    """
    deadline = time.monotonic() + patience
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _go_on(url, path, at_most, progress, timeout, deadline)
            return
        except _BrokenOff as error:
            if attempt == ATTEMPTS or time.monotonic() > deadline:
                raise failed(url, str(error)) from error
            time.sleep(PAUSE)


def _go_on(url: str, path: Path, at_most: int, progress: Progress, timeout: float, deadline: float) -> None:
    done = path.stat().st_size if path.exists() else 0
    try:
        with _answer(url, {"Range": f"bytes={done}-"} if done else {}, timeout) as response:
            if response.status != _PART:
                done = 0
            elif not (response.headers.get("Content-Range") or "").startswith(f"bytes {done}-"):
                path.unlink()
                raise _BrokenOff("it sent another part than was asked for")
            total = done + (response.length or 0)
            if total > at_most:
                raise failed(url, f"{total:,} bytes are more than the {at_most:,} that were expected")
            with path.open("ab" if done else "wb") as file:
                while piece := response.read1(_PIECE):
                    done += len(piece)
                    if done > at_most:
                        path.unlink()
                        raise failed(url, f"it sends more than the {at_most:,} bytes that were expected")
                    file.write(piece)
                    progress(done, total)
                    if time.monotonic() > deadline:
                        raise _BrokenOff("it sends too slowly")
            if done < total:
                raise _BrokenOff(f"it broke off after {done:,} of {total:,} bytes")
    except _BrokenOff as error:
        refused = error.__cause__
        if not isinstance(refused, HTTPError) or refused.code != _NOTHING_AFTER:
            raise
        # Nothing comes after the bytes that are there: they are all, or they are of another file.
        if refused.headers.get("Content-Range") != f"bytes */{done}":
            path.unlink(missing_ok=True)
            raise


def _said(cause: object, timeout: float) -> str:
    """What went wrong, in words."""
    if isinstance(cause, TimeoutError):
        return f"no answer within {timeout:g} s"
    if isinstance(cause, socket.gaierror):
        return "the host is not known; is there a network?"
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate cannot be trusted ({cause.verify_message})"
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror.lower()
    return str(cause) or type(cause).__name__
