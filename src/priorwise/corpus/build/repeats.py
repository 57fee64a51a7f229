"""Documents that share an id: find them, and make their shards again without them or with new ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.build.shards import PARTS, AnyShard, MappedShard, Shard, StoredShard, replaced
from priorwise.corpus.lookup import shortened
from priorwise.corpus.storage.columns import list_column, list_parts, text_column
from priorwise.corpus.texts import with_texts_of
from priorwise.durable import remove
from priorwise.readers.fields import numbered_ids

Duplicates = Literal["error", "first", "last", "number"]
"""What to do with documents that share an id: refuse them, keep the first or the last, or number the later ones."""

FIRST = "documents left out: their id had been read before"
LAST = "documents left out: their id was read again later"
NUMBERED = "documents whose id had been read before, numbered"
_NAMED = 10
_AT_A_TIME = 1 << 20


@dataclass(frozen=True, slots=True)
class IdOrder:
    """All documents in the order of their ids; ``repeated`` are those whose id an earlier one has, ascending."""

    order: NDArray[np.int64]
    repeated: NDArray[np.int64]

    def replaced(self, ids: pa.ChunkedArray) -> NDArray[np.int64]:
        """Return the documents whose id a later one has, ascending."""
        if not len(self.repeated):
            return self.repeated
        names = ids.take(pa.array(self.repeated)).unique()
        rows = np.flatnonzero(pc.is_in(ids, value_set=names).to_numpy())
        last = dict(zip(ids.take(pa.array(rows)).to_pylist(), rows.tolist(), strict=True))
        return np.setdiff1d(rows, np.array(list(last.values()), np.int64))


def order_ids(ids: pa.ChunkedArray) -> IdOrder:
    """Sort ids and find those that are there twice."""
    order = pc.sort_indices(ids).to_numpy().astype(np.int64)
    same = np.zeros(len(order), np.bool_)
    for start in range(0, len(order) - 1, _AT_A_TIME):
        ordered = ids.take(pa.array(order[start : start + _AT_A_TIME + 1]))
        same[start + 1 : start + len(ordered)] = pc.equal(ordered[1:], ordered[:-1]).to_numpy()
    # The sort is stable, so the first of those with one id is the one that was read first.
    return IdOrder(order, np.sort(order[same]))


def settle_repeats(
    shards: Sequence[AnyShard], duplicates: Duplicates, folder_of: Callable[[int], Path | StoredShard | None]
) -> tuple[list[AnyShard], dict[str, int]]:
    """Leave out the documents that share an id with another, or give them ids of their own."""
    if duplicates == "error":
        return list(shards), {}
    ids = [shard.documents.column("id") for shard in shards]
    all_ids = pa.chunked_array(ids, pa.string())
    found = order_ids(all_ids)
    changed = found.replaced(all_ids) if duplicates == "last" else found.repeated
    if not len(changed):
        return list(shards), {}
    # New ids, such as `a#2`, that no document has.
    taken = set(all_ids.filter(pc.match_substring_regex(all_ids, r"#\d+$")).to_pylist())
    names = numbered_ids(all_ids.take(pa.array(changed)).to_pylist(), taken) if duplicates == "number" else []
    starts = np.concatenate([[0], np.cumsum([len(column) for column in ids])])
    shard_of = np.searchsorted(starts, changed, side="right") - 1
    settled: list[AnyShard] = list(shards)
    examples: list[str] = []
    for number in np.unique(shard_of).tolist():
        shard, mine = shards[number], np.flatnonzero(shard_of == number)
        rows = changed[mine] - starts[number]
        examples += _examples(shard, rows[: max(0, _NAMED + 1 - len(examples))])
        if duplicates == "number":
            again = _renamed(shard, rows, [names[place] for place in mine.tolist()])
        else:
            again = with_rows(shard, np.delete(np.arange(len(ids[number])), rows))
        settled[number] = stored_shard(again, folder_of(number))
    what = {"first": FIRST, "last": LAST, "number": NUMBERED}[duplicates]
    return settled, {f"{what} ({shortened(examples, _NAMED)})": len(changed)}


def _examples(shard: AnyShard, rows: NDArray[np.int64]) -> list[str]:
    some = shard.documents.take(pa.array(rows))
    ids, places = some.column("id").to_pylist(), some.column("place").to_pylist()
    return [f"{identity}, line {place:,}" if place else identity for identity, place in zip(ids, places, strict=True)]


def _renamed(shard: AnyShard, rows: NDArray[np.int64], names: list[str]) -> Shard:
    ids = shard.documents.column("id").to_pylist()
    for row, name in zip(rows.tolist(), names, strict=True):
        ids[row] = name
    documents = replaced(shard.documents, "id", text_column(ids))
    return Shard(documents, *(getattr(shard, part) for part in PARTS if part != "documents"))


def stored_shard(shard: Shard, place: Path | StoredShard | None) -> AnyShard:
    """Write a shard that was made again, if there is a place for it."""
    if place is None:
        return shard
    if isinstance(place, StoredShard):
        place.fill(shard)
        return place
    remove(place)
    shard.write(place)
    return MappedShard(place)


def with_rows(shard: AnyShard, rows: NDArray[np.int64]) -> Shard:
    """Return a shard with some of its documents, as if there had been no others; categories' pages all stay."""
    kept = pa.array(rows)
    documents, tokens = shard.documents.take(kept), shard.tokens.take(kept)
    offsets, numbers = list_parts(tokens.column("tokens"))
    counts = list_parts(tokens.column("counts"))[1]
    frequency = np.bincount(numbers, minlength=shard.vocabulary.num_rows)
    occurrences = np.bincount(numbers, weights=counts, minlength=len(frequency))
    used = np.flatnonzero(frequency)
    label_offsets, labels = list_parts(documents.column("labels"))
    used_labels = np.flatnonzero(np.bincount(labels, minlength=shard.labels.num_rows))
    new_numbers, new_labels = (
        np.searchsorted(of, each).astype(np.uint32) for of, each in ((used, numbers), (used_labels, labels))
    )
    return Shard(
        documents=replaced(documents, "labels", list_column(label_offsets, new_labels)),
        tokens=replaced(tokens, "tokens", list_column(offsets, new_numbers)),
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
        others=with_texts_of(shard.others, rows),
    )
