"""Logistic regression under Gaussian priors, row by row: descent in the dual, and Newton's method.

`fit_dual`: every case i has one number, a_i in (0, 1), kept as its logit t_i so that it never touches a bound and keeps
its digits there. In these units the equation of one case,

    t + ‖x_i‖² s_i (σ(t) − σ(t_i)) + y_i z_i = 0,

has a slope of at least 1, and one or two Newton steps solve it. Weights follow from w = Σ s_i a_i y_i x_i, columns
being scaled so that every variance is 1. An unpenalised intercept is a constraint, Σ s_i a_i y_i = 0: it is pulled
towards by a multiplier, b, and met exactly whenever the gap is taken.

`fit_newton` takes each step by preconditioned conjugate gradients. It takes any mixture of variances, infinite ones
too, and needs few steps where the dual needs many passes: under weak priors. The intercept has its best value at every
step, and is projected out of the steps' equations.
"""

from __future__ import annotations

import numpy as np

from priorwise.kernels import Floats
from priorwise.kernels.compiling import helper, kernel
from priorwise.models.regression._kernels.logistic import (
    NEARLY,
    ROUNDING,
    Ints,
    best_intercept,
    dual_value,
    loss_along,
    project,
    sigmoid,
    slopes,
    softplus,
)

SPACING = 2
"""The fewest passes between two looks at the gap; each costs as much as one."""

LIKELY = 20.0
"""The gap is looked at when a pass suggests that it is at most this many times what is asked for."""


@helper
def _shuffle(cases: Ints, state: np.uint64) -> np.uint64:
    """Put the cases in random order; a congruential generator, whose high bits are random enough for that."""
    for k in range(cases.shape[0] - 1, 0, -1):
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        other = (state >> np.uint64(33)) % np.uint64(k + 1)
        cases[k], cases[other] = cases[other], cases[k]
    return state


@helper
def _solve_case(start: float, before: float, weight: float, norm: float, margin: float) -> tuple[float, float]:
    """Solve one case's equation to a twentieth of what it was off; return the new logit and its probability."""
    off = start + margin
    low, high = min(start, start - off), max(start, start - off)
    t, p, bound = start, before, 0.05 * abs(off)
    for _ in range(8):
        newton = t - off / (1.0 + norm * weight * p * (1.0 - p))
        t = newton if low < newton < high else 0.5 * (low + high)
        p = sigmoid(t)
        off = t + norm * weight * (p - before) + margin
        if abs(off) <= bound:
            break
        if off > 0.0:
            high = t
        else:
            low = t
    return t, p


@helper
def _meet_constraint(
    indptr: Ints, columns: Ints, values: Floats, cases: Ints, y: Floats, s: Floats, t: Floats, a: Floats, w: Floats
) -> None:
    """Shift all logits so that Σ s_i a_i y_i = 0, and bring the weights along."""
    shift = 0.0
    for _ in range(100):
        total, curvature = 0.0, 0.0
        for i in cases:
            p = sigmoid(t[i] - y[i] * shift)
            total += y[i] * s[i] * p
            curvature += s[i] * p * (1.0 - p)
        if curvature <= 0.0:
            break
        step = min(2.0, max(-2.0, total / curvature))
        shift += step
        if abs(step) < NEARLY:
            break
    for i in cases:
        t[i] -= y[i] * shift
        new = s[i] * sigmoid(t[i])
        step = (new - a[i]) * y[i]
        a[i] = new
        for k in range(indptr[i], indptr[i + 1]):
            w[columns[k]] += step * values[k]


@kernel
def fit_dual(
    indptr: Ints,
    columns: Ints,
    values: Floats,
    norm: Floats,
    y: Floats,
    s: Floats,
    offset: Floats,
    intercept: bool,
    l2_b: float,
    w: Floats,
    b: float,
    t: Floats,
    tol: float,
    floor: float,
    max_iter: int,
    seed: int,
) -> tuple[float, float, float, int]:
    """Minimise P over w and b, in place; return b, P, the duality gap and the number of passes."""
    n = y.shape[0]
    cases = np.flatnonzero(s > 0.0)
    a, scores = np.zeros(n), np.empty(n)
    flat = intercept and l2_b == 0.0
    pull = 1.0 if flat else (1.0 / l2_b if intercept else 0.0)  # what the constant column's square adds to each norm
    for i in cases:
        a[i] = s[i] * sigmoid(t[i])
    random = np.uint64(seed)
    objective, gap, looked = np.inf, np.inf, 0
    for passes in range(1, max_iter + 1):
        total, promise, least = 0.0, 0.0, 0.0
        for i in cases:
            total += y[i] * a[i]
        random = _shuffle(cases, random)
        for i in cases:
            score = offset[i] + (b if flat else 0.0) + pull * total
            for k in range(indptr[i], indptr[i + 1]):
                score += values[k] * w[columns[k]]
            off = t[i] + y[i] * score
            promise += 0.5 * off * off * a[i] * (1.0 - a[i] / s[i])
            least += a[i]  # log(1 + e^x) is at least 1/(1 + e^−x)
            t[i], p = _solve_case(t[i], a[i] / s[i], s[i], norm[i] + pull, y[i] * score)
            step = (s[i] * p - a[i]) * y[i]
            a[i] = s[i] * p
            total += step
            for k in range(indptr[i], indptr[i + 1]):
                w[columns[k]] += step * values[k]
        if flat:
            b += total
        elif intercept:
            b = pull * total
        likely = promise <= LIKELY * tol * max(least, floor) and passes >= looked + SPACING
        if not likely and passes < max_iter:
            continue
        looked = passes
        if flat:
            _meet_constraint(indptr, columns, values, cases, y, s, t, a, w)
        dual, total = -0.5 * np.dot(w, w), 0.0
        for i in cases:
            p = a[i] / s[i]
            dual += s[i] * (p * softplus(-t[i]) + (1.0 - p) * softplus(t[i])) - a[i] * y[i] * offset[i]
            total += a[i] * y[i]
        if intercept and not flat:
            dual -= 0.5 * pull * total * total
        for row in range(n):
            scores[row] = offset[row] + b
            for k in range(indptr[row], indptr[row + 1]):
                scores[row] += values[k] * w[columns[k]]
        if intercept:
            b = best_intercept(scores, y, s, l2_b, b)
        objective = 0.5 * np.dot(w, w) + 0.5 * l2_b * b * b
        for i in cases:
            objective += s[i] * softplus(-y[i] * scores[i])
        gap = objective - dual
        if gap <= tol * max(objective, floor):
            return b, objective, gap, passes
    return b, objective, gap, max_iter


@helper
def _times(indptr: Ints, columns: Ints, values: Floats, w: Floats, out: Floats) -> None:
    for i in range(out.shape[0]):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += values[k] * w[columns[k]]
        out[i] = total


@helper
def _transposed_times(indptr: Ints, columns: Ints, values: Floats, v: Floats, out: Floats) -> None:
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
    """Minimise P over w and b, in place; return b, P, the duality gap and the number of steps."""
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
