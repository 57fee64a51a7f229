"""What every logistic solver needs: losses that do not overflow, the exact intercept, and the duality gap.

With s_i the weight of case i, y_i its sign, o_i its offset and z_i = x_iᵀw + b + o_i its score, all solvers minimise

    P(w, b) = Σ s_i log(1 + e^{−y_i z_i}) + Σ_j (l1_j|w_j| + l2_j w_j²/2) + l2_b b²/2

For any θ with θ_i = −y_i s_i a_i and 0 ≤ a_i ≤ 1, such that |x_jᵀθ| ≤ l1_j wherever l2_j = 0, the dual

    D(θ) = Σ s_i entropy(a_i) + Σ θ_i o_i − Σ_j (|x_jᵀθ| − l1_j)₊²/(2 l2_j) − (Σ θ_i)²/(2 l2_b)

is at most the least P. So P − D bounds how far from the optimum a solution is, and that proof is what solvers stop on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels import Floats, Mask
from priorwise.kernels.compiling import helper

Ints = NDArray[np.integer]


ROUNDING = 1e-14
"""Objectives closer than this, relative to themselves, are equal: their sums are no more exact."""

DEPENDENT = 1e-12
"""A column of which no more than this share is left is a sum of others."""

NEARLY = 1e-6
"""The last of Newton's steps on one number: what is left after a step of this length is about its square."""


@helper
def sigmoid(t: float) -> float:
    """1/(1 + e^{−t})."""
    if t >= 0.0:
        return 1.0 / (1.0 + np.exp(-t))
    e = np.exp(t)
    return e / (1.0 + e)


@helper
def softplus(t: float) -> float:
    """log(1 + e^t)."""
    return np.log1p(np.exp(-abs(t))) + max(t, 0.0)


@helper
def entropy(a: float) -> float:
    """−a log a − (1 − a) log(1 − a), 0 at both ends."""
    value = 0.0
    if a > 0.0:
        value -= a * np.log(a)
    if a < 1.0:
        value -= (1.0 - a) * np.log1p(-a)
    return value


@helper
def add_columns(indptr: Ints, rows: Ints, values: Floats, w: Floats, scores: Floats) -> None:
    """Add Xw to the scores, X by columns; columns of weight 0 are not touched."""
    for j in range(w.shape[0]):
        if w[j] != 0.0:
            for k in range(indptr[j], indptr[j + 1]):
                scores[rows[k]] += w[j] * values[k]


@helper
def column_dot(indptr: Ints, rows: Ints, values: Floats, j: int, theta: Floats) -> float:
    """x_jᵀθ, X by columns."""
    total = 0.0
    for k in range(indptr[j], indptr[j + 1]):
        total += values[k] * theta[rows[k]]
    return total


@helper
def loss_along(scores: Floats, direction: Floats, step: float, y: Floats, s: Floats) -> float:
    """Σ s_i log(1 + e^{−y_i z_i}) at scores + step · direction."""
    total = 0.0
    for i in range(scores.shape[0]):
        total += s[i] * softplus(-y[i] * (scores[i] + step * direction[i]))
    return total


@helper
def slopes(scores: Floats, y: Floats, s: Floats, reach: float, slope: Floats, curvature: Floats) -> float:
    """Fill the first and second derivatives of each case's loss, and return the loss.

    The second derivative is the largest within `reach` of the score, so that a step does not meet more curvature than
    it was made for; with no reach it is the derivative itself.
    """
    loss = 0.0
    stretch = np.exp(reach)
    for i in range(scores.shape[0]):
        t = y[i] * scores[i]
        e = np.exp(-abs(t))
        loss += s[i] * (np.log1p(e) + max(-t, 0.0))
        slope[i] = -y[i] * s[i] * (e if t > 0.0 else 1.0) / (1.0 + e)
        h = min(1.0, e * stretch)
        curvature[i] = s[i] * h / ((1.0 + h) * (1.0 + h))
    return loss


