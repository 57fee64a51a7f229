"""Put UTF-8 bytes in normal form and lower case, one character at a time where that is right.

A few characters do not keep to themselves: marks, which sort and join with what precedes them, and the sigma,
whose small form depends on its place in the word. A run between two ASCII spaces that holds one of those, or bytes that
are not UTF-8, is left to the caller. An ASCII space joins with nothing, so runs are independent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import helper, kernel
from priorwise.kernels.utf8 import point_at
from priorwise.kernels.words import end_of_ascii

# What becomes of a code point: it stays, it is replaced, or its run must be looked at as a whole.
SAME, REPLACED, TOGETHER = range(3)


@helper
def _is_space(byte: int) -> bool:
    return byte == 32 or 9 <= byte <= 13


@kernel
def find_runs(
    data: NDArray[np.uint8],
    words: NDArray[np.uint64],
    spans: NDArray[np.int64],
    fate: NDArray[np.uint8],
    lengths: NDArray[np.int32],
    runs: NDArray[np.int64],
    sizes: NDArray[np.int64],
    broken: NDArray[np.bool_],
) -> int:
    """Find the runs that must be looked at as a whole, the size of the rest of each text, and which are not UTF-8.

    A run is a row: its text, its first byte, the byte after its last. Returns how many there are; those for which
    there is no row are not written. ``fate`` and ``lengths`` say of each code point what becomes of it and how many
    bytes that takes; beyond their end a code point stays.
    """
    n_runs = 0
    for text in range(spans.shape[0]):
        start, end = spans[text, 0], spans[text, 1]
        sizes[text] = 0
        broken[text] = False
        at = start
        while at < end:
            stop = end_of_ascii(data, words, at, end)
            sizes[text] += stop - at
            at = stop
            if at == end:
                break
            point, width = point_at(data, at, end)
            broken[text] |= point < 0
            if point >= fate.size or (point >= 0 and fate[point] == SAME):
                sizes[text] += width
                at += width
            elif point >= 0 and fate[point] == REPLACED:
                sizes[text] += lengths[point]
                at += width
            else:
                first = at
                while first > start and not _is_space(data[first - 1]):
                    first -= 1
                sizes[text] -= _size(data, first, at, fate, lengths)
                while at < end and not _is_space(data[at]):
                    broken[text] |= point_at(data, at, end)[0] < 0
                    at += point_at(data, at, end)[1]
                if n_runs < runs.shape[0]:
                    runs[n_runs, 0] = text
                    runs[n_runs, 1] = first
                    runs[n_runs, 2] = at
                n_runs += 1
    return n_runs


@helper
def _size(data: NDArray[np.uint8], at: int, end: int, fate: NDArray[np.uint8], lengths: NDArray[np.int32]) -> int:
    size = 0
    while at < end:
        point, width = point_at(data, at, end)
        size += lengths[point] if point < fate.size and fate[point] == REPLACED else width
        at += width
    return size


@kernel
def write_normal(
    data: NDArray[np.uint8],
    words: NDArray[np.uint64],
    spans: NDArray[np.int64],
    fate: NDArray[np.uint8],
    starts: NDArray[np.int32],
    lengths: NDArray[np.int32],
    replacements: NDArray[np.uint8],
    runs: NDArray[np.int64],
    run_bounds: NDArray[np.int64],
    run_data: NDArray[np.uint8],
    out: NDArray[np.uint8],
) -> None:
    """Write the texts in normal form; ``run_data[run_bounds[i]:run_bounds[i + 1]]`` is run ``i``."""
    n = 0
    run = 0
    for text in range(spans.shape[0]):
        at, end = spans[text, 0], spans[text, 1]
        while at < end:
            here = run < runs.shape[0] and runs[run, 0] == text
            before = runs[run, 1] if here else end
            while at < before:
                stop = end_of_ascii(data, words, at, before)
                for i in range(stop - at):
                    byte = data[at + i]
                    out[n + i] = byte | (np.uint8(32) if (byte - np.uint8(65)) < np.uint8(26) else np.uint8(0))
                n += stop - at
                at = stop
                if at == before:
                    break
                point, width = point_at(data, at, end)
                if point < fate.size and fate[point] == REPLACED:
                    for i in range(starts[point], starts[point] + lengths[point]):
                        out[n] = replacements[i]
                        n += 1
                else:
                    for i in range(width):
                        out[n] = data[at + i]
                        n += 1
                at += width
            if here:
                for i in range(run_bounds[run], run_bounds[run + 1]):
                    out[n] = run_data[i]
                    n += 1
                at = runs[run, 2]
                run += 1
