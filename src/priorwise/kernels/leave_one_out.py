"""Leave-one-out scores of presence naive Bayes for a whole grid of priors at once.

The score of a case separates, s(λ−, λ+) = a(λ+) − b(λ−), and both parts grow strictly with their λ. So the cells of the
grid in which a case is predicted positive form a staircase, and one merge of the two ascending rows places the case in
every cell. (Around the collection the parts need not grow, and cells are looked at one by one.)

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
Indices = NDArray[np.uint64]

TIE = 1e-9
"""A score this close to zero is a tie, and a tie is not positive: sums of a thousand logarithms are no more exact."""


@njit(cache=True, nogil=True)
def keep_known(indptr: Ints, tokens: NDArray[np.integer], known_as: Rows, kept_indptr: Ints, kept: Rows) -> None:
    """Rename the tokens of every case by `known_as`, and leave out those it does not know (−1)."""
    count = 0
    kept_indptr[0] = 0
    for i in range(indptr.shape[0] - 1):
        for place in range(indptr[i], indptr[i + 1]):
            name = known_as[tokens[place]]
            if name >= 0:
                kept[count] = name
                count += 1
        kept_indptr[i + 1] = count


@njit(cache=True, nogil=True)
def _spread_to_grid(node_values: Floats, spread: Floats, direct: int, grid_values: Floats) -> None:
    """Carry values at the nodes to the grid: the first `direct` are copied, the others interpolated."""
    grid_values[:direct] = node_values[:direct]
    rest = grid_values[direct:]
    rest[:] = 0.0
    k = 0
    while k + 2 <= spread.shape[0]:
        v0, v1 = node_values[direct + k], node_values[direct + k + 1]
        for g in range(rest.shape[0]):
            rest[g] += v0 * spread[k, g] + v1 * spread[k + 1, g]
        k += 2
    while k < spread.shape[0]:
        v0 = node_values[direct + k]
        for g in range(rest.shape[0]):
            rest[g] += v0 * spread[k, g]
        k += 1


@njit(cache=True, nogil=True)
def _sum_rows(rows: Indices, count: int, table: Floats, total: Floats) -> None:
    """Add up rows of a table, each given by where it begins.

    Unsigned numbers index the table because signed ones might be negative to the compiler, which then adds one number
    at a time. Four rows are added at a time, so that the running totals are loaded and stored less often.
    """
    width = np.uint64(total.shape[0])
    total[:] = 0.0
    place = 0
    while place + 4 <= count:
        r0, r1, r2, r3 = rows[place], rows[place + 1], rows[place + 2], rows[place + 3]
        for k in range(width):
            total[k] += (table[r0 + k] + table[r1 + k]) + (table[r2 + k] + table[r3 + k])
        place += 4
    while place < count:
        r0 = rows[place]
        for k in range(width):
            total[k] += table[r0 + k]
        place += 1


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

    A part is (1 − m)·log(λ + n) + Σ log(λ + count), m being the scored tokens and n the documents of the class. The
    tables of log(λ + count) lie flat, one row of nodes after the other. A token with row −1 in the positive table left
    the model's vocabulary together with the case.
    """
    nodes = positive_size_logs.shape[0]
    width = np.uint64(nodes)
    longest = 0
    for i in range(cases.shape[0]):
        longest = max(longest, indptr[cases[i] + 1] - indptr[cases[i]])
    positive_rows = np.empty(longest, dtype=np.uint64)
    negative_rows = np.empty(longest, dtype=np.uint64)
    positive_sum = np.empty(nodes)
    negative_sum = np.empty(nodes)
    for i in range(cases.shape[0]):
        m = 0
        for place in range(indptr[cases[i]], indptr[cases[i] + 1]):
            token = tokens[place]
            if positive_row[token] >= 0:
                positive_rows[m] = np.uint64(positive_row[token]) * width
                negative_rows[m] = np.uint64(negative_row[token]) * width
                m += 1
        _sum_rows(positive_rows, m, positive_logs, positive_sum)
        _sum_rows(negative_rows, m, negative_logs, negative_sum)
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


@njit(cache=True, nogil=True)
def add_cells(positive_terms: Floats, negative_terms: Floats, weights: Floats, predicted: Floats) -> None:
    """Add every case's weight to the cells of the grid in which it is predicted positive, one by one."""
    columns = np.uint64(positive_terms.shape[1])
    for i in range(positive_terms.shape[0]):
        row_of_case = positive_terms[i]
        for row in range(negative_terms.shape[1]):
            bar = negative_terms[i, row] + TIE
            cells = predicted[row]
            for column in range(columns):
                cells[column] += weights[i] if row_of_case[column] > bar else 0.0
