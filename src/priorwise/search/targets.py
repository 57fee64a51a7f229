"""What a good prior is good at: one number per prior, the larger the better.

A target reads either counts (how many members and others are predicted positive, `tp` and `fp`) or the scores
themselves. Counts are known for every cell of a terrain at once; scores cost a sort per cell.

`negative_weight` is how many documents of the corpus each sampled negative stands for. Targets that speak of the whole
corpus weigh false positives by it; the others leave it alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Target(Protocol):
    """Anything a prior can be judged by."""

    @property
    def name(self) -> str:
        """A short name for tables."""


@runtime_checkable
class CountTarget(Target, Protocol):
    """A target that is a function of how many cases are predicted positive, rightly and wrongly."""

    def from_counts(
        self, tp: Floats, fp: Floats, positives: float, negatives: float, negative_weight: float = 1.0
    ) -> Floats:
        """Value in every cell, from arrays of any shape."""


@runtime_checkable
class ScoreTarget(Target, Protocol):
    """A target that is a function of the cases' scores."""

    def from_scores(self, scores: Floats, positive: Mask, weight: Floats, negative_weight: float = 1.0) -> float:
        """Value for one prior; `weight` is the cases' sample weight."""


@dataclass(frozen=True)
class PPV:
    """Positive predictive value, TP/(TP + FP): the paper's target. 0 where nothing is predicted positive.

    Alone it is a trap: its best cell usually predicts a handful of cases. With ``floor``, a cell that finds less than
    that share of the members is worth 0.

    Examples
    --------
    >>> PPV().from_counts(np.array([8.0, 0.0]), np.array([2.0, 0.0]), 10, 10)
    array([0.8, 0. ])
    >>> PPV(floor=0.9).from_counts(np.array([8.0]), np.array([2.0]), 10, 10)
    array([0.])
    """

    floor: float = 0.0

    @property
    def name(self) -> str:
        """A short name for tables."""
        return f"ppv, sensitivity at least {self.floor:g}" if self.floor else "ppv"

    def from_counts(
        self, tp: Floats, fp: Floats, positives: float, negatives: float, negative_weight: float = 1.0
    ) -> Floats:
        """Value in every cell."""
        value = _ratio(tp, tp + fp)
        return np.where(tp >= self.floor * positives, value, 0.0)


@dataclass(frozen=True)
class FBeta:
    """F-β of the predicted positives: (1 + β²)·TP / ((1 + β²)·TP + β²·FN + FP); β < 1 favours precision.

    With ``at_corpus_odds``, a false positive counts as many times as the corpus has documents per sampled negative.

    Examples
    --------
    >>> FBeta(1).from_counts(np.array([8.0]), np.array([2.0]), 10, 10)
    array([0.8])
    """

    beta: float = 0.5
    at_corpus_odds: bool = False

    @property
    def name(self) -> str:
        """A short name for tables."""
        return f"f{self.beta:g}" + (" at corpus odds" if self.at_corpus_odds else "")

    def from_counts(
        self, tp: Floats, fp: Floats, positives: float, negatives: float, negative_weight: float = 1.0
    ) -> Floats:
        """Value in every cell."""
        squared = self.beta**2
        wrong = fp * negative_weight if self.at_corpus_odds else fp
        return _ratio((1 + squared) * tp, (1 + squared) * tp + squared * (positives - tp) + wrong)


@dataclass(frozen=True)
class FewestErrors:
    """Minus the number of wrong decisions, FP + FN.

    Examples
    --------
    >>> FewestErrors().from_counts(np.array([8.0]), np.array([1.0]), 10, 10)
    array([-3.])
    """

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "errors"

    def from_counts(
        self, tp: Floats, fp: Floats, positives: float, negatives: float, negative_weight: float = 1.0
    ) -> Floats:
        """Value in every cell."""
        return -(fp + (positives - tp))


@dataclass(frozen=True)
class AveragePrecision:
    """Average precision of the ranking, at the corpus's class odds.

    The mean over the members of TP/(TP + r·FP) at their place in the ranking, r being the documents of the corpus per
    sampled negative. Cases with equal scores share one place.

    Examples
    --------
    >>> scores, positive = np.array([3.0, 2.0, 1.0]), np.array([True, False, True])
    >>> round(AveragePrecision().from_scores(scores, positive, np.ones(3)), 4)
    0.8333
    >>> round(AveragePrecision().from_scores(scores, positive, np.ones(3), negative_weight=10), 4)
    0.5833
    """

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "average precision"

    def from_scores(self, scores: Floats, positive: Mask, weight: Floats, negative_weight: float = 1.0) -> float:
        """Value for one prior."""
        tp, fp = _running_counts(scores, positive, weight, negative_weight)
        gained = np.diff(tp, prepend=0.0)
        return float(np.sum(gained * _ratio(tp, tp + fp)) / tp[-1])


