"""What to expect before reading: frozen dataclasses, each a centre and a strength."""

from priorwise.priors.base import CountSummary, Parameter, Preset, Prior
from priorwise.priors.counts import MixedPrior, RatePrior, WeightPrior, WordPrior
from priorwise.priors.presence import PresencePrior, PseudoCounts
from priorwise.priors.rates import Beta, CollectionBeta, JelinekMercer, TermBeta
from priorwise.priors.regression import Gaussian, Jeffreys, Laplace, PenaltyPrior, RegressionPrior
from priorwise.priors.structured import HyperPrior, StructuredGaussian
from priorwise.priors.words import AbsoluteDiscount, Dirichlet, LinearDiscount, WeightManipulation, WittenBell

__all__ = [
    "AbsoluteDiscount",
    "Beta",
    "CollectionBeta",
    "CountSummary",
    "Dirichlet",
    "Gaussian",
    "HyperPrior",
    "Jeffreys",
    "JelinekMercer",
    "Laplace",
    "LinearDiscount",
    "MixedPrior",
    "Parameter",
    "PenaltyPrior",
    "PresencePrior",
    "Preset",
    "Prior",
    "PseudoCounts",
    "RatePrior",
    "RegressionPrior",
    "StructuredGaussian",
    "TermBeta",
    "WeightManipulation",
    "WeightPrior",
    "WittenBell",
    "WordPrior",
]
