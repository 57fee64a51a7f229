"""The codes of a bzip2 block: which bytes occur, which table is in force when, and the tables themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import helper

MALFORMED = -1
MOST_TABLES = 6
MOST_SYMBOLS = 258
MOST_SELECTORS = 18_002
LONGEST_CODE = 20
LOOKED_UP = 10
"""The bits looked up at once."""

_MOST_AT_ONCE = 4


@helper
def bits_at(data: NDArray[np.uint8], at: int, n: int) -> Any:
    """Return the n bits (25 at most) that begin at a bit."""
    byte = at >> 3
    window = np.int64(data[byte]) << 24 | np.int64(data[byte + 1]) << 16 | np.int64(data[byte + 2]) << 8
    window |= np.int64(data[byte + 3])
    return (window >> (32 - n - (at & 7))) & ((1 << n) - 1)


@helper
def read_bytes_used(data: NDArray[np.uint8], at: int, used: NDArray[np.uint8]) -> Any:
    """Read which bytes occur in the block, in order; return the bit after that, and how many they are."""
    groups = bits_at(data, at, 16)
    at += 16
    n = 0
    for group in range(16):
        if groups >> (15 - group) & 1:
            members = bits_at(data, at, 16)
            at += 16
            for member in range(16):
                if members >> (15 - member) & 1:
                    used[n] = group * 16 + member
                    n += 1
    return at, n


@helper
def read_selectors(data: NDArray[np.uint8], at: int, n: int, n_tables: int, end: int, out: NDArray[np.uint8]) -> Any:
    """Read which table each fifty codes are in, no more than a block can use; return the bit after that."""
    order = np.arange(MOST_TABLES)
    for i in range(n):
        place = 0
        while at < end and bits_at(data, at, 1):
            at += 1
            place += 1
            if place >= n_tables:
                return MALFORMED
        if at >= end:
            return MALFORMED
        at += 1
        table = order[place]
        for j in range(place, 0, -1):
            order[j] = order[j - 1]
        order[0] = table
        if i < out.size:
            out[i] = table
    return at


@helper
def read_lengths(data: NDArray[np.uint8], at: int, n_symbols: int, end: int, lengths: NDArray[np.uint8]) -> Any:
    """Read how long the code of each symbol is; return the bit after that."""
    length = bits_at(data, at, 5)
    at += 5
    for symbol in range(n_symbols):
        while True:
            if length < 1 or length > LONGEST_CODE or at >= end:
                return MALFORMED
            if not bits_at(data, at, 1):
                at += 1
                break
            length += -1 if bits_at(data, at + 1, 1) else 1
            at += 2
        lengths[symbol] = length
    return at


@helper
def build_table(
    lengths: NDArray[np.uint8],
    n_symbols: int,
    quick: NDArray[np.uint32],
    limits: NDArray[np.int64],
    offsets: NDArray[np.int64],
    ordered: NDArray[np.uint16],
) -> Any:
    """Build what turns bits into symbols: limits and offsets for a code of any length, and look-ups for the short ones.

    A look-up answers with the codes that lie wholly in the bits: those of a run, as many as there are, and the byte's
    after them. From the lowest bit: 4 for the bits used, 3 for the codes, 3 for those of the run, 6 for what they add
    to it, and the symbol of the byte (0: it is not among the bits). Return whether such codes can be.
    """
    code, rank = 0, 0
    for length in range(1, LONGEST_CODE + 1):
        offsets[length] = rank - code
        for symbol in range(n_symbols):
            if lengths[symbol] == length:
                ordered[rank] = symbol
                rank += 1
                code += 1
        if code > 1 << length:
            return False
        # What a window of twenty bits is below if its code has this length, or less.
        limits[length] = code << (LONGEST_CODE - length)
        code <<= 1
    for bits in range(quick.size):
        quick[bits] = _looked_up(bits, limits, offsets, ordered)
    return True


@helper
def _looked_up(bits: int, limits: NDArray[np.int64], offsets: NDArray[np.int64], ordered: NDArray[np.uint16]) -> Any:
    used, codes, run_codes, run = 0, 0, 0, 0
    while codes < _MOST_AT_ONCE:
        window = (bits << (used + LONGEST_CODE - LOOKED_UP)) & ((1 << LONGEST_CODE) - 1)
        length = 1
        while length <= LOOKED_UP - used and window >= limits[length]:
            length += 1
        if length > LOOKED_UP - used:
            break
        used += length
        codes += 1
        symbol: Any = np.int64(ordered[(window >> (LONGEST_CODE - length)) + offsets[length]])
        if symbol > 1:
            return used | codes << 4 | run_codes << 7 | run << 10 | symbol << 16
        run += 1 << (run_codes + symbol)
        run_codes += 1
    return used | codes << 4 | run_codes << 7 | run << 10
