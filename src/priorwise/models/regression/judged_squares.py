"""Weighted least squares on the documents judged so far, solved again after every verdict from where it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.kernels import Block, Floats

Vector = NDArray[Any]
Covariance = Callable[[Vector], Vector]

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
    targets = np.array(residuals, np.float64)
    alpha = _solve_dual(lambda vector: X @ spread(across @ vector), own, inverse, targets, tol)
    change: Floats = spread(across @ alpha)
    return change


def _as_it_is(vector: Vector) -> Vector:
    return vector


def _solve_dual(
    products: Covariance, own: Vector, inverse: Vector, targets: Vector, tol: float, start: Vector | None = None
) -> Vector:
    """Solve (G + own) α = targets by conjugate gradients, from `start` or from 0; `products` multiplies a vector by G.

    `inverse`: one over the diagonal, or nearly. `tol`: the length of the residual, relative to that of the targets.
    """
    alpha: Vector = np.zeros_like(targets) if start is None else start
    residual = targets if start is None else targets - (products(start) + own * start)
    step = inverse * residual
    direction, left = step, float(residual @ step)
    goal = tol**2 * float(targets @ (inverse * targets))
    for _ in range(MOST_STEPS):
        if left <= goal:
            break
        product = products(direction) + own * direction
        size = targets.dtype.type(left / float(direction @ product))
        alpha = alpha + size * direction
        residual = residual - size * product
        step = inverse * residual
        before, left = left, float(residual @ step)
        direction = step + targets.dtype.type(left / before) * direction
    return alpha


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


STRENGTH = 2.0
"""The prior's strength λ, for rows of length 1."""


class JudgedSquares:
    """A linear score learned from verdicts, with a warm start.

    A member's target is 1 and a rejected document's −1::

        w = argmin Σ_j ω_j (t_j − w·x_j)² + λ (w − w₀)ᵀC⁻¹(w − w₀)

    over the judged documents j only. All members have the same ω, all rejected documents have the same ω, and the mean
    is 1. Members together weigh `ratio` times as much as rejected documents together. The centre w₀ is 0, or an earlier
    model, and the prior covariance C is the identity, or anything else. In the dual, w = w₀ + C Σ_j α_j x_j and
    (G + λ/ω) α = t − w₀·x, where G holds x_i·C x_j of judged documents. A verdict adds a row to G, and conjugate
    gradients start from the last α.

    A support vector machine with squared hinge, such as ASReview's default (C = 0.11 is λ = 4.5), gives the same
    weights as long as all judged documents lie inside the margin.

    Prior variances are scales of columns: multiply the columns of a group of features by the root of its variance. A
    constant column is the intercept. Rows that are not documents, such as the category's title, may be judged as well.

    `X` (shape (n_documents, n_features)): A row per document. `strength`: λ. `ratio`: the weight of all members
    compared with that of all rejected documents. By default it is learned. `centre`: w₀. `covariance`: multiplies a
    vector by C. `tol`: how exactly to solve: the length of the residual, relative to that of the targets.
    """

    def __init__(
        self,
        X: Any,
        *,
        strength: float = STRENGTH,
        ratio: float | None = None,
        centre: NDArray[Any] | None = None,
        covariance: Covariance | None = None,
        tol: float = 1e-3,
    ) -> None:
        if strength <= 0 or (ratio is not None and ratio <= 0):
            raise InputError(f"Strength and ratio must be above 0, not {strength} and {ratio}.")
        self.X = X.astype(np.float32)
        self.strength, self.ratio, self.tol = strength, ratio, tol
        self.centre: Block = np.zeros(X.shape[1], np.float32) if centre is None else np.asarray(centre, np.float32)
        self._spread = covariance or _as_it_is
        self._explained = self.X @ self.centre
        self._place: dict[int, int] = {}
        self._rows = np.empty(0, np.int64)
        self._members = np.empty(0, bool)
        self._alpha = np.empty(0, np.float32)
        self._gram = np.empty((64, 64), np.float32)
        self._solved = True
        self._learned, self._learned_from = USUAL_RATIO, (0, b"")

    def judge(self, row: int, member: bool) -> None:
        self._solved = False
        if row in self._place:
            self._members[self._place[row]] = member
            return
        place = len(self._rows)
        self._place[row] = place
        self._rows = np.append(self._rows, row)
        self._members = np.append(self._members, member)
        self._alpha = np.append(self._alpha, np.float32(0.0))
        if place == len(self._gram):
            grown = np.empty((2 * place, 2 * place), np.float32)
            grown[:place, :place] = self._gram
            self._gram = grown
        self._gram[place, : place + 1] = self._gram[: place + 1, place] = self._products(row)

    def _products(self, row: int) -> Block:
        """The products of a document with all judged ones under the prior covariance."""
        one = np.zeros(self.X.shape[1], np.float32)
        begin, end = self.X.indptr[row], self.X.indptr[row + 1]
        one[self.X.indices[begin:end]] = self.X.data[begin:end]
        products: Block = self.X[self._rows] @ self._spread(one)
        return products

    def weights(self) -> Block:
        if not self._solved:
            self._solve()
        weights: Block = self.centre + self._spread(self.X[self._rows].T @ self._alpha)
        return weights

    def scores(self) -> Block:
        scores: Block = self.X @ self.weights()
        return scores

    def document_weights(self) -> Block:
        """Return ω of the judged documents, in the order of their first verdicts."""
        ratio = self._learned_ratio() if self.ratio is None else self.ratio
        return balanced(self._members, ratio).astype(np.float32)

    def _learned_ratio(self) -> float:
        n = learned_at(len(self._rows))
        known = n, self._members[:n].tobytes()
        if n and known != self._learned_from:
            targets: Any = self._targets(n)
            self._learned = learned_ratio(self._gram[:n, :n], targets, self._members[:n], strength=self.strength)
            self._learned_from = known
        return self._learned

    def _targets(self, n: int) -> Block:
        targets: Block = np.where(self._members[:n], np.float32(1.0), np.float32(-1.0))
        return targets - self._explained[self._rows[:n]]

    def _solve(self) -> None:
        n = len(self._rows)
        gram, own = self._gram[:n, :n], np.float32(self.strength) / self.document_weights()
        inverse = 1.0 / (gram.diagonal() + own)
        self._alpha = _solve_dual(lambda vector: gram @ vector, own, inverse, self._targets(n), self.tol, self._alpha)
        self._solved = True
