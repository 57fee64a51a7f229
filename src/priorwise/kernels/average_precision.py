"""Average precision in every cell of a grid of priors."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Singles = NDArray[np.float32]
Floats = NDArray[np.float64]

BINS = 2048


@njit(cache=True, nogil=True)
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
    how many documents a negative stands for. Instead of sorting, the cases are dropped into bins that divide the range
    of the members' scores evenly; cases that share a bin count as equals. Bin 0 is below all members, the last above.
    """
    cases = positive_terms.shape[1]
    value = np.empty(cases, dtype=np.float32)
    bins = np.empty(cases, dtype=np.int32)
    right = np.empty(BINS + 2)
    wrong = np.empty(BINS + 2)
    total = 0.0
    for i in range(members):
        total += weight[i]
    for row in rows:
        b = negative_terms[row]
        for column in range(positive_terms.shape[0]):
            a = positive_terms[column]
            for i in range(cases):
                value[i] = a[i] - b[i]
            low = high = value[0]
            for i in range(1, members):
                low = min(low, value[i])
                high = max(high, value[i])
            per_bin = np.float32((BINS - 0.5) / (high - low)) if high > low else np.float32(1.0)
            for i in range(cases):
                place = (value[i] - low) * per_bin + np.float32(1.0)
                place = place if place > np.float32(0.0) else np.float32(0.0)
                place = place if place < np.float32(BINS + 1) else np.float32(BINS + 1)
                bins[i] = np.int32(place)
            right[:] = 0.0
            wrong[:] = 0.0
            for i in range(members):
                right[bins[i]] += weight[i]
            for i in range(members, cases):
                wrong[bins[i]] += weight[i]
            tp = fp = area = 0.0
            for place_down in range(BINS + 1, 0, -1):
                fp += wrong[place_down]
                if right[place_down] > 0.0:
                    tp += right[place_down]
                    area += right[place_down] * tp / (tp + fp)
            score[row, column] = area / total
