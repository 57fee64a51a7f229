"""Shards in, the files of a corpus out, with bounded memory.

Token ids go by document frequency, most frequent first, and by the token's bytes among equals. So they do not depend on
how the documents fell into shards, the hot end of every table is small, and tokens of one document only form the tail.
Vocabularies are merged in ranges of names that no more than some million entries fall into, over all shards together.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.build.repeats import order_ids
from priorwise.corpus.build.shards import Allocate, AnyShard, sorted_names
from priorwise.corpus.storage.columns import LARGEST_OFFSET, list_column, list_parts, narrowest
from priorwise.corpus.storage.files import (
    ADDRESS,
    CATEGORIES,
    DOCUMENTS,
    ID_ORDER,
    LABELS,
    OTHERS,
    TEXTS,
    TOKEN_ORDER,
    TOKENS,
    VOCABULARY,
    CorpusPlace,
    FileRecord,
)
from priorwise.corpus.storage.manifest import Counts, Manifest
from priorwise.corpus.texts import text_table
from priorwise.errors import InputError, NotEnoughData
from priorwise.processors import in_order

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
) -> MergedNames:
    """Merge sorted vocabularies."""
    starts = np.zeros(len(vocabularies) + 1, np.int64)
    np.cumsum([len(names) for names in vocabularies], out=starts[1:])
    position = allocate(int(starts[-1]))
    chunks: list[pa.Array] = []
    found = 0
    for cuts in _ranges(vocabularies, starts, ENTRIES_PER_RANGE):
        pieces = [names.slice(start, end - start) for names, (start, end) in zip(vocabularies, cuts, strict=True)]
        encoded = pa.chunked_array(pieces, pa.string()).combine_chunks().dictionary_encode()
        if isinstance(encoded, pa.ChunkedArray):
            encoded = encoded.combine_chunks()
        names, rank = sorted_names(encoded.dictionary)
        numbers = rank[encoded.indices.to_numpy()] + np.uint32(found)
        read = 0
        for shard, (start, end) in enumerate(cuts):
            position[starts[shard] + start : starts[shard] + end] = numbers[read : read + end - start]
            read += end - start
        chunks.append(names)
        found += len(names)
    return MergedNames(pa.chunked_array(chunks, pa.string()), starts, position)


def _ranges(
    vocabularies: Sequence[pa.Array], starts: NDArray[np.int64], entries: int
) -> Iterator[list[tuple[int, int]]]:
    """Yield, range by range, where it begins and ends in each vocabulary."""
    lower = [0] * len(vocabularies)
    for pivot in _pivots(vocabularies, int(starts[-1]), entries):
        wanted = pivot.encode()
        upper = [
            bisect_left(range(len(names)), wanted, key=lambda i, names=names: names[i].as_py().encode())  # type: ignore[misc]
            for names in vocabularies
        ]
        yield list(zip(lower, upper, strict=True))
        lower = upper
    yield list(zip(lower, np.diff(starts).tolist(), strict=True))


def _pivots(vocabularies: Sequence[pa.Array], total: int, entries: int) -> list[str]:
    if total <= entries:
        return []
    every = min(_SAMPLE_EVERY, entries)
    sample = sorted(
        (
            name
            for names in vocabularies
            for name in names.take(pa.array(range(0, len(names), every), pa.int64())).to_pylist()
        ),
        key=str.encode,
    )
    step = max(1, entries // every)
    return list(dict.fromkeys(sample[step::step]))


def label_members(
    shards: Sequence[AnyShard], labels: MergedNames, allocate: Allocate
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint8]]:
    """Return where each label's documents begin, those documents, ascending, and the origin of each.

    The labels' sizes are counted first, so that each shard's memberships then go straight to their places in the
    scratch room: five bytes for each, and in addition only one shard at a time.
    """
    sizes = np.zeros(len(labels.names), np.int64)
    for number, shard in enumerate(shards):
        numbers = list_parts(shard.documents.column("labels"))[1]
        sizes[labels.of_shard(number)] += np.bincount(numbers, minlength=shard.labels.num_rows)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    n_memberships = int(offsets[-1])
    documents = allocate("members", n_memberships)
    origins = allocate("origins", -(-n_memberships // 4)).view(np.uint8)[:n_memberships]

    free, first_document = offsets[:-1].copy(), 0
    for number, shard in enumerate(shards):
        table = shard.documents
        begin, own_documents, own_origins = _by_label(table, shard.labels.num_rows)
        counts, here = np.diff(begin), labels.of_shard(number)
        place = np.repeat(free[here] - begin[:-1], counts) + np.arange(len(own_documents))
        documents[place] = own_documents + first_document
        origins[place] = own_origins
        free[here] += counts
        first_document += table.num_rows
    return offsets, documents, origins


def _by_label(documents: pa.RecordBatch, n_labels: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.uint8]]:
    from scipy.sparse import csr_array

    offsets, numbers = list_parts(documents.column("labels"))
    origins = list_parts(documents.column("origins"))[1]
    shape = (documents.num_rows, n_labels)
    # A written membership is a stored 0 here; this conversion moves what is stored and drops nothing.
    by_label = csr_array((origins, numbers.astype(np.int32), offsets), shape=shape).tocsc()
    return by_label.indptr, by_label.indices, by_label.data


def category_graph(shards: Sequence[AnyShard]) -> pa.RecordBatch | None:
    """Return the graph of the categories, or None if no shard has the page of one.

    Memory: about 100 bytes per category and 20 per edge, none of it Python objects.
    """
    from scipy.sparse import coo_array

    pages = [table for shard in shards if (table := shard.categories).num_rows]
    if not pages:
        return None
    lengths = np.concatenate([np.diff(page.column("parents").offsets.to_numpy()) for page in pages])
    names, numbers = _numbered(
        [page.column("category") for page in pages] + [page.column("parents").flatten() for page in pages]
    )
    n_pages = len(lengths)
    ends = np.repeat(numbers[:n_pages], lengths), numbers[n_pages:]
    upwards = coo_array((np.ones(len(ends[0]), np.bool_), ends), shape=(len(names), len(names))).tocsr()
    del numbers, ends
    upwards.sum_duplicates()
    downwards = upwards.tocsc()
    return pa.RecordBatch.from_pydict(
        {
            "category": names,
            "parents": list_column(upwards.indptr, upwards.indices.view(np.uint32)),
            "children": list_column(downwards.indptr, downwards.indices.view(np.uint32)),
        }
    )


def _numbered(columns: list[pa.Array]) -> tuple[pa.Array, NDArray[np.int32]]:
    """Return the distinct names, sorted, and the number of each entry of the columns."""
    encoded = pa.chunked_array(columns, pa.string()).dictionary_encode()
    names, new_number = sorted_names(encoded.chunk(0).dictionary)
    numbers = np.empty(len(encoded), np.int32)
    read = 0
    for chunk in encoded.iterchunks():
        numbers[read : read + len(chunk)] = new_number[chunk.indices.to_numpy()]
        read += len(chunk)
    return names, numbers


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

    @property
    def entries(self) -> int:
        """How many counts there are."""

    def count(self) -> CountedNames:
        """Count the tokens of all shards."""

    def batches(self, token_id: NDArray[np.uint32], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield the documents of each shard that has any, given the id of each token in the order of bytes."""


