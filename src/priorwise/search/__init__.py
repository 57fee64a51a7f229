"""A number for each prior → the best prior, and every trial. Imports nothing else of ours."""

from priorwise.search.choose import Choice, choose_best
from priorwise.search.radial import NINE_STARTS, RadialSearch, radial_search
from priorwise.search.targets import (
    PPV,
    AveragePrecision,
    FBeta,
    FromCounts,
    FromScores,
    LogLoss,
    PPVAtK,
    Target,
    as_target,
)

__all__ = [
    "NINE_STARTS",
    "PPV",
    "AveragePrecision",
    "Choice",
    "FBeta",
    "FromCounts",
    "FromScores",
    "LogLoss",
    "PPVAtK",
    "RadialSearch",
    "Target",
    "as_target",
    "choose_best",
    "radial_search",
]
