"""EM for probit regression: the sparse paper's algorithm, kept finite, and in blocks for thousands of features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import erfcx, log_ndtr

from priorwise.models.regression.logistic_design import Design
from priorwise.priors.regression import GONE, RegressionPrior

Floats = NDArray[np.float64]

PATIENCE = 20
"""Iterations without a coefficient lost, before steps under Jeffreys' prior may be longer than EM's."""

HEADWAY = 1.2
"""By how much longer the next step is tried to be, after one that was longer than EM's and did better."""


@dataclass(frozen=True)
class ProbitFit:
    """Weights, and how EM got there: `trace` is minus the log-posterior at the start, after each iteration, and when
    what was still on its way to its mode was put there; `distance` is from the modes, the intercept last.
    """

    coef: Floats
    intercept: float
    distance: Floats
    trace: Floats
    n_iter: int
    converged: bool


def hazard(t: Floats) -> Floats:
    """φ(t)/Φ(t), in both tails.

    Examples
    --------
    >>> hazard(np.array([-1e6, 0.0, 40.0])).round(4)
    array([1.000e+06, 7.979e-01, 0.000e+00])
    """
    with np.errstate(over="ignore"):
        ratio: Floats = np.sqrt(2.0 / np.pi) / erfcx(-t / np.sqrt(2.0))
    return ratio


class Blocks:
    """The columns, and the intercept's ones, in blocks; with XᵀSX of each, which no iteration and no class changes."""

    def __init__(self, design: Design, weight: Floats, intercept: bool, block_size: int) -> None:
        self.X = design.with_ones.by_rows if intercept else design.by_rows
        self.weight, self.intercept = weight, intercept
        by_columns = self.X.tocsc()
        columns = np.arange(self.X.shape[1])
        self.columns = [columns[start : start + block_size] for start in range(0, len(columns), block_size)]
        self.parts = [by_columns[:, block] for block in self.columns]
        self.grams = [self._gram(part) for part in self.parts]
        self.squares = np.asarray(self.X.multiply(self.X).T @ weight)

    def _gram(self, part: Any) -> Floats | None:
        """XᵀSX of a block; None if the system of cases is smaller."""
        if part.shape[1] > part.shape[0]:
            return None
        return np.asarray((part.T @ part.multiply(self.weight[:, np.newaxis])).toarray())


