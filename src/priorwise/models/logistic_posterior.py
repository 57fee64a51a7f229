"""What a logistic regression knows after a fit, as the prior of the next one: Laplace's approximation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.models.logistic_design import Design, Penalty
from priorwise.models.logistic_solve import Solution
from priorwise.priors.coefficients import Gaussian

Floats = NDArray[np.float64]


Knowing = tuple[Floats, float]
"""The precision of each coefficient of an output, and of its intercept."""


def known_after(design: Design, weight: Floats, penalty: Penalty, found: Solution) -> Knowing:
    """Add to a Gaussian prior's precision the curvature of the examples' log-likelihood: Σ s_i p_i (1 − p_i) x_ij².

    Examples
    --------
    >>> solution = Solution(np.array([0.0]), 0.0, 0.0, 0.0, 1)
    >>> known_after(Design([[1.0], [2.0]]), np.ones(2), Penalty.of(Gaussian(4.0), 1), solution)
    (array([1.5]), 0.5)
    """
    scores = np.asarray(design.by_rows @ found.coef) + found.intercept
    bent = np.exp(-np.abs(scores))
    curvature = weight * bent / (1.0 + bent) ** 2
    return penalty.l2 + design.squares.T @ curvature, penalty.l2_b + float(curvature.sum())


@dataclass(frozen=True, eq=False)
class Posterior:
    """A Gaussian for each coefficient: the mode where a fit ended, and the curvature of the log-posterior there.

    Parameters
    ----------
    mode, precision : array, shape (n_outputs, n_features)
        Of the coefficients; a precision is 1/variance, 0 where neither a prior nor an example says anything.
    intercept_mode, intercept_precision : array, shape (n_outputs,)
        Of the intercepts.
    fit_intercept : bool
        Whether there are intercepts.
    """

    mode: Floats
    precision: Floats
    intercept_mode: Floats
    intercept_precision: Floats
    fit_intercept: bool

    @classmethod
    def of(cls, known: Sequence[Knowing], coef: Floats, intercept: Floats, fit_intercept: bool) -> Posterior:
        """Put together what is known of each output."""
        precision, of_intercept = zip(*known, strict=True)
        return cls(coef.copy(), np.array(precision), intercept.copy(), np.array(of_intercept), fit_intercept)

    @property
    def coefficients(self) -> Gaussian:
        """What is known of the coefficients, as the prior of any other regression."""
        with np.errstate(divide="ignore"):
            return Gaussian(1.0 / self.precision, self.mode)

    @property
    def intercepts(self) -> Gaussian:
        """What is known of the intercepts, as an `intercept_prior`."""
        with np.errstate(divide="ignore"):
            return Gaussian(1.0 / self.intercept_precision[:, np.newaxis], self.intercept_mode[:, np.newaxis])

    def penalty(self, n_features: int, output: int, n_outputs: int) -> Penalty:
        """Read the prior of one output as solvers do."""
        return Penalty.of(
            self.coefficients,
            n_features,
            output=output,
            n_outputs=n_outputs,
            fit_intercept=self.fit_intercept,
            intercept_prior=self.intercepts,
        )