@helper
def best_intercept(scores: Floats, y: Floats, s: Floats, l2_b: float, b: float) -> float:
    """Move b, and the scores with it, to where the objective is least for these weights; return b."""
    for _ in range(100):
        gradient, curvature = l2_b * b, l2_b
        for i in range(scores.shape[0]):
            a = sigmoid(-y[i] * scores[i])
            gradient -= y[i] * s[i] * a
            curvature += s[i] * a * (1.0 - a)
        if curvature <= 0.0:
            break
        step = min(2.0, max(-2.0, -gradient / curvature))
        b += step
        for i in range(scores.shape[0]):
            scores[i] += step
        if abs(step) < NEARLY:
            break
    return b


@helper
def solve_semidefinite(square: Floats, right: Floats) -> Floats:
    """Solve for a small semidefinite matrix, overwriting both; a column that adds nothing to the others gets 0."""
    size = right.shape[0]
    least = np.empty(size)
    solution = np.zeros(size)
    free = np.ones(size, dtype=np.bool_)
    for p in range(size):
        least[p] = DEPENDENT * square[p, p]
    while True:
        pivot = -1
        for p in range(size):
            if free[p] and square[p, p] > least[p] and (pivot < 0 or square[p, p] > square[pivot, pivot]):
                pivot = p
        if pivot < 0:
            break
        free[pivot] = False
        for p in range(size):
            share = square[p, pivot] / square[pivot, pivot]
            if p != pivot and share != 0.0:
                for q in range(size):
                    square[p, q] -= share * square[pivot, q]
                right[p] -= share * right[pivot]
    for p in range(size):
        if not free[p]:
            solution[p] = right[p] / square[p, p]
    return solution


@helper
def project(flat: Floats, curvature: Floats, slope: Floats, theta: Floats) -> None:
    """Make θ orthogonal to the unpenalised columns: θ = slope − D·F·(FᵀDF)⁻¹Fᵀ·slope.

    Weighting by the curvature D keeps θ between 0 and its bound once it is close enough. Without such columns θ is the
    slope.
    """
    n, k = flat.shape
    if k == 0:
        for i in range(n):
            theta[i] = slope[i]
        return
    gram = np.zeros((k, k))
    right = np.zeros(k)
    for i in range(n):
        for p in range(k):
            weighted = curvature[i] * flat[i, p]
            right[p] += slope[i] * flat[i, p]
            for q in range(k):
                gram[p, q] += weighted * flat[i, q]
    coefficients = solve_semidefinite(gram, right)
    for i in range(n):
        shift = 0.0
        for p in range(k):
            shift += flat[i, p] * coefficients[p]
        theta[i] = slope[i] - curvature[i] * shift


@helper
def dual_value(
    theta: Floats,
    gradient: Floats,
    checked: Mask,
    y: Floats,
    s: Floats,
    offset: Floats,
    l1: Floats,
    l2: Floats,
    l2_b: float,
) -> float:
    """D of the largest multiple κ ≤ 1 of θ that the constraints allow; −∞ if there is none.

    `gradient` is Xᵀθ. Columns that are not `checked` are known to meet their constraint. Unpenalised columns are
    orthogonal to θ already.
    """
    kappa = 1.0
    for j in range(gradient.shape[0]):
        if checked[j] and l2[j] == 0.0 and l1[j] > 0.0 and abs(gradient[j]) > l1[j]:
            kappa = min(kappa, l1[j] / abs(gradient[j]))
    value, total = 0.0, 0.0
    for i in range(theta.shape[0]):
        if s[i] > 0.0:
            a = -kappa * y[i] * theta[i] / s[i]
            if a < 0.0 or a > 1.0 + 1e-12:
                return -np.inf
            value += s[i] * entropy(min(a, 1.0)) + kappa * theta[i] * offset[i]
            total += kappa * theta[i]
    for j in range(gradient.shape[0]):
        if l2[j] > 0.0:
            excess = abs(kappa * gradient[j]) - l1[j]
            if excess > 0.0:
                value -= excess * excess / (2.0 * l2[j])
    if l2_b > 0.0:
        value -= total * total / (2.0 * l2_b)
    return value
