"""Copy the entries of some documents, in any order, out of the mapped batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def gather(
    starts: NDArray[np.int64],
    offsets: Sequence[NDArray[Any]],
    columns: Sequence[Sequence[NDArray[Any]]],
    rows: NDArray[np.int64],
) -> tuple[NDArray[np.int64], list[NDArray[Any]]]:
    """Return the offsets of the rows' entries, and those entries of each column.

    Parameters
    ----------
    starts : ndarray
        The first row of each batch, and the number of rows at the end.
    offsets : sequence of ndarray
        Each batch's own offsets.
    columns : sequence of sequences of ndarray
        For each column, the values of each batch.
    rows : ndarray
        Row numbers, in any order.

    Examples
    --------
    >>> values = [np.array([7, 8, 9])]
    >>> gather(np.array([0, 2]), [np.array([0, 1, 3])], [values], np.array([1, 0, 1]))[1][0].tolist()
    [8, 9, 7, 8, 9]
    """
    if len(rows) and (rows.min() < 0 or rows.max() >= starts[-1]):
        raise IndexError(f"documents go from 0 to {starts[-1] - 1}, and row {rows.min()} to {rows.max()} was asked for")
    batch = np.searchsorted(starts, rows, side="right") - 1
    by_batch = np.argsort(batch, kind="stable")
    used, groups = np.unique(batch[by_batch], return_index=True)
    members = np.split(by_batch, groups[1:])

    lengths = np.zeros(len(rows), np.int64)
    for b, group in zip(used.tolist(), members, strict=True) if len(rows) else ():
        local = rows[group] - starts[b]
        lengths[group] = offsets[b][local + 1] - offsets[b][local]
    indptr = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])

    gathered = [np.empty(indptr[-1], column[0].dtype) for column in columns]
    for b, group in zip(used.tolist(), members, strict=True) if len(rows) else ():
        first = offsets[b][rows[group] - starts[b]].astype(np.int64)
        within = np.arange(lengths[group].sum()) - np.repeat(np.cumsum(lengths[group]) - lengths[group], lengths[group])
        source = np.repeat(first, lengths[group]) + within
        target = np.repeat(indptr[group], lengths[group]) + within
        for column, out in zip(columns, gathered, strict=True):
            out[target] = column[b][source]
    return indptr, gathered
