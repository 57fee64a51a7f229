"""Undo the Burrows-Wheeler transform of several bzip2 blocks at once, write out their runs, and check them.

Undoing the transform follows a chain of links through four megabytes, a byte of content at each, and nearly all its
time is waiting for memory. Blocks need nothing from each other, so the waits for several of them overlap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import kernel

_RUN = 4
_POLYNOMIAL = 0x04C11DB7


def _checksum_tables() -> NDArray[np.uint32]:
    """What each byte, with up to seven zero bytes after it, does to bzip2's checksum (CRC-32, highest bit first)."""
    tables = np.zeros((8, 256), np.uint32)
    for byte in range(256):
        crc = byte << 24
        for _ in range(8):
            crc = (crc << 1) ^ (_POLYNOMIAL if crc & 0x80000000 else 0)
        tables[0, byte] = crc & 0xFFFFFFFF
    for zeros in range(1, 8):
        before = tables[zeros - 1]
        tables[zeros] = (before << np.uint32(8)) ^ tables[0, before >> np.uint32(24)]
    return tables


_TABLES = _checksum_tables()


@kernel
def link(column: NDArray[np.uint8], n: int, counts: NDArray[np.int64], links: NDArray[np.uint32]) -> None:
    """Turn a last column into links: each a byte of the content, and above it the place of the next link."""
    places = np.empty(256, np.int64)
    place = 0
    for byte in range(256):
        places[byte] = place
        place += counts[byte]
    for i in range(n):
        byte = column[i]
        place = places[byte]
        places[byte] = place + 1
        links[place] = np.uint32(i) << np.uint32(8) | np.uint32(byte)


@kernel
def follow(
    links: NDArray[np.uint32], places: NDArray[np.int64], lengths: NDArray[np.int64], passed: NDArray[np.uint8]
) -> None:
    """Follow every row's links from its place on, all rows side by side; no row is longer than the one before it."""
    done = 0
    for rows in range(places.size, 0, -1):
        for i in range(done, lengths[rows - 1]):
            for row in range(rows):
                at = links[row, places[row]]
                passed[row, i] = at & 0xFF
                places[row] = at >> 8
        done = lengths[rows - 1]


@kernel
def written_out(runs: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the content: after four equal bytes, the next says how many more of them there are."""
    out = np.empty(_write_out(runs, np.empty(0, np.uint8)), np.uint8)
    _write_out(runs, out)
    return out


@kernel
def _write_out(runs: NDArray[np.uint8], out: NDArray[np.uint8]) -> int:
    """Write the content, if there is room for it, and return its size."""
    write = out.size > 0
    size, alike, before = 0, 0, -1
    for i in range(runs.size):
        byte: Any = np.int64(runs[i])
        if alike == _RUN:
            if write:
                for j in range(size, size + byte):
                    out[j] = before
            size += byte
            alike, before = 0, -1
            continue
        alike = alike + 1 if byte == before else 1
        before = byte
        if write:
            out[size] = byte
        size += 1
    return size


@kernel
def checksum(content: NDArray[np.uint8]) -> int:
    """Return bzip2's CRC-32 of a block's content."""
    crc: Any = 0xFFFFFFFF
    whole = content.size // 8 * 8
    for i in range(0, whole, 8):
        crc = np.int64(
            _TABLES[7, content[i] ^ crc >> 24]
            ^ _TABLES[6, content[i + 1] ^ crc >> 16 & 0xFF]
            ^ _TABLES[5, content[i + 2] ^ crc >> 8 & 0xFF]
            ^ _TABLES[4, content[i + 3] ^ crc & 0xFF]
            ^ _TABLES[3, content[i + 4]]
            ^ _TABLES[2, content[i + 5]]
            ^ _TABLES[1, content[i + 6]]
            ^ _TABLES[0, content[i + 7]]
        )
    for i in range(whole, content.size):
        crc = (crc << 8 & 0xFFFFFFFF) ^ np.int64(_TABLES[0, content[i] ^ crc >> 24])
    return crc ^ 0xFFFFFFFF
