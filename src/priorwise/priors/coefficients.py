"""Beliefs about the coefficients of a regression: Gaussian, Laplace and Jeffreys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.errors import InputError
from priorwise.priors.mode_and_variance import PAPER_VARIANCES, CoefficientPrior
from priorwise.priors.notebook import Shown
from priorwise.priors.per_feature import first_wrong, numbers_of

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

    def precision(self, distance: Floats) -> Floats:
        """E[1/τ] given how far a coefficient is from its mode: 1/σ², wherever it is."""
        return np.broadcast_to(1.0 / np.asarray(self.variance), np.shape(distance)).astype(np.float64)


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

    def precision(self, distance: Floats) -> Floats:
        """E[1/τ] given how far a coefficient is from its mode: λ divided by that, infinite at the mode."""
        with np.errstate(divide="ignore", invalid="ignore"):
            weight = np.asarray(self.rate) / np.abs(distance)
        return np.where(np.broadcast_to(np.asarray(self.rate), np.shape(distance)) == 0, 0.0, weight)


@dataclass(frozen=True)
class Jeffreys(Shown):
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

    def precision(self, distance: Floats) -> Floats:
        """E[1/τ] given the coefficient: 1/β², infinite at 0."""
        with np.errstate(divide="ignore"):
            return 1.0 / np.asarray(distance, dtype=np.float64) ** 2