class ProbitEM:
    """One probit regression, y ∈ {−1, +1} and p(y = 1|x) = Φ(βᵀx + b), by EM::

        v_i = m_i + y_i φ(m_i)/Φ(y_i m_i)                                 the expected hidden score
        Ω   = diag(ω),  ω_j = E[1/τ_j]                                    the expected precision of the prior
        β   ← μ + (Ω + XᵀSX)⁻¹ XᵀS(v − Xμ)                                ridge regression on the hidden scores

    The last line is solved for ω^{1/2}(β − μ), which stays finite as β_j → μ_j and ω_j → ∞, and by the smaller of the
    systems of features and of cases. Features in blocks are updated in turn, each block after an E-step of its own.
    """

    def __init__(self, blocks: Blocks, shape: type[RegressionPrior], row: tuple[Floats, Floats]) -> None:
        self.blocks, self.shape = blocks, shape
        self.X, self.weight, self.intercept = blocks.X, blocks.weight, blocks.intercept
        self.variance, self.mode = row
        self.n_features = len(self.mode)
        self.offset = self.X[:, : self.n_features] @ self.mode if self.mode.any() else np.zeros(self.X.shape[0])
        self._factors: dict[int, Any] = {}
        self.held = np.zeros(self.X.shape[1], dtype=bool)
        self.held[: self.n_features] = np.isfinite(self.variance)

    def fit(self, y: Floats, start: Floats, tol: float, max_iter: int, accelerate: bool) -> ProbitFit:
        """Iterate from `start`, distances from the mode, until a step promises less than `tol` of the objective.

        Under Jeffreys' prior longer steps than EM's could lead to another optimum; there they wait until the same
        coefficients have been at 0 for a while.
        """
        patience = 0 if self.shape.log_concave else PATIENCE
        delta, trace = start.copy(), [self.objective(y, start)]
        longer, converged, unchanged = 1.0, False, 0
        for _ in range(max_iter):
            stepped, promised = self.sweep(y, delta)
            if accelerate and longer > 1.0 and unchanged >= patience:
                further = delta + longer * (stepped - delta)
                value, beyond = self.objective(y, stepped), self.objective(y, further)
                longer = HEADWAY * longer if beyond < value else 1.0
                if beyond < value:
                    stepped = further
            elif accelerate:
                longer = HEADWAY
            if self.shape.sparse:
                stepped[self.held & (np.abs(stepped) < GONE)] = 0.0
            self._revive(y, stepped)
            unchanged = unchanged + 1 if np.array_equal(stepped == 0.0, delta == 0.0) else 0
            delta = stepped
            trace.append(self.objective(y, delta))
            if promised <= tol * abs(trace[-1]):
                converged = True
                break
        delta = self._settle(y, delta)
        trace.append(self.objective(y, delta))
        d = self.n_features
        intercept = float(delta[d]) if self.intercept else 0.0
        return ProbitFit(delta[:d] + self.mode, intercept, delta, np.array(trace), len(trace) - 2, converged)

    def sweep(self, y: Floats, delta: Floats) -> tuple[Floats, float]:
        """Update each block in turn; give the new distances and how much the objective should fall, to first order."""
        delta, promised = delta.copy(), 0.0
        scores = self.offset + self.X @ delta
        for number, block in enumerate(self.blocks.columns):
            residual = y * hazard(y * scores)  # v − m
            step, slope = self._update(number, delta[block], residual)
            promised += float(slope @ step)
            delta[block] += step
            if number + 1 < len(self.blocks.columns):
                scores = scores + self.blocks.parts[number] @ step
        return delta, promised

    def _update(self, number: int, old: Floats, residual: Floats) -> tuple[Floats, Floats]:
        """Solve (Ω + XᵀSX)·step = XᵀS(v − m) − Ωδ on one block, scaled by ω^{−1/2}."""
        block, part, gram = self.blocks.columns[number], self.blocks.parts[number], self.blocks.grams[number]
        held = self.held[block]
        omega = np.where(held, self._omega(old, block), 1.0)
        scale = np.where(held, 1.0 / np.sqrt(omega), 1.0)  # 0 where ω is infinite
        alive = scale > 0.0
        pull, moving = np.zeros(len(block)), alive & held
        pull[moving] = omega[moving] * old[moving]
        slope = np.where(alive, part.T @ (self.weight * residual) - pull, 0.0)
        step = np.zeros(len(block))
        t = scale[alive]
        if gram is None and len(t) <= part.shape[0]:
            few = part[:, alive]
            gram = np.asarray((few.T @ few.multiply(self.weight[:, np.newaxis])).toarray())
        elif gram is not None:
            gram = gram[np.ix_(alive, alive)] if len(t) < len(block) else gram
        if gram is not None:
            step[alive] = t * cho_solve(
                self._factor(number, lambda: self._of_features(gram, held[alive], t)), t * slope[alive]
            )
        else:
            step[alive] = self._by_cases(number, part[:, alive], held[alive], t, slope[alive])
        return step, slope

    def _factor(self, number: int, make: Callable[[], Any]) -> Any:
        """Make what a block's system is solved with; under a Gaussian prior no iteration changes it, so it is kept."""
        if self.shape.sparse:
            return make()
        if number not in self._factors:
            self._factors[number] = make()
        return self._factors[number]

    def _of_features(self, gram: Floats, held: NDArray[np.bool_], t: Floats) -> Any:
        square = t[:, np.newaxis] * gram * t
        square[np.diag_indices_from(square)] += np.where(held, 1.0, 1e-12)
        return cho_factor(square, overwrite_a=True)

    def _by_cases(self, number: int, part: Any, held: NDArray[np.bool_], t: Floats, slope: Floats) -> Floats:
        """Solve the same through the system of cases, with F the columns that nothing holds, and P all others::

        M = S⁻¹ + P Ω⁻¹ Pᵀ          (FᵀM⁻¹F) z = g_F − FᵀM⁻¹PΩ⁻¹g_P          u = M⁻¹(PΩ⁻¹g_P + Fz)
        step of P: Ω⁻¹(g_P − Pᵀu)          step of F: z
        """
        cases, flat, inverse = self.weight > 0, ~held, t[held] ** 2

        def make() -> tuple[Any, Any, Floats, Floats]:
            rows = part.tocsr()[cases]
            P, F = rows[:, held], rows[:, flat].toarray()
            square = (P @ P.multiply(inverse).T).toarray()
            square[np.diag_indices_from(square)] += 1.0 / self.weight[cases]
            factor = cho_factor(square, overwrite_a=True)
            return factor, P, F, cho_solve(factor, F)

        factor, P, F, solved = self._factor(number, make)
        u = cho_solve(factor, P @ (inverse * slope[held]))
        step = np.empty(len(t))
        border = F.T @ solved
        border[np.diag_indices_from(border)] *= 1.0 + 1e-12
        step[flat] = np.linalg.solve(border, slope[flat] - F.T @ u) if len(border) else 0.0
        step[held] = inverse * (slope[held] - P.T @ (u + solved @ step[flat]))
        return step

    def _omega(self, distance: Floats, block: NDArray[np.int64]) -> Floats:
        omega = np.zeros(len(block))
        features = block < self.n_features
        inside = block[features]
        omega[features] = self.shape.precision_at(distance[features], self.variance[inside])
        return omega

    def objective(self, y: Floats, delta: Floats) -> float:
        """Minus the log-posterior, constants left out."""
        d = self.n_features
        scores = self.offset + self.X @ delta
        likelihood = float(self.weight @ log_ndtr(y * scores))
        part, held = delta[:d], self.held[:d]
        return float(np.sum(self.shape.cost(part[held], self.variance[held]))) - likelihood

    @property
    def _hold(self) -> Floats:
        """How hard the prior holds a coefficient that is at its mode: the slope of the density there."""
        return self.shape.cost(np.full(self.n_features, GONE), self.variance) / GONE

    def _slopes(self, y: Floats, delta: Floats) -> Floats:
        scores = self.offset + self.X @ delta
        return np.asarray(self.X.T @ (self.weight * y * hazard(y * scores)))[: self.n_features]

    def _revive(self, y: Floats, delta: Floats) -> None:
        """Let coefficients leave a Laplace prior's mode again if the data pull harder than the prior holds."""
        d = self.n_features
        gone = self.held[:d] & (delta[:d] == 0.0)
        if not (self.shape.sparse and self.shape.log_concave) or not gone.any():
            return
        pull, hold = self._slopes(y, delta), self._hold
        wrong = gone & (np.abs(pull) > hold * (1.0 + 1e-6))
        if not wrong.any():
            return
        before = self.objective(y, delta)
        # A case's curvature is at most 1; the steps are taken together, so each is a part of what it could be alone.
        step = np.sign(pull) * (np.abs(pull) - hold) / (self.blocks.squares[:d] + GONE)
        delta[:d][wrong] = step[wrong] / (2 * np.count_nonzero(wrong))
        if self.objective(y, delta) > before:
            delta[:d][wrong] = 0.0

    def _settle(self, y: Floats, delta: Floats) -> Floats:
        """Put at its mode what EM was still carrying there, as far as that does not make things worse."""
        if not self.shape.sparse:
            return delta
        d = self.n_features
        tiny = np.abs(delta[:d]) < 1e-6 * max(1.0, float(np.max(np.abs(delta), initial=0.0)))
        held_back = tiny
        if self.shape.log_concave:
            held_back = tiny | (np.abs(self._slopes(y, delta)) < self._hold * (1.0 - 1e-3))
        value = self.objective(y, delta)
        for small in (held_back, tiny):
            settled = delta.copy()
            settled[:d][self.held[:d] & small] = 0.0
            if self.objective(y, settled) <= value:
                return settled
        return delta
