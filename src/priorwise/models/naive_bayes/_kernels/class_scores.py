"""Scores of documents for many classes, from lists of the classes that have seen each token.

A score is bias + Σ over the document's tokens of amount · (background + difference): the background is what a token of
its group weighs in a class that has never seen it, the difference is listed only where the class has.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels import Floats, Ints
from priorwise.kernels.compiling import helper, kernel

Singles = NDArray[np.float32]
Indices = NDArray[np.uint64]


@helper
def _start(
    first: int,
    last: int,
    tokens: NDArray[np.integer],
    amounts: Floats,
    bias: Floats,
    background: Floats,
    group: NDArray[np.int32],
    row: Floats,
) -> None:
    """Score of one document if no class had seen any of its tokens."""
    if background.shape[0] == 1:
        length = 0.0
        for place in range(first, last):
            length += amounts[place]
        for c in range(row.shape[0]):
            row[c] = bias[c] + length * background[0, c]
    else:
        for c in range(row.shape[0]):
            row[c] = bias[c]
        for place in range(first, last):
            g, amount = group[tokens[place]], amounts[place]
            for c in range(row.shape[0]):
                row[c] += amount * background[g, c]


@kernel
def score_classes(
    indptr: NDArray[np.integer],
    tokens: NDArray[np.integer],
    amounts: Floats,
    bias: Floats,
    background: Floats,
    group: NDArray[np.int32],
    starts: Ints,
    classes: NDArray[np.int32],
    differences: Floats,
    scores: Floats,
) -> None:
    """Fill `scores`, a row for each document and a column for each class."""
    for d in range(indptr.shape[0] - 1):
        row = scores[d]
        _start(indptr[d], indptr[d + 1], tokens, amounts, bias, background, group, row)
        for place in range(indptr[d], indptr[d + 1]):
            token, amount = tokens[place], amounts[place]
            for at in range(starts[token], starts[token + 1]):
                row[classes[at]] += amount * differences[at]


@helper
def _exact(
    c: int,
    first: int,
    last: int,
    tokens: NDArray[np.integer],
    amounts: Floats,
    start: float,
    starts: Ints,
    classes: NDArray[np.int32],
    differences: Floats,
) -> float:
    """Score of one document for one class, added up in the order of `score_classes`, so equal to it to the last bit."""
    score = start
    for place in range(first, last):
        low, high = starts[tokens[place]], starts[tokens[place] + 1]
        end = high
        while low < high:
            middle = (low + high) // 2
            if classes[middle] < c:
                low = middle + 1
            else:
                high = middle
        if low < end and classes[low] == c:
            score += amounts[place] * differences[low]
    return score


@helper
def _add_rows(rows: Indices, by: Singles, count: int, table: Singles, total: Singles) -> None:
    """Add up rows of a flat table, each times a number; four at a time, so that the totals are stored less often."""
    width = np.uint64(total.shape[0])
    place = 0
    while place + 4 <= count:
        r0, r1, r2, r3 = rows[place], rows[place + 1], rows[place + 2], rows[place + 3]
        b0, b1, b2, b3 = by[place], by[place + 1], by[place + 2], by[place + 3]
        for c in range(width):
            total[c] += (b0 * table[r0 + c] + b1 * table[r1 + c]) + (b2 * table[r2 + c] + b3 * table[r3 + c])
        place += 4
    while place < count:
        r0, b0 = rows[place], by[place]
        for c in range(width):
            total[c] += b0 * table[r0 + c]
        place += 1


@helper
def _insert(score: float, c: int, scores: Floats, places: Ints) -> None:
    """Put a class into a short list, best first; it goes behind its equals and the last one drops out."""
    at = scores.shape[0] - 1
    while at > 0 and scores[at - 1] < score:
        scores[at] = scores[at - 1]
        places[at] = places[at - 1]
        at -= 1
    scores[at] = score
    places[at] = c


@kernel
def best_classes(
    indptr: NDArray[np.integer],
    tokens: NDArray[np.integer],
    amounts: Floats,
    bias: Floats,
    background: Floats,
    group: NDArray[np.int32],
    starts: Ints,
    classes: NDArray[np.int32],
    differences: Floats,
    row_of: NDArray[np.int32],
    table: Singles,
    short: Singles,
    largest: Floats,
    need_scores: bool,
    base: Floats,
    rough: Singles,
    rows: Indices,
    by: Singles,
    near: Ints,
    near_scores: Floats,
    candidates: Ints,
    best: Ints,
    best_scores: Floats,
) -> None:
    """Find the best classes of each document, exactly, without adding up every score exactly.

    Sums of 32-bit numbers say which classes can be among the best; only those are added up in full, and of most
    documents none has to be. A tie goes to the first class. From `base` to `candidates` it is room to work in: for
    each class, for each token of the longest document, and for one class more than wanted.
    """
    n_classes, k = bias.shape[0], best.shape[1]
    width = np.uint64(n_classes)
    # If the class more than wanted is clearly behind, the others are the best.
    last_wanted, next_one = k - 1, near.shape[0] - 1
    for d in range(indptr.shape[0] - 1):
        first, last = indptr[d], indptr[d + 1]
        _start(first, last, tokens, amounts, bias, background, group, base)
        rough[:] = 0.0
        wide, largest_sum = 0, 0.0
        for place in range(first, last):
            token, amount = tokens[place], amounts[place]
            largest_sum += abs(amount) * largest[token]
            if row_of[token] >= 0:
                rows[wide] = np.uint64(row_of[token]) * width
                by[wide] = amount
                wide += 1
            else:
                for at in range(starts[token], starts[token + 1]):
                    rough[classes[at]] += np.float32(amount) * short[at]
        _add_rows(rows, by, wide, table, rough)
        # A sum of n terms is wrong by at most (n + 2) roundings of 2⁻²⁴ of the sum of their absolute values.
        error = largest_sum * (last - first + 4) * 6e-8 + 1e-9
        near_scores[:] = -np.inf
        for c in range(n_classes):
            score = base[c] + rough[c]
            if score > near_scores[next_one]:
                _insert(score, c, near_scores, near)
        bar = near_scores[last_wanted] - 2 * error
        if next_one == last_wanted or near_scores[next_one] < bar:
            if not need_scores and k == 1:
                best[d, 0] = near[0]
                continue
            n_candidates = k
            for place in range(k):
                at = place
                while at > 0 and candidates[at - 1] > near[place]:
                    candidates[at] = candidates[at - 1]
                    at -= 1
                candidates[at] = near[place]
        else:
            n_candidates = 0
            for c in range(n_classes):
                if base[c] + rough[c] >= bar:
                    candidates[n_candidates] = c
                    n_candidates += 1
        best_scores[d] = -np.inf
        for place in range(n_candidates):
            c = candidates[place]
            score = _exact(c, first, last, tokens, amounts, base[c], starts, classes, differences)
            if score > best_scores[d, last_wanted]:
                _insert(score, c, best_scores[d], best[d])
