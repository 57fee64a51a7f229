"""Texts from folders and plain files: a folder for each label, a file or a line for each document."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

from priorwise.errors import BrokenFile, NotEnoughData
from priorwise.readers.addresses import local_path, shown
from priorwise.readers.document import Document, described
from priorwise.readers.fields import LONGEST_RECORD, Columns
from priorwise.readers.opening import STDIN, Opening, opened
from priorwise.readers.records import RecordReader, holds_records

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
    """Return bytes as text, and whether they were UTF-8; if not, they are taken for Windows-1252."""
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
    """Return the name of the folder that a file lies in, and nothing if that is the outermost."""
    return name.rpartition("/")[0].rpartition("/")[2]


def read_texts(
    paths: Sequence[Path], columns: Columns, opening: Opening | None = None, *, lines: bool = False
) -> Iterator[Document]:
    """Yield the documents of files and folders, in the order given."""
    for are_records, group in groupby(
        paths, lambda path: path == STDIN or (not path.is_dir() and holds_records(path, opening))
    ):
        if are_records:
            # One reader for all of them, so that records without an id are numbered on.
            yield from RecordReader(list(group), columns, opening)
            continue
        for path in group:
            if path.is_dir():
                for document in FolderReader(path):
                    yield Document(str(path / document.id), document.title, document.text)
            elif lines:
                with opened(path, lambda n: None) as stream:
                    yield from read_lines(stream, f"{path}:")
            else:
                yield Document(str(path), path.name, _whole(path))


def read_lines(stream: BinaryIO, prefix: str = "") -> Iterator[Document]:
    """Yield each line that is not empty as a document; its id is the number of the line, after a prefix."""
    number = 0
    while line := stream.readline(LONGEST_RECORD + 1):
        number += 1
        if len(line) > LONGEST_RECORD:
            where = prefix.rstrip(":") or "the standard input"
            raise BrokenFile(where, f"longer than {LONGEST_RECORD:,} bytes", line=number)
        text = decoded(line)[0].rstrip("\r\n")
        if text.strip():
            yield Document(f"{prefix}{number}", f"{prefix}{number}", text)


def _whole(path: Path) -> str:
    with opened(path, lambda n: None) as stream:
        content = stream.read(LONGEST_RECORD + 1)
    if len(content) > LONGEST_RECORD:
        raise BrokenFile(path, f"longer than {LONGEST_RECORD:,} bytes, too long for one document (see --lines)")
    return decoded(content)[0]
