"""What we believe before reading: frozen dataclasses, each a centre and a strength."""

from priorwise.priors.base import Counted, Parameter, Preset, Prior
from priorwise.priors.beta import Beta
from priorwise.priors.coefficients import Gaussian, Jeffreys, Laplace
from priorwise.priors.collection import CollectionBeta, JelinekMercer, TermBeta
from priorwise.priors.dirichlet import Dirichlet
from priorwise.priors.discounts import AbsoluteDiscount, LinearDiscount, WittenBell
from priorwise.priors.presence import PresencePrior
from priorwise.priors.pseudo_counts import PseudoCounts
from priorwise.priors.rates import RatePrior
from priorwise.priors.regression import PenaltyPrior, RegressionPrior
from priorwise.priors.structured import HyperPrior, StructuredGaussian
from priorwise.priors.weight_manipulation import WeightManipulation
from priorwise.priors.words import MixedPrior, WeightPrior, WordPrior

__all__ = [
    "AbsoluteDiscount",
    "Beta",
    "CollectionBeta",
    "Counted",
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
