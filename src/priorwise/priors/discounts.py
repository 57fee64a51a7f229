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

from priorwise.priors.notebook import Shown
from priorwise.priors.numbers import above_zero, proper_share
from priorwise.priors.words import ClassSize, WordWeights


@dataclass(frozen=True)
class AbsoluteDiscount(Shown):
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "discount", proper_share("δ", self.discount))

    def __repr__(self) -> str:
        return f"AbsoluteDiscount({self.discount:g})"

    @classmethod
    def grid(cls) -> tuple[AbsoluteDiscount, ...]:
        """Priors to choose from: δ from 0.001 to 0.95.

        Examples
        --------
        >>> len(AbsoluteDiscount.grid())
        25
        """
        small = [0.001, 0.002, 0.005, 0.01, 0.02, 0.035]
        return tuple(cls(discount) for discount in [*small, *(round(0.05 * step, 2) for step in range(1, 20))])

    def strength(self, distinct: float) -> float:
        """How many counts the unseen words of a class with so many distinct words get: δU."""
        return self.discount * distinct

    def weigh(self, size: ClassSize) -> WordWeights:
        """Weights of the words of classes of such sizes."""
        counted = np.maximum(size.occurrences, 1e-300)
        held_back = self.discount * size.whole / counted
        return WordWeights.of(size, shift=-self.discount, kept=1.0, divisor=size.occurrences, held_back=held_back)


@dataclass(frozen=True)
class LinearDiscount(Shown):
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", proper_share("α", self.alpha))

    def __repr__(self) -> str:
        return f"LinearDiscount({self.alpha:g})"

    @classmethod
    def grid(cls) -> tuple[LinearDiscount, ...]:
        """Priors to choose from: α from 10⁻⁶ to 0.99.

        Examples
        --------
        >>> len(LinearDiscount.grid())
        30
        """
        small = [1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 0.001, 0.003, 0.01, 0.03]
        large = [*(round(0.05 * step, 2) for step in range(1, 20)), 0.99]
        return tuple(cls(alpha) for alpha in [*small, *large])

    def strength(self, occurrences: float) -> float:
        """How many counts the unseen words get if those of the seen ones stay: αN/(1 − α)."""
        return self.alpha * occurrences / (1 - self.alpha)

    def weigh(self, size: ClassSize) -> WordWeights:
        """Weights of the words of classes of such sizes."""
        held_back = np.full(np.shape(size.occurrences), self.alpha)
        return WordWeights.of(size, shift=0.0, kept=1 - self.alpha, divisor=size.occurrences, held_back=held_back)


@dataclass(frozen=True)
class WittenBell(Shown):
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", above_zero("α", self.alpha))

    def __repr__(self) -> str:
        return f"WittenBell({self.alpha:g})"

    @classmethod
    def grid(cls) -> tuple[WittenBell, ...]:
        """Priors to choose from: α from 10⁻⁶ to 100, four to a factor of ten.

        Examples
        --------
        >>> len(WittenBell.grid())
        33
        """
        return tuple(cls(alpha) for alpha in 10.0 ** np.arange(-6.0, 2.01, 0.25))

    def strength(self, distinct: float) -> float:
        """How many counts the unseen words of a class with so many distinct words get: αU."""
        return self.alpha * distinct

    def weigh(self, size: ClassSize) -> WordWeights:
        """Weights of the words of classes of such sizes."""
        imagined = self.alpha * size.distinct
        whole = np.maximum(size.occurrences + imagined, 1e-300)
        return WordWeights.of(size, shift=0.0, kept=1.0, divisor=whole, held_back=imagined / whole)
