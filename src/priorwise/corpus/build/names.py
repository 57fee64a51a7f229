"""Merge the sorted vocabularies of many shards into one, with bounded memory.

The names are cut into ranges that no more than some million entries fall into, over all shards together. Each range is
then merged on its own: concatenated, grouped, sorted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

ENTRIES_PER_RANGE = 1 << 21
_SAMPLE_EVERY = 256


@dataclass(frozen=True, slots=True)
class MergedNames:
    """Every distinct name, sorted by bytes, and the numbers of each shard's names among them.

    ``position`` holds the shards' numbers one shard after the other: name ``i`` of shard ``s`` is name
    ``position[starts[s] + i]`` of all.
    """

    names: pa.ChunkedArray
    starts: NDArray[np.int64]
    position: NDArray[np.uint32]

    def of_shard(self, shard: int) -> NDArray[np.uint32]:
        """Return the number of each of a shard's names among all names."""
        return self.position[self.starts[shard] : self.starts[shard + 1]]


def merge_names(
    vocabularies: Sequence[pa.Array],
    allocate: Callable[[int], NDArray[np.uint32]] = lambda size: np.empty(size, np.uint32),
    entries_per_range: int | None = None,
) -> MergedNames:
    """Merge sorted vocabularies.

    Parameters
    ----------
    vocabularies : sequence of pyarrow.Array
        Each shard's names, sorted by bytes and distinct; mapped files cost no memory.
    allocate : function, optional
        Returns room for so many numbers; the default takes memory, a large corpus takes a mapped file.
    entries_per_range : int, optional
        About how many entries are merged at a time.

    Returns
    -------
    MergedNames

    Examples
    --------
    >>> merged = merge_names([pa.array(["a", "c"]), pa.array(["b", "c"])])
    >>> merged.names.to_pylist(), merged.of_shard(1).tolist()
    (['a', 'b', 'c'], [1, 2])
    """
    starts = np.zeros(len(vocabularies) + 1, np.int64)
    np.cumsum([len(names) for names in vocabularies], out=starts[1:])
    position = allocate(int(starts[-1]))
    chunks: list[pa.Array] = []
    found = 0
    for cuts in _ranges(vocabularies, starts, entries_per_range or ENTRIES_PER_RANGE):
        pieces = [names.slice(start, end - start) for names, (start, end) in zip(vocabularies, cuts, strict=True)]
        encoded = pa.chunked_array(pieces, pa.string()).combine_chunks().dictionary_encode()
        if isinstance(encoded, pa.ChunkedArray):
            encoded = encoded.combine_chunks()
        order = pc.array_sort_indices(encoded.dictionary)
        rank = np.empty(len(order), np.uint32)
        rank[order.to_numpy()] = np.arange(found, found + len(order), dtype=np.uint32)
        numbers = rank[encoded.indices.to_numpy()]
        read = 0
        for shard, (start, end) in enumerate(cuts):
            position[starts[shard] + start : starts[shard] + end] = numbers[read : read + end - start]
            read += end - start
        chunks.append(encoded.dictionary.take(order))
        found += len(order)
    return MergedNames(pa.chunked_array(chunks, pa.string()), starts, position)


def _ranges(
    vocabularies: Sequence[pa.Array], starts: NDArray[np.int64], entries: int
) -> Iterator[list[tuple[int, int]]]:
    """Yield, range by range, where it begins and ends in each vocabulary."""
    lower = [0] * len(vocabularies)
    for pivot in _pivots(vocabularies, int(starts[-1]), entries):
        upper = [_first_not_below(names, pivot) for names in vocabularies]
        yield list(zip(lower, upper, strict=True))
        lower = upper
    yield list(zip(lower, np.diff(starts).tolist(), strict=True))


def _pivots(vocabularies: Sequence[pa.Array], total: int, entries: int) -> list[str]:
    if total <= entries:
        return []
    every = min(_SAMPLE_EVERY, entries)
    sample = sorted(
        (name for names in vocabularies for name in names.take(_every(len(names), every)).to_pylist()),
        key=str.encode,
    )
    step = max(1, entries // every)
    return list(dict.fromkeys(sample[step::step]))


def _every(length: int, step: int) -> NDArray[np.int64]:
    return np.arange(0, length, step, dtype=np.int64)


def _first_not_below(names: pa.Array, pivot: str) -> int:
    def key(index: int) -> Any:
        return names[index].as_py().encode()

    return bisect_left(range(len(names)), pivot.encode(), key=key)
