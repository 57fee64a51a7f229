"""The tokens of all shards: counted over all, then each shard's renumbered. Any engine may do it, with one answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus.build.names import MergedNames, merge_names
from priorwise.corpus.build.scratch import Allocate
from priorwise.corpus.build.shards import AnyShard
from priorwise.corpus.storage.columns import list_column, list_parts, narrowest
from priorwise.corpus.storage.threads import in_order


@dataclass(frozen=True, slots=True)
class CountedNames:
    """Every distinct token, sorted by bytes, in how many documents it occurs, and how often."""

    names: pa.ChunkedArray
    frequency: NDArray[np.uint32]
    occurrences: NDArray[np.uint64]


class TokenWork(Protocol):
    """Counts the tokens of all shards, and renumbers each shard's.

    ``largest`` is the largest count of a token in a document, ``entries`` how many counts there are in all.
    """

    @property
    def largest(self) -> int:
        """The largest count."""
        ...

    @property
    def entries(self) -> int:
        """How many counts there are."""
        ...

    def count(self) -> CountedNames:
        """Count the tokens of all shards."""
        ...

    def batches(self, token_id: NDArray[np.uint32], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield the documents of each shard that has any, given the id of each token in the order of bytes."""
        ...


class TokensHere:
    """The work of threads in this process.

    Parameters
    ----------
    shards : sequence of AnyShard
    allocate : function
        Gives scratch room by name and size: one number per shard and distinct token.
    workers : int, optional
        Threads; all processors by default.
    """

    def __init__(self, shards: Sequence[AnyShard], allocate: Allocate, workers: int | None) -> None:
        self._shards, self._allocate, self._workers = shards, allocate, workers

    @cached_property
    def _merged(self) -> MergedNames:
        vocabularies = [shard.vocabulary.column("token") for shard in self._shards]
        return merge_names(vocabularies, lambda size: self._allocate("tokens", size))

    @property
    def largest(self) -> int:
        """The largest count."""
        return max(map(largest_count, self._shards), default=0)

    @property
    def entries(self) -> int:
        """How many counts there are."""
        return sum(len(shard.tokens.column("tokens").values) for shard in self._shards)

    def count(self) -> CountedNames:
        """Count the tokens of all shards."""
        return added_up([shard.vocabulary for shard in self._shards], self._merged)

    def batches(self, token_id: NDArray[np.uint32], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield the documents of each shard."""

        def batch(number: int) -> pa.RecordBatch:
            return renumbered(self._shards[number].tokens, token_id[self._merged.of_shard(number)], schema)

        calls = (partial(batch, number) for number, shard in enumerate(self._shards) if shard.tokens.num_rows)
        return in_order(calls, self._workers)


def added_up(vocabularies: Sequence[pa.RecordBatch], merged: MergedNames) -> CountedNames:
    """Add up the counts of several vocabularies, whose names are merged."""
    frequency = np.zeros(len(merged.names), np.uint32)
    occurrences = np.zeros(len(merged.names), np.uint64)
    for number, vocabulary in enumerate(vocabularies):
        position = merged.of_shard(number)
        frequency[position] += vocabulary.column("documents").to_numpy()
        occurrences[position] += vocabulary.column("occurrences").to_numpy()
    return CountedNames(merged.names, frequency, occurrences)


def ids_by_frequency(frequency: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the tokens in the order of their ids, and the id of each.

    Examples
    --------
    >>> order, token_id = ids_by_frequency(np.array([1, 5, 1], np.uint32))
    >>> order.tolist(), token_id.tolist()
    ([1, 0, 2], [1, 0, 2])
    """
    # Stable over names that are sorted by bytes: that decides among equals.
    order = np.argsort(~frequency, kind="stable")
    token_id = np.empty(len(order), np.uint32)
    token_id[order] = np.arange(len(order), dtype=np.uint32)
    return order, token_id


def token_schema(largest: int) -> pa.Schema:
    """Return the columns of the corpus's tokens, given the largest count."""
    return pa.schema({"tokens": pa.list_(pa.uint32()), "counts": pa.list_(pa.from_numpy_dtype(narrowest(largest)))})


def renumbered(table: pa.RecordBatch, id_of_local: NDArray[np.uint32], schema: pa.Schema) -> pa.RecordBatch:
    """Return a shard's table of tokens as the corpus has it, given the id of each of the shard's own tokens."""
    offsets, local = list_parts(table.column("tokens"))
    ids, counts = ordered_entries(offsets, local, list_parts(table.column("counts"))[1], id_of_local)
    count_type = schema.field("counts").type.value_type.to_pandas_dtype()
    return pa.RecordBatch.from_arrays(
        [list_column(offsets, ids), list_column(offsets, counts.astype(count_type))], schema=schema
    )


def ordered_entries(
    offsets: NDArray[Any], local: NDArray[np.uint32], values: NDArray[np.uint32], id_of_local: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Give the entries of each row their final ids, and sort them by id, their values with them.

    Examples
    --------
    >>> rows, local, counts = np.array([0, 2, 3]), np.array([1, 0, 1], np.uint32), np.array([1, 2, 3], np.uint32)
    >>> ids, counts = ordered_entries(rows, local, counts, np.array([4, 9], np.uint32))
    >>> ids.tolist(), counts.tolist()
    ([4, 9, 9], [2, 1, 3])
    """
    from priorwise.corpus.build._kernels.ordering import order_rows
    from priorwise.kernels.words import read_only

    order = np.argsort(id_of_local)
    rank = np.empty(len(order), np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    ranks, ordered = order_rows(*map(read_only, (offsets.astype(np.int32), local, values, rank)))
    return id_of_local[order][ranks], ordered


def largest_count(shard: AnyShard) -> int:
    """Return the largest count of a token in a document."""
    counts = list_parts(shard.tokens.column("counts"))[1]
    return int(counts.max()) if len(counts) else 0
