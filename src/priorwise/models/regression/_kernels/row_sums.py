"""A sparse matrix times a block of columns, and steps of conjugate gradients on such a block, some rows at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import kernel

Block = NDArray[np.float32]
Columns = NDArray[np.float32]
Sums = NDArray[np.float64]


@kernel
def sum_rows(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float32],
    block: Block,
    begin: int,
    end: int,
    out: Block,
) -> None:
    """Fill rows `begin` to `end` of `out` with those of the sparse matrix times `block`.

    The numbers of all columns for one entry lie side by side, so an entry is read once for all of them. Four entries
    are added at a time, so that the sums are loaded and stored less often.
    """
    width = np.uint64(block.shape[1])
    flat = block.ravel()
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


@kernel
def add_prior(product: Block, direction: Block, strength: Columns, begin: int, end: int) -> Sums:
    """Add `strength` times the direction to its product, and return their inner products by column."""
    width = product.shape[1]
    inner = np.zeros(width)
    for row in range(begin, end):
        for column in range(width):
            product[row, column] += strength[column] * direction[row, column]
            inner[column] += product[row, column] * direction[row, column]
    return inner


@kernel
def step_along(
    solution: Block, residual: Block, direction: Block, product: Block, step: Columns, begin: int, end: int
) -> Sums:
    """Go a step along each column's direction, and return the squared lengths of what is left."""
    width = product.shape[1]
    squares = np.zeros(width)
    for row in range(begin, end):
        for column in range(width):
            solution[row, column] += step[column] * direction[row, column]
            left = residual[row, column] - step[column] * product[row, column]
            residual[row, column] = left
            squares[column] += left * left
    return squares


@kernel
def turn(direction: Block, residual: Block, share: Columns, begin: int, end: int) -> None:
    """The next direction: what is left, and a share of the last direction."""
    for row in range(begin, end):
        for column in range(direction.shape[1]):
            direction[row, column] = residual[row, column] + share[column] * direction[row, column]


@kernel
def keep_active(block: Block, active: NDArray[np.bool_], begin: int, end: int) -> None:
    """Set to 0 what is not active."""
    for row in range(begin, end):
        for column in range(block.shape[1]):
            if not active[row, column]:
                block[row, column] = 0.0


@kernel
def mix_columns(block: Block, other: Block, share: Columns, begin: int, end: int) -> None:
    """Put a share of the other block's numbers in place of the block's own, column by column."""
    for row in range(begin, end):
        for column in range(block.shape[1]):
            block[row, column] += share[column] * (other[row, column] - block[row, column])
