"""Some thousand consecutive documents, counted, with a vocabulary of their own.

A shard needs nothing from the others, so shards are made in any order and by any number of workers, and one that is on
the disk is done. Token numbers are local to the shard, its vocabulary is sorted by bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa

from priorwise.corpus.build.memberships import category_table, labels_and_origins, number_memberships, sorted_names
from priorwise.corpus.storage.columns import list_column, string_column, text_column
from priorwise.corpus.storage.places import Store
from priorwise.corpus.texts import beginning, no_texts, text_table
from priorwise.durable import remove, sync_folder
from priorwise.readers.document import CategoryPage, Document, Entry
from priorwise.text.tokens import CountedTexts, count_texts

PARTS = ("documents", "tokens", "vocabulary", "labels", "categories", "texts", "others")


class AnyShard(Protocol):
    """The tables that a merge needs; :class:`Shard` says what is in them."""

    @property
    def stored(self) -> AnyShard:
        """The shard that has these tokens, where they were first written."""
        ...

    @property
    def documents(self) -> pa.RecordBatch:
        """The table of documents."""
        ...

    @property
    def tokens(self) -> pa.RecordBatch:
        """The table of tokens and counts."""
        ...

    @property
    def vocabulary(self) -> pa.RecordBatch:
        """The table of distinct tokens."""
        ...

    @property
    def labels(self) -> pa.RecordBatch:
        """The table of distinct labels."""
        ...

    @property
    def categories(self) -> pa.RecordBatch:
        """The table of categories' pages."""
        ...

    @property
    def texts(self) -> pa.RecordBatch:
        """The table of texts, in blocks."""
        ...

    @property
    def others(self) -> pa.RecordBatch:
        """The table of other columns, in blocks."""
        ...


@dataclass(frozen=True, slots=True)
class Shard:
    """The seven tables of a shard.

    Attributes
    ----------
    documents : pyarrow.RecordBatch
        ``id``, ``title``, ``labels`` (distinct numbers into the shard's labels), ``origins`` (one for each label, an
        :class:`~priorwise.readers.document.Origin`), ``page`` (its number in a wiki's tables, or 0), ``place`` (its
        line or row in its file, or 0).
    tokens : pyarrow.RecordBatch
        ``tokens`` (distinct numbers into the shard's vocabulary, in any order), ``counts``.
    vocabulary : pyarrow.RecordBatch
        ``token``, sorted by bytes, ``documents``, ``occurrences``.
    labels : pyarrow.RecordBatch
        ``label``, sorted by bytes.
    categories : pyarrow.RecordBatch
        ``category``, ``page``, ``parents`` (names), ``origins`` (one for each parent); often of no rows.
    texts : pyarrow.RecordBatch
        What is kept of the documents' texts, as :func:`~priorwise.corpus.texts.text_table` gives it; of no rows if
        nothing is kept.
    others : pyarrow.RecordBatch
        The other columns of the documents' records, as JSON, in a table of the same form.
    """

    documents: pa.RecordBatch
    tokens: pa.RecordBatch
    vocabulary: pa.RecordBatch
    labels: pa.RecordBatch
    categories: pa.RecordBatch
    texts: pa.RecordBatch
    others: pa.RecordBatch

    @property
    def stored(self) -> Shard:
        """The shard itself."""
        return self

    @classmethod
    def from_documents(cls, entries: Sequence[Entry], longest: int = 0) -> Shard:
        """Count the tokens of some documents, and keep so many bytes of each text; categories' pages may be among them.

        Examples
        --------
        >>> shard = Shard.from_documents([Document("1", "One", "b a b", ["x"]), Document("2", "Two", "c a")])
        >>> shard.vocabulary.to_pydict()
        {'token': ['a', 'b', 'c'], 'documents': [2, 1, 1], 'occurrences': [2, 2, 1]}
        """
        documents = [entry for entry in entries if isinstance(entry, Document)]
        labels, origins = labels_and_origins([(entry.labels, entry.added, entry.origin) for entry in documents])
        return cls.from_counts(
            count_texts(document.counted for document in documents),
            ids=[document.id for document in documents],
            titles=[document.title for document in documents],
            labels=labels,
            origins=origins,
            pages=[document.page for document in documents],
            places=[document.place for document in documents],
            categories=[entry for entry in entries if isinstance(entry, CategoryPage)],
            texts=[
                beginning(document.text[: longest + 1].encode("utf-8", "replace"), longest) for document in documents
            ]
            if longest
            else None,
            others=[json.dumps(document.other).encode() if document.other else b"" for document in documents]
            if any(document.other for document in documents)
            else None,
        )

    @classmethod
    def from_counts(
        cls,
        counted: CountedTexts,
        *,
        ids: Sequence[str],
        titles: Sequence[str],
        labels: Sequence[Sequence[str]],
        origins: Sequence[Sequence[int]] | None = None,
        pages: Sequence[int] | None = None,
        places: Sequence[int] | None = None,
        categories: Sequence[CategoryPage] = (),
        texts: Sequence[bytes] | None = None,
        others: Sequence[bytes] | None = None,
    ) -> Shard:
        """Make a shard from tokens that are counted already.

        Parameters
        ----------
        counted : CountedTexts
            Of each document in turn.
        ids, titles : sequence of str
        labels : sequence of sequences of str
            A label that is given twice for a document counts once.
        origins : sequence of sequences of int, optional
            One for each label; all are written by default. Of a label that is given twice, the lowest counts.
        pages : sequence of int, optional
            The documents' numbers in a wiki's tables.
        places : sequence of int, optional
            Their lines or rows in their files.
        categories : sequence of CategoryPage
            The pages of categories that stood among the documents.
        texts : sequence of bytes, optional
            What to keep of each text, in UTF-8.
        others : sequence of bytes, optional
            The other columns of each record, as JSON.
        """
        names, new_number = sorted_names(string_column(counted.name_offsets, counted.names))
        tokens = new_number[counted.tokens]
        occurrences = np.bincount(tokens, weights=counted.counts, minlength=len(names))
        found = number_memberships(labels, origins)
        return cls(
            documents=_batch(
                id=text_column(ids),
                title=text_column(titles),
                labels=list_column(found.offsets, found.numbers),
                origins=list_column(found.offsets, found.origins),
                page=pa.array([0] * len(ids) if pages is None else pages, pa.uint64()),
                place=pa.array([0] * len(ids) if places is None else places, pa.uint64()),
            ),
            tokens=_batch(
                tokens=list_column(counted.offsets, tokens), counts=list_column(counted.offsets, counted.counts)
            ),
            vocabulary=_batch(
                token=names,
                documents=pa.array(np.bincount(tokens, minlength=len(names)).astype(np.uint32)),
                occurrences=pa.array(occurrences.astype(np.uint64)),
            ),
            labels=_batch(label=found.names),
            categories=category_table(categories),
            texts=no_texts() if texts is None else text_table(texts),
            others=no_texts() if others is None else text_table(others),
        )

    def put(self, store: Store, name: str) -> None:
        """Write the shard to a folder of a store; who reads it must be told when it is whole."""
        for part in PARTS:
            store.write_table(f"{name}/{part}.arrow", getattr(self, part))

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


