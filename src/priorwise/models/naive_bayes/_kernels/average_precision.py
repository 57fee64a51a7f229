"""Average precision in every cell of a grid of priors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import kernel

Singles = NDArray[np.float32]
Floats = NDArray[np.float64]

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
