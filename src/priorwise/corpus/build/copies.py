"""Near copies among the documents: find them when a corpus is made, and keep, drop or join them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus.build.repeats import stored_shard, with_rows
from priorwise.corpus.build.shards import AnyShard, Shard, StoredShard, number_memberships, replaced
from priorwise.corpus.lookup import shortened
from priorwise.corpus.storage.columns import list_column, list_parts
from priorwise.text.copies import band_keys, near_copies, proposed_pairs, share

if TYPE_CHECKING:
    from priorwise.corpus.corpus import Corpus

Copies = Literal["keep", "drop", "join"]
"""What to do with near copies of an earlier document: keep them, leave them out, or do so but keep their labels."""

ALIKE = 0.9
"""Two documents are near copies if both have this share of all distinct words that either has."""

SHORTEST = 10
"""Distinct words that a document must have to be a copy: two letters to the editor may have the same few words."""

FOUND = "near copies of an earlier document"
_DONE = {
    "keep": "kept, and shown once when people judge",
    "drop": "left out",
    "join": "left out, with their labels kept",
}
_NAMED = 5

Tokens = tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint64]]
"""Of a shard: where each document's tokens begin, their numbers, and a hash of each distinct token's name."""


def settle_copies(
    shards: Sequence[AnyShard], copies: Copies, folder_of: Callable[[int], Path | StoredShard | None]
) -> tuple[list[AnyShard], dict[str, int]]:
    """Find near copies, and do with them what was chosen.

    `folder_of`: where to write the shard of a number when it has changed; None to hold it in memory.
    """
    first = first_copies(shards)
    rows = np.flatnonzero(first != np.arange(len(first)))
    if not len(rows):
        return list(shards), {}
    starts = np.cumsum([0, *(shard.documents.num_rows for shard in shards)])
    examples = [
        shards[number].documents.column("id")[row - int(starts[number])].as_py()
        for row in rows[: _NAMED + 1].tolist()
        for number in [int(np.searchsorted(starts, row, side="right")) - 1]
    ]
    remarks = {f"{FOUND}, {_DONE[copies]} ({shortened(examples, _NAMED)})": len(rows)}
    if copies == "keep":
        return list(shards), remarks
    more = _labels_of_copies(shards, first, rows, starts) if copies == "join" else {}
    done: list[AnyShard] = []
    for number, shard in enumerate(shards):
        begin, end = int(starts[number]), int(starts[number + 1])
        gone = rows[(rows >= begin) & (rows < end)] - begin
        gains = {row - begin: more[row] for row in range(begin, end) if more.get(row)} if more else {}
        if len(gone) or gains:
            kept = np.delete(np.arange(end - begin), gone)
            again = with_rows(_gaining(shard, gains) if gains else shard, kept)
            # A shard of this number may have been written again before, for ids that are there twice.
            shard = stored_shard(again, folder_of(number + len(shards)))
        done.append(shard)
    return done, remarks


def first_copies(shards: Sequence[AnyShard]) -> NDArray[np.int64]:
    """Return for each document the first one that it is a near copy of, or itself.

    Every copy is compared with the document that is kept, so no chain of small changes leads from one to another. The
    time is proportional to the number of tokens.
    """
    held = [_tokens(shard) for shard in shards]
    starts = np.cumsum([0, *(len(bounds) - 1 for bounds, _, _ in held)])
    sizes = np.concatenate([np.diff(bounds) for bounds, _, _ in held])
    keys = np.concatenate([band_keys(hashes, numbers, bounds) for bounds, numbers, hashes in held])
    pairs = proposed_pairs(keys, np.flatnonzero(sizes >= SHORTEST))
    first = np.arange(len(sizes))

    def words(row: int) -> NDArray[np.uint64]:
        number = int(np.searchsorted(starts, row, side="right")) - 1
        bounds, numbers, hashes = held[number]
        at = row - int(starts[number])
        return hashes[numbers[bounds[at] : bounds[at + 1]]]

    for one, other in pairs[np.argsort(pairs[:, 1], kind="stable")].tolist():
        kept = int(first[one])
        if first[other] == other and share(words(kept), words(other)) >= ALIKE:
            first[other] = kept
    return first


def copies_in(corpus: Corpus) -> NDArray[np.int64] | None:
    """Return a number for each document, the same for near copies; None if none were found when the corpus was made."""
    if not any(remark.startswith(FOUND) for remark in corpus.remarks):
        return None
    return near_copies(corpus.matrix(binary=True), ALIKE, SHORTEST)


def _tokens(shard: AnyShard) -> Tokens:
    bounds, numbers = list_parts(shard.tokens.column("tokens"))
    names = shard.vocabulary.column("token").cast(pa.large_binary()).to_pylist()
    hashes = np.fromiter(map(zlib.crc32, names), np.uint64, len(names))
    return np.asarray(bounds, np.int64), numbers, hashes


def _labels_of_copies(
    shards: Sequence[AnyShard], first: NDArray[np.int64], rows: NDArray[np.int64], starts: NDArray[np.int64]
) -> dict[int, set[str]]:
    more: dict[int, set[str]] = {}
    for row in rows.tolist():
        number = int(np.searchsorted(starts, row, side="right")) - 1
        shard = shards[number]
        numbers = shard.documents.column("labels")[row - int(starts[number])].as_py()
        names = shard.labels.column("label").take(pa.array(numbers, pa.int64())).to_pylist()
        more.setdefault(int(first[row]), set()).update(names)
    return more


def _gaining(shard: AnyShard, more: dict[int, set[str]]) -> Shard:
    """Return a shard some of whose documents have more labels."""
    names, documents = shard.labels.column("label").to_pylist(), shard.documents
    labels = [[names[number] for number in row] for row in documents.column("labels").to_pylist()]
    origins = documents.column("origins").to_pylist()
    for row, gained in more.items():
        new = gained.difference(labels[row])
        labels[row] += new
        origins[row] += [0] * len(new)
    found = number_memberships(labels, origins)
    documents = replaced(documents, "labels", list_column(found.offsets, found.numbers))
    documents = replaced(documents, "origins", list_column(found.offsets, found.origins))
    table = pa.RecordBatch.from_pydict({"label": found.names})
    return Shard(documents, shard.tokens, shard.vocabulary, table, shard.categories, shard.texts, shard.others)
