"""One belief for every term: α imagined documents have it, β have it not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from priorwise.priors.notebook import Shown
from priorwise.priors.numbers import at_least_zero, share
from priorwise.priors.rates import blend
from priorwise.priors.term_counts import TermCounts

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Beta(Shown):
    """Imagined documents: α of them have the term, β do not.

    ::

        θ = (τ + α) / (m + α + β)          centre α/(α + β), strength α + β

    Parameters
    ----------
    alpha, beta : float
        α and β, at least 0. Both 0 leave the rates as counted.

    References
    ----------
    *bernoulli*: Di Nunzio and Sordoni, *How well do we know Bernoulli?*

    Examples
    --------
    >>> Beta.of(centre=0.25, strength=0.4)
    Beta(alpha=0.1, beta=0.3)
    >>> Beta.laplace().rates(TermCounts(np.array([0, 3]), np.array(8), np.array([1, 5]), np.array(20)))
    array([0.1, 0.4])
    """

    alpha: float = 1.0
    beta: float = 1.0

    reads_collection: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", at_least_zero("α", self.alpha))
        object.__setattr__(self, "beta", at_least_zero("β", self.beta))

    def __repr__(self) -> str:
        return f"Beta(alpha={self.alpha:g}, beta={self.beta:g})"

    @classmethod
    def of(cls, centre: float, strength: float) -> Beta:
        """Make the prior with this centre and this strength."""
        centre, strength = share("the centre of a rate", centre), at_least_zero("a strength", strength)
        return cls(centre * strength, (1 - centre) * strength)

    @classmethod
    def laplace(cls) -> Beta:
        """Bayes-Laplace, the paper's LA: one document with the term and one without."""
        return cls(1.0, 1.0)

    @classmethod
    def eyheramendy(cls) -> Beta:
        """The paper's EY, after Eyheramendy, Lewis and Madigan: α = 0.1, β = 0.3."""
        return cls(0.1, 0.3)

    @classmethod
    def jeffreys(cls) -> Beta:
        """Jeffreys: half a document with the term and half a document without."""
        return cls(0.5, 0.5)

    @classmethod
    def perks(cls, types: int) -> Beta:
        """Perks: one document with, and one without, shared by all `types` terms.

        Examples
        --------
        >>> Beta.perks(100)
        Beta(alpha=0.01, beta=0.01)
        """
        return cls(1.0 / types, 1.0 / types)

    @classmethod
    def grid(cls) -> tuple[Beta, ...]:
        """Priors to choose from: α from 10⁻⁴ to 10, β from 10⁻² to 10⁴, four to a factor of ten.

        Examples
        --------
        >>> len(Beta.grid())
        525
        """
        alphas = 10.0 ** np.arange(-4.0, 1.01, 0.25)
        betas = 10.0 ** np.arange(-2.0, 4.01, 0.25)
        return tuple(cls(alpha, beta) for alpha in alphas for beta in betas)

    @property
    def centre(self) -> float:
        """The rate we expect before reading: α/(α + β), ½ if both are 0."""
        return self.alpha / self.strength if self.strength else 0.5

    @property
    def strength(self) -> float:
        """How many documents it takes to move half the way from the centre to what is counted: α + β."""
        return self.alpha + self.beta

    def rates(self, counts: TermCounts) -> Floats:
        """θ of each term."""
        return blend(counts.found, counts.documents, self.centre, self.strength)