class TokensHere:
    """The work of threads in this process."""

    def __init__(self, shards: Sequence[AnyShard], allocate: Allocate, workers: int | None) -> None:
        self._shards, self._allocate, self._workers = shards, allocate, workers

    @cached_property
    def _merged(self) -> MergedNames:
        vocabularies = [shard.vocabulary.column("token") for shard in self._shards]
        return merge_names(vocabularies, lambda size: self._allocate("tokens", size))

    @property
    def largest(self) -> int:
        return max(map(largest_count, self._shards), default=0)

    @property
    def entries(self) -> int:
        return sum(len(shard.tokens.column("tokens").values) for shard in self._shards)

    def count(self) -> CountedNames:
        return added_up([shard.vocabulary for shard in self._shards], self._merged)

    def batches(self, token_id: NDArray[np.uint32], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
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
    """Return the tokens in the order of their ids, and the id of each."""
    # Stable over names that are sorted by bytes: that decides among equals.
    order = np.argsort(~frequency, kind="stable")
    token_id = np.empty(len(order), np.uint32)
    token_id[order] = np.arange(len(order), dtype=np.uint32)
    return order, token_id


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
    """Give the entries of each row their final ids, and sort them by id, their values with them."""
    from priorwise.corpus._kernels import order_rows
    from priorwise.kernels.words import read_only

    order = np.argsort(id_of_local)
    rank = np.empty(len(order), np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    rows, carried, ranks, ordered = (np.empty(len(local), np.uint32) for _ in range(4))
    first = np.zeros(len(order) + 2, np.int64)
    order_rows(offsets.astype(np.int32), *map(read_only, (local, values, rank)), first, rows, carried, ranks, ordered)
    return id_of_local[order][ranks], ordered


def largest_count(shard: AnyShard) -> int:
    """Return the largest count of a token in a document."""
    counts = list_parts(shard.tokens.column("counts"))[1]
    return int(counts.max()) if len(counts) else 0


def in_memory(_name: str, size: int) -> NDArray[np.uint32]:
    """Allocate scratch room in memory."""
    return np.empty(size, np.uint32)


def merge(
    shards: Sequence[AnyShard],
    place: CorpusPlace,
    tokenizer: dict[str, Any] | None,
    allocate: Allocate = in_memory,
    workers: int | None = None,
    address: str = "",
    tokens: TokenWork | None = None,
) -> Manifest:
    """Merge shards into a corpus.

    Memory: one shard, about 60 bytes per distinct token and 40 per document (plus the ids); then 100 per category and
    20 per link between categories, if there are any. A shard without documents leaves no batch.
    """
    batches = [shard.documents.num_rows for shard in shards]
    if not sum(batches):
        raise NotEnoughData("there is no document, so there is nothing to make a corpus from")
    files: dict[str, FileRecord] = {}
    files[ID_ORDER] = _write_id_order(shards, place)

    labels = merge_names([shard.labels.column("label") for shard in shards], lambda size: allocate("labels", size))
    files[DOCUMENTS] = place.write(DOCUMENTS, _document_schema(address), _documents(shards, labels))
    if any(shard.texts.num_rows for shard in shards):
        texts = (shard.texts for shard in shards if shard.documents.num_rows)
        files[TEXTS] = place.write(TEXTS, shards[0].texts.schema, texts)
    if any(shard.others.num_rows for shard in shards):
        files[OTHERS] = place.write(OTHERS, shards[0].others.schema, _others(shards))
    memberships, files[LABELS] = _write_labels(shards, labels, place, allocate)
    if (graph := category_graph(shards)) is not None:
        files[CATEGORIES] = place.write(CATEGORIES, graph.schema, iter([graph]))
        del graph

    merging = TokensHere(shards, allocate, workers) if tokens is None else tokens
    token_id, occurrences = _write_vocabulary(merging.count(), place, files)
    count_type = pa.from_numpy_dtype(narrowest(merging.largest))
    schema = pa.schema({"tokens": pa.list_(pa.uint32()), "counts": pa.list_(count_type)})
    files[TOKENS] = place.write(TOKENS, schema, merging.batches(token_id, schema))

    counts = Counts(
        documents=sum(batches),
        tokens=merging.entries,
        occurrences=occurrences,
        vocabulary=len(token_id),
        labels=len(labels.names),
        memberships=memberships,
    )
    return Manifest(counts, tokenizer, [rows for rows in batches if rows], dict(sorted(files.items())))


def _write_id_order(shards: Sequence[AnyShard], place: CorpusPlace) -> FileRecord:
    ids = pa.chunked_array([shard.documents.column("id") for shard in shards], pa.string())
    found = order_ids(ids)
    if len(found.repeated):
        raise InputError(f"two documents have the id '{ids[int(found.repeated[0])].as_py()}'; ids must differ")
    return _write_one(place, ID_ORDER, document=pa.array(found.order.astype(np.uint32)))


def _document_schema(address: str = "") -> pa.Schema:
    columns = {"id": pa.string(), "title": pa.string(), "labels": pa.list_(pa.uint32())}
    return pa.schema(columns, metadata={ADDRESS: address.encode()} if address else None)


def _documents(shards: Sequence[AnyShard], labels: MergedNames) -> Iterator[pa.RecordBatch]:
    for number, shard in enumerate(shards):
        documents = shard.documents
        if not documents.num_rows:
            continue
        offsets, local = list_parts(documents.column("labels"))
        # Numbers ascend within a document, and merged names are in the shard's order: so they still do.
        yield pa.RecordBatch.from_arrays(
            [documents.column("id"), documents.column("title"), list_column(offsets, labels.of_shard(number)[local])],
            schema=_document_schema(),
        )


def _others(shards: Sequence[AnyShard]) -> Iterator[pa.RecordBatch]:
    for shard in shards:
        if rows := shard.documents.num_rows:
            # The other shards' documents may have other columns where this one's have none.
            yield shard.others if shard.others.num_rows else text_table([b""] * rows)


def _write_labels(
    shards: Sequence[AnyShard], labels: MergedNames, place: CorpusPlace, allocate: Allocate
) -> tuple[int, FileRecord]:
    offsets, documents, origins = label_members(shards, labels, allocate)
    record = _write_one(
        place,
        LABELS,
        label=_one_chunk(labels.names),
        documents=list_column(offsets, documents),
        origins=list_column(offsets, origins),
    )
    return len(documents), record


def _write_vocabulary(
    counted: CountedNames, place: CorpusPlace, files: dict[str, FileRecord]
) -> tuple[NDArray[np.uint32], int]:
    """Write the vocabulary; return the id of each token in the order of bytes, and the total of occurrences."""
    order, token_id = ids_by_frequency(counted.frequency)
    files[TOKEN_ORDER] = _write_one(place, TOKEN_ORDER, token=pa.array(token_id))
    files[VOCABULARY] = _write_one(
        place,
        VOCABULARY,
        token=_one_chunk(counted.names).take(pa.array(order)),
        documents=pa.array(counted.frequency[order]),
        occurrences=pa.array(counted.occurrences[order]),
    )
    return token_id, int(counted.occurrences.sum())


def _one_chunk(names: pa.ChunkedArray) -> pa.Array:
    wide = pc.sum(pc.binary_length(names)).as_py() or 0
    kind = pa.string() if wide <= LARGEST_OFFSET else pa.large_string()
    return pa.concat_arrays([pa.array([], kind), *names.cast(kind).chunks])


def _write_one(place: CorpusPlace, name: str, **columns: pa.Array) -> FileRecord:
    batch = pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
    return place.write(name, batch.schema, iter([batch]))
