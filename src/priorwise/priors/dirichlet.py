"""The same imagined count for every word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorwise.priors.notebook import Shown
from priorwise.priors.numbers import at_least_zero
from priorwise.priors.rates import log_rate
from priorwise.priors.words import ClassSize, WordWeights


@dataclass(frozen=True)
class Dirichlet(Shown):
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", at_least_zero("α", self.alpha))

    def __repr__(self) -> str:
        return f"Dirichlet({self.alpha:g})"

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
    def grid(cls) -> tuple[Dirichlet, ...]:
        """Priors to choose from: α from 10⁻⁷ to 10, four to a factor of ten.

        Examples
        --------
        >>> len(Dirichlet.grid())
        33
        """
        return tuple(cls(alpha) for alpha in 10.0 ** np.arange(-7.0, 1.01, 0.25))

    def centre(self, types: int) -> float:
        """The rate we expect of each of `types` words."""
        return 1.0 / types

    def strength(self, types: int) -> float:
        """How many words we imagine in all."""
        return self.alpha * types

    def weigh(self, size: ClassSize) -> WordWeights:
        """Weights of the words of classes of such sizes."""
        whole = size.occurrences + self.strength(size.types)
        unseen = np.divide(self.alpha, whole, out=np.full(np.shape(whole), self.centre(size.types)), where=whole > 0)
        return WordWeights(np.full(np.shape(whole), self.alpha), -log_rate(whole), log_rate(unseen))
