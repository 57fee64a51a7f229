"""Some thousand consecutive documents, counted, with a vocabulary of their own.

A shard needs nothing from the others, so shards are made in any order and by any number of workers, and one that is on
the disk is done. Token numbers are local to the shard, its vocabulary is sorted by bytes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.columns import list_column, string_column, text_column, writable
from priorwise.corpus.files import remove, sync_folder
from priorwise.readers.document import Document
from priorwise.text.tokens import CountedTexts, count_texts

PARTS = ("documents", "tokens", "vocabulary", "labels")


@dataclass(frozen=True, slots=True)
class Shard:
    """The four tables of a shard.

    Attributes
    ----------
    documents : pyarrow.RecordBatch
        ``id``, ``title``, ``labels`` (numbers into the shard's labels).
    tokens : pyarrow.RecordBatch
        ``tokens`` (distinct numbers into the shard's vocabulary, in any order), ``counts``.
    vocabulary : pyarrow.RecordBatch
        ``token``, sorted by bytes, ``documents``, ``occurrences``.
    labels : pyarrow.RecordBatch
        ``label``, sorted by bytes.
    """

    documents: pa.RecordBatch
    tokens: pa.RecordBatch
    vocabulary: pa.RecordBatch
    labels: pa.RecordBatch

    @classmethod
    def from_documents(cls, documents: Sequence[Document]) -> Shard:
        """Count the tokens of some documents.

        Examples
        --------
        >>> shard = Shard.from_documents([Document("1", "One", "b a b", ["x"]), Document("2", "Two", "c a")])
        >>> shard.vocabulary.to_pydict()
        {'token': ['a', 'b', 'c'], 'documents': [2, 1, 1], 'occurrences': [2, 2, 1]}
        """
        return cls.from_counts(
            count_texts(document.text for document in documents),
            ids=[document.id for document in documents],
            titles=[document.title for document in documents],
            labels=[document.labels for document in documents],
        )

    @classmethod
    def from_counts(
        cls, counted: CountedTexts, *, ids: Sequence[str], titles: Sequence[str], labels: Sequence[Sequence[str]]
    ) -> Shard:
        """Make a shard from tokens that are counted already."""
        names, new_number = _sorted(string_column(counted.name_offsets, counted.names))
        tokens = new_number[counted.tokens]
        occurrences = np.bincount(tokens, weights=counted.counts, minlength=len(names))
        label_names, label_offsets, label_numbers = _number_labels(labels)
        return cls(
            documents=_batch(
                id=text_column(ids), title=text_column(titles), labels=list_column(label_offsets, label_numbers)
            ),
            tokens=_batch(
                tokens=list_column(counted.offsets, tokens), counts=list_column(counted.offsets, counted.counts)
            ),
            vocabulary=_batch(
                token=names,
                documents=pa.array(np.bincount(tokens, minlength=len(names)).astype(np.uint32)),
                occurrences=pa.array(occurrences.astype(np.uint64)),
            ),
            labels=_batch(label=label_names),
        )

    def write(self, folder: Path) -> None:
        """Write the shard to a folder, whole or not at all."""
        draft = folder.with_name(folder.name + ".draft")
        remove(draft)
        draft.mkdir()
        for part in PARTS:
            batch = getattr(self, part)
            with (draft / f"{part}.arrow").open("wb") as file:
                with pa.ipc.new_file(file, batch.schema) as writer:
                    writer.write_batch(batch)
                file.flush()
                os.fsync(file.fileno())
        sync_folder(draft)
        draft.rename(folder)
        sync_folder(folder.parent)


class MappedShard:
    """A shard on the disk; each table is mapped anew when it is asked for, so none stays in memory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _table(self, name: str) -> pa.RecordBatch:
        with pa.memory_map(str(self._folder / f"{name}.arrow")) as mapped:
            return pa.ipc.open_file(mapped).get_batch(0)

    @property
    def documents(self) -> pa.RecordBatch:
        """The table of documents."""
        return self._table("documents")

    @property
    def tokens(self) -> pa.RecordBatch:
        """The table of tokens and counts."""
        return self._table("tokens")

    @property
    def vocabulary(self) -> pa.RecordBatch:
        """The table of distinct tokens."""
        return self._table("vocabulary")

    @property
    def labels(self) -> pa.RecordBatch:
        """The table of distinct labels."""
        return self._table("labels")


def _batch(**columns: pa.Array) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def _sorted(names: pa.Array) -> tuple[pa.Array, NDArray[np.uint32]]:
    order = pc.array_sort_indices(names)
    new_number = np.empty(len(names), np.uint32)
    new_number[order.to_numpy()] = np.arange(len(names), dtype=np.uint32)
    return names.take(order), new_number


def _number_labels(labels: Sequence[Sequence[str]]) -> tuple[pa.Array, NDArray[Any], NDArray[np.uint32]]:
    distinct = [list(dict.fromkeys(map(writable, of_document))) for of_document in labels]
    offsets = np.zeros(len(distinct) + 1, np.int64)
    np.cumsum([len(of_document) for of_document in distinct], out=offsets[1:])
    encoded = text_column(label for of_document in distinct for label in of_document).dictionary_encode()
    names, new_number = _sorted(encoded.dictionary)
    return names, offsets, new_number[encoded.indices.to_numpy()]
