"""Find names in a column that is too long to read, and labels by a name that may be incomplete or mistyped.

Labels are searched in four passes over the whole column: equal, begins with, contains, nearly contains. The last counts
the fewest letters to add, drop or change so that the query occurs somewhere in the label, for all labels in parallel:
Myers, *A fast bit-vector algorithm for approximate string matching based on dynamic programming*, 1999. (rapidfuzz
compares whole strings, or pieces as long as the query; here a piece may have any length.)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.storage.columns import text_column

FEW = 64


class Strings:
    """A column of strings in one or more chunks, of which single rows are read without touching the rest."""

    def __init__(self, chunks: Sequence[pa.Array]) -> None:
        self.chunks = list(chunks)
        self.starts = np.concatenate([[0], np.cumsum([len(chunk) for chunk in self.chunks])]).astype(np.int64)

    def __len__(self) -> int:
        return int(self.starts[-1])

    def __getitem__(self, row: int) -> str:
        chunk = int(np.searchsorted(self.starts, row, side="right")) - 1
        return self.chunks[chunk][int(row - self.starts[chunk])].as_py()

    def take(self, rows: NDArray[np.int64]) -> list[str]:
        if len(rows) and (rows.min() < 0 or rows.max() >= len(self)):
            raise IndexError(
                f"rows go from 0 to {len(self) - 1}, and {int(rows.min())} to {int(rows.max())} were asked for"
            )
        chunk = np.searchsorted(self.starts, rows, side="right") - 1
        within = rows - self.starts[chunk]
        if len(rows) <= FEW:
            return [self.chunks[c][i].as_py() for c, i in zip(chunk.tolist(), within.tolist(), strict=True)]
        texts = np.empty(len(rows), dtype=object)
        for number in np.unique(chunk).tolist():
            own = chunk == number
            texts[own] = self.chunks[number].take(pa.array(within[own])).to_pylist()
        return texts.tolist()


class SortedNames:
    """Distinct names with their order by bytes: lookup by bisection, or by one pass when many are asked for."""

    def __init__(self, strings: Strings, order: NDArray[np.uint32] | None) -> None:
        self.strings = strings
        self.order = order

    def _row(self, place: int) -> int:
        return place if self.order is None else int(self.order[place])

    def _place(self, name: str) -> int:
        key: Callable[[int], bytes] = lambda place: self.strings[self._row(place)].encode()  # noqa: E731
        return bisect_left(range(len(self.strings)), name.encode("utf-8", "replace"), key=key)

    def find(self, name: str) -> int | None:
        place = self._place(name)
        if place == len(self.strings):
            return None
        row = self._row(place)
        return row if self.strings[row] == name else None

    def find_many(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each name, −1 for those that are not there."""
        if len(names) <= FEW:
            return np.array([-1 if (row := self.find(name)) is None else row for name in names], np.int64)
        wanted = text_column(names).dictionary_encode()
        row_of = np.full(len(wanted.dictionary), -1, np.int64)
        for start, chunk in zip(self.strings.starts.tolist(), self.strings.chunks, strict=False):
            hit = pc.index_in(chunk, value_set=wanted.dictionary.cast(chunk.type))
            rows = np.flatnonzero(hit.is_valid().to_numpy(zero_copy_only=False))
            row_of[hit.drop_null().to_numpy()] = rows + start
        return row_of[wanted.indices.to_numpy()]

    def neighbours(self, name: str, each_way: int = 50) -> list[str]:
        """Return the names that are nearest in the order of bytes; they share the beginning."""
        place = self._place(name)
        near = range(max(0, place - each_way), min(len(self.strings), place + each_way))
        return [self.strings[self._row(i)] for i in near]


def shortened(names: Sequence[str], at_most: int = 3) -> str:
    """Return the first few names for an error message."""
    return ", ".join(f"'{name}'" for name in names[:at_most]) + (", …" if len(names) > at_most else "")


LONGEST_QUERY = 63
_COMPARED_BY_DIFFLIB = 300
# The mistakes that are allowed in a query longer than this many letters; two letters swapped are two.
_MISTAKES = ((9, 3), (3, 2), (2, 1), (0, 0))


