"""What a good prior is good at: one number per prior, the larger the better.

A target reads an `Outcome`, and says in `needs` what it reads there. Targets of counts read only how many cases are
predicted to be members, rightly and wrongly. Those numbers are known for all cells of an objective map at once, whereas
a target of scores costs a sort per cell. Defining a target registers it, and its class says how it is written.

`negative_weight` is how many documents of the corpus each sampled negative represents. Targets at the corpus's odds
weigh false positives by it; the others ignore it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from priorwise.counting import hyphenated
from priorwise.kernels import TIE, Floats, Ints, Mask


@dataclass(frozen=True, eq=False)
class Truth:
    """Which cases are members of which output (n_cases × n_outputs), and how many equal cases each one stands for.

    An output is a class, a label, or the second of two classes. If outputs are `exclusive`, every case is a member of
    exactly one.
    """

    members: Mask
    weight: Floats
    exclusive: bool = False

    @cached_property
    def place(self) -> Ints:
        """The output of each case, if outputs are exclusive."""
        return np.argmax(self.members, axis=1)

    @cached_property
    def positives(self) -> Floats:
        """Weight of the members of each output."""
        return self.sum_by(self.place, self.weight) if self.exclusive else self.weight @ self.members

    @cached_property
    def total(self) -> float:
        """Weight of all cases."""
        return float(self.weight.sum())

    def sum_by(self, place: Ints, weight: Floats) -> Floats:
        """Sum of weights by output."""
        return np.bincount(place, weight, self.members.shape[1]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the models of one prior predict for cases they have not seen.

    `scores`, of cases by outputs, are log odds, up to a term that all outputs of a case share if outputs are exclusive.
    Then `predicted`, each case's output, is all that a target of counts needs. `negative_weight` is how many documents
    of the corpus each other case represents.

    Examples
    --------
    >>> truth = Truth(np.array([[True], [True], [False]]), np.ones(3))
    >>> outcome = Outcome(truth, np.array([[2.0], [-1.0], [0.5]]))
    >>> outcome.tp, outcome.fp, outcome.sensitivity
    (array([1.]), array([1.]), array([0.5]))
    """

    truth: Truth
    scores: Any = None
    predicted: Any = None
    negative_weight: float = 1.0

    @cached_property
    def _counts(self) -> tuple[Floats, Floats]:
        truth, weight = self.truth, self.truth.weight
        if truth.exclusive:
            predicted = self.predicted if self.predicted is not None else np.argmax(self.scores, axis=1)
            right = truth.sum_by(truth.place, np.where(predicted == truth.place, weight, 0.0))
            return right, truth.sum_by(predicted, weight) - right
        found = self.scores > TIE
        return weight @ (found & truth.members), weight @ (found & ~truth.members)

    @property
    def tp(self) -> Floats:
        """Weight of the members that are predicted to be members, by output."""
        return self._counts[0]

    @property
    def fp(self) -> Floats:
        """Weight of the other cases that are predicted to be members, by output."""
        return self._counts[1]

    @property
    def sensitivity(self) -> Floats:
        """Share of the members that are found, by output; 0 if there are none."""
        return ratio(self.tp, self.truth.positives)

    def scores_of(self, output: int) -> Floats:
        """Log odds of one output against all others."""
        own: Floats = self.scores[:, output]
        if not self.truth.exclusive:
            return own
        return own - np.logaddexp.reduce(np.delete(self.scores, output, axis=1), axis=1)

    @property
    def log_likelihood(self) -> float:
        """Mean log-probability of the true output, if outputs are exclusive."""
        own = np.take_along_axis(self.scores, self.truth.place[:, np.newaxis], axis=1)[:, 0]
        return float(np.average(own - np.logaddexp.reduce(self.scores, axis=1), weights=self.truth.weight))


def ranked_counts(
    scores: Floats, positive: Mask, weight: Floats, negative_weight: float = 1.0
) -> tuple[Floats, Floats, Floats]:
    """Each distinct score from the highest down, with the weight of the members and of the others that reach it."""
    order = np.argsort(-scores, kind="stable")
    tp = np.cumsum(np.where(positive[order], weight[order], 0.0))
    fp = np.cumsum(np.where(positive[order], 0.0, weight[order] * negative_weight))
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    return scores[order][ends], tp[ends], fp[ends]


