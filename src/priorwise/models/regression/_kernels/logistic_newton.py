"""Logistic regression under Gaussian priors: Newton's method, each step by preconditioned conjugate gradients.

It takes any mixture of variances, infinite ones too, and needs few steps where the dual needs many passes: under weak
priors. The intercept has its best value at every step, and is projected out of the steps' equations.
"""

from __future__ import annotations

import numpy as np

from priorwise.kernels.compiling import helper, kernel
from priorwise.models.regression._kernels.logistic import (
    ROUNDING,
    Floats,
    Ints,
    best_intercept,
    dual_value,
    loss_along,
    project,
    slopes,
)


@helper
def _times(indptr: Ints, columns: Ints, values: Floats, w: Floats, out: Floats) -> None:
    """Xw."""
    for i in range(out.shape[0]):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += values[k] * w[columns[k]]
        out[i] = total


@helper
def _transposed_times(indptr: Ints, columns: Ints, values: Floats, v: Floats, out: Floats) -> None:
    """Xᵀv."""
    out[:] = 0.0
    for i in range(v.shape[0]):
        for k in range(indptr[i], indptr[i + 1]):
            out[columns[k]] += v[i] * values[k]


@helper
def _newton_step(
    indptr: Ints,
    columns: Ints,
    values: Floats,
    curvature: Floats,
    sums: Floats,
    total_curvature: float,
    l2: Floats,
    diagonal: Floats,
    gradient: Floats,
    forcing: float,
    max_steps: int,
) -> Floats:
    """Solve (XᵀDX + L2 − sums·sumsᵀ/total) v = −gradient until the residual is `forcing` of what it was."""
    v, residual = np.zeros_like(gradient), -gradient
    scaled = residual / diagonal
    p, product = scaled.copy(), np.empty_like(gradient)
    first = size = np.dot(residual, scaled)
    for _ in range(max_steps):
        mean = np.dot(sums, p) / total_curvature if total_curvature > 0.0 else 0.0
        for j in range(p.shape[0]):
            product[j] = l2[j] * p[j]
        for i in range(curvature.shape[0]):
            total = -mean
            for k in range(indptr[i], indptr[i + 1]):
                total += values[k] * p[columns[k]]
            total *= curvature[i]
            for k in range(indptr[i], indptr[i + 1]):
                product[columns[k]] += total * values[k]
        along = np.dot(p, product)
        if along <= 0.0:
            break
        alpha = size / along
        v += alpha * p
        residual -= alpha * product
        scaled = residual / diagonal
        new = np.dot(residual, scaled)
        if new <= forcing * forcing * first:
            break
        p = scaled + (new / size) * p
        size = new
    return v


@kernel
def fit_newton(
    indptr: Ints,
    columns: Ints,
    values: Floats,
    y: Floats,
    s: Floats,
    offset: Floats,
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
    """Minimise P over w and b, in place; return b, P, the duality gap and the number of steps.

    Parameters
    ----------
    indptr, columns, values : array
        X by rows.
    l2 : array
        1/variance of each column, 0 if it is not penalised.
    flat : array, shape (n, k)
        The unpenalised columns, the intercept's ones among them, dense; k is 0 if only the intercept is unpenalised.
    tol, floor : float
        Stops when the gap is at most tol · max(P, floor).
    """
    n, d = y.shape[0], w.shape[0]
    scores, direction = np.empty(n), np.empty(n)
    slope, curvature, theta = np.empty(n), np.empty(n), np.empty(n)
    gradient, sums, diagonal = np.empty(d), np.zeros(d), np.empty(d)
    no_l1, checked = np.zeros(d), np.ones(d, dtype=np.bool_)
    _times(indptr, columns, values, w, scores)
    scores += offset + b
    first, objective, gap = -1.0, np.inf, np.inf
    for iteration in range(max_iter + 1):
        if intercept:
            b = best_intercept(scores, y, s, l2_b, b)
        loss = slopes(scores, y, s, 0.0, slope, curvature)
        objective = loss + 0.5 * l2_b * b * b + 0.5 * np.dot(l2 * w, w)
        project(flat, curvature, slope, theta)
        _transposed_times(indptr, columns, values, theta, gradient)
        gap = objective - dual_value(theta, gradient, checked, y, s, offset, no_l1, l2, l2_b)
        if gap <= tol * max(objective, floor) or iteration == max_iter:
            break
        if flat.shape[1] > 0:
            _transposed_times(indptr, columns, values, slope, gradient)
        gradient += l2 * w
        total_curvature = l2_b + np.sum(curvature) if intercept else 0.0
        for j in range(d):
            diagonal[j] = l2[j]
            sums[j] = 0.0
        for i in range(n):
            for k in range(indptr[i], indptr[i + 1]):
                weighted = curvature[i] * values[k]
                sums[columns[k]] += weighted
                diagonal[columns[k]] += weighted * values[k]
        for j in range(d):
            if total_curvature > 0.0:
                diagonal[j] = max(diagonal[j] - sums[j] * sums[j] / total_curvature, l2[j])
            diagonal[j] = max(diagonal[j], 1e-12)
        size = np.dot(gradient, gradient / diagonal)
        if first < 0.0:
            first = size
        forcing = min(0.1, (size / first) ** 0.25) if first > 0.0 else 0.1
        v = _newton_step(
            indptr, columns, values, curvature, sums, total_curvature, l2, diagonal, gradient, forcing, 200
        )
        change_b = -np.dot(sums, v) / total_curvature if total_curvature > 0.0 else 0.0
        _times(indptr, columns, values, v, direction)
        direction += change_b
        down, straight, bent = np.dot(gradient, v), np.dot(l2 * w, v), np.dot(l2 * v, v)
        step = 1.0
        for _ in range(50):
            grown = step * straight + 0.5 * step * step * bent + l2_b * step * change_b * (b + 0.5 * step * change_b)
            if loss_along(scores, direction, step, y, s) + grown <= loss + 0.01 * step * down + ROUNDING * objective:
                break
            step *= 0.5
        w += step * v
        b += step * change_b
        scores += step * direction
    return b, objective, gap, iteration