class LabelSearch:
    """Search among names, the more members the higher among equals."""

    def __init__(self, labels: pa.Array, sizes: NDArray[np.int64]) -> None:
        self.labels = labels
        self.sizes = sizes
        self._lower = pc.utf8_lower(labels)

    def __call__(self, query: str, limit: int = 10) -> list[tuple[str, int]]:
        wanted = query.strip().lower().encode("utf-8", "replace").decode()
        if not wanted or limit <= 0:
            return []
        lower, found = self._lower, dict[int, None]()
        for find in (pc.equal, pc.starts_with, pc.match_substring):
            rows = np.flatnonzero(find(lower, wanted).to_numpy(zero_copy_only=False))
            largest_first = rows[np.lexsort((rows, -self.sizes[rows]))]
            found.update(dict.fromkeys(largest_first[: limit + len(found)].tolist()))
            if len(found) >= limit:
                break
        else:
            found.update(dict.fromkeys(self._misspelt(wanted)))
        return [(self.labels[row].as_py(), int(self.sizes[row])) for row in list(found)[:limit]]

    def _misspelt(self, wanted: str) -> list[int]:
        pattern = wanted.encode()[:LONGEST_QUERY]
        allowed = next(mistakes for longer_than, mistakes in _MISTAKES if len(wanted) > longer_than)
        rows = np.flatnonzero(self._shares_a_piece(wanted, allowed))
        distance = nearest_occurrence(pattern, self._lower.take(pa.array(rows)))
        near = np.flatnonzero(distance <= allowed)
        length = pc.utf8_length(self._lower.take(pa.array(rows[near]))).to_numpy()
        best = near[np.lexsort((rows[near], -self.sizes[rows[near]], np.abs(length - len(wanted)), distance[near]))]
        best = best[:_COMPARED_BY_DIFFLIB]

        def likeness(place: int) -> tuple[int, float, int, int]:
            ratio = SequenceMatcher(None, wanted, self._lower[int(rows[place])].as_py()).ratio()
            return int(distance[place]), -ratio, -int(self.sizes[rows[place]]), int(rows[place])

        return [int(rows[place]) for place in sorted(best.tolist(), key=likeness)]

    def _shares_a_piece(self, wanted: str, allowed: int) -> NDArray[np.bool_]:
        # With k mistakes, one of k + 1 pieces of the query is left whole.
        shares = np.zeros(len(self.labels), np.bool_)
        cuts = np.linspace(0, len(wanted), allowed + 2).astype(int).tolist()
        for start, end in pairwise(cuts):
            shares |= pc.match_substring(self._lower, wanted[start:end]).to_numpy(zero_copy_only=False)
        return shares


def nearest_occurrence(pattern: bytes, texts: pa.Array) -> NDArray[np.int64]:
    """Return for each text the edit distance of the pattern to the piece of the text that is nearest to it."""
    one = np.uint64(1)
    masks = np.zeros(256, np.uint64)
    for i, byte in enumerate(pattern):
        masks[byte] |= one << np.uint64(i)
    last = np.uint64(len(pattern) - 1)
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    buffer = texts.buffers()[2]
    data = np.frombuffer(buffer, np.uint8) if buffer is not None and buffer.size else np.zeros(1, np.uint8)

    by_length = np.argsort(offsets[:-1] - offsets[1:], kind="stable")
    start, length = offsets[by_length], (offsets[1:] - offsets[:-1])[by_length]
    up = np.full(len(texts), ~np.uint64(0))
    down = np.zeros(len(texts), np.uint64)
    score = np.full(len(texts), len(pattern), np.int64)
    best = score.copy()
    for column in range(int(length[0]) if len(length) else 0):
        # Longest first, so the texts that continue come first.
        n = int(np.searchsorted(-length, -column))
        equal = masks[data[start[:n] + column]]
        vertical = equal | down[:n]
        equal = (((equal & up[:n]) + up[:n]) ^ up[:n]) | equal
        rise = down[:n] | ~(equal | up[:n])
        fall = up[:n] & equal
        score[:n] += ((rise >> last) & one).astype(np.int64) - ((fall >> last) & one).astype(np.int64)
        rise <<= one
        fall <<= one
        up[:n] = fall | ~(vertical | rise)
        down[:n] = rise & vertical
        np.minimum(best[:n], score[:n], out=best[:n])
    distance = np.empty_like(best)
    distance[by_length] = best
    return distance
