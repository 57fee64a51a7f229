"""A quadratic model of the loss plus an exact penalty, minimised by coordinate descent.

With g the gradient and D the curvature of the loss, the change d of the working columns' weights w minimises

    gᵀd + ½ dᵀXᵀDXd + Σ_j (l1_j|w_j + d_j| + l2_j (w_j + d_j)²/2)
"""

from __future__ import annotations

import numpy as np

from priorwise.kernels.compiling import helper
from priorwise.models.regression._kernels.logistic import Floats, Ints

TINY = 1e-12
"""Added to every curvature, so that an empty column does not divide by 0."""


@helper
def _soft(value: float, threshold: float) -> float:
    if value > threshold:
        return value - threshold
    if value < -threshold:
        return value + threshold
    return 0.0


@helper
def gram(indptr: Ints, rows: Ints, values: Floats, working: Ints, curvature: Floats) -> tuple[Floats, Floats]:
    """Give X_Wᵀ D X_W and X_Wᵀ D 1 for the working columns."""
    n, size = curvature.shape[0], working.shape[0]
    start = np.zeros(n + 1, dtype=np.uint64)
    for q in range(size):
        for k in range(indptr[working[q]], indptr[working[q] + 1]):
            start[rows[k] + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    place = start[:n].copy()
    column = np.empty(start[n], dtype=np.uint32)
    value = np.empty(start[n])
    for q in range(size):
        for k in range(indptr[working[q]], indptr[working[q] + 1]):
            at = place[rows[k]]
            column[at], value[at] = q, values[k]
            place[rows[k]] = at + 1
    square, sums = np.zeros((size, size)), np.zeros(size)
    for i in range(n):
        for p in range(start[i], start[i + 1]):
            weighted = curvature[i] * value[p]
            sums[column[p]] += weighted
            row = square[column[p]]
            for q in range(start[i], p + np.uint64(1)):
                row[column[q]] += weighted * value[q]
    for p in range(size):
        for q in range(p):
            square[q, p] = square[p, q]
    return square, sums


@helper
def descend_dense(
    square: Floats, gradient: Floats, working: Ints, w: Floats, l1: Floats, l2: Floats, strength: float, change: Floats
) -> None:
    """Minimise the quadratic model by coordinate descent in the space of the Gram matrix."""
    size = working.shape[0]
    moved = np.zeros(size)
    first = -1.0
    for _ in range(500):
        violation = 0.0
        for q in range(size):
            j = working[q]
            curvature = square[q, q]
            old = w[j] + change[q]
            slope = gradient[j] + l2[j] * w[j] + moved[q]
            new = _soft(old - slope / curvature, strength * l1[j] / curvature)
            step = new - old
            if step != 0.0:
                violation += abs(step) * curvature
                change[q] += step
                row = square[q]
                for p in range(size):
                    moved[p] += step * row[p]
        if first < 0.0:
            first = violation
        if violation <= 0.01 * first:
            break


@helper
def descend_sparse(
    indptr: Ints,
    rows: Ints,
    values: Floats,
    gradient: Floats,
    slope: Floats,
    curvature: Floats,
    total_curvature: float,
    working: Ints,
    w: Floats,
    b: float,
    l1: Floats,
    l2: Floats,
    l2_b: float,
    strength: float,
    passes: int,
    change: Floats,
) -> float:
    """Minimise the quadratic model by coordinate descent on the columns; return the change of the intercept."""
    n, size = curvature.shape[0], working.shape[0]
    pair = np.zeros((n, 2))  # curvature and Xd side by side: one place in memory for each row of a column
    for i in range(n):
        pair[i, 0] = curvature[i]
    own = np.empty(size)
    for q in range(size):
        j = working[q]
        total = TINY + l2[j]
        for k in range(indptr[j], indptr[j + 1]):
            total += values[k] * values[k] * curvature[rows[k]]
        own[q] = total
    active = np.arange(size)
    n_active, first, change_b = size, -1.0, 0.0
    for _ in range(passes):
        violation, kept = 0.0, 0
        for a in range(n_active):
            q = active[a]
            j = working[q]
            old = w[j] + change[q]
            total = gradient[j] + l2[j] * old
            for k in range(indptr[j], indptr[j + 1]):
                i = rows[k]
                total += values[k] * pair[i, 0] * pair[i, 1]
            new = _soft(old - total / own[q], strength * l1[j] / own[q])
            step = new - old
            if step != 0.0:
                violation += abs(step) * own[q]
                change[q] += step
                for k in range(indptr[j], indptr[j + 1]):
                    pair[rows[k], 1] += step * values[k]
            if new != 0.0 or step != 0.0 or l1[j] == 0.0:
                active[kept] = q
                kept += 1
        if total_curvature > 0.0:
            total = l2_b * (b + change_b)
            for i in range(n):
                total += slope[i] + pair[i, 0] * pair[i, 1]
            step = -total / total_curvature
            change_b += step
            for i in range(n):
                pair[i, 1] += step
        if first < 0.0:
            first = violation
        if violation <= 0.1 * first:
            break
        n_active = kept
    return change_b