@dataclass(frozen=True)
class PPVAtK:
    """Precision among the first k documents, at the corpus's class odds.

    A sampled negative counts as the r documents of the corpus that it stands for, so `k` is in documents of the corpus.

    Examples
    --------
    >>> scores, positive = np.array([3.0, 2.0, 1.0]), np.array([True, False, True])
    >>> PPVAtK(3).from_scores(scores, positive, np.ones(3), negative_weight=2)
    0.3333333333333333
    """

    k: int = 250

    @property
    def name(self) -> str:
        """A short name for tables."""
        return f"ppv@{self.k}"

    def from_scores(self, scores: Floats, positive: Mask, weight: Floats, negative_weight: float = 1.0) -> float:
        """Value for one prior."""
        tp, fp = _running_counts(scores, positive, weight, negative_weight)
        depth = tp + fp
        place = min(int(np.searchsorted(depth, self.k)), len(depth) - 1)
        if depth[place] <= self.k:
            return float(tp[place] / depth[place])
        # The k-th document falls inside a group of equal scores, or inside the documents one negative stands for.
        before_tp, before = (tp[place - 1], depth[place - 1]) if place else (0.0, 0.0)
        share = (self.k - before) / (depth[place] - before)
        return float((before_tp + share * (tp[place] - before_tp)) / self.k)


@dataclass(frozen=True)
class LogLoss:
    """Mean log-probability of the true class, 1/(1 + e^−s) being the member's probability.

    Examples
    --------
    >>> round(LogLoss().from_scores(np.array([0.0, 0.0]), np.array([True, False]), np.ones(2)), 4)
    -0.6931
    """

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "log loss"

    def from_scores(self, scores: Floats, positive: Mask, weight: Floats, negative_weight: float = 1.0) -> float:
        """Value for one prior."""
        return float(-np.average(np.logaddexp(0.0, np.where(positive, -scores, scores)), weights=weight))


@dataclass(frozen=True)
class FromCounts:
    """Your own target of counts: ``function(tp, fp, positives, negatives)``, arrays in, an array out.

    Examples
    --------
    >>> youden = FromCounts(lambda tp, fp, positives, negatives: tp / positives - fp / negatives)
    >>> youden.from_counts(np.array([8.0]), np.array([2.0]), 10, 10)
    array([0.6])
    """

    function: Callable[[Floats, Floats, float, float], Any]
    name: str = "your target"

    def from_counts(
        self, tp: Floats, fp: Floats, positives: float, negatives: float, negative_weight: float = 1.0
    ) -> Floats:
        """Value in every cell."""
        return np.asarray(self.function(tp, fp, positives, negatives), dtype=np.float64)


@dataclass(frozen=True)
class FromScores:
    """Your own target of scores: ``function(y_true, scores)``, as scikit-learn's ranking metrics.

    Examples
    --------
    >>> gap = FromScores(lambda y, scores: scores[y].min() - scores[~y].max())
    >>> gap.from_scores(np.array([3.0, 1.0]), np.array([True, False]), np.ones(2))
    2.0
    """

    function: Callable[[Mask, Floats], Any]
    name: str = "your target"

    def from_scores(self, scores: Floats, positive: Mask, weight: Floats, negative_weight: float = 1.0) -> float:
        """Value for one prior."""
        return float(self.function(positive, scores))


def as_target(target: Target | Callable[[Mask, Floats], Any]) -> CountTarget | ScoreTarget:
    """Take a target as it is, and any other function as a target of scores.

    Examples
    --------
    >>> as_target(PPV())
    PPV(floor=0.0)
    >>> as_target(lambda y, scores: 0.0).name
    '<lambda>'
    """
    if isinstance(target, CountTarget | ScoreTarget):
        return target
    if callable(target):
        return FromScores(target, name=getattr(target, "__name__", "your target"))
    raise TypeError(f"a target is an object such as FBeta(0.5), or a function of (y_true, scores), not {target!r}")


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Part of a whole, and 0 of nothing."""
    return np.divide(part, whole, out=np.zeros_like(part, dtype=np.float64), where=whole > 0)


def _running_counts(scores: Floats, positive: Mask, weight: Floats, negative_weight: float) -> tuple[Floats, Floats]:
    """Members and others down the ranking, taken at the end of each group of equal scores."""
    order = np.argsort(-scores, kind="stable")
    tp = np.cumsum(np.where(positive[order], weight[order], 0.0))
    fp = np.cumsum(np.where(positive[order], 0.0, weight[order] * negative_weight))
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    return tp[ends], fp[ends]
