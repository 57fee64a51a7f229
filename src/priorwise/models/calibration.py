"""From scores to probabilities, by the leave-one-out scores of the training cases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Calibration:
    """Probability of membership as a logistic function of the score: 1/(1 + exp(−(slope·score + intercept))).

    The slope is never negative, so a higher score is never less probable.
    """

    slope: float
    intercept: float

    def probability(self, scores: Floats) -> Floats:
        """Probability of each score.

        Examples
        --------
        >>> Calibration(1.0, 0.0).probability(np.array([0.0]))
        array([0.5])
        """
        return np.exp(-np.logaddexp(0.0, -self.log_odds(scores)))

    def log_odds(self, scores: Floats) -> Floats:
        """Log odds of each score."""
        return self.slope * scores + self.intercept


def calibrate(scores: Floats, positive: NDArray[np.bool_], weight: Floats) -> Calibration:
    """Fit the logistic function by weighted maximum likelihood, with Platt's targets instead of 0 and 1.

    Give each negative the number of documents of the corpus that it stands for as its weight, and the probabilities are
    those at the corpus's class odds, should it lack about as many members as it has.

    References
    ----------
    Platt, J., *Probabilistic outputs for support vector machines*, 1999.

    Examples
    --------
    >>> fitted = calibrate(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, True, False, True]), np.ones(4))
    >>> fitted.slope > 0, round(float(fitted.probability(np.array([0.0]))[0]), 3)
    (True, 0.5)
    """
    members, others = weight[positive].sum(), weight[~positive].sum()
    target = np.where(positive, (members + 1) / (members + 2), 1 / (others + 2))
    centre, spread = float(np.average(scores, weights=weight)), float(np.std(scores))
    if spread <= 1e-12 * float(np.max(np.abs(scores))):
        # All equal but for rounding: nothing to tell them apart by.
        spread = 1.0
    x = (scores - centre) / spread
    slope, intercept = 0.0, float(np.log((members + 1) / (others + 1)))

    def loss(slope: float, intercept: float) -> float:
        logit = slope * x + intercept
        return float(np.sum(weight * (np.logaddexp(0.0, logit) - target * logit)))

    current = loss(slope, intercept)
    for _ in range(100):
        p = np.exp(-np.logaddexp(0.0, -(slope * x + intercept)))
        residual, curvature = weight * (p - target), weight * p * (1 - p) + 1e-12
        gradient = np.array([np.sum(residual * x), np.sum(residual)])
        hessian = np.array(
            [[np.sum(curvature * x * x), np.sum(curvature * x)], [np.sum(curvature * x), np.sum(curvature)]]
        )
        step = np.linalg.solve(hessian + 1e-9 * np.trace(hessian) * np.eye(2), gradient)
        size = 1.0
        while loss(slope - size * step[0], intercept - size * step[1]) > current and size > 1e-10:
            size /= 2
        slope, intercept = slope - size * step[0], intercept - size * step[1]
        previous, current = current, loss(slope, intercept)
        if previous - current <= 1e-12 * abs(previous):
            break
    if slope < 0:
        return Calibration(0.0, float(np.log((members + 1) / (others + 1))))
    return Calibration(float(slope / spread), float(intercept - slope * centre / spread))
