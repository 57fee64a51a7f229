"""A shard whose documents have more labels, and its categories more parents, than their texts say."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus.build.category_names import NONE, CategoryNames
from priorwise.corpus.build.memberships import Memberships, sorted_names
from priorwise.corpus.build.scratch import Grouped, Shelf, table_at
from priorwise.corpus.build.shards import AnyShard
from priorwise.corpus.storage.columns import list_column, list_parts
from priorwise.readers.document import Origin

_FROM_TABLE = 3
"""In sorting, what a table says comes after every origin, because it says nothing about the text."""


class CompletedShard:
    """The tokens of one shard, with other labels and categories.

    Parameters
    ----------
    shard : AnyShard
    names : CategoryNames
        What the numbers below mean.
    labels : Grouped
        The labels of each document that a table has.
    parents : Grouped
        The parents of each category's page that a table has: first of those in the shard, then of the further ones.
    further : tuple of ndarrays
        The numbers of categories that get a row beside the shard's own, and their pages.
    shelf : Shelf
        Where the finished tables go.

    Attributes
    ----------
    added : int
        How many memberships of documents are new.
    """

    def __init__(
        self,
        shard: AnyShard,
        names: CategoryNames,
        labels: Grouped,
        parents: Grouped,
        further: tuple[NDArray[np.uint32], NDArray[np.uint64]],
        shelf: Shelf,
    ) -> None:
        self._shard = shard
        held = Memberships(shard.labels.column("label"), *_memberships(shard.documents))
        joined = join(held, labels, names)
        self.added = len(joined.numbers) - len(held.numbers)
        numbers, origins = (list_column(joined.offsets, values) for values in (joined.numbers, joined.origins))
        self._memberships = shelf.put(pa.RecordBatch.from_pydict({"labels": numbers, "origins": origins}))
        self._labels = shelf.put(pa.RecordBatch.from_pydict({"label": joined.names}))
        self._categories = shelf.put(_categories(shard.categories, names, parents, further))

    @property
    def stored(self) -> AnyShard:
        """The shard that has the tokens."""
        return self._shard.stored

    @property
    def documents(self) -> pa.RecordBatch:
        """The table of documents."""
        documents, memberships = self._shard.documents, table_at(self._memberships)
        for name in memberships.schema.names:
            documents = documents.set_column(documents.schema.get_field_index(name), name, memberships.column(name))
        return documents

    @property
    def tokens(self) -> pa.RecordBatch:
        """The table of tokens and counts."""
        return self._shard.tokens

    @property
    def vocabulary(self) -> pa.RecordBatch:
        """The table of distinct tokens."""
        return self._shard.vocabulary

    @property
    def labels(self) -> pa.RecordBatch:
        """The table of distinct labels."""
        return table_at(self._labels)

    @property
    def categories(self) -> pa.RecordBatch:
        """The table of categories' pages."""
        return table_at(self._categories)

    @property
    def texts(self) -> pa.RecordBatch:
        """The table of texts, in blocks."""
        return self._shard.texts

    @property
    def others(self) -> pa.RecordBatch:
        """The table of other columns, in blocks."""
        return self._shard.others


def join(held: Memberships, added: Grouped, names: CategoryNames) -> Memberships:
    """Add memberships to those that are there; one that is there already stays as it is.

    Parameters
    ----------
    held : Memberships
        What is there.
    added : Grouped
        For each row the numbers of names, in any order and perhaps repeated; there may be more rows than in ``held``.
    names : CategoryNames
        The names of these numbers.

    Examples
    --------
    >>> names = CategoryNames()
    >>> tea, milk = names.add(pa.array(["Tea", "Milk"]))
    >>> held = Memberships(pa.array(["Tea"]), np.array([0, 1]), np.zeros(1, np.uint32), np.zeros(1, np.uint8))
    >>> joined = join(held, Grouped(np.array([0, 2]), np.array([tea, milk], np.uint32)), names)
    >>> joined.names.to_pylist(), joined.numbers.tolist(), joined.origins.tolist()
    (['Milk', 'Tea'], [0, 1], [1, 0])
    """
    n_rows = len(added.offsets) - 1
    distinct, places = np.unique(added.values, return_inverse=True)
    every, number_of_held, number_of_added = _union(held.names, distinct, names)
    rows = [np.arange(len(held.offsets) - 1), np.arange(n_rows)]
    lengths = [np.diff(held.offsets), np.diff(added.offsets)]
    row = np.concatenate([np.repeat(some, times) for some, times in zip(rows, lengths, strict=True)])
    number = np.concatenate([number_of_held[held.numbers], number_of_added[places]]).astype(np.int64)
    origin = np.concatenate([held.origins, np.full(len(places), _FROM_TABLE, np.uint8)])

    entries = (row * max(1, len(every)) + number) * (_FROM_TABLE + 1) + origin
    entries.sort()
    membership = entries // (_FROM_TABLE + 1)
    kept = np.diff(membership, prepend=-1) != 0
    origins = (entries[kept] % (_FROM_TABLE + 1)).astype(np.uint8)
    offsets = np.zeros(n_rows + 1, np.int64)
    np.cumsum(np.bincount(membership[kept] // max(1, len(every)), minlength=n_rows), out=offsets[1:])
    return Memberships(
        every,
        offsets,
        (membership[kept] % max(1, len(every))).astype(np.uint32),
        np.where(origins == _FROM_TABLE, np.uint8(Origin.ADDED), origins),
    )


def _union(
    held: pa.Array, added: NDArray[np.uint32], names: CategoryNames
) -> tuple[pa.Array, NDArray[np.uint32], NDArray[np.uint32]]:
    """Return all names, sorted by bytes, and the numbers among them of those held and of those added."""
    numbers = names.find(held)
    known = np.flatnonzero(numbers != NONE)
    by_number = known[np.argsort(numbers[known])]
    at = np.minimum(np.searchsorted(numbers[by_number], added), max(0, len(by_number) - 1))
    is_held = numbers[by_number][at] == added if len(by_number) else np.zeros(len(added), np.bool_)
    every, new_number = sorted_names(pa.concat_arrays([held, names.take(added[~is_held])]))
    row_of_added = len(held) + np.cumsum(~is_held) - 1
    if len(by_number):
        row_of_added = np.where(is_held, by_number[at], row_of_added)
    return every, new_number[: len(held)], new_number[row_of_added]


def _memberships(documents: pa.RecordBatch) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint8]]:
    offsets, numbers = list_parts(documents.column("labels"))
    return offsets.astype(np.int64), numbers, list_parts(documents.column("origins"))[1]


def _categories(
    table: pa.RecordBatch,
    names: CategoryNames,
    parents: Grouped,
    further: tuple[NDArray[np.uint32], NDArray[np.uint64]],
) -> pa.RecordBatch:
    encoded = table.column("parents").values.dictionary_encode()
    parent_names, new_number = sorted_names(encoded.dictionary)
    offsets = table.column("parents").offsets.to_numpy().astype(np.int64)
    origins = list_parts(table.column("origins"))[1]
    held = Memberships(parent_names, offsets, new_number[encoded.indices.to_numpy()], origins)
    joined = join(held, parents, names)
    return pa.RecordBatch.from_pydict(
        {
            "category": pa.concat_arrays([table.column("category"), names.take(further[0])]),
            "page": pa.concat_arrays([table.column("page"), pa.array(further[1])]),
            "parents": list_column(joined.offsets, joined.names.take(pa.array(joined.numbers))),
            "origins": list_column(joined.offsets, joined.origins),
        }
    )
