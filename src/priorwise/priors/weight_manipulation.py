"""Weights that are no probabilities: what was never seen is set by hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorwise.priors.notebook import Shown
from priorwise.priors.numbers import below_zero
from priorwise.priors.words import ClassSize, WordWeights


@dataclass(frozen=True)
class WeightManipulation(Shown):
    """A seen word weighs what was counted; all unseen words of a class share γ.

    ::

        weight(i, c) = log N_c^i − log N_c  if seen,     γ / Z_c  if not

    The weights are no logarithms of rates and add up to none, so this has a number and no centre.

    Parameters
    ----------
    gamma : float
        γ, below 0.

    References
    ----------
    *webscale*, WMNB: Zhang, Xue, Yu and Zha, *Web-scale classification with naive Bayes*.

    Examples
    --------
    >>> WeightManipulation(-1e6)
    WeightManipulation(-1e+06)
    """

    gamma: float = -1e6

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", below_zero("γ", self.gamma))

    def __repr__(self) -> str:
        return f"WeightManipulation({self.gamma:g})"

    @classmethod
    def grid(cls) -> tuple[WeightManipulation, ...]:
        """Priors to choose from: −γ from 1,000 to 10⁹, four to a factor of ten.

        Examples
        --------
        >>> len(WeightManipulation.grid())
        25
        """
        return tuple(cls(-gamma) for gamma in 10.0 ** np.arange(3.0, 9.01, 0.25))

    def weigh(self, size: ClassSize) -> WordWeights:
        """Weights of the words of classes of such sizes."""
        counted = np.where(size.occurrences > 0, size.occurrences, 1.0)
        unseen = self.gamma / np.where(size.unseen > 0, size.unseen, 1.0)
        return WordWeights(np.zeros(np.shape(counted)), -np.log(counted), unseen)
