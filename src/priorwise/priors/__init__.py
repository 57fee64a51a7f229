"""What to expect before reading: frozen dataclasses, each a centre and a strength."""

from priorwise.priors.base import CountSummary as CountSummary
from priorwise.priors.base import Parameter as Parameter
from priorwise.priors.base import Preset as Preset
from priorwise.priors.base import Prior as Prior
from priorwise.priors.counts import MixedPrior as MixedPrior
from priorwise.priors.counts import RatePrior as RatePrior
from priorwise.priors.counts import WeightPrior as WeightPrior
from priorwise.priors.counts import WordPrior as WordPrior
from priorwise.priors.presence import PresencePrior as PresencePrior
from priorwise.priors.presence import PseudoCounts as PseudoCounts
from priorwise.priors.rates import Beta as Beta
from priorwise.priors.rates import CollectionBeta as CollectionBeta
from priorwise.priors.rates import JelinekMercer as JelinekMercer
from priorwise.priors.rates import TermBeta as TermBeta
from priorwise.priors.regression import Gaussian as Gaussian
from priorwise.priors.regression import Jeffreys as Jeffreys
from priorwise.priors.regression import Laplace as Laplace
from priorwise.priors.regression import PenaltyPrior as PenaltyPrior
from priorwise.priors.regression import RegressionPrior as RegressionPrior
from priorwise.priors.structured import HyperPrior as HyperPrior
from priorwise.priors.structured import StructuredGaussian as StructuredGaussian
from priorwise.priors.words import AbsoluteDiscount as AbsoluteDiscount
from priorwise.priors.words import Dirichlet as Dirichlet
from priorwise.priors.words import LinearDiscount as LinearDiscount
from priorwise.priors.words import WeightManipulation as WeightManipulation
from priorwise.priors.words import WittenBell as WittenBell
