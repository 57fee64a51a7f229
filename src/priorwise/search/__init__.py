"""Objectives, held-out evaluation and search strategies: from held-out scores to the best prior and all trials."""

from priorwise.search.held_out import Choice, HeldOut
from priorwise.search.left_out_ranks import LeftOutRanks
from priorwise.search.named import TARGETS
from priorwise.search.outcome import Outcome, Truth
from priorwise.search.strategies import NINE_STARTS, Climb, Grid, Strategy, Tried, best_place, radial
from priorwise.search.targets import (
    PPV,
    Accuracy,
    AveragePrecision,
    CountTarget,
    FBeta,
    FewestErrors,
    FromCounts,
    FromScores,
    LogLikelihood,
    LogLoss,
    MacroF1,
    MicroF1,
    PPVAtK,
    ScoreTarget,
    Target,
    as_target,
)

__all__ = [
    "NINE_STARTS",
    "PPV",
    "TARGETS",
    "Accuracy",
    "AveragePrecision",
    "Choice",
    "Climb",
    "CountTarget",
    "FBeta",
    "FewestErrors",
    "FromCounts",
    "FromScores",
    "Grid",
    "HeldOut",
    "LeftOutRanks",
    "LogLikelihood",
    "LogLoss",
    "MacroF1",
    "MicroF1",
    "Outcome",
    "PPVAtK",
    "ScoreTarget",
    "Strategy",
    "Target",
    "Tried",
    "Truth",
    "as_target",
    "best_place",
    "radial",
]
