"""Leave-one-out scores of presence naive Bayes for a whole grid of priors at once.

The score of a case separates, s(λ−, λ+) = a(λ+) − b(λ−), and both parts grow strictly with their λ. So the cells of the
grid in which a case is predicted positive form a staircase, and one merge of the two ascending rows places the case in
every cell. (Around the collection the parts need not grow, and cells are looked at one by one.)

Each part is a sum over the case's tokens of logarithms of λ and a count. It is summed at a few values of λ, the nodes,
and carried to the whole grid by an interpolation that is exact to rounding (`presence_leave_one_out.nodes_for`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels import NOTHING, TIE, Floats, Ints
from priorwise.kernels.compiling import helper, kernel

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


@helper
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


@helper
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


def room_for_cases(cases: Ints, indptr: NDArray[np.integer], nodes: int) -> tuple[Indices, Floats]:
    """Return what :func:`case_terms` works in."""
    longest = int((indptr[cases + 1] - indptr[cases]).max(initial=0))
    return np.empty(longest, np.uint64), np.empty(nodes)


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
    rows: NDArray[np.uint64],
    total: Floats,
    terms: Floats,
) -> None:
    """Fill what one class adds to the score of each of `cases`, over the grid.

    That is (1 − m)·size + Σ log, m being the scored tokens. The table of logarithms lies flat, one row of nodes after
    the other. A token with row −1 left the model's vocabulary together with the case. `rows` and `total` are room to
    work in, for the tokens of the longest case and for the nodes.
    """
    nodes = sizes.shape[0]
    width = np.uint64(nodes)
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


@kernel
def measure_holes(
    documents: Ints,
    indptr: NDArray[np.integer],
    tokens: NDArray[np.integer],
    amounts: Floats,
    taken_out: Floats,
    counts: Floats,
    lost: Floats,
    in_seen: Floats,
    in_unseen: Floats,
) -> None:
    """Find what the counts of a class lose when each of `documents` is taken out, as often as `taken_out` says.

    `lost` gets three columns: occurrences, distinct words, and distinct words with counts below 1 in proportion.
    `in_seen` and `in_unseen` get the occurrences in the document of words that the class still has, or has no more.
    """
    for i in range(documents.shape[0]):
        d = documents[i]
        lost[i, :] = 0.0
        in_seen[i] = in_unseen[i] = 0.0
        for place in range(indptr[d], indptr[d + 1]):
            amount, count = amounts[place], counts[tokens[place]]
            left = count - taken_out[d] * amount
            if left < NOTHING:
                left = 0.0
                in_unseen[i] += amount
                lost[i, 1] += count > 0.0
            else:
                in_seen[i] += amount
            lost[i, 0] += count - left
            lost[i, 2] += min(count, 1.0) - min(left, 1.0)


@kernel
def sum_log_counts(
    documents: Ints,
    indptr: NDArray[np.integer],
    tokens: NDArray[np.integer],
    amounts: Floats,
    taken_out: Floats,
    counts: Floats,
    shifts: Floats,
    sums: Floats,
) -> None:
    """Fill Σ amount · log(count + shift) over the words of each document that its class has without it.

    `shifts` and `sums` have a row for each document and a column for each prior. A negative shift takes the same share
    of a count below 1 as it takes of 1.
    """
    for i in range(documents.shape[0]):
        d = documents[i]
        sums[i, :] = 0.0
        for place in range(indptr[d], indptr[d + 1]):
            amount = amounts[place]
            left = counts[tokens[place]] - taken_out[d] * amount
            if left < NOTHING:
                continue
            for p in range(shifts.shape[1]):
                shift = shifts[i, p]
                sums[i, p] += amount * np.log(left + (shift * min(left, 1.0) if shift < 0.0 else shift))


@kernel
def sum_log_lifts(
    documents: Ints,
    indptr: NDArray[np.integer],
    tokens: NDArray[np.integer],
    amounts: Floats,
    from_class: Floats,
    counts: Floats,
    from_all: Floats,
    collection: Floats,
    everything: float,
    of_count: Floats,
    of_share: Floats,
    least: float,
    sums: Floats,
) -> None:
    """Fill Σ amount · log(of_count · count / share + of_share) over the words of each document, all without it.

    A word's share is that of the collection, of which as much of the document is taken out as `from_all` says; a word
    that no other document has adds nothing. `of_count`, `of_share` and `sums` have a row for each document and a column
    for each prior. What would be less than `least` counts as that.
    """
    for i in range(documents.shape[0]):
        d = documents[i]
        sums[i, :] = 0.0
        length, unseen = 0.0, 0.0
        for place in range(indptr[d], indptr[d + 1]):
            length += amounts[place]
        words = everything - from_all[d] * length
        for place in range(indptr[d], indptr[d + 1]):
            amount, token = amounts[place], tokens[place]
            in_all = collection[token] - from_all[d] * amount
            if in_all < NOTHING:
                continue
            left = counts[token] - from_class[d] * amount
            if left < NOTHING:
                unseen += amount
                continue
            per_share = left * words / in_all
            for p in range(sums.shape[1]):
                sums[i, p] += amount * np.log(max(of_count[i, p] * per_share + of_share[i, p], least))
        if unseen > 0.0:
            for p in range(sums.shape[1]):
                sums[i, p] += unseen * np.log(max(of_share[i, p], least))


Singles = NDArray[np.float32]
BINS = 1024
BLOCK = 32


@kernel
def average_precision_rows(
    rows: NDArray[np.int64],
    positive_terms: Singles,
    negative_terms: Singles,
    weight: Singles,
    members: int,
    score: Floats,
) -> None:
    """Fill some rows of the terrain of average precision.

    Cases run along the second axis of the terms, the first `members` of them being the members; `weight` already holds
    how many documents a negative stands for. Instead of sorting, the cases are dropped into bins; cases that share a
    bin count as equals. The bins divide evenly what lies above two standard deviations below the members' mean score,
    and bin 0 holds the rest. Most negatives are down there, so blocks that have none above are passed over; order the
    negatives by any reasonable score, best first, and most blocks are.
    """
    cases = positive_terms.shape[1]
    value = np.empty(members, dtype=np.float32)
    bins = np.empty(cases, dtype=np.int32)
    right = np.empty(BINS + 2)
    wrong = np.empty(BINS + 2)
    all_right, all_wrong = 0.0, 0.0
    for i in range(members):
        all_right += weight[i]
    for i in range(members, cases):
        all_wrong += weight[i]
    for row in rows:
        b = negative_terms[row]
        for column in range(positive_terms.shape[0]):
            a = positive_terms[column]
            total = 0.0
            squares = 0.0
            high = a[0] - b[0]
            for i in range(members):
                value[i] = a[i] - b[i]
                total += value[i]
                squares += value[i] * value[i]
                high = max(high, value[i])
            mean = total / members
            low = np.float32(mean - 2.0 * np.sqrt(max(squares / members - mean * mean, 0.0)))
            per_bin = np.float32((BINS - 0.5) / (high - low)) if high - low > 1e-6 else np.float32(1.0)
            for i in range(cases):
                place = (a[i] - b[i] - low) * per_bin + np.float32(1.0)
                place = place if place > np.float32(0.0) else np.float32(0.0)
                place = place if place < np.float32(BINS + 1) else np.float32(BINS + 1)
                bins[i] = np.int32(place)
            right[:] = 0.0
            wrong[:] = 0.0
            for i in range(members):
                right[bins[i]] += weight[i]
            for start in range(members, cases, BLOCK):
                end = min(start + BLOCK, cases)
                above = np.int32(0)
                for i in range(start, end):
                    above |= bins[i]
                if above != 0:
                    for i in range(start, end):
                        if bins[i] > 0:
                            wrong[bins[i]] += weight[i]
            tp = fp = area = 0.0
            for k in range(BINS + 1, 0, -1):
                fp += wrong[k]
                if right[k] > 0.0:
                    tp += right[k]
                    area += right[k] * tp / (tp + fp)
            area += right[0] * all_right / (all_right + all_wrong)
            score[row, column] = area / all_right
