"""Documents whose id an earlier document has: find them, and make their shards again without them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.columns import list_column, list_parts
from priorwise.corpus.files import remove
from priorwise.corpus.lookup import shortened
from priorwise.corpus.shards import AnyShard, MappedShard, Shard, StoredShard
from priorwise.corpus.texts import with_texts_of

REMARK = "documents left out: their title had been read before"
_NAMED = 5
_AT_A_TIME = 1 << 20


@dataclass(frozen=True, slots=True)
class IdOrder:
    """All documents in the order of their ids; ``repeated`` are those whose id an earlier one has, ascending."""

    order: NDArray[np.int64]
    repeated: NDArray[np.int64]


def order_ids(ids: pa.ChunkedArray) -> IdOrder:
    """Sort ids and find those that are there twice.

    Examples
    --------
    >>> found = order_ids(pa.chunked_array([["b", "a"], ["b", "c"]]))
    >>> found.order.tolist(), found.repeated.tolist()
    ([1, 0, 2, 3], [2])
    """
    order = pc.sort_indices(ids).to_numpy().astype(np.int64)
    same = np.zeros(len(order), np.bool_)
    for start in range(0, len(order) - 1, _AT_A_TIME):
        ordered = ids.take(pa.array(order[start : start + _AT_A_TIME + 1]))
        same[start + 1 : start + len(ordered)] = pc.equal(ordered[1:], ordered[:-1]).to_numpy()
    # The sort is stable, so the first of those with one id is the one that was read first.
    return IdOrder(order, np.sort(order[same]))


def without_repeats(
    shards: Sequence[AnyShard], folder_of: Callable[[int], Path | StoredShard]
) -> tuple[list[AnyShard], dict[str, int]]:
    """Leave out the documents whose id an earlier document has.

    Parameters
    ----------
    shards : sequence of AnyShard
        In the order of the documents.
    folder_of : function
        Where to write the shard of a number without its repeats, so that it takes no memory.

    Returns
    -------
    shards, remarks
        The shards, and how many documents were left out, if any.
    """
    ids = [shard.documents.column("id") for shard in shards]
    repeated = order_ids(pa.chunked_array(ids, pa.string())).repeated
    if not len(repeated):
        return list(shards), {}
    starts = np.concatenate([[0], np.cumsum([len(column) for column in ids])])
    shard_of = np.searchsorted(starts, repeated, side="right") - 1
    thinned: list[AnyShard] = list(shards)
    titles: list[str] = []
    for number in np.unique(shard_of).tolist():
        shard, left_out = shards[number], repeated[shard_of == number] - starts[number]
        titles += shard.documents.column("title").take(pa.array(left_out[: _NAMED + 1])).to_pylist()
        thinned[number] = _kept(with_rows(shard, np.delete(np.arange(len(ids[number])), left_out)), folder_of(number))
    return thinned, {f"{REMARK} ({shortened(titles, _NAMED)})": len(repeated)}


def _kept(shard: Shard, place: Path | StoredShard) -> AnyShard:
    if isinstance(place, StoredShard):
        place.fill(shard)
        return place
    remove(place)
    shard.write(place)
    return MappedShard(place)


def with_rows(shard: AnyShard, rows: NDArray[np.int64]) -> Shard:
    """Return a shard with some of its documents, as if there had been no others; categories' pages all stay.

    Examples
    --------
    >>> from priorwise.readers.document import Document
    >>> shard = Shard.from_documents([Document("1", "One", "a b"), Document("2", "Two", "b b")])
    >>> with_rows(shard, np.array([1])).vocabulary.to_pydict()
    {'token': ['b'], 'documents': [1], 'occurrences': [2]}
    """
    kept = pa.array(rows)
    documents, tokens = shard.documents.take(kept), shard.tokens.take(kept)
    offsets, numbers = list_parts(tokens.column("tokens"))
    counts = list_parts(tokens.column("counts"))[1]
    frequency = np.bincount(numbers, minlength=shard.vocabulary.num_rows)
    occurrences = np.bincount(numbers, weights=counts, minlength=len(frequency))
    used = np.flatnonzero(frequency)
    label_offsets, labels = list_parts(documents.column("labels"))
    used_labels = np.flatnonzero(np.bincount(labels, minlength=shard.labels.num_rows))
    return Shard(
        documents=_replaced(documents, "labels", list_column(label_offsets, _renumbered(labels, used_labels))),
        tokens=_replaced(tokens, "tokens", list_column(offsets, _renumbered(numbers, used))),
        vocabulary=pa.RecordBatch.from_pydict(
            {
                "token": shard.vocabulary.column("token").take(pa.array(used)),
                "documents": frequency[used].astype(np.uint32),
                "occurrences": occurrences[used].astype(np.uint64),
            }
        ),
        labels=shard.labels.take(pa.array(used_labels)),
        categories=shard.categories,
        texts=with_texts_of(shard.texts, rows),
    )


def _renumbered(numbers: NDArray[np.uint32], used: NDArray[np.int64]) -> NDArray[np.uint32]:
    return np.searchsorted(used, numbers).astype(np.uint32)


def _replaced(table: pa.RecordBatch, column: str, values: pa.Array) -> pa.RecordBatch:
    return table.set_column(table.schema.get_field_index(column), column, values)
