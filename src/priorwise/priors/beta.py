"""One belief for every term: α imagined documents have it, β have it not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.priors.base import Counted, Parameter, Preset, decades
from priorwise.priors.numbers import at_least_zero, share
from priorwise.priors.rates import RatePrior, blend
from priorwise.priors.term_counts import TermCounts

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Beta(RatePrior):
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

    title = "Beta prior"
    formula = "θ = (τ + α) / (m + α + β)"
    parameters = (
        Parameter("alpha", "α", 1e-5, 1e2, "how many imagined documents have every word", values=decades(-4, 1)),
        Parameter("beta", "β", 1e-3, 1e5, "how many imagined documents lack every word", values=decades(-2, 4)),
    )

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
    def presets(cls, types: int) -> list[Preset]:
        """Those of *bernoulli*, Jeffreys and Perks."""
        return [
            Preset(
                "laplace", "Laplace", "l", "one imagined document with every word, one without: α = β = 1", cls(1, 1)
            ),
            Preset(
                "eyheramendy", "Eyheramendy", "e", "Eyheramendy, Lewis and Madigan: α = 0.1, β = 0.3", cls(0.1, 0.3)
            ),
            Preset("", "Best Beta", "v", "the best α and β by leave-one-out"),
            Preset("jeffreys", "Jeffreys", "h", "half an imagined document", cls.jeffreys()),
            Preset("perks", "Perks", "p", "one, shared by all words", cls.perks(types)),
        ]

    @property
    def centre(self) -> float:
        """The rate we expect before reading: α/(α + β), ½ if both are 0."""
        return self.alpha / self.strength if self.strength else 0.5

    @property
    def strength(self) -> float:
        """How many documents it takes to move half the way from the centre to what is counted: α + β."""
        return self.alpha + self.beta

    def describe(self, about: Counted | None = None) -> str:
        """Say what the prior expects, and how strongly."""
        said = f"centre: a word is in {self.centre:.3g} of the documents"
        return said if about is None else f"{said}; {about.strength(self.strength)}"

    def rates(self, counts: TermCounts) -> Floats:
        """θ of each term."""
        return blend(counts.found, counts.documents, self.centre, self.strength)
