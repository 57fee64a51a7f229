"""What is too much for memory, in scratch files that are mapped: pairs to be grouped, and finished tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Allocate = Callable[[str, int], NDArray[np.uint32]]

_FIRST_BLOCK, _LARGEST_BLOCK = 1 << 12, 1 << 25
_WORDS_PER_LINE = 16


@dataclass(frozen=True, slots=True)
class Grouped:
    """The values of each key: those of key ``k`` are ``values[offsets[k]:offsets[k + 1]]``."""

    offsets: NDArray[np.int64]
    values: NDArray[np.uint32]

    def of(self, first: int, last: int) -> Grouped:
        """Return the values of the keys from ``first`` to before ``last``, which are numbered from 0 then."""
        offsets = self.offsets[first : last + 1]
        return Grouped(offsets - offsets[0], self.values[offsets[0] : offsets[-1]])

    def without_empty(self) -> Grouped:
        """Return it without the keys that have no values."""
        return Grouped(np.concatenate([[0], self.offsets[1:][np.diff(self.offsets) > 0]]), self.values)

    def followed_by(self, other: Grouped) -> Grouped:
        """Return the keys of this and then those of another."""
        offsets = np.concatenate([self.offsets, self.offsets[-1] + other.offsets[1:]])
        return Grouped(offsets, np.concatenate([self.values, other.values]))


class Pairs:
    """Pairs of a key and a value, appended and in the end grouped by their keys.

    Parameters
    ----------
    name : str
        For the scratch files.
    allocate : function
        Gives scratch room by name and size.

    Examples
    --------
    >>> pairs = Pairs("x", lambda _, size: np.empty(size, np.uint32))
    >>> pairs.append(np.array([2, 0], np.uint32), np.array([7, 8], np.uint32))
    >>> pairs.append(np.array([2], np.uint32), np.array([9], np.uint32))
    >>> grouped = pairs.grouped(3)
    >>> grouped.offsets.tolist(), grouped.values.tolist()
    ([0, 1, 1, 3], [8, 7, 9])
    """

    def __init__(self, name: str, allocate: Allocate) -> None:
        self._name = name
        self._allocate = allocate
        self._blocks: list[NDArray[np.uint32]] = []
        self._used = 0

    def append(self, keys: NDArray[np.uint32], values: NDArray[np.uint32]) -> None:
        """Add pairs; values stay in the order in which they come."""
        done = 0
        while done < len(keys):
            if not self._blocks or self._used == self._blocks[-1].shape[1]:
                size = min(_FIRST_BLOCK << len(self._blocks), _LARGEST_BLOCK)
                block = self._allocate(f"{self._name}-pairs-{len(self._blocks)}", 2 * size)
                self._blocks.append(block.reshape(2, size))
                self._used = 0
            block = self._blocks[-1]
            n = min(len(keys) - done, block.shape[1] - self._used)
            block[0, self._used : self._used + n] = keys[done : done + n]
            block[1, self._used : self._used + n] = values[done : done + n]
            self._used += n
            done += n

    def grouped(self, n_keys: int) -> Grouped:
        """Return the values by their keys."""
        from priorwise.corpus.build._kernels.name_numbers import count_keys, place_values

        offsets = np.zeros(n_keys + 1, np.int64)
        for keys, _ in self._filled():
            count_keys(keys, offsets[1:])
        np.cumsum(offsets, out=offsets)
        placed = self._allocate(f"{self._name}-values", int(offsets[-1]))
        free = offsets[:-1].copy()
        for keys, values in self._filled():
            place_values(keys, values, free, placed)
        return Grouped(offsets, placed)

    def _filled(self) -> list[NDArray[np.uint32]]:
        last = len(self._blocks) - 1
        return [np.asarray(block[:, : self._used] if n == last else block) for n, block in enumerate(self._blocks)]


class Shelf:
    """Tables in scratch files; they come back as views, so that they take no memory.

    A file for each would be more than a process may have open.

    Examples
    --------
    >>> shelf = Shelf("x", lambda _, size: np.empty(size, np.uint32))
    >>> place = shelf.put(pa.RecordBatch.from_pydict({"a": ["b", "c"]}))
    >>> table_at(place).to_pydict()
    {'a': ['b', 'c']}
    """

    def __init__(self, name: str, allocate: Allocate) -> None:
        self._name = name
        self._allocate = allocate
        self._room = np.empty(0, np.uint32)
        self._blocks = 0

    def put(self, table: pa.RecordBatch) -> NDArray[np.uint8]:
        """Keep a table, and return what :func:`table_at` takes."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_batch(table)
        written = np.frombuffer(sink.getvalue(), np.uint8)
        lines = -(-len(written) // (4 * _WORDS_PER_LINE))
        if lines * _WORDS_PER_LINE > len(self._room):
            size = max(lines * _WORDS_PER_LINE, min(_FIRST_BLOCK << self._blocks, _LARGEST_BLOCK))
            self._room = self._allocate(f"{self._name}-tables-{self._blocks}", size)
            self._blocks += 1
        place = np.asarray(self._room[: lines * _WORDS_PER_LINE]).view(np.uint8)[: len(written)]
        self._room = self._room[lines * _WORDS_PER_LINE :]
        place[:] = written
        return place


def table_at(place: NDArray[np.uint8]) -> pa.RecordBatch:
    """Return a table from where :meth:`Shelf.put` put it."""
    return pa.ipc.open_file(pa.py_buffer(place)).get_batch(0)
