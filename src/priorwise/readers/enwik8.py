"""enwik8, the first 10^8 bytes of the English Wikipedia of March 2006: found on the disk, or fetched."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from priorwise.durable import held
from priorwise.errors import BrokenFile, DownloadFailed
from priorwise.readers.archives import Walk
from priorwise.readers.download import download, failed, host_of

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

Progress = Callable[[str, int, int], None]
"""Told from where it comes, the bytes that are there, and the bytes to come to."""


class _WrongContent(Exception):
    """An archive does not hold what it should."""


def find_enwik8(
    places: Sequence[Path],
    *,
    offline: bool = False,
    progress: Progress = lambda host, done, total: None,
    content: Content = ENWIK8,
    home: str = HOME,
) -> Path:
    """Return the path of enwik8: kept from an earlier time, of ``PRIORWISE_DATA``, or of its home page.

    Parameters
    ----------
    places : sequence of Path
        The folders where it may be kept; it is put into the first that can be written.
    offline : bool
        Do not use the network.
    progress : function, optional
        Told of a download.
    content : Content
    home : str
        The address of the home page's archive.

    Raises
    ------
    DownloadFailed
        It could not be had; the message says why.
    """
    if kept := _kept(places, content):
        return kept
    if data := os.environ.get("PRIORWISE_DATA"):
        path = Path(data, IN_DATA)
        if path.is_file():
            return path
    if offline:
        raise DownloadFailed("the network is not to be used, and it is neither in the cache nor in PRIORWISE_DATA")
    folder = _writable(places)
    # Another process may be fetching the same file; it is worth waiting for.
    with held(folder / content.name, patience=-1):
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


def _fetched(folder: Path, content: Content, home: str, progress: Progress) -> Path:
    _fetch(home, folder / f"{content.name}.zip.partial", folder / content.name, content, progress)
    return folder / content.name


def _fetch(url: str, partial: Path, target: Path, content: Content, progress: Progress) -> None:
    resumed = partial.exists()
    while True:
        download(
            url, partial, at_most=LARGEST_ARCHIVE, progress=lambda done, total: progress(host_of(url), done, total)
        )
        try:
            _unpack(partial, target, content)
            return
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
    handle, made = tempfile.mkstemp(prefix=f"{content.name}-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                size += len(piece)
                if size > content.size:
                    raise _WrongContent(f"{content.name} has more than the {content.size:,} bytes that were expected")
                digest.update(piece)
                file.write(piece)
        if size != content.size or digest.hexdigest() != content.sha256:
            raise _WrongContent(f"{content.name} is not the file that was expected: its checksum differs")
        Path(made).chmod(0o644)
        Path(made).replace(target)
    finally:
        Path(made).unlink(missing_ok=True)
