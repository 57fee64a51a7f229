"""What a reader yields, and what a reader is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(slots=True)
class Document:
    """One document as it comes from a reader.

    Parameters
    ----------
    id : str
        Its name in the corpus; no two documents share one.
    title : str
        What people are shown.
    text : str
        What is cut into tokens.
    labels : sequence of str
        The categories it is in.

    Examples
    --------
    >>> Document("7", "Bayes", "Thomas Bayes was born in …", ["Statisticians"]).labels
    ['Statisticians']
    """

    id: str
    title: str
    text: str
    labels: Sequence[str] = ()


class Reader(Protocol):
    """Documents in a fixed order, with what is needed to resume and to show progress.

    ``total_bytes`` and ``done_bytes`` measure the input as it lies on the disk. ``remarks`` says what was done to the
    input that its owner should know, with how often. ``fingerprint`` is anything that JSON can hold and that changes
    when the documents may have changed; ``None`` means that the documents cannot be read twice.
    """

    total_bytes: int
    done_bytes: int
    remarks: dict[str, int]

    def __iter__(self) -> Iterator[Document]: ...

    def fingerprint(self) -> dict[str, Any] | None:
        """Return what changes when the documents may have changed, or None."""
        ...


@dataclass
class Stream:
    """A reader over documents that are in memory or come from a generator; it cannot be resumed.

    Examples
    --------
    >>> [document.id for document in Stream([Document("a", "A", "some text")])]
    ['a']
    """

    documents: Iterable[Document]
    total_bytes: int = 0
    done_bytes: int = 0
    remarks: dict[str, int] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def fingerprint(self) -> dict[str, Any] | None:
        """Return None: what streams by cannot be recognised the next time."""
        return None
