"""What readers yield, documents, and what they remark about their input."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol, Self, runtime_checkable


class Origin(IntEnum):
    """Where a membership comes from. If there are several origins, the first of these counts.

    Examples
    --------
    >>> min(Origin.ADDED, Origin.WRITTEN).name
    'WRITTEN'
    """

    WRITTEN = 0
    """It is written in the document itself."""
    ADDED = 1
    """It was added by a template, or comes from a table outside the text."""
    UNKNOWN = 2
    """The source lists memberships of both kinds and does not say which is which."""


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
    added : sequence of str
        Categories it is in that are not written in its text.
    origin : Origin
        The origin of ``labels``.
    page : int
        The number of its page in a wiki's own tables; 0 if there is none.
    title_words : bool
        Whether the words of the title count as words of the document.
    other : mapping
        The other columns of its record, kept to be shown and exported. No model uses them.
    place : int
        Its line or row in the file it comes from; 0 if that is unknown.

    Examples
    --------
    >>> Document("7", "Bayes", "Thomas Bayes was born in …", ["Statisticians"]).labels
    ['Statisticians']
    """

    id: str
    title: str
    text: str
    labels: Sequence[str] = ()
    added: Sequence[str] = ()
    origin: Origin = Origin.WRITTEN
    page: int = 0
    title_words: bool = False
    other: Mapping[str, Any] = field(default_factory=dict)
    place: int = field(default=0, compare=False)

    @property
    def counted(self) -> str:
        r"""The text whose words are counted: the title, unless the text begins with it, and the text.

        Examples
        --------
        >>> Document("7", "Bayes", "Born in 1701.", title_words=True).counted
        'Bayes\nBorn in 1701.'
        >>> Document("7", "Bayes", "BAYES  was born in 1701.", title_words=True).counted
        'BAYES  was born in 1701.'
        """
        if not self.title_words or _begins_with(self.text, self.title):
            return self.text
        return f"{self.title}\n{self.text}"


def _begins_with(text: str, title: str) -> bool:
    """Return whether a text begins with a title, whatever the case and the spaces between words."""
    words = title.casefold().split()
    # More than any title needs, so a long text is not split for nothing.
    begun = text[: 4 * len(title) + 100].casefold().split()[: len(words)]
    if begun and words:
        # "Tea: a history" begins with "Tea", and "Teapots" does not.
        begun[-1] = begun[-1].rstrip(".,:;!?") if not words[-1].endswith(tuple(".,:;!?")) else begun[-1]
    return begun == words


@dataclass(slots=True)
class CategoryPage:
    """The page of a category: no document, but its place among the categories.

    Parameters
    ----------
    name : str
        The category, as documents name it in their labels.
    parents : sequence of str
        The categories it is in.
    page : int
        The number of its page in a wiki's own tables; 0 if there is none.
    added : sequence of str
        Categories it is in that are not written in its text.
    origin : Origin
        The origin of ``parents``.

    Examples
    --------
    >>> CategoryPage("Neural networks", ["Machine learning"]).parents
    ['Machine learning']
    """

    name: str
    parents: Sequence[str]
    page: int = 0
    added: Sequence[str] = ()
    origin: Origin = Origin.WRITTEN


Entry = Document | CategoryPage
"""What a reader yields."""


class Reader(Protocol):
    """Documents in a fixed order, with what is needed to resume and to show progress.

    The pages of categories, if there are any, are among the documents.

    ``total_bytes`` and ``done_bytes`` measure the input as it lies on the disk. ``remarks`` says what was done to the
    input that its owner should know, with how often. ``fingerprint`` is anything that JSON can hold and that changes
    when the documents may have changed; ``None`` means that the documents cannot be read twice.
    """

    total_bytes: int
    done_bytes: int
    remarks: dict[str, int]

    def __iter__(self) -> Iterator[Entry]: ...

    def fingerprint(self) -> dict[str, Any] | None:
        """Return what changes when the documents may have changed, or None."""


@runtime_checkable
class Divisible(Protocol):
    """A reader that can be read in parts, each a reader of its own, so that several can be read at once."""

    def parts(self) -> Sequence[Reader]:
        """Return the parts in order."""


@runtime_checkable
class Numbered(Protocol):
    """A reader that numbers documents without an id: from ``first``, or not at all while that is not known."""

    first: int | None


def described(reader: Reader, names: Sequence[str]) -> str:
    """Return what a reader reads, for people to see: what kind it is, the names of the first files, and how much."""
    more = f" and {len(names) - 2:,} more" if len(names) > 2 else ""
    return f"<{type(reader).__name__} of {', '.join(names[:2])}{more}: {reader.total_bytes / 1e6:,.1f} MB>"


def parts_of(reader: Reader) -> Sequence[Reader]:
    """Return the parts of a reader; most have one, which is the reader itself."""
    return reader.parts() if isinstance(reader, Divisible) else [reader]


@dataclass
class Stream:
    """A reader over documents that are in memory or come from a generator; it cannot be resumed."""

    documents: Iterable[Entry]
    total_bytes: int = 0
    done_bytes: int = 0
    remarks: dict[str, int] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.documents)

    def fingerprint(self) -> dict[str, Any] | None:
        """Return None: what streams by cannot be recognised the next time."""
        return None


NAMED = 5
"""This many places are named for each kind."""

LONGEST_PLACE = 300
"""No title that a wiki allows is cut short by this; a damaged file may hold one of any length."""


class Remarks:
    """Counts by sort of event, with the first places where it happened."""

    def __init__(self) -> None:
        self._counts, self._places = Counter[str](), defaultdict[str, list[str]](list)

    def add(self, what: str, where: str | None = None, n: int = 1) -> None:
        """Count an event, and remember the place if it is among the first."""
        if not n:
            return
        self._counts[what] += n
        places = self._places[what]
        if where is not None and len(places) < NAMED:
            places.append(where if len(where) <= LONGEST_PLACE else where[: LONGEST_PLACE - 1] + "…")

    def include(self, other: Remarks) -> None:
        """Add another's counts and places to these."""
        for what, n in other._counts.items():
            self.add(what, n=n)
            places = self._places[what]
            places.extend(other._places[what][: NAMED - len(places)])

    def lines(self) -> dict[str, int]:
        """Return what is to be said, with how often."""
        return {self._said(what): n for what, n in self._counts.items()}

    def _said(self, what: str) -> str:
        places = self._places[what]
        more = "; …" if places and self._counts[what] > len(places) else ""
        return f"{what} ({'; '.join(places)}{more})" if places else what

    def to_json(self) -> dict[str, Any]:
        return {what: [n, self._places[what]] for what, n in self._counts.items()}

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Self:
        """Read what :meth:`to_json` returned."""
        remarks = cls()
        for what, (n, places) in told.items():
            remarks._counts[what] = n
            remarks._places[what] = list(places)
        return remarks


def added_remarks(parts: Iterable[dict[str, int]]) -> dict[str, int]:
    """Return what is to be said of several parts together."""
    total = Counter[str]()
    for part in parts:
        total.update(part)
    return dict(total)
