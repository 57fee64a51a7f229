"""Read a folder of texts: one sub-folder per label, one file per document."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from priorwise.errors import BrokenFile, NotEnoughData
from priorwise.readers.addresses import local_path, shown
from priorwise.readers.document import Document, described

NOT_UTF8 = "files that are not UTF-8, read as Windows-1252"
DIFFERING = "files of the same name with another text, of which the first was taken"
OUTSIDE = "links that lead out of the folder, not followed"


class FolderReader:
    """Documents from a folder; a file's label is the name of the sub-folder it lies in.

    Parameters
    ----------
    folder : str or Path
        Sub-folders may lie deeper (``training/C01/0000001``); files that lie in the folder itself have no label. Hidden
        files are skipped.
    merge : bool, default False
        Files of the same name in several sub-folders are one document with several labels, and the name is its id. By
        default each file is a document, and its path within the folder is its id.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for label in ("birds", "pets"):
    ...         Path(folder, label).mkdir()
    ...         _ = Path(folder, label, "budgerigar").write_text("small and green")
    ...     [(document.id, document.labels) for document in FolderReader(folder, merge=True)]
    [('budgerigar', ['birds', 'pets'])]
    """

    def __init__(self, folder: str | Path, *, merge: bool = False) -> None:
        on_disk = local_path(folder)
        if on_disk is None:
            raise BrokenFile(shown(str(folder)), "a folder of texts is read from the disk; copy it there first")
        self.folder = on_disk
        self.merge = merge
        self.remarks: dict[str, int] = {}
        self.done_bytes = 0
        if not self.folder.is_dir():
            raise BrokenFile(self.folder, "there is no such folder")
        self._files, self._outside = files_in(self.folder)
        self.total_bytes = sum(status.st_size for status in self._files.values())

    def __repr__(self) -> str:
        return described(self, [self.folder.name])

    def __iter__(self) -> Iterator[Document]:
        self.done_bytes = 0
        self.remarks = {OUTSIDE: self._outside} if self._outside else {}
        if not self._files:
            raise NotEnoughData(f"there is no file in {self.folder}")
        for identity, files in self._grouped().items():
            contents = [self._read(name) for name in files]
            if differing := sum(content != contents[0] for content in contents[1:]):
                self._remark(DIFFERING, differing)
            labels = {label_of(name) for name in files} - {""}
            yield Document(identity, files[0].rpartition("/")[2], self._decoded(contents[0]), sorted(labels))

    def fingerprint(self) -> dict[str, Any] | None:
        """Return a checksum of the files' names, sizes and times, and the options."""
        listing = hashlib.sha256()
        for name, status in self._files.items():
            listing.update(os.fsencode(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\0"))
        where = str(self.folder.resolve())
        return {"kind": "folder", "folder": where, "merge": self.merge, "files": listing.hexdigest()}

    def _grouped(self) -> dict[str, list[str]]:
        groups: dict[str, list[str]] = {}
        for name in self._files:
            groups.setdefault(name.rpartition("/")[2] if self.merge else name, []).append(name)
        return groups

    def _read(self, name: str) -> bytes:
        try:
            content = (self.folder / name).read_bytes()
        except OSError as error:
            raise BrokenFile(self.folder / name, (error.strerror or "cannot be read").lower()) from error
        self.done_bytes += len(content)
        return content

    def _decoded(self, content: bytes) -> str:
        text, is_utf8 = decoded(content)
        if not is_utf8:
            self._remark(NOT_UTF8, 1)
        return text

    def _remark(self, what: str, times: int) -> None:
        self.remarks[what] = self.remarks.get(what, 0) + times


def files_in(folder: Path) -> tuple[dict[str, os.stat_result], int]:
    """Return the files below a folder by name, sorted, and how many links lead out of it and are not followed."""
    outside = 0

    def found(within: str) -> Iterator[tuple[str, os.stat_result]]:
        nonlocal outside
        with os.scandir(folder / within) as entries:
            for entry in entries:
                name = within + entry.name
                if entry.name.startswith("."):
                    continue
                if entry.is_symlink() and not Path(entry).resolve().is_relative_to(folder.resolve()):
                    outside += 1
                elif entry.is_file():
                    yield name, entry.stat()
                elif entry.is_dir(follow_symlinks=False):
                    yield from found(name + "/")

    return dict(sorted(found(""))), outside


def decoded(content: bytes) -> tuple[str, bool]:
    r"""Return bytes as text, and whether they were UTF-8; if not, they are taken for Windows-1252.

    Examples
    --------
    >>> decoded("café".encode()), decoded(b"caf\xe9")
    (('café', True), ('café', False))
    """
    try:
        return content.decode("utf-8-sig"), True
    except UnicodeDecodeError:
        pass
    try:
        return content.decode("cp1252"), False
    except UnicodeDecodeError:
        # Windows-1252 leaves five bytes undefined; Latin-1 has something for each.
        return content.decode("latin-1"), False


def label_of(name: str) -> str:
    """Return the name of the folder that a file lies in, and nothing if that is the outermost.

    Examples
    --------
    >>> label_of("training/C01/0000001"), label_of("readme")
    ('C01', '')
    """
    return name.rpartition("/")[0].rpartition("/")[2]