class _Tables:
    """The tables of a shard that is stored; each is read anew when it is asked for, so none stays in memory."""

    def _table(self, name: str) -> pa.RecordBatch:
        raise NotImplementedError

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

    @property
    def categories(self) -> pa.RecordBatch:
        """The table of categories' pages."""
        return self._table("categories")

    @property
    def texts(self) -> pa.RecordBatch:
        """The table of texts, in blocks."""
        return self._table("texts")

    @property
    def others(self) -> pa.RecordBatch:
        """The table of other columns, in blocks."""
        return self._table("others")


class MappedShard(_Tables):
    """A shard on the disk, mapped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def stored(self) -> MappedShard:
        """The shard itself: where its tokens are."""
        return self

    def _table(self, name: str) -> pa.RecordBatch:
        with pa.memory_map(str(self._folder / f"{name}.arrow")) as mapped:
            return pa.ipc.open_file(mapped).get_batch(0)


class StoredShard(_Tables):
    """A shard in a folder of a store, which may be on another machine; any process can open it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Shard.from_documents([Document("1", "One", "b a b")]).put(Store(folder), "x")
    ...     StoredShard(Store(folder), "x").vocabulary.to_pydict()
    {'token': ['a', 'b'], 'documents': [1, 1], 'occurrences': [1, 2]}
    """

    def __init__(self, store: Store, name: str) -> None:
        self._store, self._name = store, name

    @property
    def stored(self) -> StoredShard:
        """The shard itself: where its tokens are."""
        return self

    def fill(self, shard: Shard) -> None:
        """Write what it is to hold."""
        shard.put(self._store, self._name)

    def _table(self, name: str) -> pa.RecordBatch:
        return self._store.table(f"{self._name}/{name}.arrow")


def _batch(**columns: pa.Array) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
