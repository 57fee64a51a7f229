"""Priors on the words of a class.

`Dirichlet` adds the same count for every word. The discounts take something from what was counted and share it equally
among the words that a class has never seen. `WeightManipulation` sets the weight of unseen words by hand.

References
----------
*webscale*: Zhang, Xue, Yu and Zha, *Web-scale classification with naive Bayes*, names the discounts; the forms are the
standard ones of language models, with one number each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorwise.priors.base import (
    CountSummary,
    Parameter,
    Preset,
    above_zero,
    at_least_zero,
    below_zero,
    decades,
    proper_share,
)
from priorwise.priors.counts import ClassSize, WeightPrior, WordPrior, WordWeights, log_rate


@dataclass(frozen=True, repr=False)
class Dirichlet(WordPrior):
    """Every word is imagined α times in every class; α = 1 is standard naive Bayes.

    ::

        p(i|c) = (N_c^i + α) / (N_c + αV)          centre 1/V, strength αV

    Parameters
    ----------
    alpha : float
        α, at least 0.

    References
    ----------
    *webscale*, PNBC-Laplace: Zhang, Xue, Yu and Zha, *Web-scale classification with naive Bayes*.

    Examples
    --------
    >>> Dirichlet.laplace(), Dirichlet.perks(50), Dirichlet.of(strength=10, types=50)
    (Dirichlet(1), Dirichlet(0.02), Dirichlet(0.2))
    """

    alpha: float = 1.0

    title = "Laplace"
    formula = "p(i|c) = (N + α) / (ΣN + αV)"
    parameters = (
        Parameter("alpha", "α", 1e-6, 1e2, "how often every word is imagined in every class", values=decades(-7, 1),
                  check=at_least_zero),
    )  # fmt: skip

    @classmethod
    def of(cls, strength: float, types: int) -> Dirichlet:
        """Make the prior that imagines `strength` words in all, spread over `types`."""
        return cls(at_least_zero("a strength", strength) / types)

    @classmethod
    def laplace(cls) -> Dirichlet:
        """Bayes-Laplace: every word once."""
        return cls(1.0)

    @classmethod
    def jeffreys(cls) -> Dirichlet:
        """Jeffreys: every word half a time."""
        return cls(0.5)

    @classmethod
    def perks(cls, types: int) -> Dirichlet:
        """Perks: one word in all, shared by all `types`."""
        return cls(1.0 / types)

    @classmethod
    def presets(cls, types: int) -> list[Preset]:
        """Laplace, Jeffreys and Perks."""
        return [
            Preset("laplace", "Laplace", "l", "every word once", cls.laplace()),
            Preset("jeffreys", "Jeffreys", "h", "every word half a time", cls.jeffreys()),
            Preset("perks", "Perks", "p", "one word, shared by all", cls.perks(types)),
        ]

    def describe(self, about: CountSummary | None = None) -> str:
        if about is None:
            return f"centre: every word is equally likely; strength: each is imagined {self.alpha:g} times"
        text = f"centre: each of the {about.types:,} words is equally likely"
        return f"{text}; {about.strength(self.strength(about.types))}"

    def centre(self, types: int) -> float:
        """The rate we expect of each of `types` words."""
        return 1.0 / types

    def strength(self, types: int) -> float:
        """How many words we imagine in all."""
        return self.alpha * types

    def weigh(self, size: ClassSize) -> WordWeights:
        whole = size.occurrences + self.strength(size.types)
        unseen = np.divide(self.alpha, whole, out=np.full(np.shape(whole), self.centre(size.types)), where=whole > 0)
        return WordWeights(np.full(np.shape(whole), self.alpha), -log_rate(whole), log_rate(unseen))


_STEPS = tuple(round(0.05 * step, 2) for step in range(1, 20))


class _Discount(WordPrior, listed=False):
    """A prior that takes something from what was counted, and shares it among the words that a class has never seen."""

    def held_back(self, about: CountSummary) -> float:
        """How many counts the unseen words get."""
        raise NotImplementedError

    def describe(self, about: CountSummary | None = None) -> str:
        text = "centre: all words that a class has never seen are equally likely"
        return text if about is None else f"{text}; {about.strength(self.held_back(about))}"


@dataclass(frozen=True, repr=False)
class AbsoluteDiscount(_Discount):
    """Take δ from every word's count.

    ::

        p(i|c) = (N_c^i − δ) / N_c  if seen,     δ U_c / (N_c Z_c)  if not

    Parameters
    ----------
    discount : float
        δ, between 0 and 1.

    Examples
    --------
    >>> AbsoluteDiscount(0.3).strength(distinct=200)
    60.0
    """

    discount: float = 0.5

    formula = "p(i|c) = (N − δ) / ΣN if seen, δU / (ΣN·Z) if not"
    parameters = (
        Parameter(
            "discount", "δ", 1e-3, 0.99, "how much of every word's count goes to the words never seen", "share",
            values=(0.001, 0.002, 0.005, 0.01, 0.02, 0.035, *_STEPS), check=proper_share,
        ),
    )  # fmt: skip

    def strength(self, distinct: float) -> float:
        """How many counts the unseen words of a class with this many distinct words get: δU."""
        return self.discount * distinct

    def held_back(self, about: CountSummary) -> float:
        return self.strength(about.distinct)

    def weigh(self, size: ClassSize) -> WordWeights:
        counted = np.maximum(size.occurrences, 1e-300)
        held_back = self.discount * size.whole / counted
        return WordWeights.of(size, shift=-self.discount, kept=1.0, divisor=size.occurrences, held_back=held_back)


@dataclass(frozen=True, repr=False)
class LinearDiscount(_Discount):
    """Take a share α of every word's rate.

    ::

        p(i|c) = (1 − α) N_c^i / N_c  if seen,     α / Z_c  if not

    Parameters
    ----------
    alpha : float
        α, between 0 and 1.

    Examples
    --------
    >>> LinearDiscount(0.2).strength(occurrences=400)
    100.0
    """

    alpha: float = 0.1

    formula = "p(i|c) = (1 − α) N / ΣN if seen, α / Z if not"
    parameters = (
        Parameter(
            "alpha", "α", 1e-6, 0.99, "what share of all counts goes to the words never seen", "share",
            values=(1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 0.001, 0.003, 0.01, 0.03, *_STEPS, 0.99), check=proper_share,
        ),
    )  # fmt: skip

    def strength(self, occurrences: float) -> float:
        """How many counts the unseen words get if those of the seen ones stay: αN/(1 − α)."""
        return self.alpha * occurrences / (1 - self.alpha)

    def held_back(self, about: CountSummary) -> float:
        return self.strength(about.size)

    def weigh(self, size: ClassSize) -> WordWeights:
        held_back = np.full(np.shape(size.occurrences), self.alpha)
        return WordWeights.of(size, shift=0.0, kept=1 - self.alpha, divisor=size.occurrences, held_back=held_back)


@dataclass(frozen=True, repr=False)
class WittenBell(_Discount):
    """Every distinct word of a class is a sign of α words still to come.

    ::

        p(i|c) = N_c^i / (N_c + αU_c)  if seen,     α U_c / ((N_c + αU_c) Z_c)  if not

    Parameters
    ----------
    alpha : float
        α, above 0; Witten and Bell's own is 1.

    Examples
    --------
    >>> WittenBell().strength(distinct=200)
    200.0
    """

    alpha: float = 1.0

    title = "Witten-Bell"
    formula = "p(i|c) = N / (ΣN + αU) if seen, αU / ((ΣN + αU)·Z) if not"
    parameters = (
        Parameter("alpha", "α", 1e-6, 1e2, "how many new words each different word announces", values=decades(-6, 2),
                  check=above_zero),
    )  # fmt: skip

    def strength(self, distinct: float) -> float:
        """How many counts the unseen words of a class with this many distinct words get: αU."""
        return self.alpha * distinct

    @classmethod
    def presets(cls, types: int) -> list[Preset]:
        """Witten and Bell's own."""
        return [Preset("", "Witten-Bell", "w", "their own: α = 1", cls(1.0))]

    def held_back(self, about: CountSummary) -> float:
        return self.strength(about.distinct)

    def weigh(self, size: ClassSize) -> WordWeights:
        imagined = self.alpha * size.distinct
        whole = np.maximum(size.occurrences + imagined, 1e-300)
        return WordWeights.of(size, shift=0.0, kept=1.0, divisor=whole, held_back=imagined / whole)


@dataclass(frozen=True, repr=False)
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
            values=tuple(-each for each in decades(3, 9)), check=below_zero,
        ),
    )  # fmt: skip

    def describe(self, about: Any = None) -> str:
        return f"no centre: all words that a class has never seen share a weight of {self.gamma:g}"

    def weigh(self, size: ClassSize) -> WordWeights:
        counted = np.where(size.occurrences > 0, size.occurrences, 1.0)
        unseen = self.gamma / np.where(size.unseen > 0, size.unseen, 1.0)
        return WordWeights(np.zeros(np.shape(counted)), -np.log(counted), unseen)
