"""A sparse matrix times a block of columns, some rows at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels import Block
from priorwise.kernels.compiling import kernel


@kernel
def sum_rows(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float32],
    flat: Block,
    begin: int,
    end: int,
    out: Block,
) -> None:
    """Fill rows `begin` to `end` of `out` with those of the sparse matrix times a block of columns.

    The block lies flat, row by row: the numbers of all columns for one entry lie side by side, so an entry is read once
    for all of them. Four entries are added at a time, so that the sums are loaded and stored less often.
    """
    width = np.uint64(out.shape[1])
    for row in range(begin, end):
        total = out[row]
        for column in range(width):
            total[column] = np.float32(0.0)
        at, last = indptr[row], indptr[row + 1]
        while at + 4 <= last:
            v0, v1, v2, v3 = values[at], values[at + 1], values[at + 2], values[at + 3]
            r0, r1 = np.uint64(indices[at]) * width, np.uint64(indices[at + 1]) * width
            r2, r3 = np.uint64(indices[at + 2]) * width, np.uint64(indices[at + 3]) * width
            for column in range(width):
                first = v0 * flat[r0 + column] + v1 * flat[r1 + column]
                total[column] += first + (v2 * flat[r2 + column] + v3 * flat[r3 + column])
            at += 4
        while at < last:
            v0, r0 = values[at], np.uint64(indices[at]) * width
            for column in range(width):
                total[column] += v0 * flat[r0 + column]
            at += 1
