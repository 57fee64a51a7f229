"""The dumps of a wiki, from Wikimedia or a mirror: found, downloaded, taken up where they broke off, and verified."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from priorwise.counting import counted
from priorwise.errors import DownloadFailed, InputError
from priorwise.readers.download import Progress, download, fetch, host_of

WIKIMEDIA = "https://dumps.wikimedia.org"
LARGEST_INDEX = 1 << 24
"""Bytes that a list of files may have; that of the largest wiki has a tenth."""

BYTES_PER_SECOND = 4_000_000
"""What Wikimedia sends to one reader, more or less; for the time that is shown beforehand."""

_NAME = re.compile(r"[a-z][a-z0-9_]{1,60}")
_DATE = re.compile(r"\d{8}")
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}")
_JOBS = {
    "articles": ("articlesdump",),
    "categories": ("categorylinkstable", "linktargettable", "pagetable"),
}
_PATIENCE = 7 * 24 * 3600.0


@dataclass(frozen=True, slots=True)
class DumpOffer:
    """One file that a wiki's dump has: where it is, how long it is, and its checksum."""

    name: str
    url: str
    bytes: int
    sha1: str

    def is_in(self, path: Path) -> bool:
        """Whether a file is this one, whole."""
        if not path.is_file() or path.stat().st_size != self.bytes:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha1").hexdigest() == self.sha1


@dataclass(frozen=True, slots=True)
class WikiOffer:
    """What there is to download of a wiki."""

    wiki: str
    date: str
    files: Sequence[DumpOffer]

    @property
    def bytes(self) -> int:
        """How long all files are."""
        return sum(file.bytes for file in self.files)

    @property
    def said(self) -> str:
        """How much it is, and how long it may take."""
        minutes = counted(max(1, round(self.bytes / BYTES_PER_SECOND / 60)), "minute")
        size = f"{counted(len(self.files), 'file')}, {self.bytes / 1e6:,.1f} MB"
        day = f"{self.date[:4]}-{self.date[4:6]}-{self.date[6:]}"
        return f"{self.wiki} of {day}: {size}; about {minutes} at {BYTES_PER_SECOND / 1e6:g} MB/s"


def find_dump(wiki: str, *, date: str | None = None, categories: bool = False, mirror: str = WIKIMEDIA) -> WikiOffer:
    """Find the files of a wiki's dump."""
    if not _NAME.fullmatch(wiki):
        raise InputError(f"'{wiki}' is not the name of a wiki; names are like simplewiki, dewiki or frwikisource")
    if date is not None and not _DATE.fullmatch(date):
        raise InputError(f"'{date}' is not the date of a dump; dates are like 20260101")
    base = f"{mirror.rstrip('/')}/{wiki}"
    jobs = [*_JOBS["articles"], *(_JOBS["categories"] if categories else ())]
    for day in [date] if date is not None else _days(base, wiki):
        offer = _offer(base, wiki, day, jobs)
        if offer is not None:
            return offer
    when = f"of {date} " if date is not None else ""
    raise DownloadFailed(f"{host_of(mirror)}: no dump {when}of {wiki} is complete; try another date with --date")


def fetch_dump(
    offer: WikiOffer,
    folder: Path,
    progress: Progress = lambda done, total: None,
    on_file: Callable[[str], None] = lambda name: None,
) -> list[Path]:
    """Download the files of a dump to a folder, verify them, and return them.

    A file that is there and has its checksum is not downloaded again; one that broke off is taken up from there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    before, paths = 0, []
    for file in offer.files:
        path = folder / file.name
        on_file(file.name)
        if not file.is_in(path):
            partial = folder / f"{file.name}.partial"
            so_far = before

            def told(done: int, _total: int, so_far: int = so_far) -> None:
                progress(so_far + done, offer.bytes)

            download(file.url, partial, at_most=file.bytes, progress=told, patience=_PATIENCE)
            if not file.is_in(partial):
                partial.unlink()
                raise DownloadFailed(f"{host_of(file.url)}: {file.name} does not match its checksum; fetch it again")
            partial.replace(path)
        before += file.bytes
        progress(before, offer.bytes)
        paths.append(path)
    return paths


def _days(base: str, wiki: str) -> list[str]:
    try:
        page, _, _ = fetch(f"{base}/", accept="text/html", at_most=LARGEST_INDEX)
    except DownloadFailed as error:
        if "404" in str(error):
            raise InputError(
                f"{host_of(base)} has no dumps of '{wiki}'; names are like simplewiki or dewiki"
            ) from error
        raise
    return sorted(set(re.findall(r'href="(\d{8})/?"', page)), reverse=True)


def _offer(base: str, wiki: str, day: str, jobs: Sequence[str]) -> WikiOffer | None:
    """Return the files of one day's dump, or None if it is not complete."""
    try:
        page, _, _ = fetch(f"{base}/{day}/dumpstatus.json", accept="application/json", at_most=LARGEST_INDEX)
    except DownloadFailed as error:
        if "404" in str(error):
            return None
        raise
    try:
        status = json.loads(page)["jobs"]
        files: list[DumpOffer] = []
        for job in jobs:
            if job not in status and job != "articlesdump":
                continue  # Older dumps have no table of link targets.
            if status[job]["status"] != "done":
                return None
            files += [_file(base, day, name, told) for name, told in sorted(status[job]["files"].items())]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DownloadFailed(f"{host_of(base)}: its list of files cannot be read ({error})") from error
    return WikiOffer(wiki, day, files)


def _file(base: str, day: str, name: str, told: Any) -> DumpOffer:
    # The name becomes that of a file on the disk, and the server may be anybody's.
    if not _FILE.fullmatch(name):
        raise ValueError(f"{name[:80]!r} is not the name of a file")
    return DumpOffer(name, f"{base}/{day}/{name}", int(told["size"]), str(told["sha1"]))
