"""The same imagined count for every word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorwise.priors.base import Counted, Parameter, Preset, decades
from priorwise.priors.numbers import at_least_zero
from priorwise.priors.rates import log_rate
from priorwise.priors.words import ClassSize, WordPrior, WordWeights


@dataclass(frozen=True)
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
        Parameter("alpha", "α", 1e-6, 1e2, "how often every word is imagined in every class", values=decades(-7, 1)),
    )

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
    def presets(cls, types: int) -> list[Preset]:
        """Laplace, Jeffreys and Perks."""
        return [
            Preset("laplace", "Laplace", "l", "every word once", cls.laplace()),
            Preset("jeffreys", "Jeffreys", "h", "every word half a time", cls.jeffreys()),
            Preset("perks", "Perks", "p", "one word, shared by all", cls.perks(types)),
        ]

    def describe(self, about: Counted | None = None) -> str:
        """Say what the prior expects, and how strongly."""
        if about is None:
            return f"centre: every word is equally likely; strength: each is imagined {self.alpha:g} times"
        said = f"centre: each of the {about.types:,} words is equally likely"
        return f"{said}; {about.strength(self.strength(about.types))}"

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
