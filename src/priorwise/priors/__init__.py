"""What we believe before reading: frozen dataclasses, each a centre and a strength."""

from priorwise.priors.beta import Beta
from priorwise.priors.coefficients import Gaussian, Jeffreys, Laplace
from priorwise.priors.collection import CollectionBeta, JelinekMercer, TermBeta
from priorwise.priors.dirichlet import Dirichlet
from priorwise.priors.discounts import AbsoluteDiscount, LinearDiscount, WittenBell
from priorwise.priors.pseudo_counts import PseudoCounts
from priorwise.priors.weight_manipulation import WeightManipulation

__all__ = [
    "AbsoluteDiscount",
    "Beta",
    "CollectionBeta",
    "Dirichlet",
    "Gaussian",
    "Jeffreys",
    "JelinekMercer",
    "Laplace",
    "LinearDiscount",
    "PseudoCounts",
    "TermBeta",
    "WeightManipulation",
    "WittenBell",
]
