"""The categories' pages of all shards in, the graph of the categories out: the parents and the children of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus.build.memberships import sorted_names
from priorwise.corpus.build.shards import AnyShard
from priorwise.corpus.storage.columns import list_column


def category_graph(shards: Sequence[AnyShard]) -> pa.RecordBatch | None:
    """Return the graph of the categories, or None if no shard has the page of one.

    Parameters
    ----------
    shards : sequence of AnyShard
        A category whose page is there twice has the parents of both.

    Returns
    -------
    pyarrow.RecordBatch or None
        ``category`` (sorted by bytes: those that have a page and those that one of them names), ``parents`` and
        ``children`` (numbers of rows, ascending). Cycles stay as they are.

    Notes
    -----
    Memory: about 100 bytes per category and 20 per edge, none of it Python objects.

    Examples
    --------
    >>> from priorwise.corpus.build.shards import Shard
    >>> from priorwise.readers.document import CategoryPage
    >>> shard = Shard.from_documents([CategoryPage("Neural networks", ["Machine learning"])])
    >>> list(category_graph([shard]).to_pydict().values())
    [['Machine learning', 'Neural networks'], [[], [0]], [[1], []]]
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
