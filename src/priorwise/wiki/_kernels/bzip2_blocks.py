"""Find the blocks of bzip2 data, which begin at any bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import kernel

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


@kernel
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
