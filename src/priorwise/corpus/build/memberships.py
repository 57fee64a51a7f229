"""Which labels each document of a shard has, each once, and where it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.storage.columns import list_column, text_column
from priorwise.readers.document import CategoryPage, Origin

Given = tuple[Sequence[str], Sequence[str], Origin]
"""The labels of a row, those that were added, and the origin of the former."""

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
    """Number the labels of some documents; of a label that is given twice the lowest origin counts.

    Examples
    --------
    >>> found = number_memberships([["b", "a"], ["b", "b"]], [[0, 1], [2, 1]])
    >>> found.names.to_pylist(), found.offsets.tolist(), found.numbers.tolist(), found.origins.tolist()
    (['a', 'b'], [0, 2, 3], [0, 1, 1], [1, 0, 1])
    """
    rows = np.repeat(np.arange(len(labels), dtype=np.int64), [len(of_row) for of_row in labels])
    encoded = text_column(list(chain.from_iterable(labels))).dictionary_encode()
    names, new_number = sorted_names(encoded.dictionary)
    # Row, label and origin in one number: sorted once, equal labels of a row stand side by side, best origin first.
    entries = (rows * len(names) + new_number[encoded.indices.to_numpy()]) * _ORIGINS
    if origins is not None:
        entries += np.fromiter(chain.from_iterable(origins), np.int64, len(entries))
    entries.sort()
    kept = entries[np.diff(entries // _ORIGINS, prepend=-1) != 0]
    places = kept // _ORIGINS
    offsets = np.zeros(len(labels) + 1, np.int64)
    np.cumsum(np.bincount(places // max(1, len(names)), minlength=len(labels)), out=offsets[1:])
    return Memberships(
        names, offsets, (places % max(1, len(names))).astype(np.uint32), (kept % _ORIGINS).astype(np.uint8)
    )


def labels_and_origins(given: Sequence[Given]) -> tuple[list[Sequence[str]], Sequence[Sequence[int]] | None]:
    """Return all labels of each row, and their origins unless all of them are written.

    Examples
    --------
    >>> labels_and_origins([(["a"], ["b"], Origin.WRITTEN)])
    ([['a', 'b']], [[<Origin.WRITTEN: 0>, <Origin.ADDED: 1>]])
    """
    if not any(added or origin for _, added, origin in given):
        return [labels for labels, _, _ in given], None
    every: list[Sequence[str]] = [[*labels, *added] for labels, added, _ in given]
    origins = [[origin] * len(labels) + [Origin.ADDED] * len(added) for labels, added, origin in given]
    return every, origins


def category_table(categories: Sequence[CategoryPage]) -> pa.RecordBatch:
    """Return the pages of categories as a table: ``category``, ``page``, ``parents``, ``origins``.

    Examples
    --------
    >>> category_table([CategoryPage("Neural networks", ["Machine learning"], 7)]).to_pylist()
    [{'category': 'Neural networks', 'page': 7, 'parents': ['Machine learning'], 'origins': [0]}]
    """
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
    """Return names sorted by bytes, and the new number of each.

    Examples
    --------
    >>> names, new_number = sorted_names(pa.array(["b", "c", "a"]))
    >>> names.to_pylist(), new_number.tolist()
    (['a', 'b', 'c'], [1, 2, 0])
    """
    order = pc.array_sort_indices(names)
    new_number = np.empty(len(names), np.uint32)
    new_number[order.to_numpy()] = np.arange(len(names), dtype=np.uint32)
    return names.take(order), new_number
