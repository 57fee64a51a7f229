"""Check the numbers in rows before any other loop uses them as places in an array, and sort rows by counting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import kernel


@kernel
def order_rows(
    offsets: NDArray[np.int32], columns: NDArray[np.uint32], values: NDArray[np.uint32], rank: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return for each entry, row by row and by ascending rank of its column, that rank and its value.

    Two passes over the entries, to the columns and back, so the time is linear in entries and columns.
    """
    first = np.zeros(rank.size + 1, np.int64)
    for entry in range(columns.size):
        first[rank[columns[entry]] + 1] += 1
    for column in range(rank.size):
        first[column + 1] += first[column]
    rows = np.empty(columns.size, np.uint32)
    carried = np.empty(columns.size, np.uint32)
    place = first[:-1].copy()
    for row in range(offsets.size - 1):
        for entry in range(offsets[row], offsets[row + 1]):
            ranked = rank[columns[entry]]
            rows[place[ranked]] = row
            carried[place[ranked]] = values[entry]
            place[ranked] += 1
    ranks = np.empty(columns.size, np.uint32)
    ordered = np.empty(columns.size, np.uint32)
    free = offsets[:-1].copy()
    for column in range(rank.size):
        for at in range(first[column], first[column + 1]):
            entry = free[rows[at]]
            ranks[entry] = column
            ordered[entry] = carried[at]
            free[rows[at]] += 1
    return ranks, ordered


@kernel
def first_wrong_row(offsets: NDArray[Any], values: NDArray[Any], counts: NDArray[np.uint32]) -> int:
    """Return the first row whose numbers do not ascend or reach beyond `counts`, or −1 if all are right.

    Row ``i`` has ``values[offsets[i]:offsets[i + 1]]``; the offsets must have been checked. How often each number
    occurs is added to `counts`.
    """
    limit = np.int64(counts.shape[0])
    for row in range(offsets.shape[0] - 1):
        last = np.int64(-1)
        for place in range(offsets[row], offsets[row + 1]):
            value = np.int64(values[place])
            if value <= last or value >= limit:
                return row
            counts[value] += np.uint32(1)
            last = value
    return -1
