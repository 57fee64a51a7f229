"""What a logistic regression knows after a fit, as the prior of the next one: Laplace's approximation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.models.regression.logistic_design import Design, Penalty
from priorwise.models.regression.shared_work import on_threads
from priorwise.priors.regression import Gaussian

Floats = NDArray[np.float64]


Precisions = tuple[Floats, float]
"""1/variance of each coefficient of an output, and of its intercept."""

OUTPUTS_AT_A_TIME = 16
"""So many outputs share one pass over the cases; the scores of more would fill the memory."""


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
    def of(
        cls,
        design: Design,
        weight: Floats,
        priors: Sequence[Precisions],
        coef: Floats,
        intercept: Floats,
        *,
        fit_intercept: bool,
        threads: int | None = None,
    ) -> Posterior:
        """Add to each Gaussian prior's precision the curvature of the log-likelihood: Σ_i s_i p_i (1 − p_i) x_ij².

        Examples
        --------
        >>> priors = [(np.array([0.25]), 0.0)]
        >>> known = Posterior.of(
        ...     Design([[1.0], [2.0]]), np.ones(2), priors, np.zeros((1, 1)), np.zeros(1), fit_intercept=True
        ... )
        >>> known.precision, known.intercept_precision
        (array([[1.5]]), array([0.5]))
        """
        precision = np.array([of_features for of_features, _ in priors])
        of_intercept = np.array([one for _, one in priors])
        squares = design.squares.T

        def add(first: int) -> None:
            some = slice(first, first + OUTPUTS_AT_A_TIME)
            bent = np.exp(-np.abs(design.by_rows @ coef[some].T + intercept[some]))
            curvature = weight[:, np.newaxis] * bent / (1.0 + bent) ** 2
            precision[some] += (squares @ curvature).T
            of_intercept[some] += curvature.sum(axis=0)

        on_threads(add, range(0, len(coef), OUTPUTS_AT_A_TIME), threads)
        return cls(coef.copy(), precision, intercept.copy(), of_intercept, fit_intercept)

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
