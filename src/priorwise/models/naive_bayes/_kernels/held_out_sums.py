"""Sums over the tokens of documents that are left out of the counts they are scored by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import kernel
from priorwise.kernels.nothing import NOTHING
from priorwise.models.naive_bayes._kernels.leave_one_out import _sum_rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@kernel
def sum_token_rows(
    documents: Ints,
    indptr: NDArray[np.integer],
    tokens: NDArray[np.integer],
    row_of: Ints,
    table: Floats,
    sums: Floats,
) -> None:
    """Fill a row of `sums` for each of `documents`: the sum of the table's rows that its tokens have.

    The table lies flat, one row after the other; a row has a number for each prior.
    """
    width = np.uint64(sums.shape[1])
    longest = 0
    for i in range(documents.shape[0]):
        longest = max(longest, indptr[documents[i] + 1] - indptr[documents[i]])
    rows = np.empty(longest, dtype=np.uint64)
    for i in range(documents.shape[0]):
        count = 0
        for place in range(indptr[documents[i]], indptr[documents[i] + 1]):
            rows[count] = np.uint64(row_of[tokens[place]]) * width
            count += 1
        _sum_rows(rows, count, table, sums[i])


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
    everything = collection.sum()
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
