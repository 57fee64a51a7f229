"""The tables beside RCV1's stories: who is in which category, and what a term's number means."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from priorwise.readers.archives import Member
from priorwise.readers.blocks import LONGEST_RECORD, TOO_LONG

_MOST_LABELS = 1 << 16
_MOST_OCCURRENCES = 1 << 20
_LEAST_COUNTS = range(1, 6)


class Labels:
    """The labels of stories, six bytes for each membership."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._stories = array("I")
        self._labels = array("H")
        self._sorted: tuple[NDArray[np.uint32], NDArray[np.uint16], list[str]] | None = None

    def read(self, member: Member) -> int:
        """Add the lines ``label story 1`` of a file; return how many lines are not like that."""
        malformed = 0
        for line in lines(member, lambda what, times: None):
            label, number, relevance, *more = [*line.split(), b"", b""][:4]
            name = label.decode("utf-8", "replace")
            too_many = len(self._names) >= _MOST_LABELS and name not in self._names
            if not number.isdigit() or len(number) > 9 or relevance != b"1" or any(more) or too_many:
                malformed += 1
                continue
            self._stories.append(int(number))
            self._labels.append(self._names.setdefault(name, len(self._names)))
        self._sorted = None
        return malformed

    def of(self, story: int) -> list[str]:
        """Return the labels of a story, in the order of the file."""
        if self._sorted is None:
            stories = np.array(self._stories, np.uint32)
            order = np.argsort(stories, kind="stable")
            self._sorted = stories[order], np.array(self._labels, np.uint16)[order], list(self._names)
        stories, labels, names = self._sorted
        begin, end = (np.searchsorted(stories, np.uint32(story), side) for side in ("left", "right"))
        return list(dict.fromkeys(names[code] for code in labels[begin:end].tolist()))


class Dictionary:
    """The stem and the inverse document frequency of each term."""

    def __init__(self) -> None:
        self.stems: dict[int, str] = {}
        self._idf: dict[int, float] = {}

    def read(self, member: Member) -> int:
        """Add the lines ``stem number idf`` of a file; return how many lines are not like that."""
        malformed = 0
        for line in lines(member, lambda what, times: None):
            try:
                stem, number, idf = line.split()
                term, rarity = int(number), float(idf)
            except ValueError:
                malformed += 1
                continue
            self.stems[term] = stem.decode("utf-8", "replace")
            self._idf[term] = rarity
        return malformed

    def counts(self, vector: Sequence[tuple[int, float]]) -> list[int] | None:
        """Return how often each term of a vector occurs, or None if its weights are not as published.

        Examples
        --------
        >>> from math import log
        >>> dictionary = Dictionary()
        >>> dictionary._idf = {1: 2.5, 2: 4.0}
        >>> dictionary.counts([(1, (1 + log(3)) * 2.5 / 7), (2, 1 * 4.0 / 7)])
        [3, 1]
        """
        found = counts_of(np.array([weight for _, weight in vector]), np.array([self._idf[term] for term, _ in vector]))
        return None if found is None else found.tolist()


def counts_of(weights: NDArray[np.float64], idf: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Return the counts n that give the weights (1 + log n)·idf/c for some c, or None if no small ones do.

    Examples
    --------
    >>> counts_of(np.array([0.5, 0.5 * (1 + np.log(2))]), np.ones(2)).tolist()
    [1, 2]
    """
    if not len(weights):
        return np.zeros(0, np.int64)
    if not all(((values > 1e-9) & (values < 1e9)).all() for values in (weights, idf)):
        return None
    raised = weights / idf
    raised /= raised.min()
    for least in _LEAST_COUNTS:
        logs = raised * (1 + np.log(least)) - 1
        if logs.max() > np.log(_MOST_OCCURRENCES):
            return None
        counts = np.exp(logs)
        whole = np.rint(counts)
        if (np.abs(counts - whole) < 1e-7 * whole).all() and whole.sum() <= _MOST_OCCURRENCES:
            return whole.astype(np.int64)
    return None


def lines(member: Member, remark: Callable[[str, int], None]) -> Iterator[bytes]:
    """Yield the lines of a file that hold something; those of more than 8 MB are left out."""
    held, skipping = b"", False
    for piece in member.pieces():
        *whole, held = (held + piece).split(b"\n")
        for line in whole:
            if not skipping and line.strip():
                yield line
            skipping = False
        if len(held) > LONGEST_RECORD:
            if not skipping:
                remark(TOO_LONG, 1)
            held, skipping = b"", True
    if held.strip() and not skipping and not member.cut:
        yield held
