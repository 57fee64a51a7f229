"""Some thousand consecutive documents, counted, with a vocabulary of their own.

A shard needs nothing from the others, so shards are made in any order and by any number of workers, and one that is on
the disk is done. Token numbers are local to the shard, its vocabulary is sorted by bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.storage.columns import list_column, string_column, text_column
from priorwise.corpus.storage.places import Store
from priorwise.corpus.texts import beginning, no_texts, text_table
from priorwise.durable import remove, sync_folder
from priorwise.readers.document import CategoryPage, Document, Entry, Origin
from priorwise.text.tokens import CountedTexts, count_texts

Given = tuple[Sequence[str], Sequence[str], Origin]
"""The labels of a row, those that were added, and the origin of those of the row."""

_ORIGINS = 4
"""Origins are numbers below this."""


@dataclass(frozen=True, slots=True)
class Memberships:
    """The distinct names, sorted by bytes, and for each row its names' numbers, ascending, with their origins."""

    names: pa.Array
    offsets: NDArray[np.int64]
    numbers: NDArray[np.uint32]
    origins: NDArray[np.uint8]


def number_memberships(labels: Sequence[Sequence[str]], origins: Sequence[Sequence[int]] | None = None) -> Memberships:
    """Number the labels of some documents."""
    rows = np.repeat(np.arange(len(labels), dtype=np.int64), [len(of_row) for of_row in labels])
    encoded = text_column(list(chain.from_iterable(labels))).dictionary_encode()
    names, new_number = sorted_names(encoded.dictionary)
    of_each = 0 if origins is None else np.fromiter(chain.from_iterable(origins), np.int64, len(rows))
    return distinct_memberships(names, len(labels), rows, new_number[encoded.indices.to_numpy()], of_each)


def distinct_memberships(
    names: pa.Array, n_rows: int, rows: NDArray[np.int64], numbers: NDArray[Any], origins: NDArray[Any] | int
) -> Memberships:
    """Return each membership once; of a name that a row has twice the lowest origin counts."""
    # Row, name and origin in one number: sorted once, equal names of a row are neighbours, best origin first.
    entries = (rows * max(1, len(names)) + numbers) * _ORIGINS + origins
    entries.sort()
    kept = entries[np.diff(entries // _ORIGINS, prepend=-1) != 0]
    row, number = np.divmod(kept // _ORIGINS, max(1, len(names)))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n_rows))])
    return Memberships(names, offsets, number.astype(np.uint32), (kept % _ORIGINS).astype(np.uint8))


def labels_and_origins(given: Sequence[Given]) -> tuple[list[Sequence[str]], Sequence[Sequence[int]] | None]:
    """Return all labels of each row, and their origins unless all of them are written."""
    if not any(added or origin for _, added, origin in given):
        return [labels for labels, _, _ in given], None
    every: list[Sequence[str]] = [[*labels, *added] for labels, added, _ in given]
    origins = [[origin] * len(labels) + [Origin.ADDED] * len(added) for labels, added, origin in given]
    return every, origins


def category_table(categories: Sequence[CategoryPage]) -> pa.RecordBatch:
    """Return the pages of categories as a table: ``category``, ``page``, ``parents``, ``origins``."""
    found = number_memberships(
        *labels_and_origins([(category.parents, category.added, category.origin) for category in categories])
    )
    return pa.RecordBatch.from_pydict(
        {
            "category": text_column([category.name for category in categories]),
            "page": pa.array([category.page for category in categories], pa.uint64()),
            "parents": list_column(found.offsets, found.names.take(pa.array(found.numbers))),
            "origins": list_column(found.offsets, found.origins),
        }
    )


def sorted_names(names: pa.Array) -> tuple[pa.Array, NDArray[np.uint32]]:
    """Return names sorted by bytes, and the new number of each."""
    order = pc.array_sort_indices(names)
    new_number = np.empty(len(names), np.uint32)
    new_number[order.to_numpy()] = np.arange(len(names), dtype=np.uint32)
    return names.take(order), new_number


Allocate = Callable[[str, int], NDArray[np.uint32]]
"""Gives scratch room by name and size."""

PARTS = ("documents", "tokens", "vocabulary", "labels", "categories", "texts", "others")


class AnyShard:
    """The tables of a shard, wherever they lie; each is read anew when it is asked for, so none stays in memory.

    ``documents`` has the columns ``id``, ``title``, ``labels`` (numbers into the shard's labels), ``origins`` (of each
    label), ``page`` (its number in a wiki's tables) and ``place`` (its line or row in its file); ``tokens`` has
    ``tokens`` (numbers into the vocabulary) and ``counts``; ``vocabulary`` has ``token``, sorted by bytes,
    ``documents`` and ``occurrences``; ``labels`` has ``label``, sorted by bytes; ``categories`` has ``category``,
    ``page``, ``parents`` (names) and ``origins``; ``texts`` and ``others`` are as
    :func:`~priorwise.corpus.texts.text_table` gives them.
    """

    def __getattr__(self, name: str) -> Any:
        if name in PARTS:
            return self._table(name)
        raise AttributeError(name)

    def _table(self, name: str) -> pa.RecordBatch:
        raise NotImplementedError

    @property
    def stored(self) -> AnyShard:
        """The shard that has these tokens, where they were first written."""
        return self


@dataclass(frozen=True, slots=True)
class Shard(AnyShard):
    """The seven tables of a shard, in memory."""

    documents: pa.RecordBatch
    tokens: pa.RecordBatch
    vocabulary: pa.RecordBatch
    labels: pa.RecordBatch
    categories: pa.RecordBatch
    texts: pa.RecordBatch
    others: pa.RecordBatch

    @classmethod
    def from_documents(cls, entries: Sequence[Entry], longest: int = 0) -> Shard:
        """Count the tokens of some documents and keep this many bytes of each; categories' pages may be among them."""
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
        """Make a shard from tokens that are counted already."""
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


class MappedShard(AnyShard):
    """A shard on the disk, mapped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _table(self, name: str) -> pa.RecordBatch:
        with pa.memory_map(str(self._folder / f"{name}.arrow")) as mapped:
            return pa.ipc.open_file(mapped).get_batch(0)


class StoredShard(AnyShard):
    """A shard in a folder of a store, which may be on another machine; any process can open it."""

    def __init__(self, store: Store, name: str) -> None:
        self._store, self._name = store, name

    def fill(self, shard: Shard) -> None:
        shard.put(self._store, self._name)

    def _table(self, name: str) -> pa.RecordBatch:
        return self._store.table(f"{self._name}/{name}.arrow")


def replaced(table: pa.RecordBatch, column: str, values: pa.Array) -> pa.RecordBatch:
    """Return a table with other values in one of its columns."""
    return table.set_column(table.schema.get_field_index(column), column, values)


def _batch(**columns: pa.Array) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