def ratio(part: Floats, whole: Floats) -> Floats:
    """Part of a whole, and 0 of nothing."""
    return np.divide(part, whole, out=np.zeros_like(part, dtype=np.float64), where=whole > 0)


TARGETS: dict[str, type[NamedTarget]] = {}
"""Every target that can be written, by its class's name."""

_NUMBERS = ("float", "int", float, int)


class NamedTarget:
    """Base of the targets that the command line knows.

    A target is written as its class is called, in lower case with hyphens, with its numbers after a colon. A class that
    is written otherwise sets `written` and has a `read` of its own.
    """

    needs: ClassVar[str]
    """What it needs to know of held-out documents: counts or scores."""
    written: ClassVar[str]
    """How it is written, for people: each way, with commas between."""

    def __init_subclass__(cls, *, listed: bool = True, **more: Any) -> None:
        super().__init_subclass__(**more)
        if not listed:
            return
        if "written" not in vars(cls):
            name, numbers = hyphenated(cls.__name__), ",".join(cls._numbers()).upper()
            cls.written = f"{name}, {name}:{numbers}" if numbers else name
        TARGETS[cls.__name__] = cls

    @classmethod
    def _numbers(cls) -> list[str]:
        return [name for name, kind in vars(cls).get("__annotations__", {}).items() if kind in _NUMBERS]

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Make the target that is written like this; None if it is another one."""
        name, colon, given = text.partition(":")
        if name not in cls.written.split(", "):
            return None
        try:
            values = [float(part) for part in given.split(",")] if colon else []
            return cls(**dict(zip(cls._numbers(), values, strict=bool(colon))))
        except (TypeError, ValueError):
            return None


def listed(needs: str | None = None) -> str:
    """List how targets are written: all of them, or those that need nothing but this."""
    return ", ".join(each.written for each in TARGETS.values() if needs in (None, each.needs))


def read_target(text: str) -> Any:
    """Make the target that is written like this; None if the text names no target."""
    found = (target.read(text) for target in TARGETS.values())
    return next((target for target in found if target is not None), None)


Array = NDArray[np.float64]

COUNTS, SCORES = "counts", "scores"
"""What a target can need."""


class Cells(Protocol):
    """What is known in every cell of a terrain at once."""

    def counts(self) -> tuple[Array, Array, float, float, float]:
        """What `from_counts` is given."""

    def average_precision(self) -> Array:
        """Average precision in every cell."""


class Target(NamedTarget, listed=False):
    """Anything a prior can be judged by; the base of all targets.

    A new target is a subclass of `CountTarget` with a method `from_counts`, or of `ScoreTarget` with a method
    `from_scores`. It then works with two classes, with several, and with labels.
    """

    needs: ClassVar[str] = SCORES
    is_log_probability: ClassVar[bool] = False
    """Whether the value is a mean log-probability of what is true, by which priors can be averaged."""

    @property
    def name(self) -> str:
        """A short name for tables."""
        return type(self).__name__

    def values(self, outcome: Outcome) -> Array:
        """Value of each output on its own, or a single value if the target only judges all outputs together."""
        raise NotImplementedError

    def value(self, outcome: Outcome) -> float:
        """Value of all outputs: the mean of `values`."""
        return float(np.mean(self.values(outcome)))

    def from_counts(self, tp: Array, fp: Array, positives: float, negatives: float, negative_weight: float = 1) -> Any:
        """Value in every cell, from arrays of any shape; only targets of counts have it."""
        raise NotImplementedError

    def everywhere(self, cells: Cells) -> Array | None:
        """Value in every cell of a terrain, or None if it takes a sort per cell."""
        return None


class CountTarget(Target, listed=False):
    """A target that only needs to know how many cases are predicted to be members, rightly and wrongly."""

    needs = COUNTS

    def values(self, outcome: Outcome) -> Array:
        """Value of each output against the rest."""
        tp, fp, positives = outcome.tp, outcome.fp, outcome.truth.positives.tolist()
        return np.array(
            [
                self.from_counts(tp[[c]], fp[[c]], own, outcome.truth.total - own, outcome.negative_weight)[0]
                for c, own in enumerate(positives)
            ]
        )

    def everywhere(self, cells: Cells) -> Array | None:
        return np.asarray(self.from_counts(*cells.counts()), dtype=np.float64)


class ScoreTarget(Target, listed=False):
    """A target that is a function of the cases' scores."""

    def from_scores(self, scores: Array, positive: Mask, weight: Array, negative_weight: float = 1.0) -> float:
        """Value for one prior; `weight` is the cases' sample weight."""
        raise NotImplementedError

    def values(self, outcome: Outcome) -> Array:
        """Value of each output against the rest."""
        truth = outcome.truth
        return np.array(
            [
                self.from_scores(outcome.scores_of(c), members, truth.weight, outcome.negative_weight)
                for c, members in enumerate(truth.members.T)
            ]
        )


