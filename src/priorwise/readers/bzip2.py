"""Read a bzip2 file from any place on, block by block, past damaged blocks.

A bzip2 file is a row of blocks, each of at most 900,000 bytes of content, with a checksum of its own, that need nothing
from each other. A block begins with 48 fixed bits at any bit of the file. So any number of workers can read one file,
whether it was written as one stream or as many, and what is damaged costs a block.
"""

from __future__ import annotations

import bz2
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

_WINDOW = 1 << 20
_HEADER_BYTES = 4
LONGEST_BLOCK = 1 << 21
"""No block that anyone's compressor writes is longer, so a longer one is damage."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block: the byte of the file in which it begins, and its content, or None if it is damaged."""

    start: int
    content: bytes | None


def blocks_from(data: NDArray[np.uint8], start: int) -> Iterator[Block]:
    """Yield the blocks that begin at or after a byte of the file, in order.

    Examples
    --------
    >>> compressed = bz2.compress(b"to be") + bz2.compress(b" or not to be")
    >>> [block.content for block in blocks_from(np.frombuffer(compressed, np.uint8), 0)]
    [b'to be', b' or not to be']
    """
    marks = _marks_from(data, start)
    ahead = list(islice(marks, 3))
    if start == 0 and ahead and _bit(ahead[0]) != 8 * _HEADER_BYTES:
        yield Block(0, None)
    while ahead:
        begun, *following = ahead
        content, passed = None, 1
        # The 48 bits occur by chance once in some thousand dumps: then the block goes on to the next mark but one.
        for n, end in enumerate(following if begun >= 0 else [], start=1):
            content = _content(data, begun, _bit(end))
            if content is not None:
                passed = n
                break
        if begun >= 0:
            yield Block(begun // 8, content)
        ahead = [*ahead[passed:], *islice(marks, passed)]


def _marks_from(data: NDArray[np.uint8], start: int) -> Iterator[int]:
    from priorwise.kernels.bzip2_blocks import find_marks

    for first in range(start, data.size, _WINDOW):
        yield from find_marks(data, first, min(first + _WINDOW, data.size)).tolist()


def _bit(mark: int) -> int:
    return mark if mark >= 0 else ~mark


def _content(data: NDArray[np.uint8], start: int, end: int) -> bytes | None:
    from priorwise.kernels.bzip2_blocks import stream_of_block

    if end - start < 80 or end - start > 8 * LONGEST_BLOCK:
        return None
    try:
        decompressor = bz2.BZ2Decompressor()
        content = decompressor.decompress(stream_of_block(data, start, end))
    except (OSError, ValueError):
        return None
    return content if decompressor.eof else None
