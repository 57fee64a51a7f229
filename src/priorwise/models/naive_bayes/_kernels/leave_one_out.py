"""Leave-one-out scores of presence naive Bayes for a whole grid of priors at once.

The score of a case separates, s(λ−, λ+) = a(λ+) − b(λ−), and both parts grow strictly with their λ. So the cells of the
grid in which a case is predicted positive form a staircase, and one merge of the two ascending rows places the case in
every cell. (Around the collection the parts need not grow, and cells are looked at one by one.)

Each part is a sum over the case's tokens of logarithms of λ and a count. It is summed at a few values of λ, the nodes,
and carried to the whole grid by an interpolation that is exact to rounding (`priorwise.models.naive_bayes.grid`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import kernel
from priorwise.kernels.nothing import TIE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rows = NDArray[np.int32]
Indices = NDArray[np.uint64]


@kernel
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


@kernel
def _spread_to_grid(node_values: Floats, spread: Floats, direct: int, grid_values: Floats) -> None:
    """Carry values at the nodes to the grid: the first `direct` are copied, the others interpolated."""
    for g in range(direct):
        grid_values[g] = node_values[g]
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


@kernel
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


@kernel
def case_terms(
    cases: Ints,
    indptr: NDArray[np.integer],
    tokens: NDArray[np.integer],
    row_of: Rows,
    logs: Floats,
    sizes: Floats,
    spread: Floats,
    direct: int,
    terms: Floats,
) -> None:
    """Fill what one class adds to the score of each of `cases`, over the grid.

    That is (1 − m)·size + Σ log, m being the scored tokens. The table of logarithms lies flat, one row of nodes after
    the other. A token with row −1 left the model's vocabulary together with the case.
    """
    nodes = sizes.shape[0]
    width = np.uint64(nodes)
    longest = 0
    for i in range(cases.shape[0]):
        longest = max(longest, indptr[cases[i] + 1] - indptr[cases[i]])
    rows = np.empty(longest, dtype=np.uint64)
    total = np.empty(nodes)
    for i in range(cases.shape[0]):
        m = 0
        for place in range(indptr[cases[i]], indptr[cases[i] + 1]):
            row = row_of[tokens[place]]
            # Without a branch, which would often be guessed wrong: what is not counted is overwritten.
            rows[m] = np.uint64(row) * width
            m += row >= 0
        _sum_rows(rows, m, logs, total)
        for k in range(nodes):
            total[k] += (1 - m) * sizes[k]
        _spread_to_grid(total, spread, direct, terms[i])


@kernel
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


@kernel
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