@dataclass(frozen=True)
class PPV(CountTarget):
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
        return f"ppv, sensitivity at least {self.floor:g}" if self.floor else "ppv"

    def from_counts(self, tp: Array, fp: Array, positives: float, negatives: float, negative_weight: float = 1) -> Any:
        return np.where(tp >= self.floor * positives, ratio(tp, tp + fp), 0.0)


@dataclass(frozen=True)
class FBeta(CountTarget):
    """F-β of the predicted positives: (1 + β²)·TP / ((1 + β²)·TP + β²·FN + FP); β < 1 favours precision.

    With ``at_corpus_odds``, a false positive counts as many times as the corpus has documents per sampled negative.

    Examples
    --------
    >>> FBeta(1).from_counts(np.array([8.0]), np.array([2.0]), 10, 10)
    array([0.8])
    """

    beta: float = 0.5
    at_corpus_odds: bool = False

    written = "fBETA, fBETA:corpus"

    @classmethod
    def read(cls, text: str) -> FBeta | None:
        found = re.fullmatch(r"f(\d+(?:\.\d+)?)(:corpus)?", text)
        return None if found is None else cls(float(found[1]), at_corpus_odds=found[2] is not None)

    @property
    def name(self) -> str:
        return f"f{self.beta:g}" + (" at corpus odds" if self.at_corpus_odds else "")

    def from_counts(self, tp: Array, fp: Array, positives: float, negatives: float, negative_weight: float = 1) -> Any:
        squared = self.beta**2
        wrong = fp * negative_weight if self.at_corpus_odds else fp
        return ratio((1 + squared) * tp, (1 + squared) * tp + squared * (positives - tp) + wrong)


@dataclass(frozen=True)
class FewestErrors(CountTarget):
    """Minus the number of wrong decisions, FP + FN.

    Examples
    --------
    >>> FewestErrors().from_counts(np.array([8.0]), np.array([1.0]), 10, 10)
    array([-3.])
    """

    name = "errors"
    written = "errors"

    def from_counts(self, tp: Array, fp: Array, positives: float, negatives: float, negative_weight: float = 1) -> Any:
        return -(fp + (positives - tp))


@dataclass(frozen=True)
class Accuracy(CountTarget):
    """Share of the documents whose class is predicted; with labels, share of the decisions that are right.

    Examples
    --------
    >>> Accuracy().from_counts(np.array([8.0]), np.array([1.0]), 10, 10)
    array([0.85])
    """

    name = "accuracy"

    def from_counts(self, tp: Array, fp: Array, positives: float, negatives: float, negative_weight: float = 1) -> Any:
        return (tp + negatives - fp) / (positives + negatives)

    def values(self, outcome: Outcome) -> Array:
        """Of classes a single value, of labels a value each."""
        if outcome.truth.exclusive:
            return np.array([outcome.tp.sum() / outcome.truth.total])
        return super().values(outcome)


@dataclass(frozen=True)
class MacroF1(CountTarget):
    """Mean of the F1 of every class or label, so that small ones count as much as large ones.

    Examples
    --------
    >>> MacroF1().from_counts(np.array([8.0]), np.array([2.0]), 10, 10)
    array([0.8])
    """

    name = "macro f1"

    def from_counts(self, tp: Array, fp: Array, positives: float, negatives: float, negative_weight: float = 1) -> Any:
        return FBeta(1.0).from_counts(tp, fp, positives, negatives)


@dataclass(frozen=True)
class MicroF1(MacroF1):
    """F1 of all decisions together, which counts large classes for more; accuracy, if each document has one class.

    Examples
    --------
    >>> MicroF1().from_counts(np.array([3.0]), np.array([1.0]), np.array([4.0]), 0.0)
    array([0.75])
    """

    name = "micro f1"

    def values(self, outcome: Outcome) -> Array:
        """A single value: no label can choose on its own, because all share one fraction."""
        tp, fp, positives = (each.sum(keepdims=True) for each in (outcome.tp, outcome.fp, outcome.truth.positives))
        return np.asarray(self.from_counts(tp, fp, positives, 0.0))


