"""Logistic regression by cyclic coordinate descent with a bounded step per coordinate: the papers' method (BBR).

A coordinate's Newton step uses the largest curvature that the scores can meet within its trust region Δ_j, and is cut
at Δ_j; then Δ_j becomes max(2|step|, Δ_j/2). Every step lowers the objective, and none needs a line search.
"""

from __future__ import annotations

import numpy as np

from priorwise.kernels.compiling import helper, kernel
from priorwise.models.regression._kernels.logistic import (
    Floats,
    Ints,
    add_columns,
    best_intercept,
    column_dot,
    dual_value,
    project,
    sigmoid,
    slopes,
)


@helper
def _largest_curvature(score: float, reach: float) -> float:
    """The largest σ′ within `reach` of a score."""
    distance = abs(score) - reach
    if distance <= 0.0:
        return 0.25
    e = np.exp(-distance)
    return e / ((1.0 + e) * (1.0 + e))


@helper
def _move(slope: float, curvature: float, w: float, l1: float, l2: float, reach: float) -> float:
    """Newton step of one coordinate under its penalty, cut at `reach`; a step does not go through 0."""
    slope, curvature = slope + l2 * w, curvature + l2
    if curvature <= 0.0:
        return 0.0
    if w != 0.0:
        side = 1.0 if w > 0.0 else -1.0
        step = -(slope + side * l1) / curvature
        if (w + step) * side < 0.0:
            step = -w
    elif slope > l1:
        step = -(slope - l1) / curvature
    elif slope < -l1:
        step = -(slope + l1) / curvature
    else:
        return 0.0
    return min(reach, max(-reach, step))


@kernel
def fit_bbr(
    indptr: Ints,
    rows: Ints,
    values: Floats,
    y: Floats,
    s: Floats,
    offset: Floats,
    l1: Floats,
    l2: Floats,
    flat: Floats,
    intercept: bool,
    l2_b: float,
    w: Floats,
    b: float,
    tol: float,
    floor: float,
    max_iter: int,
) -> tuple[float, float, float, int]:
    """Minimise P over w and b, in place; return b, P, the duality gap and the number of passes.

    The arguments are those of `fit_sparse`. The gap is taken after every pass, where the paper looks at how much the
    scores have changed.
    """
    n, d = y.shape[0], w.shape[0]
    scores = offset + b
    add_columns(indptr, rows, values, w, scores)
    slope, curvature, theta = np.empty(n), np.empty(n), np.empty(n)
    gradient, checked, reach = np.empty(d), np.ones(d, dtype=np.bool_), np.ones(d)
    objective, gap = np.inf, np.inf
    for passes in range(max_iter + 1):
        if intercept:
            b = best_intercept(scores, y, s, l2_b, b)
        objective = slopes(scores, y, s, 0.0, slope, curvature) + 0.5 * l2_b * b * b
        project(flat, curvature, slope, theta)
        for j in range(d):
            objective += l1[j] * abs(w[j]) + 0.5 * l2[j] * w[j] * w[j]
            gradient[j] = column_dot(indptr, rows, values, j, theta)
        gap = objective - dual_value(theta, gradient, checked, y, s, offset, l1, l2, l2_b)
        if gap <= tol * max(objective, floor) or passes == max_iter:
            break
        for j in range(d):
            down, bend = 0.0, 0.0
            for k in range(indptr[j], indptr[j + 1]):
                i = rows[k]
                down -= values[k] * y[i] * s[i] * sigmoid(-y[i] * scores[i])
                bend += values[k] * values[k] * s[i] * _largest_curvature(scores[i], reach[j] * abs(values[k]))
            step = _move(down, bend, w[j], l1[j], l2[j], reach[j])
            if step != 0.0:
                w[j] += step
                for k in range(indptr[j], indptr[j + 1]):
                    scores[rows[k]] += step * values[k]
            reach[j] = max(2.0 * abs(step), 0.5 * reach[j])
    return b, objective, gap, passes
