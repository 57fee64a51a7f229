"""Shards in, the files of a corpus out.

Token ids go by document frequency, most frequent first, and by the token's bytes among equals. So they do not depend on
how the documents fell into shards, the hot end of every table is small, and tokens of one document only form the tail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.build.edges import category_graph
from priorwise.corpus.build.members import label_members
from priorwise.corpus.build.names import MergedNames, merge_names
from priorwise.corpus.build.repeats import order_ids
from priorwise.corpus.build.scratch import Allocate
from priorwise.corpus.build.shards import AnyShard
from priorwise.corpus.build.token_work import CountedNames, TokensHere, TokenWork, ids_by_frequency, token_schema
from priorwise.corpus.storage.columns import LARGEST_OFFSET, list_column, list_parts
from priorwise.corpus.storage.files import FileRecord, Place
from priorwise.corpus.storage.manifest import Counts, Manifest
from priorwise.corpus.texts import text_table
from priorwise.errors import InputError, NotEnoughData

DOCUMENTS, ID_ORDER, TOKENS = "documents.arrow", "id_order.arrow", "tokens.arrow"
VOCABULARY, TOKEN_ORDER, LABELS = "vocabulary.arrow", "token_order.arrow", "labels.arrow"
CATEGORIES, TEXTS, OTHERS = "categories.arrow", "texts.arrow", "others.arrow"
ADDRESS = b"priorwise.address"
"""In the metadata of the documents: what comes before a page's title in its address."""


def in_memory(_name: str, size: int) -> NDArray[np.uint32]:
    """Allocate scratch room in memory."""
    return np.empty(size, np.uint32)


def merge(
    shards: Sequence[AnyShard],
    place: Place,
    tokenizer: dict[str, Any] | None,
    allocate: Allocate = in_memory,
    workers: int | None = None,
    address: str = "",
    tokens: TokenWork | None = None,
) -> Manifest:
    """Merge shards into a corpus.

    Parameters
    ----------
    shards : sequence of AnyShard
    place : Place
        Where the files go.
    tokenizer : dict or None
        What the manifest says about the tokens' origin.
    allocate : function, optional
        Gives scratch room by name and size: one number per shard and distinct token, and five bytes per membership.
    workers : int, optional
        Threads; all processors by default.
    address : str
        What comes before a page's title in its address; empty if the documents are on no page.
    tokens : TokenWork, optional
        Who counts the tokens of all shards and gives them their ids; threads of this process by default.

    Returns
    -------
    Manifest
        Not yet written.

    Notes
    -----
    Memory: one shard, about 60 bytes per distinct token and 40 per document (plus the ids); then 100 per category and
    20 per link between categories, if there are any. A shard without documents leaves no batch.
    """
    batches = [shard.documents.num_rows for shard in shards]
    if not sum(batches):
        raise NotEnoughData("there is no document here: nothing to make a corpus of")
    files: dict[str, FileRecord] = {}
    files[ID_ORDER] = _write_id_order(shards, place)

    labels = merge_names(
        [shard.labels.column("label") for shard in shards],
        lambda size: allocate("labels", size),
    )
    files[DOCUMENTS] = place.write(DOCUMENTS, _document_schema(address), _documents(shards, labels))
    if any(shard.texts.num_rows for shard in shards):
        files[TEXTS] = place.write(TEXTS, shards[0].texts.schema, _texts(shards))
    if any(shard.others.num_rows for shard in shards):
        files[OTHERS] = place.write(OTHERS, shards[0].others.schema, _others(shards))
    memberships, files[LABELS] = _write_labels(shards, labels, place, allocate)
    if (graph := category_graph(shards)) is not None:
        files[CATEGORIES] = place.write(CATEGORIES, graph.schema, iter([graph]))
        del graph

    merging = TokensHere(shards, allocate, workers) if tokens is None else tokens
    token_id, occurrences = _write_vocabulary(merging.count(), place, files)
    schema = token_schema(merging.largest)
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


def _write_id_order(shards: Sequence[AnyShard], place: Place) -> FileRecord:
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


def _texts(shards: Sequence[AnyShard]) -> Iterator[pa.RecordBatch]:
    return (shard.texts for shard in shards if shard.documents.num_rows)


def _others(shards: Sequence[AnyShard]) -> Iterator[pa.RecordBatch]:
    for shard in shards:
        if rows := shard.documents.num_rows:
            # The other shards' documents may have other columns where this one's have none.
            yield shard.others if shard.others.num_rows else text_table([b""] * rows)


def _write_labels(
    shards: Sequence[AnyShard], labels: MergedNames, place: Place, allocate: Allocate
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
    counted: CountedNames, place: Place, files: dict[str, FileRecord]
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


def _write_one(place: Place, name: str, **columns: pa.Array) -> FileRecord:
    batch = pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
    return place.write(name, batch.schema, iter([batch]))
