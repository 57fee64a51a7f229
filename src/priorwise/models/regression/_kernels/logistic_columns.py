"""Logistic regression column by column: proximal Newton on a working set, for Laplace priors.

Each step minimises a quadratic model of the loss plus the exact penalty, over the columns that are not
at their mode or want to leave it. With g the gradient and D the curvature of the loss, the change d of the working
columns' weights w minimises

    gᵀd + ½ dᵀXᵀDXd + Σ_j (l1_j|w_j + d_j| + l2_j (w_j + d_j)²/2)

The first steps are taken under a stronger prior that is relaxed step by step, so that the working set stays small.
Small sets are solved in the space of their Gram matrix, where a coordinate costs one dense row; large ones on the
columns themselves.
"""

from __future__ import annotations

import numpy as np

from priorwise.kernels import Floats
from priorwise.kernels.compiling import helper, kernel
from priorwise.models.regression._kernels.logistic import (
    ROUNDING,
    Ints,
    add_columns,
    best_intercept,
    column_dot,
    dual_value,
    loss_along,
    project,
    slopes,
)

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


RELAX = 0.25
"""How much weaker the prior becomes with each of the first steps."""

TRUST = 0.1
"""Part of the last step's length within which curvature is taken at its largest."""


@helper
def _penalty(working: Ints, w: Floats, change: Floats, step: float, l1: Floats, l2: Floats) -> float:
    """By how much the penalty grows with a step."""
    total = 0.0
    for q in range(working.shape[0]):
        j = working[q]
        new = w[j] + step * change[q]
        total += l1[j] * (abs(new) - abs(w[j])) + 0.5 * l2[j] * (new * new - w[j] * w[j])
    return total


@kernel
def fit_sparse(
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
    dense: int,
) -> tuple[float, float, float, int]:
    """Minimise P over w and b, in place; return b, P, the duality gap and the number of steps."""
    n, d = y.shape[0], w.shape[0]
    scores = offset + b
    add_columns(indptr, rows, values, w, scores)
    slope, curvature, theta = np.empty(n), np.empty(n), np.empty(n)
    gradient, dual_gradient, direction = np.zeros(d), np.zeros(d), np.empty(n)
    norm, checked = np.empty(d), np.ones(d, dtype=np.bool_)
    seen_gradient, seen_slope = np.zeros(d), np.zeros(n)
    for j in range(d):
        total = 0.0
        for k in range(indptr[j], indptr[j + 1]):
            total += values[k] * values[k]
        norm[j] = np.sqrt(total)
    if intercept:
        b = best_intercept(scores, y, s, l2_b, b)
    strength, reach, gap, objective = 1.0, 0.0, np.inf, np.inf
    for iteration in range(max_iter + 1):
        loss = slopes(scores, y, s, reach, slope, curvature)
        objective = loss + 0.5 * l2_b * b * b
        moved = 0.0
        for i in range(n):
            moved += (slope[i] - seen_slope[i]) ** 2
        moved = np.sqrt(moved)
        fresh, lead = 0, 0.0
        for j in range(d):
            objective += l1[j] * abs(w[j]) + 0.5 * l2[j] * w[j] * w[j]
            # By Cauchy-Schwarz a gradient seen before cannot have come further than this.
            checked[j] = (
                iteration == 0 or w[j] != 0.0 or l2[j] > 0.0 or abs(seen_gradient[j]) + norm[j] * moved >= l1[j]
            )
            if checked[j]:
                gradient[j] = column_dot(indptr, rows, values, j, slope)
                fresh += 1
                if l1[j] > 0.0:
                    lead = max(lead, abs(gradient[j]) / l1[j])
        if iteration == 0 or fresh > d // 3:
            for j in range(d):
                if not checked[j]:
                    gradient[j] = column_dot(indptr, rows, values, j, slope)
                    checked[j] = True
            for j in range(d):
                seen_gradient[j] = gradient[j]
            for i in range(n):
                seen_slope[i] = slope[i]
        if iteration == 0:
            strength = max(1.0, RELAX * lead)
        if flat.shape[1] > 0:
            project(flat, curvature, slope, theta)
            for j in range(d):
                dual_gradient[j] = column_dot(indptr, rows, values, j, theta)
            gap = objective - dual_value(theta, dual_gradient, checked, y, s, offset, l1, l2, l2_b)
        else:
            gap = objective - dual_value(slope, gradient, checked, y, s, offset, l1, l2, l2_b)
        if gap <= tol * max(objective, floor) or iteration == max_iter:
            return b, objective, gap, iteration

        size = 0
        for j in range(d):
            size += w[j] != 0.0 or l1[j] == 0.0 or (checked[j] and abs(gradient[j]) > strength * l1[j])
        working, size = np.empty(size, dtype=np.int64), 0
        for j in range(d):
            if w[j] != 0.0 or l1[j] == 0.0 or (checked[j] and abs(gradient[j]) > strength * l1[j]):
                working[size] = j
                size += 1
        total_curvature = 0.0
        if intercept:  # curvature can be nothing at all where a mode puts every score far out
            total_curvature = max(l2_b + np.sum(curvature), TINY)
        change, change_b = np.zeros(size), 0.0
        direction[:] = 0.0
        if strength == 1.0 and size <= dense:
            square, sums = gram(indptr, rows, values, working, curvature)
            for p in range(size):
                square[p, p] += l2[working[p]] + TINY
                if intercept:  # the best intercept for each change of the weights is put in its place
                    for q in range(size):
                        square[p, q] -= sums[p] * sums[q] / total_curvature
                    square[p, p] = max(square[p, p], TINY)
            descend_dense(square, gradient, working, w, l1, l2, strength, change)
            if intercept:
                change_b = -np.dot(sums, change) / total_curvature
        else:
            passes = 50 if strength == 1.0 and gap < 0.1 * objective else 8
            change_b = descend_sparse(
                indptr, rows, values, gradient, slope, curvature, total_curvature, working, w, b, l1, l2, l2_b,
                strength, passes, change,
            )  # fmt: skip
        for q in range(size):
            for k in range(indptr[working[q]], indptr[working[q] + 1]):
                direction[rows[k]] += change[q] * values[k]
        direction += change_b

        expected = _penalty(working, w, change, 1.0, strength * l1, l2) + l2_b * b * change_b
        for i in range(n):
            expected += slope[i] * direction[i]
        step, furthest, slack = 1.0, np.max(np.abs(direction)), ROUNDING * objective
        for _ in range(40):
            grown = _penalty(working, w, change, step, strength * l1, l2)
            grown += l2_b * step * change_b * (b + 0.5 * step * change_b)
            if loss_along(scores, direction, step, y, s) + grown <= loss + 0.01 * step * expected + slack:
                break
            step *= 0.5
        for q in range(size):
            w[working[q]] += step * change[q]
        b += step * change_b
        scores += step * direction
        if intercept:
            b = best_intercept(scores, y, s, l2_b, b)
        if step == 1.0:
            strength = max(1.0, RELAX * strength)
            reach = min(TRUST * furthest, 8.0)
        else:
            reach = min(max(2.0 * reach, TRUST * furthest * step), 8.0)
    return b, objective, gap, max_iter
