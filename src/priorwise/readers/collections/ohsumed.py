"""Ohsumed: medical abstracts of 1991, a folder for each of 23 groups of diseases."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Literal

from priorwise.readers.archives import Inputs
from priorwise.readers.collections.base import CollectionReader, Paths, in_one_line, part_of
from priorwise.readers.document import Document
from priorwise.readers.folder import DIFFERING


class OhsumedReader(CollectionReader):
    r"""Abstracts of Ohsumed; an id is a file's number, a title is its first line.

    An abstract that lies in the folders of several classes is one document with several labels.

    Parameters
    ----------
    paths : path or sequence of paths
        ``ohsumed-first-20000-docs.tar.gz`` or another version of the collection as it is published, or the folder it
        was unpacked to.
    split : {"all", "train", "test"}
        All abstracts, or those in the folder ``training`` or ``test``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for label in ("C04", "C23"):
    ...         path = pathlib.Path(folder, "training", label, "0000042")
    ...         path.parent.mkdir(parents=True)
    ...         _ = path.write_text("A growth.\n It was removed.\n")
    ...     [(document.id, document.title, document.labels) for document in OhsumedReader(folder, split="train")]
    [('0000042', 'A growth.', ['C04', 'C23'])]
    """

    kind = "ohsumed"
    looked_for = "abstracts with a number for a name in a folder for each class, in the folders training and test"

    def __init__(self, paths: Paths, *, split: Literal["all", "train", "test"] = "all") -> None:
        super().__init__(paths, split=split)

    def documents(self) -> Iterator[Document]:
        """Yield the abstracts, each where it comes first."""
        labels = self._labels()
        seen: dict[str, int] = {}
        for name, content in self.files():
            place = self._place(name)
            if place is None:
                continue
            identity, _ = place
            checksum = zlib.crc32(content)
            if identity in seen:
                if seen[identity] != checksum:
                    self.remark(DIFFERING)
                continue
            seen[identity] = checksum
            text = self.text_of(content)
            title = in_one_line(text.strip().partition("\n")[0])
            yield Document(identity, title or identity, text, sorted(labels[identity]))

    def _labels(self) -> dict[str, set[str]]:
        """Go over the names once before: the folders of one abstract may lie far apart in an archive."""
        labels: dict[str, set[str]] = {}
        for member in Inputs(self._inputs.paths):
            if (place := self._place(member.name)) is not None:
                labels.setdefault(place[0], set()).add(place[1])
        return labels

    def _place(self, name: str) -> tuple[str, str] | None:
        *folders, number = name.split("/")
        if not folders or not number.isdecimal() or not self.wants(part_of(folders)):
            return None
        return number, folders[-1]
