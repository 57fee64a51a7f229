"""Priors that take something from what was counted and share it equally among the words a class has never seen.

Their centre is the same rate for every unseen word. The strength is how many counts the unseen words get in all.

References
----------
*webscale*: Zhang, Xue, Yu and Zha, *Web-scale classification with naive Bayes*, which names the three; the forms are
the standard ones of language models, with one number each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorwise.priors.base import Counted, Parameter, Preset, decades
from priorwise.priors.numbers import above_zero, proper_share
from priorwise.priors.words import ClassSize, WordPrior, WordWeights

_STEPS = tuple(round(0.05 * step, 2) for step in range(1, 20))


def _described(about: Counted | None, strength: float) -> str:
    said = "centre: all words that a class has never seen are equally likely"
    return said if about is None else f"{said}; {about.strength(strength)}"


@dataclass(frozen=True)
class AbsoluteDiscount(WordPrior):
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
            values=(0.001, 0.002, 0.005, 0.01, 0.02, 0.035, *_STEPS),
        ),
    )  # fmt: skip

    def __post_init__(self) -> None:
        object.__setattr__(self, "discount", proper_share("δ", self.discount))

    def __repr__(self) -> str:
        return f"AbsoluteDiscount({self.discount:g})"

    def strength(self, distinct: float) -> float:
        """How many counts the unseen words of a class with so many distinct words get: δU."""
        return self.discount * distinct

    def describe(self, about: Counted | None = None) -> str:
        """Say what the prior expects, and how strongly."""
        return _described(about, 0.0 if about is None else self.strength(about.distinct))

    def weigh(self, size: ClassSize) -> WordWeights:
        """Weights of the words of classes of such sizes."""
        counted = np.maximum(size.occurrences, 1e-300)
        held_back = self.discount * size.whole / counted
        return WordWeights.of(size, shift=-self.discount, kept=1.0, divisor=size.occurrences, held_back=held_back)


@dataclass(frozen=True)
class LinearDiscount(WordPrior):
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
            values=(1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 0.001, 0.003, 0.01, 0.03, *_STEPS, 0.99),
        ),
    )  # fmt: skip

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", proper_share("α", self.alpha))

    def __repr__(self) -> str:
        return f"LinearDiscount({self.alpha:g})"

    def strength(self, occurrences: float) -> float:
        """How many counts the unseen words get if those of the seen ones stay: αN/(1 − α)."""
        return self.alpha * occurrences / (1 - self.alpha)

    def describe(self, about: Counted | None = None) -> str:
        """Say what the prior expects, and how strongly."""
        return _described(about, 0.0 if about is None else self.strength(about.size))

    def weigh(self, size: ClassSize) -> WordWeights:
        """Weights of the words of classes of such sizes."""
        held_back = np.full(np.shape(size.occurrences), self.alpha)
        return WordWeights.of(size, shift=0.0, kept=1 - self.alpha, divisor=size.occurrences, held_back=held_back)


@dataclass(frozen=True)
class WittenBell(WordPrior):
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
        Parameter("alpha", "α", 1e-6, 1e2, "how many new words each different word announces", values=decades(-6, 2)),
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", above_zero("α", self.alpha))

    def __repr__(self) -> str:
        return f"WittenBell({self.alpha:g})"

    def strength(self, distinct: float) -> float:
        """How many counts the unseen words of a class with so many distinct words get: αU."""
        return self.alpha * distinct

    @classmethod
    def presets(cls, types: int) -> list[Preset]:
        """Witten and Bell's own."""
        return [Preset("", "Witten-Bell", "w", "their own: α = 1", cls(1.0))]

    def describe(self, about: Counted | None = None) -> str:
        """Say what the prior expects, and how strongly."""
        return _described(about, 0.0 if about is None else self.strength(about.distinct))

    def weigh(self, size: ClassSize) -> WordWeights:
        """Weights of the words of classes of such sizes."""
        imagined = self.alpha * size.distinct
        whole = np.maximum(size.occurrences + imagined, 1e-300)
        return WordWeights.of(size, shift=0.0, kept=1.0, divisor=whole, held_back=imagined / whole)
