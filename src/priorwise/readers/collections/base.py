"""What the readers of published collections have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import Any, ClassVar

from priorwise.errors import BrokenFile, InputError, NotEnoughData
from priorwise.readers.addresses import found_files
from priorwise.readers.archives import Inputs, Member
from priorwise.readers.blocks import blocks
from priorwise.readers.document import Document, Remarks, described
from priorwise.readers.folder import decoded
from priorwise.readers.records import PART_BYTES, neighbours

SPLITS = ("all", "train", "test")
LONGEST_FILE = 1 << 26

UNLABELLED = "documents without a label, left out"
NOT_UTF8 = "documents that are not UTF-8, read as Windows-1252"
LONG_FILES = "files left out: longer than 64 MB, or cut off"

Paths = str | Path | Sequence[str | Path]


class CollectionReader:
    """Documents of a published collection, as a stream, in the order in which it has them.

    What cannot be read is left out and counted in ``remarks``. A subclass says how its files become documents.
    """

    kind: ClassVar[str]
    looked_for: ClassVar[str]
    apart: ClassVar[bool] = False
    """Whether each file can be read without the others."""

    def __init__(self, paths: Paths, *, split: str = "all", labelled: bool = False, **options: Any) -> None:
        if split not in SPLITS:
            raise InputError(f"there is no split '{split}'; the splits are {', '.join(SPLITS)}")
        self.split = split
        self.labelled = labelled
        self.remarks: dict[str, int] = {}
        self._remarks = Remarks()
        self.done_bytes = 0
        self._guessed = False
        self._is_part = False
        self._options = options
        self._inputs = Inputs(found_files(paths), self.remark, self._tell)
        self.total_bytes = self._inputs.total_bytes

    def __repr__(self) -> str:
        return described(self, [path.name for path in self._inputs.paths])

    def __iter__(self) -> Iterator[Document]:
        self.done_bytes = 0
        self.remarks = {}
        self._remarks = Remarks()
        anything = False
        for document in self.documents():
            if self.labelled and not document.labels:
                self.remark(UNLABELLED)
                continue
            anything = True
            if self._guessed:
                self.remark(NOT_UTF8)
                self._guessed = False
            yield document
        if not anything and not self._is_part:
            raise self._nothing()
        self.done_bytes = self.total_bytes

    def parts(self) -> Sequence[CollectionReader]:
        """Return readers of neighbouring files, about 64 MB together, if these can be read apart."""
        chosen = neighbours(self._inputs.sizes) if self.apart else []
        if len(chosen) < 2:
            return [self]
        parts = []
        for some in chosen:
            part = copy(self)
            part._is_part, part._remarks, part.remarks = True, Remarks(), {}
            part._inputs = self._inputs.some(some, part.remark, part._tell)
            part.total_bytes = part._inputs.total_bytes
            parts.append(part)
        return parts

    def documents(self) -> Iterator[Document]:
        """Yield the documents of the part that is wanted, those without a label too."""
        raise NotImplementedError

    def fingerprint(self) -> dict[str, Any] | None:
        """Return where the files are, a checksum of their names, sizes and times, and the options."""
        options = {"split": self.split, "labelled": self.labelled, **self._options}
        borders = {"part": PART_BYTES} if self.apart else {}
        return {"kind": self.kind, **self._inputs.fingerprint(), **borders, **options}

    def remark(self, what: str, times: int = 1, where: str | None = None) -> None:
        """Count something that the owner of the input should know."""
        self._remarks.add(what, where, times)
        self.remarks = self._remarks.lines()

    def members(self) -> Iterator[Member]:
        """Yield every file."""
        return iter(self._inputs)

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the content of every file, where a file is a document."""
        for member in self.members():
            content = member.content(LONGEST_FILE)
            if content is None:
                self.remark(LONG_FILES)
            else:
                yield member.name, content

    def records(self, tag: str, suffix: str) -> Iterator[str]:
        """Yield every record ``<tag> … </tag>`` of the files whose name has the suffix, be it before others."""
        named = (member for member in self.members() if suffix in member.name.rpartition("/")[2].lower())
        # One stream of all files: some collections cut a record in two between their files.
        for block in blocks((piece for member in named for piece in member.pieces()), tag, self.remark):
            self._guessed = False
            yield self.text_of(block)

    def text_of(self, content: bytes) -> str:
        """Return bytes of the next document as text."""
        text, is_utf8 = decoded(content)
        self._guessed = not is_utf8
        return text

    def wants(self, part: str | None) -> bool:
        """Say whether documents of a part ("train", "test" or none) are to be read."""
        return self.split in ("all", part)

    def _nothing(self) -> BrokenFile | NotEnoughData:
        for path, reason in self._inputs.reasons.items():
            return BrokenFile(path, reason)
        part = "" if self.split == "all" else f" of the part '{self.split}'"
        return NotEnoughData(
            f"there is no document{part} in {', '.join(map(str, self._inputs.paths)) or 'no file'}; "
            f"looked for {self.looked_for}"
        )

    def _tell(self, n: int) -> None:
        self.done_bytes += n


def part_of(folders: Sequence[str]) -> str | None:
    """Return the part of a dataset that a file is in, by the names of its folders; the innermost counts."""
    for folder in reversed(folders):
        last_word = re.split(r"[^a-z]", folder.lower())[-1]
        if last_word in ("train", "training", "test"):
            return last_word[:5]
    return None


def in_one_line(text: str) -> str:
    """Return a text without line ends and repeated spaces, as a title should be."""
    return " ".join(text.split())
