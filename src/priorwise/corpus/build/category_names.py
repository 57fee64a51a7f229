"""Numbers for the names of categories, as many as a wiki has, without a Python object for each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus.storage.columns import string_column, string_parts
from priorwise.wiki.wikitext import category_name

NONE = 0xFFFFFFFF
"""The number of a name that is not known."""


class CategoryNames:
    """Distinct names, numbered in the order in which they come.

    Names that :func:`~priorwise.wiki.wikitext.category_name` makes equal have one number, so that a table and a text
    mean the same.

    Notes
    -----
    Memory: the bytes of the names and some 80 bytes for each, up to twice that while it grows.

    Examples
    --------
    >>> names = CategoryNames()
    >>> names.add(pa.array(["Tea", "Coffee", "tea"])).tolist()
    [0, 1, 0]
    >>> names.find(pa.array(["Coffee", "Milk"])).tolist(), names.take(np.array([1])).to_pylist()
    ([1, 4294967295], ['Coffee'])
    """

    def __init__(self) -> None:
        self._known = 0
        self._table = np.full((1 << 10, 2), -1, np.int64)
        self._names = np.empty(1 << 14, np.uint8)
        self._bounds = np.zeros(1 << 10, np.int64)
        self._same_as = np.empty(1 << 10, np.uint32)

    def add(self, names: pa.Array) -> NDArray[np.uint32]:
        """Return the number of each name, with new numbers for those that are new."""
        before = self._known
        numbers = self._numbers(names, add=True)
        self._same_as = _with_room(self._same_as, self._known)
        self._same_as[before : self._known] = np.arange(before, self._known)
        strange = [
            (number, name)
            for number, said in enumerate(self._taken(np.arange(before, self._known)).to_pylist(), before)
            if (name := category_name(said)) != said
        ]
        if strange:
            self._same_as[[number for number, _ in strange]] = self.add(pa.array([name for _, name in strange]))
        return self._same_as[numbers]

    def find(self, names: pa.Array) -> NDArray[np.uint32]:
        """Return the number of each name, ``NONE`` for those that are not there."""
        numbers = self._numbers(names, add=False)
        numbers[numbers != NONE] = self._same_as[numbers[numbers != NONE]]
        return numbers

    def take(self, numbers: NDArray[Any]) -> pa.Array:
        """Return the names of some numbers."""
        return self._taken(numbers.astype(np.int64))

    def _taken(self, numbers: NDArray[np.int64]) -> pa.Array:
        starts, lengths = self._bounds[numbers], self._bounds[numbers + 1] - self._bounds[numbers]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        return string_column(offsets, self._names[places])

    def _numbers(self, names: pa.Array, *, add: bool) -> NDArray[np.uint32]:
        if not len(names):
            return np.empty(0, np.uint32)
        offsets, data = string_parts(names)
        if add:
            self._make_room(len(names), int(offsets[-1] - offsets[0]))
        from priorwise.corpus.build._kernels.name_numbers import number_names

        numbers = np.empty(len(names), np.uint32)
        self._known = number_names(data, offsets, self._table, self._names, self._bounds, self._known, add, numbers)
        return numbers

    def _make_room(self, n_names: int, n_bytes: int) -> None:
        from priorwise.corpus.build._kernels.name_numbers import rehash

        self._names = _with_room(self._names, int(self._bounds[self._known]) + n_bytes)
        self._bounds = _with_room(self._bounds, self._known + n_names + 1)
        if 2 * (self._known + n_names) > len(self._table):
            wider = np.full((1 << (2 * (self._known + n_names)).bit_length(), 2), -1, np.int64)
            rehash(self._table, wider)
            self._table = wider


def _with_room(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Return an array of at least this size that begins like the one given; it doubles, so that this is rare."""
    if size <= len(array):
        return array
    longer = np.empty(max(size, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer
