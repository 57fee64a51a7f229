"""The files that were given for a collection, with all that lies in the folders and archives among them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import Any

from priorwise.errors import BrokenFile
from priorwise.readers.archives import Member, Walk
from priorwise.readers.folder import OUTSIDE, files_in

DAMAGED = "input files that are cut off or damaged, read as far as they go"


class Inputs:
    """Every file of a collection, once for each iteration.

    Parameters
    ----------
    paths : sequence of Path
        Files, archives (tar, zip), folders; each file plain or compressed by gzip, bz2, xz or zstd.
    remark : function, optional
        Called with what should be told of the input, how often it was so, and, if it is about one file, its name.
    tell : function, optional
        Called with the number of bytes of each piece that was read from the disk.

    Attributes
    ----------
    total_bytes : int
        The size of all files on the disk.
    reasons : dict
        Why files could not be read to their end.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        remark: Callable[..., None] = lambda *_: None,
        tell: Callable[[int], None] = lambda n: None,
    ) -> None:
        self.paths = paths
        self.reasons: dict[Path, str] = {}
        self._remark = remark
        self._tell = tell
        self._outside = 0
        self._files: list[tuple[str, Path, os.stat_result]] = []
        for path in paths:
            if path.is_dir():
                files, outside = files_in(path)
                self._outside += outside
                # A folder's own name may be that of a label, or of a part of the collection.
                self._files += [(f"{path.resolve().name}/{name}", path / name, files[name]) for name in files]
            elif path.is_file():
                self._files.append((path.name, path, path.stat()))
            else:
                raise BrokenFile(path, "there is no such file or folder")
        self.total_bytes = sum(status.st_size for _, _, status in self._files)

    @property
    def sizes(self) -> list[int]:
        """The size of each file on the disk."""
        return [status.st_size for _, _, status in self._files]

    def some(self, chosen: slice, remark: Callable[..., None], tell: Callable[[int], None]) -> Inputs:
        """Return some neighbouring files; what is to be said of all is said with the first."""
        part = copy(self)
        part._files, part._remark, part._tell = self._files[chosen], remark, tell
        part._outside = self._outside if chosen.start == 0 else 0
        part.total_bytes = sum(part.sizes)
        return part

    def __iter__(self) -> Iterator[Member]:
        self.reasons = {}
        if self._outside:
            self._remark(OUTSIDE, self._outside)
        for name, path, _ in self._files:
            yield from Walk(path, self._damaged, self._remark, self._tell).members(name)

    def fingerprint(self) -> dict[str, Any]:
        """Return where the files are, and a checksum of their names, sizes and times."""
        listing = hashlib.sha256()
        for name, _, status in self._files:
            listing.update(os.fsencode(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\0"))
        return {"inputs": [str(path.resolve()) for path in self.paths], "files": listing.hexdigest()}

    def _damaged(self, path: Path, reason: str) -> None:
        if path not in self.reasons:
            self._remark(DAMAGED, 1, path.name)
        self.reasons.setdefault(path, reason)
