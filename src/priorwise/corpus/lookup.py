"""Find names in a column that is too long to read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.storage.columns import text_column

FEW = 64


class Strings:
    """A column of strings in one or more chunks, of which single rows are read without touching the rest.

    Examples
    --------
    >>> Strings([pa.array(["a", "b"]), pa.array(["c"])])[2]
    'c'
    """

    def __init__(self, chunks: Sequence[pa.Array]) -> None:
        self.chunks = list(chunks)
        self.starts = np.concatenate([[0], np.cumsum([len(chunk) for chunk in self.chunks])]).astype(np.int64)

    def __len__(self) -> int:
        return int(self.starts[-1])

    def __getitem__(self, row: int) -> str:
        chunk = int(np.searchsorted(self.starts, row, side="right")) - 1
        text: str = self.chunks[chunk][int(row - self.starts[chunk])].as_py()
        return text

    def take(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the strings of some rows, in the order asked for."""
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
        taken: list[str] = texts.tolist()
        return taken


class SortedNames:
    """Distinct names with their order by bytes: lookup by bisection, or by one pass when many are asked for.

    Parameters
    ----------
    strings : Strings
    order : ndarray or None
        The rows in the order of their names; None when they stand in that order already.

    Examples
    --------
    >>> names = SortedNames(Strings([pa.array(["b", "a"])]), np.array([1, 0]))
    >>> names.find("b"), names.find("z")
    (0, None)
    """

    def __init__(self, strings: Strings, order: NDArray[np.uint32] | None) -> None:
        self.strings = strings
        self.order = order

    def _row(self, place: int) -> int:
        return place if self.order is None else int(self.order[place])

    def _place(self, name: str) -> int:
        key: Callable[[int], bytes] = lambda place: self.strings[self._row(place)].encode()  # noqa: E731
        return bisect_left(range(len(self.strings)), name.encode("utf-8", "replace"), key=key)

    def find(self, name: str) -> int | None:
        """Return the row of a name, or None."""
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
        found: NDArray[np.int64] = row_of[wanted.indices.to_numpy()]
        return found

    def neighbours(self, name: str, each_way: int = 50) -> list[str]:
        """Return the names that stand nearest in the order of bytes; they share the beginning."""
        place = self._place(name)
        near = range(max(0, place - each_way), min(len(self.strings), place + each_way))
        return [self.strings[self._row(i)] for i in near]


def shortened(names: Sequence[str], at_most: int = 3) -> str:
    """Return the first few names for an error message.

    Examples
    --------
    >>> shortened(["a", "b", "c", "d"])
    "'a', 'b', 'c', …"
    """
    return ", ".join(f"'{name}'" for name in names[:at_most]) + (", …" if len(names) > at_most else "")
