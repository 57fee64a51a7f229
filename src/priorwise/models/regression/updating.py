"""A linear model as the prior of the next one: what verdicts change about its weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Covariance = Callable[[NDArray[Any]], NDArray[Any]]

MOST_STEPS = 200

USUAL_RATIO = 15.0
RATIOS = (5.0, 10.0, 20.0, 40.0)
"""How much all members together may weigh, compared with all rejected documents together: before there are enough
verdicts to learn it from, and the numbers that are tried."""

FEWEST_MEMBERS, FEWEST_REJECTED = 5, 10
LEARNED_AT = tuple(round(20 * 1.3**step) for step in range(10))
"""After how many judged documents the ratio is learned; later verdicts do not change it."""


def learned_change(
    X: Any,
    residuals: Floats,
    weights: Floats,
    *,
    strength: float,
    covariance: Covariance | None = None,
    tol: float = 1e-3,
) -> Floats:
    """Return how far the weights move from the prior's centre w₀ when some documents are judged.

    ::

        δ = argmin Σ_j ω_j (r_j − δ·x_j)² + λ δᵀC⁻¹δ        r_j = t_j − w₀·x_j

    The targets t are 1 for members and −1 for rejected documents, and r is what the centre leaves unexplained. In the
    dual, δ = C Xᵀα with (X C Xᵀ + λ/ω) α = r. Conjugate gradients solve it from α = 0, which is the centre itself:
    after any verdicts the answer depends on the verdicts alone, not on the way there.

    `X`: the judged documents, a row for each. `residuals`, `weights`: r and ω of each. `strength`: λ. `covariance`:
    multiplies a vector by the prior covariance C; the identity by default. `tol`: how exactly to solve: the length
    of what is left, compared with the start.
    """
    across, spread = X.T.tocsr(), covariance or _as_it_is
    own = strength / weights
    inverse = 1.0 / (np.asarray(X.multiply(X).sum(axis=1)).ravel() + own)
    alpha, residual = np.zeros(len(residuals)), np.array(residuals, np.float64)
    step = inverse * residual
    direction, left = step, float(residual @ step)
    goal = tol**2 * left
    for _ in range(MOST_STEPS):
        if left <= goal:
            break
        product = X @ spread(across @ direction) + own * direction
        size = left / float(direction @ product)
        alpha = alpha + size * direction
        residual = residual - size * product
        step = inverse * residual
        before, left = left, float(residual @ step)
        direction = step + (left / before) * direction
    change: Floats = spread(across @ alpha)
    return change


def _as_it_is(vector: Floats) -> Floats:
    return vector


def balanced(members: NDArray[np.bool_], ratio: float) -> Floats:
    """Return ω: all members together weigh `ratio` times as much as all rejected documents together; the mean is 1.

    Without a member, rejected documents weigh as much as they would next to members.
    """
    n, found = len(members), int(members.sum())
    weights = np.ones(n)
    if not found:
        weights /= 1.0 + ratio
    elif found < n:
        weights[~members] = found / (ratio * (n - found))
        weights *= n / weights.sum()
    return weights


def learned_ratio(products: NDArray[Any], targets: Floats, members: NDArray[np.bool_], *, strength: float) -> float:
    """Learn how much members should weigh, compared with rejected documents: so that members left out are found early.

    For every ratio, each judged document is scored by the model that the others give, in closed form: t − α/H with
    H the diagonal of (G + λ/ω)⁻¹. A member's loss is log(1 + rejected documents that score higher). The result is the
    geometric mean of the ratios, weighted by exp(−sum of the losses).

    `products`: G, the inner products of the judged documents under the prior covariance. `targets`: what the
    prior's centre leaves of 1 for members and −1 for rejected documents. `members`: which of them are members.
    `strength`: λ.
    """
    if members.sum() < FEWEST_MEMBERS or (~members).sum() < FEWEST_REJECTED:
        return USUAL_RATIO
    G, losses = np.asarray(products, np.float64), []
    centre = np.where(members, 1.0, -1.0) - targets
    for ratio in RATIOS:
        inverse = np.linalg.inv(G + np.diag(strength / balanced(members, ratio)))
        left_out = centre + targets - inverse @ targets / inverse.diagonal()
        above = (left_out[~members] > left_out[members][:, None]).sum(axis=1)
        losses.append(np.log1p(above).sum())
    shares = np.exp(np.min(losses) - np.array(losses))
    return float(np.exp(shares @ np.log(RATIOS) / shares.sum()))


def learned_at(judged: int) -> int:
    """Return from how many of the judged documents the ratio is learned; 0 before the first time."""
    return max((each for each in LEARNED_AT if each <= judged), default=0)
