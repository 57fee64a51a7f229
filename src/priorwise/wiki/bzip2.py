"""Read a bzip2 file from any place on, block by block, past damaged blocks.

A bzip2 file is a row of blocks, each of at most 900,000 bytes of content, with a checksum of its own, that need nothing
from each other. A block begins with 48 fixed bits at any bit of the file. So any number of workers can read one file,
whether it was written as one stream or as many; what is damaged costs a block; and a worker that reads several blocks
side by side reads them about twice as fast as the usual library does one after another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_WINDOW = 1 << 20
_HEADER_BITS = 32
_SIDE_BY_SIDE = 16
LONGEST_BLOCK = 1 << 21
"""No block that anyone's compressor writes is longer, so a longer one is damage."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block: the byte of the file in which it begins, and its content, or None if it is damaged."""

    start: int
    content: bytes | None


class _Column(NamedTuple):
    """What is known of a block when its last column has been read; its length is negative if that went wrong."""

    row: int
    mark: int
    length: int
    origin: int
    end: int
    checksum: int


class _Read(NamedTuple):
    """A block up to where its runs are to be written out, which can make it fifty times as long."""

    mark: int
    runs: NDArray[np.uint8] | None
    end: int
    checksum: int

    def block(self) -> Block:
        from priorwise.wiki._kernels.bzip2 import checksum, written_out

        if self.runs is not None:
            content = written_out(self.runs)
            if checksum(content) == self.checksum:
                return Block(self.mark // 8, content.tobytes())
        return Block(self.mark // 8, None)


def blocks_from(data: NDArray[np.uint8], start: int, end: int = 0) -> Iterator[Block]:
    """Yield the blocks that begin at or after a byte of the file, in order.

    Those that begin before byte `end`, and the one that continues from there, are read side by side; the others one by
    one, as they are asked for.
    """
    marks = _marks_from(data, start)
    first = next(marks, None)
    if first is None:
        return
    if start == 0 and first not in (_HEADER_BITS, ~_HEADER_BITS):
        yield Block(0, None)
    read_to = 0
    for together in _groups(chain([first], marks), end):
        for read in _read_together(data, together):
            if read.mark < read_to:
                continue  # The 48 bits occur by chance, inside a block, once in some thousand dumps.
            block = read.block()
            if block.content is not None:
                read_to = read.end
            yield block


def last_blocks(data: NDArray[np.uint8]) -> Iterator[Block]:
    """Yield the last blocks, the very last first."""
    marks = [mark for mark in _marks_from(data, max(0, data.size - LONGEST_BLOCK)) if mark >= 0]
    for mark in reversed(marks):
        yield _read_together(data, [mark])[0].block()


def _marks_from(data: NDArray[np.uint8], start: int) -> Iterator[int]:
    from priorwise.wiki._kernels.bzip2 import find_marks

    for first in range(start, data.size, _WINDOW):
        yield from find_marks(data, first, min(first + _WINDOW, data.size)).tolist()


def _groups(marks: Iterator[int], end: int) -> Iterator[list[int]]:
    """Yield the blocks' marks as many at a time as are to be read side by side."""
    wanted: list[int] = []
    alone: list[int] = []
    stream_ended = False
    for mark in marks:
        if mark < 0:
            stream_ended = True
        elif mark < 8 * end:
            wanted.append(mark)
            stream_ended = False
        else:
            (alone if stream_ended else wanted).append(mark)
            break
    n_groups = -(-len(wanted) // _SIDE_BY_SIDE)
    for group in range(n_groups):
        yield wanted[group * len(wanted) // n_groups : (group + 1) * len(wanted) // n_groups]
    yield from ([mark] for mark in chain(alone, marks) if mark >= 0)


def _read_together(data: NDArray[np.uint8], marks: list[int]) -> list[_Read]:
    from priorwise.wiki._kernels.bzip2 import LARGEST_BLOCK, SPARE, follow, last_column, link

    columns = np.empty((len(marks), LARGEST_BLOCK + SPARE), np.uint8)
    counts = np.empty((len(marks), 256), np.int64)
    read = []
    for row, mark in enumerate(marks):
        window, first = _window(data, mark)
        n, origin, end, checksum = last_column(window, mark - 8 * first, columns[row], counts[row])
        read.append(_Column(row, mark, n, origin, 8 * first + end, checksum))

    whole = sorted((column for column in read if column.length > 0), key=lambda column: -column.length)
    links = np.empty((len(whole), LARGEST_BLOCK), np.uint32)
    for row, column in enumerate(whole):
        link(columns[column.row], column.length, counts[column.row], links[row])
    lengths = np.array([column.length for column in whole], np.int64)
    # The columns have become links: there is room for the content in their place.
    follow(links, np.array([column.origin for column in whole], np.int64), lengths, columns)
    runs = {column.mark: columns[row, : column.length] for row, column in enumerate(whole)}
    return [_Read(column.mark, runs.get(column.mark), column.end, column.checksum) for column in read]


def _window(data: NDArray[np.uint8], mark: int) -> tuple[NDArray[np.uint8], int]:
    """Return the bytes in which the block of a mark must lie, with padding after them, and where they begin."""
    from priorwise.wiki._kernels.bzip2 import PADDING

    first = mark // 8
    window = data[first : first + LONGEST_BLOCK + PADDING]
    if window.size < LONGEST_BLOCK + PADDING:
        window = np.concatenate([window, np.zeros(PADDING, np.uint8)])
    return window, first
