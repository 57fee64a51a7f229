"""Compiled inner loops of the explorer: arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels import Floats
from priorwise.kernels.compiling import kernel


@kernel
def sum_two(
    indptr: NDArray[np.integer],
    tokens: NDArray[np.integer],
    amounts: NDArray[np.integer],
    by_amount: bool,
    row_of: NDArray[np.int32],
    table: Floats,
    start: Floats,
    sums: Floats,
) -> None:
    """Fill a row of `sums` for each document: `start`, and the table's two numbers of each token.

    `by_amount`: whether a token counts as often as it occurs, or once. `row_of` (shape (n_tokens,)): the row of
    `table` that a token has, or −1 for a token that says nothing. `table` (shape (n_rows, 2)): what a token adds
    for each of the two classes.
    """
    for d in range(indptr.shape[0] - 1):
        first, second = start[0], start[1]
        for place in range(indptr[d], indptr[d + 1]):
            row = row_of[tokens[place]]
            if row >= 0:
                if by_amount:
                    first += amounts[place] * table[row, 0]
                    second += amounts[place] * table[row, 1]
                else:
                    first += table[row, 0]
                    second += table[row, 1]
        sums[d, 0] = first
        sums[d, 1] = second


@kernel
def add_to_bins(
    sums: Floats, low: Floats, high: Floats, is_member: NDArray[np.bool_], bins: NDArray[np.float32]
) -> None:
    """Count documents in a grid over (log odds, first sum), members and others apart; outside it they are left out.

    `low`, `high` (shape (2,)): where the grid begins and ends, for the first sum and for the log odds. `bins`
    (shape (2, n_rows, n_columns)): others and members; rows are the log odds, ascending, columns the first sum.
    """
    rows, columns = bins.shape[1], bins.shape[2]
    wide, tall = columns / (high[0] - low[0]), rows / (high[1] - low[1])
    for d in range(sums.shape[0]):
        x, odds = sums[d, 0], sums[d, 0] - sums[d, 1]
        if low[0] <= x < high[0] and low[1] <= odds < high[1]:
            row, column = int((odds - low[1]) * tall), int((x - low[0]) * wide)
            bins[1 if is_member[d] else 0, min(row, rows - 1), min(column, columns - 1)] += 1
