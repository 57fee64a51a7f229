"""A prior that somebody adds: add-k smoothing with its k given as a share of the vocabulary's size."""

from dataclasses import dataclass

from priorwise.priors import Parameter, WordPrior
from priorwise.priors.counts import ClassSize, WordWeights
from priorwise.priors.words import Dirichlet


@dataclass(frozen=True)
class SharedMass(WordPrior):
    """All words of the vocabulary share a number of imagined words."""

    mass: float = 10.0

    formula = "p(i|c) = (N + m/V) / (ΣN + m)"
    parameters = (Parameter("mass", "m", 0.1, 1e4, "how many imagined words the vocabulary shares"),)

    def weigh(self, size: ClassSize) -> WordWeights:
        return Dirichlet(self.mass / size.types).weigh(size)
