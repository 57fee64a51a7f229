"""From a bzip2 block's bits to its last column, as the Burrows-Wheeler transform left it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import helper, kernel
from priorwise.wiki._kernels.bzip2_codes import (
    LONGEST_CODE,
    LOOKED_UP,
    MALFORMED,
    MOST_SELECTORS,
    MOST_SYMBOLS,
    MOST_TABLES,
    bits_at,
    build_table,
    read_bytes_used,
    read_lengths,
    read_selectors,
)

LARGEST_BLOCK = 900_000
"""The bytes of a block at the highest level, before its runs are written out."""

SPARE = 8
"""Room that a column needs beyond its bytes: a run is written eight bytes at a time."""

PADDING = 64
"""Bytes that must follow the data, whatever they are: bits are looked at before they are known to belong to it."""

_CODES_A_TABLE = 50
_MARK_BITS, _CHECKSUM_BITS = 48, 32
_SHORTEST = _MARK_BITS + _CHECKSUM_BITS + 1 + 24 + 16


@kernel
def last_column(
    data: NDArray[np.uint8], start: int, column: NDArray[np.uint8], counts: NDArray[np.int64]
) -> tuple[int, int, int, int]:
    """Read the block whose mark begins at a bit: its last column, and how often each byte occurs there.

    Return the column's length (`MALFORMED` if this is no block, or one of the randomised kind that has not been
    written since 1999), where in it the content begins, the bit at which the block ends, and its checksum.
    """
    end = (data.size - PADDING) * 8
    nothing = (MALFORMED, 0, 0, 0)
    at = start + _MARK_BITS
    if start + _SHORTEST > end:
        return nothing
    checksum = bits_at(data, at, 16) << 16 | bits_at(data, at + 16, 16)
    at += _CHECKSUM_BITS
    randomised = bits_at(data, at, 1)
    origin = bits_at(data, at + 1, 24)
    used = np.zeros(256, np.uint8)
    at, n_used = read_bytes_used(data, at + 25, used)
    if randomised or n_used == 0 or at > end:
        return nothing

    n_tables, n_selectors = bits_at(data, at, 3), bits_at(data, at + 3, 15)
    if n_tables < 2 or n_tables > MOST_TABLES or n_selectors < 1:
        return nothing
    selectors = np.zeros(min(n_selectors, MOST_SELECTORS), np.uint8)
    at = read_selectors(data, at + 18, n_selectors, n_tables, end, selectors)
    if at < 0:
        return nothing
    quick = np.empty((MOST_TABLES, 1 << LOOKED_UP), np.uint32)
    limits = np.empty((MOST_TABLES, LONGEST_CODE + 1), np.int64)
    offsets = np.empty((MOST_TABLES, LONGEST_CODE + 1), np.int64)
    ordered = np.zeros((MOST_TABLES, MOST_SYMBOLS), np.uint16)
    lengths = np.empty(MOST_SYMBOLS, np.uint8)
    n_symbols = n_used + 2
    for table in range(n_tables):
        at = read_lengths(data, at, n_symbols, end, lengths)
        if at < 0:
            return nothing
        if not build_table(lengths, n_symbols, quick[table], limits[table], offsets[table], ordered[table]):
            return nothing

    n, at = _read_column(data, at, selectors, quick, limits, offsets, ordered, used, n_symbols - 1, column, counts)
    if n < 0 or origin >= n or at > end:
        return nothing
    return n, origin, at, checksum


@helper
def _read_column(
    data: NDArray[np.uint8],
    at: int,
    selectors: NDArray[np.uint8],
    quick: NDArray[np.uint32],
    limits: NDArray[np.int64],
    offsets: NDArray[np.int64],
    ordered: NDArray[np.uint16],
    used: NDArray[np.uint8],
    end_symbol: int,
    column: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> Any:
    order = np.zeros(32, np.uint64)
    for i in range(256):
        order[i >> 3] |= np.uint64(used[i]) << np.uint64(8 * (i & 7))
    counts[:] = 0
    n = 0
    run, weight = 0, 1
    # The window's highest bits are the next of the data, as many as are held; the others are zero.
    byte_at = (at >> 3) + 4
    window = _four_bytes(data, byte_at - 4) << np.uint64(32 + (at & 7))
    held = 32 - (at & 7)
    for group in range(selectors.size):
        table = selectors[group]
        look_up = quick[table]
        left = _CODES_A_TABLE
        while left > 0:
            if held < 32:
                if byte_at + 4 > data.size:
                    return MALFORMED, 0
                window |= _four_bytes(data, byte_at) << np.uint64(32 - held)
                held += 32
                byte_at += 4
            entry: Any = np.int64(look_up[window >> np.uint64(64 - LOOKED_UP)])
            codes = entry >> 4 & 7
            if codes and codes <= left:
                length = entry & 15
                run += weight * (entry >> 10 & 63)
                weight <<= entry >> 7 & 7
                symbol = entry >> 16
                left -= codes
            else:
                code: Any = np.int64(window >> np.uint64(64 - LONGEST_CODE))
                length = 1
                while length <= LONGEST_CODE and code >= limits[table, length]:
                    length += 1
                if length > LONGEST_CODE:
                    return MALFORMED, 0
                symbol = np.int64(ordered[table, (code >> (LONGEST_CODE - length)) + offsets[table, length]])
                left -= 1
                if symbol <= 1:
                    run += weight << int(symbol)
                    weight <<= 1
                    symbol = 0
            window <<= np.uint64(length)
            held -= length
            if symbol == 0:
                if weight > LARGEST_BLOCK:
                    return MALFORMED, 0
                continue
            if n + run >= LARGEST_BLOCK + (symbol == end_symbol):
                return MALFORMED, 0
            byte = np.uint8(order[0] & np.uint64(0xFF))
            for i in range(SPARE):
                column[n + i] = byte
            if run > SPARE:
                for i in range(n + SPARE, n + run):
                    column[i] = byte
            counts[byte] += run
            n += run
            run, weight = 0, 1
            if symbol == end_symbol:
                return n, byte_at * 8 - held
            moved = _move_to_front(order, symbol - 1)
            column[n] = moved
            counts[moved] += 1
            n += 1
    return MALFORMED, 0


@helper
def _four_bytes(data: NDArray[np.uint8], at: int) -> Any:
    high = np.uint64(data[at]) << np.uint64(24) | np.uint64(data[at + 1]) << np.uint64(16)
    return high | np.uint64(data[at + 2]) << np.uint64(8) | np.uint64(data[at + 3])


@helper
def _move_to_front(order: NDArray[np.uint64], place: int) -> Any:
    """Return the byte at a place of the order, which is kept eight to a word, after moving it to the front."""
    holder = place >> 3
    shift = np.uint64((place & 7) * 8)
    word = order[holder]
    byte = word >> shift & np.uint64(0xFF)
    carried = byte
    for i in range(holder):
        passed = order[i]
        order[i] = passed << np.uint64(8) | carried
        carried = passed >> np.uint64(56)
    below = (np.uint64(1) << shift) - np.uint64(1)
    above = ~(below << np.uint64(8) | np.uint64(0xFF))
    order[holder] = word & above | (word & below) << np.uint64(8) | carried
    return byte
