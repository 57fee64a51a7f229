"""Files from the network: no larger than expected, no later than bearable, resumed where they broke off."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import ssl
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path, PurePosixPath
from typing import cast
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from priorwise.durable import held, whole_file
from priorwise.errors import BrokenFile, DownloadFailed
from priorwise.readers.archives import Walk

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
    """Return the error of an address that was of no use."""
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
            raise failed(url, "only addresses that begin with http:// or https:// can be downloaded")
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
    """Download a file; bytes that are in `path` from a download that broke off are not asked for again."""
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
    if isinstance(cause, TimeoutError):
        return f"no answer within {timeout:g} s"
    if isinstance(cause, socket.gaierror):
        return "the host is not known; is there a network?"
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate cannot be trusted ({cause.verify_message})"
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror.lower()
    return str(cause) or type(cause).__name__


HOME = "http://mattmahoney.net/dc/enwik8.zip"
IN_DATA = "wikipedia/enwik8.xz"
"""Where it lies in the folder that ``PRIORWISE_DATA`` names."""

LARGEST_ARCHIVE = 50_000_000
"""Bytes; it has 36,445,475."""


@dataclass(frozen=True)
class Content:
    """What a file must hold, byte for byte."""

    name: str
    size: int
    sha256: str

    def is_in(self, path: Path) -> bool:
        """Say whether a file holds it."""
        try:
            if path.stat().st_size != self.size:
                return False
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256
        except OSError:
            return False


ENWIK8 = Content("enwik8", 10**8, "2b49720ec4d78c3c9fabaee6e4179a5e997302b3a70029f30f2d582218c024a8")

HostProgress = Callable[[str, int, int], None]
"""Told from where it comes, the bytes that are there, and the bytes to come to."""


class _WrongContent(Exception):
    """An archive does not hold what it should."""


def find_enwik8(
    places: Sequence[Path],
    *,
    offline: bool = False,
    progress: HostProgress = lambda host, done, total: None,
    content: Content = ENWIK8,
    home: str = HOME,
) -> Path:
    """Return the path of enwik8: kept from an earlier time, of ``PRIORWISE_DATA``, or of its home page."""
    if kept := _kept(places, content):
        return kept
    if data := os.environ.get("PRIORWISE_DATA"):
        path = Path(data, IN_DATA)
        if path.is_file():
            return path
    if offline:
        raise DownloadFailed("the network is switched off, and the file is neither in the cache nor in PRIORWISE_DATA")
    folder = _writable(places)
    # Another process may be fetching the same file; it is worth waiting for.
    with held(folder / f"{content.name}.zip", patience=-1):
        # Another process may have fetched it while this one waited.
        return _kept(places, content) or _fetched(folder, content, home, progress)


def _kept(places: Sequence[Path], content: Content) -> Path | None:
    return next((place / content.name for place in places if content.is_in(place / content.name)), None)


def _writable(places: Sequence[Path]) -> Path:
    reasons = []
    for place in places:
        try:
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=place):
                return place
        except OSError as error:
            reasons.append(f"{place}: {error.strerror or error}")
    raise DownloadFailed(f"there is no folder to keep it in ({'; '.join(reasons)})")


def _fetched(folder: Path, content: Content, url: str, progress: HostProgress) -> Path:
    partial, target = folder / f"{content.name}.zip.partial", folder / content.name
    resumed = partial.exists()
    while True:
        download(
            url, partial, at_most=LARGEST_ARCHIVE, progress=lambda done, total: progress(host_of(url), done, total)
        )
        try:
            _unpack(partial, target, content)
            return target
        except _WrongContent as error:
            if not resumed:
                raise failed(url, str(error)) from error
            # What was left of an earlier download may have been of another file.
            resumed = False
        finally:
            partial.unlink()


def _unpack(archive: Path, target: Path, content: Content) -> None:
    """Stream the file out of its archive; it appears whole and checked, or not at all."""

    def damaged(path: Path, reason: str) -> None:
        raise _WrongContent(reason)

    try:
        for member in Walk(archive, damaged, lambda what, n: None, lambda n: None).members(archive.stem):
            if PurePosixPath(member.name).name == content.name:
                _keep(member.pieces(), target, content)
                return
    except BrokenFile as error:
        raise _WrongContent(error.reason) from error
    raise _WrongContent(f"there is no {content.name} in {archive.stem}")


def _keep(pieces: Iterator[bytes], target: Path, content: Content) -> None:
    size, digest = 0, hashlib.sha256()
    with whole_file(target, overwrite=True) as draft, draft.open("wb") as file:
        for piece in pieces:
            size += len(piece)
            if size > content.size:
                raise _WrongContent(f"{content.name} has more than the {content.size:,} bytes that were expected")
            digest.update(piece)
            file.write(piece)
        if size != content.size or digest.hexdigest() != content.sha256:
            raise _WrongContent(f"{content.name} is not the file that was expected: its checksum differs")
