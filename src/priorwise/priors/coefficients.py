"""Beliefs about the coefficients of a regression: Gaussian, Laplace and Jeffreys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.errors import InputError
from priorwise.priors.mode_and_variance import PAPER_VARIANCES, CoefficientPrior
from priorwise.priors.per_feature import first_wrong, numbers_of
from priorwise.priors.regression import GONE, RegressionPrior

__all__ = ["PAPER_VARIANCES", "CoefficientPrior", "Gaussian", "Jeffreys", "Laplace"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Gaussian(CoefficientPrior):
    """Every coefficient lies near its mode, none of them exactly there (ridge).

    ::

        p(β_j) = N(β_j; μ_j, σ_j²)          −log p = (β_j − μ_j)²/(2σ_j²) + constant

    Parameters
    ----------
    variance : float or array
        σ², one number, one per feature, or classes × features. Infinite: the coefficient is not penalised.
    mode : float or array
        μ, in the same forms.

    References
    ----------
    *sparse*: Eyheramendy, Genkin, Ju, Lewis and Madigan, *Sparse Bayesian classifiers for text categorization*.

    Examples
    --------
    >>> Gaussian(4.0)
    Gaussian(variance=4)
    >>> Gaussian([1.0, np.inf], mode=[0.0, 2.0])
    Gaussian(variance=[1, inf], mode=[0, 2])
    """

    title = "Gaussian (ridge)"
    formula = "−log p = (β − μ)² / 2σ²"
    sparse = False

    @classmethod
    def penalty(cls, variance: Any) -> tuple[Any, Any]:
        """No l1, and l2 = 1/σ²."""
        return np.zeros(np.shape(variance)), 1.0 / variance


@dataclass(frozen=True, eq=False, repr=False)
class Laplace(CoefficientPrior):
    """Many coefficients are exactly at their mode, a few are far from it (lasso).

    ::

        p(β_j) = (λ_j/2) e^{−λ_j|β_j − μ_j|}          variance σ_j² = 2/λ_j²

    Parameters
    ----------
    variance : float or array
        σ², one number, one per feature, or classes × features. Infinite: the coefficient is not penalised.
    mode : float or array
        μ, in the same forms.

    References
    ----------
    *sparse*, and *knowledge*: Dayanik, Lewis, Madigan, Menkov and Genkin, *Constructing informative prior distributions
    from domain knowledge in text classification*.

    Examples
    --------
    >>> Laplace(variance=2.0).rate
    1.0
    >>> Laplace.from_gamma(10)
    Laplace(variance=0.2)
    """

    title = "Laplace (lasso)"
    formula = "−log p = |β − μ| √(2/σ²)"

    @classmethod
    def penalty(cls, variance: Any) -> tuple[Any, Any]:
        """l1 = √(2/σ²), and no l2."""
        return np.sqrt(2.0 / variance), np.zeros(np.shape(variance))

    @classmethod
    def from_gamma(cls, gamma: ArrayLike, mode: ArrayLike = 0.0) -> Laplace:
        """Make the prior of density ``(√γ/2) e^{−√γ|β|}``, the parameter of *sparse*: its variance is 2/γ."""
        gamma = numbers_of("gamma", gamma)
        if not np.all(gamma > 0):
            raise InputError(f"γ must be a positive number{first_wrong(gamma, ~(gamma > 0))}")
        return cls(variance=2.0 / gamma, mode=mode)

    @property
    def rate(self) -> Any:
        """λ = √(2/variance), in the form in which the variance was given; 0 if the variance is infinite."""
        rate = np.sqrt(2.0 / np.asarray(self.variance))
        return float(rate) if rate.ndim == 0 else rate


@dataclass(frozen=True)
class Jeffreys(RegressionPrior):
    """A coefficient is nothing, or anything: no number to choose.

    ::

        p(β_j) ∝ 1/|β_j|

    Not log-concave, so a fit is a local maximum, and where it starts is part of the method.

    References
    ----------
    *sparse*, after Figueiredo and Jain.

    Examples
    --------
    >>> Jeffreys()
    Jeffreys()
    """

    formula = "p(β) ∝ 1/|β|"
    log_concave = False

    def describe(self, about: Any = None, *, output: int = 0, limit: int = 20) -> str:
        """Say what the prior expects."""
        return "centre: a word changes nothing; strength: there is no number to choose"

    def of_features(self, n_features: int, output: int = 0, n_outputs: int = 1) -> tuple[Floats, Floats]:
        """Give a variance of 1, which nothing reads, and the mode 0."""
        return np.ones(n_features), np.zeros(n_features)

    def precision(self, distance: Floats) -> Floats:
        """E[1/τ] given the coefficient: 1/β², infinite at 0."""
        return self.precision_at(distance, None)

    @classmethod
    def precision_at(cls, distance: Floats, variance: Any) -> Floats:
        """E[1/τ] given the coefficient, whatever the variance."""
        with np.errstate(divide="ignore"):
            return 1.0 / np.asarray(distance, dtype=np.float64) ** 2

    @classmethod
    def cost(cls, distance: Floats, variance: Any) -> Floats:
        """``log |β|``, which stops falling close to 0."""
        return np.log(np.maximum(np.abs(distance), GONE))
