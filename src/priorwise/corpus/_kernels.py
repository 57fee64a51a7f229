"""Compiled inner loops of the corpus: arrays in, arrays out.

A table of names has a power of two of rows and at most half of them are taken: a row is a name's key and its number, -1
where there is none. Calls with arrays cost more than what is done here, so each kernel is one function.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import kernel

_NONE = np.uint32(0xFFFFFFFF)
_START, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_HALF = np.uint64(32)


@kernel
def number_names(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int32],
    table: NDArray[np.int64],
    names: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    known: int,
    add: bool,
    numbers: NDArray[np.uint32],
) -> int:
    """Write the number of each name ``data[offsets[i]:offsets[i + 1]]``; return how many names are known then.

    Name ``k`` is ``names[bounds[k]:bounds[k + 1]]``. New names are added, for which there must be room, or else
    their numbers are all ones.
    """
    last = table.shape[0] - 1
    for i in range(offsets.size - 1):
        start, end = np.int64(offsets[i]), np.int64(offsets[i + 1])
        hashed = _START
        for at in range(start, end):
            hashed = (hashed ^ np.uint64(data[at])) * _PRIME
        key = np.int64(hashed ^ hashed >> _HALF)
        row = key & last
        number = table[row, 1]
        while number >= 0:
            same = table[row, 0] == key and bounds[number + 1] - bounds[number] == end - start
            if same:
                first = bounds[number]
                for at in range(end - start):
                    if names[first + at] != data[start + at]:
                        same = False
                        break
            if same:
                break
            row = (row + 1) & last
            number = table[row, 1]
        if number < 0 and add:
            number = known
            table[row, 0] = key
            table[row, 1] = number
            first = bounds[number]
            for at in range(end - start):
                names[first + at] = data[start + at]
            known += 1
            bounds[known] = first + end - start
        numbers[i] = _NONE if number < 0 else np.uint32(number)
    return known


@kernel
def rehash(table: NDArray[np.int64], wider: NDArray[np.int64]) -> None:
    """Enter the rows of a table into an empty one."""
    last = wider.shape[0] - 1
    for old in range(table.shape[0]):
        if table[old, 1] >= 0:
            row = table[old, 0] & last
            while wider[row, 1] >= 0:
                row = (row + 1) & last
            wider[row, 0] = table[old, 0]
            wider[row, 1] = table[old, 1]


@kernel
def count_keys(keys: NDArray[np.uint32], counts: NDArray[np.int64]) -> None:
    """Add how often each key occurs."""
    for i in range(keys.size):
        counts[keys[i]] += 1


@kernel
def place_values(
    keys: NDArray[np.uint32], values: NDArray[np.uint32], free: NDArray[np.int64], placed: NDArray[np.uint32]
) -> None:
    """Put each value to the next free place of its key."""
    for i in range(keys.size):
        placed[free[keys[i]]] = values[i]
        free[keys[i]] += 1


@kernel
def order_rows(
    offsets: NDArray[np.int32],
    columns: NDArray[np.uint32],
    values: NDArray[np.uint32],
    rank: NDArray[np.uint32],
    first: NDArray[np.int64],
    rows: NDArray[np.uint32],
    carried: NDArray[np.uint32],
    ranks: NDArray[np.uint32],
    ordered: NDArray[np.uint32],
) -> None:
    """Write for each entry, row by row and by ascending rank of its column, that rank and its value.

    Two passes over the entries, to the columns and back, so the time is linear in entries and columns. ``first`` has
    two zeros more than there are columns; it and ``offsets`` count what has been placed.
    """
    for entry in range(columns.size):
        first[rank[columns[entry]] + 2] += 1
    for column in range(rank.size):
        first[column + 2] += first[column + 1]
    for row in range(offsets.size - 1):
        for entry in range(offsets[row], offsets[row + 1]):
            ranked = rank[columns[entry]]
            rows[first[ranked + 1]] = row
            carried[first[ranked + 1]] = values[entry]
            first[ranked + 1] += 1
    for column in range(rank.size):
        for at in range(first[column], first[column + 1]):
            entry = offsets[rows[at]]
            ranks[entry] = column
            ordered[entry] = carried[at]
            offsets[rows[at]] += 1


@kernel
def first_wrong_row(offsets: NDArray[Any], values: NDArray[Any], counts: NDArray[np.uint32]) -> int:
    """Return the first row whose numbers do not ascend or reach beyond `counts`, or −1 if all are right.

    Row ``i`` has ``values[offsets[i]:offsets[i + 1]]``; the offsets must have been checked. How often each number
    occurs is added to `counts` if all are right.
    """
    limit = np.int64(counts.shape[0])
    one, n = np.uint64(1), np.uint64(values.shape[0])
    # All rows at once, because the compiler compares several numbers at a time; where a row begins, values may fall.
    falls = 0
    for place in range(one, n):
        falls += values[place] <= values[place - one]
    largest = np.int64(-1)
    for place in range(np.uint64(0), n):
        largest = max(largest, np.int64(values[place]))
    for row in range(offsets.shape[0] - 1):
        first = np.uint64(offsets[row])
        if 0 < first < np.uint64(offsets[row + 1]):
            falls -= values[first] <= values[first - one]
    if not falls and largest < limit:
        for place in range(np.uint64(0), n):
            counts[np.uint64(values[place])] += np.uint32(1)
        return -1
    for row in range(offsets.shape[0] - 1):
        first, end = np.uint64(offsets[row]), np.uint64(offsets[row + 1])
        for place in range(first, end):
            if (place > first and values[place] <= values[place - one]) or np.int64(values[place]) >= limit:
                return row
    return -1
