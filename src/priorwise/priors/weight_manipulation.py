"""Weights that are no probabilities: what was never seen is set by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorwise.priors.base import Parameter, decades
from priorwise.priors.numbers import below_zero
from priorwise.priors.words import ClassSize, WeightPrior, WordWeights


@dataclass(frozen=True)
class WeightManipulation(WeightPrior):
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

    formula = "weight(i, c) = log N − log ΣN if seen, γ / Z if not"
    parameters = (
        Parameter(
            "gamma", "γ", -1e9, -1e3, "the weight that all words never seen in a class share",
            values=tuple(-each for each in decades(3, 9)),
        ),
    )  # fmt: skip

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", below_zero("γ", self.gamma))

    def __repr__(self) -> str:
        return f"WeightManipulation({self.gamma:g})"

    def describe(self, about: Any = None) -> str:
        """Say what the prior does; it has no centre."""
        return f"no centre: all words that a class has never seen share a weight of {self.gamma:g}"

    def weigh(self, size: ClassSize) -> WordWeights:
        """Weights of the words of classes of such sizes."""
        counted = np.where(size.occurrences > 0, size.occurrences, 1.0)
        unseen = self.gamma / np.where(size.unseen > 0, size.unseen, 1.0)
        return WordWeights(np.zeros(np.shape(counted)), -np.log(counted), unseen)