@dataclass(frozen=True)
class AveragePrecision(ScoreTarget):
    """Average precision of the ranking, at the corpus's class odds.

    The mean over the members of TP/(TP + r·FP) at their place in the ranking, where r is the documents of the corpus
    per sampled negative. Cases with equal scores share one place.

    Examples
    --------
    >>> scores, positive = np.array([3.0, 2.0, 1.0]), np.array([True, False, True])
    >>> round(AveragePrecision().from_scores(scores, positive, np.ones(3)), 4)
    0.8333
    >>> round(AveragePrecision().from_scores(scores, positive, np.ones(3), negative_weight=10), 4)
    0.5833
    """

    name = "average precision"
    written = "average-precision, ap"

    def from_scores(self, scores: Array, positive: Mask, weight: Array, negative_weight: float = 1.0) -> float:
        _, tp, fp = ranked_counts(scores, positive, weight, negative_weight)
        gained = np.diff(tp, prepend=0.0)
        return float(np.sum(gained * ratio(tp, tp + fp)) / tp[-1])

    def everywhere(self, cells: Cells) -> Array | None:
        """Value in every cell of a terrain, by binning."""
        return cells.average_precision()


@dataclass(frozen=True)
class PPVAtK(ScoreTarget):
    """Precision among the first k documents, at the corpus's class odds.

    A sampled negative counts as the r documents of the corpus that it stands for, so `k` is in documents of the corpus.

    Examples
    --------
    >>> scores, positive = np.array([3.0, 2.0, 1.0]), np.array([True, False, True])
    >>> PPVAtK(3).from_scores(scores, positive, np.ones(3), negative_weight=2)
    0.3333333333333333
    """

    k: int = 250

    written = "ppv@K"

    @classmethod
    def read(cls, text: str) -> PPVAtK | None:
        found = re.fullmatch(r"ppv@([1-9]\d*)", text)
        return None if found is None else cls(int(found[1]))

    @property
    def name(self) -> str:
        return f"ppv@{self.k}"

    def from_scores(self, scores: Array, positive: Mask, weight: Array, negative_weight: float = 1.0) -> float:
        _, tp, fp = ranked_counts(scores, positive, weight, negative_weight)
        depth = tp + fp
        place = min(int(np.searchsorted(depth, self.k)), len(depth) - 1)
        if depth[place] <= self.k:
            return float(tp[place] / depth[place])
        # The k-th document falls inside a group of equal scores, or inside the documents one negative stands for.
        before_tp, before = (tp[place - 1], depth[place - 1]) if place else (0.0, 0.0)
        share = (self.k - before) / (depth[place] - before)
        return float((before_tp + share * (tp[place] - before_tp)) / self.k)


@dataclass(frozen=True)
class LogLoss(ScoreTarget):
    """Mean log-probability of what is true of one class or label, where 1/(1 + e^−s) is a member's probability.

    Examples
    --------
    >>> round(LogLoss().from_scores(np.array([0.0, 0.0]), np.array([True, False]), np.ones(2)), 4)
    -0.6931
    """

    name = "log loss"
    is_log_probability = True

    def from_scores(self, scores: Array, positive: Mask, weight: Array, negative_weight: float = 1.0) -> float:
        return float(-np.average(np.logaddexp(0.0, np.where(positive, -scores, scores)), weights=weight))


@dataclass(frozen=True)
class LogLikelihood(LogLoss):
    """Mean log-probability of the true class; with labels, of each decision.

    Examples
    --------
    >>> LogLikelihood().name
    'log likelihood'
    """

    name = "log likelihood"

    def values(self, outcome: Outcome) -> Array:
        """Of classes a single value, of labels a value each."""
        return np.array([outcome.log_likelihood]) if outcome.truth.exclusive else super().values(outcome)


