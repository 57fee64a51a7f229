"""Weighted least squares on the documents judged so far, solved again after every verdict from where it was."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.models.regression.updating import USUAL_RATIO, Covariance, balanced, learned_at, learned_ratio

Block = NDArray[np.float32]

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
    constant column is the intercept. Rows that are no documents, such as the category's title, may be judged as well.

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
        self._spread = covariance or (lambda vector: vector)
        self._explained = self.X @ self.centre
        self._place: dict[int, int] = {}
        self._rows = np.empty(0, np.int64)
        self._members = np.empty(0, bool)
        self._alpha = np.empty(0, np.float32)
        self._gram = np.empty((64, 64), np.float32)
        self._solved = True
        self._learned, self._learned_from = USUAL_RATIO, (0, b"")

    def judge(self, row: int, member: bool) -> None:
        """Add a verdict, or change an earlier one about the same document."""
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
        one = np.zeros(self.X.shape[1], np.float32)
        begin, end = self.X.indptr[row], self.X.indptr[row + 1]
        one[self.X.indices[begin:end]] = self.X.data[begin:end]
        products = self.X[self._rows] @ self._spread(one)
        self._gram[place, : place + 1] = self._gram[: place + 1, place] = products

    def weights(self) -> Block:
        """Return w."""
        if not self._solved:
            self._solve()
        weights: Block = self.centre + self._spread(self.X[self._rows].T @ self._alpha)
        return weights

    def scores(self) -> Block:
        """Return the score of every row."""
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
        targets: Any = self._targets(n)
        inverse = 1.0 / (gram.diagonal() + own)
        alpha = self._alpha
        residual = targets - (gram @ alpha + own * alpha)
        step = inverse * residual
        direction, left = step, float(residual @ step)
        goal = self.tol**2 * float(targets @ (inverse * targets))
        for _ in range(10 * n + 10):
            if left <= goal:
                break
            product = gram @ direction + own * direction
            size = np.float32(left / float(direction @ product))
            alpha = alpha + size * direction
            residual = residual - size * product
            step = inverse * residual
            before, left = left, float(residual @ step)
            direction = step + np.float32(left / before) * direction
        self._alpha, self._solved = alpha, True
