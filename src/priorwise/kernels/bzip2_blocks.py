"""Find the blocks of bzip2 data, which begin at any bit, and move one to the beginning of a byte."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

BLOCK = 0x314159265359
"""The 48 bits with which a block begins."""

STREAM_END = 0x177245385090
"""The 48 bits that follow a stream's last block."""

_MASK = (1 << 48) - 1
_MARK_BYTES = 6
_NEAREST_BYTES = 5
"""No two marks begin within so few bytes; the last three bits of one may be the first of the next."""


def _possible() -> NDArray[np.bool_]:
    """Which values the second byte may have that a mark touches, whatever the bit at which the mark begins."""
    possible = np.zeros(256, np.bool_)
    for mark in (BLOCK, STREAM_END):
        for shift in range(8):
            possible[(mark >> (32 + shift)) & 0xFF] = True
    return possible


_POSSIBLE = _possible()


@njit(cache=True, nogil=True)
def find_marks(data: NDArray[np.uint8], first: int, last: int) -> NDArray[np.int64]:
    """Return the bit at which each mark begins, for marks whose first bit lies in the bytes from first to before last.

    The bit of a stream's end is returned as its complement (``~bit``), so that it is negative.
    """
    found = np.empty(1 + max(0, last - first) // _NEAREST_BYTES, np.int64)
    n = 0
    for at in range(first, min(last, data.size - _MARK_BYTES + 1)):
        if not _POSSIBLE[data[at + 1]]:
            continue
        window = np.int64(0)
        for i in range(7):
            window = window << 8 | (np.int64(data[at + i]) if at + i < data.size else 0)
        for shift in range(8):
            bits = (window >> (8 - shift)) & _MASK
            inside = (at * 8 + shift + 48) <= data.size * 8
            if inside and bits in (BLOCK, STREAM_END):
                found[n] = at * 8 + shift if bits == BLOCK else ~(at * 8 + shift)
                n += 1
    return found[:n].copy()


@njit(cache=True, nogil=True)
def stream_of_block(data: NDArray[np.uint8], start: int, end: int) -> NDArray[np.uint8]:
    """Return the block between two bits as a stream of its own: header, block, end mark, and the block's checksum."""
    header = 4
    n_bits = end - start
    size = header + (n_bits + 80 + 7) // 8
    out = np.zeros(size, np.uint8)
    out[0], out[1], out[2], out[3] = 66, 90, 104, 57  # BZh9
    shift = start % 8
    at = start // 8
    n_bytes = n_bits // 8
    for i in range(n_bytes):
        high = np.int64(data[at + i]) << shift
        low = np.int64(data[at + i + 1]) >> (8 - shift) if shift else 0
        out[header + i] = (high | low) & 0xFF
    written = n_bytes * 8
    while written < n_bits:
        _put(out, header * 8 + written, _bit(data, start + written))
        written += 1
    for i in range(47, -1, -1):
        _put(out, header * 8 + written, (STREAM_END >> i) & 1)
        written += 1
    for i in range(32):
        # A stream's checksum is its blocks' checksums combined; that of one block is the block's.
        _put(out, header * 8 + written, _bit(data, start + 48 + i))
        written += 1
    return out


@njit(cache=True, nogil=True)
def _bit(data: NDArray[np.uint8], bit: int) -> Any:
    return (np.int64(data[bit // 8]) >> (7 - bit % 8)) & 1


@njit(cache=True, nogil=True)
def _put(out: NDArray[np.uint8], bit: int, value: int) -> None:
    out[bit // 8] |= np.uint8(value << (7 - bit % 8))
