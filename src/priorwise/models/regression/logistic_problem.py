"""One logistic regression as a minimum to find: what every way of solving it is given."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.models.regression.logistic_design import Design, Penalty
from priorwise.models.regression.separation import is_separated, separated

Floats = NDArray[np.float64]

Found = tuple[float, float, float, int]
"""The intercept, the objective, the duality gap and the steps taken; weights are filled in place."""

NOTHING_TO_GAIN = 1e-2
"""Once the objective is this part of what knowing only the class rate costs, the gap is taken relative to that part."""

SUSPICIOUS_SPREAD = 8.0
"""Unpenalised features that spread the log odds further than this may tell the classes apart altogether."""


@dataclass(frozen=True)
class Problem:
    """Weights and intercept are sought as distances from their modes; what the modes score is the offset.

    Parameters
    ----------
    design : Design
        The cases.
    y, weight, offset : array, shape (n_cases,)
        Their signs, what they weigh, and what they score when every coefficient is at its mode.
    penalty : Penalty
        The prior.
    flat : array, shape (n_cases, k)
        The columns that nothing holds, as `flat_columns` gives them.
    tol, floor : float
        The gap to reach, relative to the objective or to `floor`, whichever is larger.
    max_iter : int
        The most steps or passes.
    """

    design: Design
    y: Floats
    weight: Floats
    offset: Floats
    penalty: Penalty
    flat: Floats
    tol: float
    floor: float
    max_iter: int

    @classmethod
    def of(
        cls,
        design: Design,
        positive: NDArray[np.bool_],
        weight: Floats,
        penalty: Penalty,
        tol: float,
        max_iter: int,
    ) -> Problem:
        """Lay out a regression of the positive cases against the others."""
        total = float(weight.sum())
        rate = float(weight @ positive) / total
        return cls(
            design,
            np.where(positive, 1.0, -1.0),
            weight,
            design.offsets(penalty.mode) + penalty.mode_b,
            penalty,
            flat_columns(design, penalty),
            tol,
            NOTHING_TO_GAIN * total * _entropy(rate),
            max_iter,
        )

    def objective(self, w: Floats, b: float) -> float:
        """Minus the log-posterior, up to a constant, under priors without a corner."""
        scores = self.offset + self.design.by_rows @ w + b
        loss = self.weight @ np.logaddexp(0.0, -self.y * scores)
        return float(loss + 0.5 * self.penalty.l2 @ w**2 + 0.5 * self.penalty.l2_b * b**2)

    def is_solved(self, objective: float, gap: float) -> bool:
        """Whether the gap is small enough."""
        return gap <= self.tol * max(objective, self.floor)

    def relative(self, objective: float, gap: float) -> float:
        """Give the gap relative to the objective."""
        return max(gap, 0.0) / max(objective, self.floor, np.finfo(np.float64).tiny)

    def refuse_separation(self, w: Floats, gap: float, name: str) -> None:
        """Say so if columns that nothing holds tell the classes apart: their coefficients would have no end."""
        flat = self.penalty.flat
        if not len(flat):
            return
        part = self.flat[:, : len(flat)] @ w[flat]
        if gap <= self.tol and np.ptp(part) < SUSPICIOUS_SPREAD:
            return
        cases = self.weight > 0
        if is_separated(self.flat[cases], self.y[cases] > 0):
            raise separated(flat, name)


def flat_columns(design: Design, penalty: Penalty) -> Floats:
    """Give the unpenalised columns, dense, and ones for an unpenalised intercept; nothing if there is only that."""
    flat = penalty.flat
    if not len(flat):
        return np.zeros((design.shape[0], 0))
    columns = design.by_columns[:, flat].toarray()
    if penalty.flat_intercept:
        columns = np.hstack([columns, np.ones((len(columns), 1))])
    return np.ascontiguousarray(columns)


def _entropy(rate: float) -> float:
    return -sum(part * math.log(part) for part in (rate, 1.0 - rate) if part > 0)


def entropies(a: Floats) -> Floats:
    """−a log a − (1 − a) log(1 − a) of each.

    Examples
    --------
    >>> entropies(np.array([0.0, 0.5])).round(3)
    array([0.   , 0.693])
    """
    from scipy.special import entr

    return np.asarray(entr(a) + entr(1.0 - a), dtype=np.float64)
