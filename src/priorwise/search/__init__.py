"""A number for each prior → the best prior, and every trial. Imports nothing else of ours."""

from priorwise.search.choose import Choice, choose_best
from priorwise.search.class_targets import Accuracy, ClassTarget, LogLikelihood, MacroF1, MicroF1, Outcome
from priorwise.search.radial import NINE_STARTS, RadialSearch, radial_search
from priorwise.search.targets import (
    PPV,
    AveragePrecision,
    CountTarget,
    FBeta,
    FewestErrors,
    FromCounts,
    FromScores,
    LogLoss,
    PPVAtK,
    ScoreTarget,
    Target,
    as_target,
)

__all__ = [
    "NINE_STARTS",
    "PPV",
    "Accuracy",
    "AveragePrecision",
    "Choice",
    "ClassTarget",
    "CountTarget",
    "FBeta",
    "FewestErrors",
    "FromCounts",
    "FromScores",
    "LogLikelihood",
    "LogLoss",
    "MacroF1",
    "MicroF1",
    "Outcome",
    "PPVAtK",
    "RadialSearch",
    "ScoreTarget",
    "Target",
    "as_target",
    "choose_best",
    "radial_search",
]
