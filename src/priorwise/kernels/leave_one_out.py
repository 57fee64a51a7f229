"""Leave-one-out scores of presence naive Bayes for a whole grid of priors at once.

The score of a case separates, s(λ−, λ+) = a(λ+) − b(λ−), and both parts grow strictly with their λ. So the cells of the
grid in which a case is predicted positive form a staircase, and one merge of the two ascending rows places the case in
every cell.

Each part is a sum over the case's tokens of log(λ + count). It is summed at a few values of λ, the nodes, and carried
to the whole grid by an interpolation that is exact to rounding (`priorwise.models.grid`).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rows = NDArray[np.int32]

TIE = 1e-9
"""A score this close to zero is a tie, and a tie is not positive: sums of a thousand logarithms are no more exact."""


@njit(cache=True, nogil=True)
def _spread_to_grid(node_values: Floats, spread: Floats, direct: int, grid_values: Floats) -> None:
    """Carry values at the nodes to the grid: the first `direct` are copied, the others interpolated."""
    grid_values[:direct] = node_values[:direct]
    grid_values[direct:] = 0.0
    for k in range(direct, node_values.shape[0]):
        value = node_values[k]
        for g in range(direct, grid_values.shape[0]):
            grid_values[g] += value * spread[k - direct, g - direct]


@njit(cache=True, nogil=True)
def case_terms(
    cases: Ints,
    indptr: Ints,
    tokens: Rows,
    positive_row: Rows,
    negative_row: Rows,
    positive_logs: Floats,
    negative_logs: Floats,
    positive_size_logs: Floats,
    negative_size_logs: Floats,
    spread: Floats,
    direct: int,
    positive_terms: Floats,
    negative_terms: Floats,
) -> None:
    """Fill a(λ+) and b(λ−) over the grid for each of `cases`.

    A part is (1 − m)·log(λ + n) + Σ log(λ + count), m being the scored tokens and n the documents of the class. A token
    with row −1 in the positive table left the model's vocabulary together with the case.
    """
    nodes = positive_size_logs.shape[0]
    positive_sum = np.empty(nodes)
    negative_sum = np.empty(nodes)
    for i in range(cases.shape[0]):
        positive_sum[:] = 0.0
        negative_sum[:] = 0.0
        m = 0
        for place in range(indptr[cases[i]], indptr[cases[i] + 1]):
            p = positive_row[tokens[place]]
            if p < 0:
                continue
            m += 1
            q = negative_row[tokens[place]]
            for k in range(nodes):
                positive_sum[k] += positive_logs[p, k]
            for k in range(nodes):
                negative_sum[k] += negative_logs[q, k]
        for k in range(nodes):
            positive_sum[k] += (1 - m) * positive_size_logs[k]
            negative_sum[k] += (1 - m) * negative_size_logs[k]
        _spread_to_grid(positive_sum, spread, direct, positive_terms[i])
        _spread_to_grid(negative_sum, spread, direct, negative_terms[i])


@njit(cache=True, nogil=True)
def add_staircases(positive_terms: Floats, negative_terms: Floats, weights: Floats, first_positive: Floats) -> None:
    """Place every case in the grid: add its weight at the first λ+ of each λ− for which it is predicted positive.

    A running sum along λ+ then gives the weight predicted positive in every cell.
    """
    columns = positive_terms.shape[1]
    for i in range(positive_terms.shape[0]):
        column = 0
        for row in range(negative_terms.shape[1]):
            bar = negative_terms[i, row] + TIE
            while column < columns and positive_terms[i, column] <= bar:
                column += 1
            if column == columns:
                break
            first_positive[row, column] += weights[i]