@dataclass(frozen=True)
class FromCounts(CountTarget, listed=False):
    """Your own target of counts: ``function(tp, fp, positives, negatives)``, arrays in, an array out.

    Examples
    --------
    >>> youden = FromCounts(lambda tp, fp, positives, negatives: tp / positives - fp / negatives)
    >>> youden.from_counts(np.array([8.0]), np.array([2.0]), 10, 10)
    array([0.6])
    """

    function: Callable[[Array, Array, float, float], Any]
    name: str = "your target"

    def from_counts(self, tp: Array, fp: Array, positives: float, negatives: float, negative_weight: float = 1) -> Any:
        return np.asarray(self.function(tp, fp, positives, negatives), dtype=np.float64)


@dataclass(frozen=True)
class FromScores(ScoreTarget, listed=False):
    """Your own target of scores: ``function(y_true, scores)``, as scikit-learn's ranking metrics.

    Examples
    --------
    >>> gap = FromScores(lambda y, scores: scores[y].min() - scores[~y].max())
    >>> gap.from_scores(np.array([3.0, 1.0]), np.array([True, False]), np.ones(2))
    2.0
    """

    function: Callable[[Mask, Array], Any]
    name: str = "your target"

    def from_scores(self, scores: Array, positive: Mask, weight: Array, negative_weight: float = 1.0) -> float:
        return float(self.function(positive, scores))


def as_target(target: Target | Callable[[Mask, Array], Any]) -> Target:
    """Take a target as it is, and any other function as a target of scores."""
    if isinstance(target, Target):
        return target
    if callable(target):
        return FromScores(target, name=getattr(target, "__name__", "your target"))
    raise TypeError(f"a target is an object such as FBeta(0.5), or a function of (y_true, scores), not {target!r}")


@dataclass(frozen=True)
class LeftOutRanks:
    """The log-probability of the ranks of left-out members: Σ −log(r + 9), ranks beyond a horizon counting alike.

    A left-out member has rank r among the documents that may be members. The probability of rank r falls like
    1/(r + 9), so the sum compares two settings as a likelihood would. A member far beyond where the category can end is
    lost, and it does not matter how far: ranks count as at most 5 h + 50, where h is the most members that can be
    missing (`most_missing`).

    Parameters
    ----------
    offset : float
        9: the difference between ranks 1 and 2 is small compared with that between 10 and 20.
    lost_beyond, lost_after : float
        The horizon is `lost_beyond` times the most members that can be missing, plus `lost_after`: 5 h + 50.
    first_share : float
        The best tenth of the ranks says too little to bound how many are missing.

    Examples
    --------
    >>> ranks = np.array([2, 5, 9, 14, 300])
    >>> target = LeftOutRanks()
    >>> target.most_missing(ranks), target.horizon(ranks)
    (12.0, 110.0)
    >>> bool(target.value(ranks, horizon=110.0) == target.value(np.array([2, 5, 9, 14, 5000]), horizon=110.0))
    True
    """

    offset: float = 9.0
    lost_beyond: float = 5.0
    lost_after: float = 50.0
    first_share: float = 0.1

    name: ClassVar[str] = "left-out ranks"
    is_log_probability: ClassVar[bool] = True

    def value(self, ranks: Ints, horizon: float = np.inf) -> float:
        """The log-probability of the ranks, up to a constant."""
        return -float(np.log(np.minimum(ranks, horizon) + self.offset).sum())

    def typical_rank(self, value: float, n_members: int) -> float:
        """The rank that, had all members had it, would give this value.

        Examples
        --------
        >>> round(LeftOutRanks().typical_rank(LeftOutRanks().value(np.array([7, 7, 7])), 3), 6)
        7.0
        """
        return max(1.0, float(np.exp(-value / n_members)) - self.offset)

    def horizon(self, ranks: Ints) -> float:
        """The rank beyond which a member counts as lost."""
        return self.lost_beyond * self.most_missing(ranks) + self.lost_after

    def most_missing(self, ranks: Ints) -> float:
        """The most members that can be missing, as far as the ranks of left-out members tell.

        If a share q of the left-out members is at rank r or better, then so is a share q of the h missing ones: hq ≤ r,
        at every rank. So h ≤ min_i r_(i) (n + 1)/i, with r_(1) ≤ r_(2) ≤ … the n ranks and i > n/10.
        """
        ordered = np.sort(ranks)
        place = np.arange(1, len(ordered) + 1)
        counted = place > self.first_share * len(ordered)
        return float(np.min((ordered * (len(ordered) + 1) / place)[counted]))
