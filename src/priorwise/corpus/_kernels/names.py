"""Number distinct names in the order in which they are seen, and group values by small numbers.

The table has a power of two of rows and at most half of them are taken: a row is a name's key and its number, -1 where
there is none. Calls with arrays cost more than what is done here, so each kernel is one function.
"""

from __future__ import annotations

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
