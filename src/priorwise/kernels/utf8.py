"""Code points in and out of UTF-8 bytes, for the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import helper


@helper
def put_point(out: NDArray[np.uint8], at: int, point: int) -> int:
    """Write a code point and return the place after it."""
    if point < 0x80:
        out[at] = point
        return at + 1
    width = 2 if point < 0x800 else 3 if point < 0x10000 else 4
    for i in range(width - 1, 0, -1):
        out[at + i] = 0x80 | point & 0x3F
        point >>= 6
    out[at] = (0xF00 >> width) & 0xFF | point
    return at + width


@helper
def point_at(data: NDArray[np.uint8], at: int, end: int) -> tuple[Any, int]:
    """Return the code point that begins here and its width in bytes; ``(-1, 1)`` if this is not UTF-8."""
    lead = np.int64(data[at])
    if lead < 0x80:
        return lead, 1
    if lead < 0xC2 or lead > 0xF4:
        return -1, 1
    width = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    if at + width > end:
        return -1, 1
    point = lead & (0x7F >> width)
    for i in range(at + 1, at + width):
        byte = np.int64(data[i])
        if byte & 0xC0 != 0x80:
            return -1, 1
        point = point << 6 | byte & 0x3F
    too_long = (width == 3 and point < 0x800) or (width == 4 and point < 0x10000)
    if too_long or point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
        return -1, 1
    return point, width
