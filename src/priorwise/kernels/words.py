"""Look at eight bytes at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import helper

_ONES = np.uint64(0x0101010101010101)
SPARE = 16
"""This many bytes after the last one make sure that :func:`bytes_at` may look at any of them."""

_HIGH = np.uint64(0x8080808080808080)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


def read_only(data: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written to: with one type of array there is one compilation."""
    view = data.view()
    view.flags.writeable = False
    return view


def as_words(data: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the bytes as words of eight; those that are left over at the end are not in it."""
    return data[: data.size // 8 * 8].view(np.uint64)


@helper
def find_byte(data: NDArray[np.uint8], words: NDArray[np.uint64], at: int, end: int, byte: int) -> Any:
    """Return where the next such byte is, or the end."""
    while at < end and at & 7:
        if data[at] == byte:
            return at
        at += 1
    pattern = np.uint64(byte) * _ONES
    while at + 8 <= end:
        differs = words[at >> 3] ^ pattern
        if (differs - _ONES) & ~differs & _HIGH:
            break
        at += 8
    while at < end and data[at] != byte:
        at += 1
    return at


@helper
def end_of_ascii(data: NDArray[np.uint8], words: NDArray[np.uint64], at: int, end: int) -> Any:
    """Return where the first byte is that is not ASCII, or the end."""
    while at < end and at & 7:
        if data[at] >= 0x80:
            return at
        at += 1
    while at + 8 <= end and words[at >> 3] & _HIGH == 0:
        at += 8
    while at < end and data[at] < 0x80:
        at += 1
    return at


@helper
def bytes_at(words: NDArray[np.uint64], start: int, length: int) -> Any:
    """Return one to eight bytes in one number, the first one lowest; another word must follow the one they begin in."""
    first = start >> 3
    shift = np.uint64(8 * (start & 7))
    both = words[first] >> shift | (words[first + 1] << np.uint64(1)) << (np.uint64(63) - shift)
    return both & (_ALL >> np.uint64(64 - 8 * length))
