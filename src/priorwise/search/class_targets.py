"""Targets for several classes, or several labels, at once: one number per prior, the larger the better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from priorwise.search.targets import CountTarget, FBeta, FromCounts, LogLoss, ScoreTarget, Target

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Outcome:
    """What was predicted, and what was true, under one prior.

    Parameters
    ----------
    tp, predicted, positives : array, shape (n_classes,)
        Weight of the documents rightly predicted, predicted, and truly of each class.
    total : float
        Weight of all documents.
    log_likelihood : float
        Mean log-probability of what is true.
    one_each : bool
        Whether every document is of just one class.
    """

    tp: Floats
    predicted: Floats
    positives: Floats
    total: float
    log_likelihood: float
    one_each: bool


@runtime_checkable
class ClassTarget(Target, Protocol):
    """A target that looks at all classes, or all labels, together."""

    reads_probabilities: ClassVar[bool]
    """Whether it reads more than what is predicted."""

    def from_outcome(self, outcome: Outcome) -> float:
        """Value for one prior."""

    def of_one_label(self) -> CountTarget | ScoreTarget | None:
        """The target of a single label of which this is the mean, if there is one."""


@dataclass(frozen=True)
class Accuracy:
    """Share of the documents whose class is predicted; of labels, share of the decisions that are right.

    Examples
    --------
    >>> Accuracy().from_outcome(Outcome(np.array([3, 4]), np.array([4, 6]), np.array([5, 5]), 10, -0.5, True))
    0.7
    """

    reads_probabilities: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "accuracy"

    def from_outcome(self, outcome: Outcome) -> float:
        """Value for one prior."""
        if outcome.one_each:
            return float(outcome.tp.sum() / outcome.total)
        wrong = outcome.predicted + outcome.positives - 2 * outcome.tp
        return float(1 - wrong.mean() / outcome.total)

    def of_one_label(self) -> CountTarget:
        """Share of the decisions on the label that are right."""
        return FromCounts(
            lambda tp, fp, positives, negatives: (tp + negatives - fp) / (positives + negatives), self.name
        )


@dataclass(frozen=True)
class MacroF1:
    """Mean over the classes of F1, which counts small classes as much as large ones.

    Examples
    --------
    >>> outcome = Outcome(np.array([3, 4]), np.array([4, 6]), np.array([5, 5]), 10, -0.5, True)
    >>> round(MacroF1().from_outcome(outcome), 4), round(MicroF1().from_outcome(outcome), 4)
    (0.697, 0.7)
    """

    reads_probabilities: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "macro f1"

    def from_outcome(self, outcome: Outcome) -> float:
        """Value for one prior."""
        both = outcome.predicted + outcome.positives
        f1 = np.divide(2 * outcome.tp, both, out=np.zeros(len(both)), where=both > 0)
        return float(f1.mean())

    def of_one_label(self) -> CountTarget:
        """F1 of the label."""
        return FBeta(1.0)


@dataclass(frozen=True)
class MicroF1:
    """F1 of all decisions together, which counts large classes for more; accuracy, if each document has one class.

    Examples
    --------
    >>> outcome = Outcome(np.array([3, 4]), np.array([4, 6]), np.array([5, 5]), 10, -0.5, True)
    >>> round(MicroF1().from_outcome(outcome), 4)
    0.7
    """

    reads_probabilities: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "micro f1"

    def from_outcome(self, outcome: Outcome) -> float:
        """Value for one prior."""
        both = outcome.predicted.sum() + outcome.positives.sum()
        return float(2 * outcome.tp.sum() / both) if both > 0 else 0.0

    def of_one_label(self) -> None:
        """None: the labels share one fraction, so none of them can choose for itself."""
        return


@dataclass(frozen=True)
class LogLikelihood:
    """Mean log-probability of the true class; of labels, of each decision.

    Examples
    --------
    >>> LogLikelihood().from_outcome(Outcome(np.array([3, 4]), np.array([4, 6]), np.array([5, 5]), 10, -0.5, True))
    -0.5
    """

    reads_probabilities: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "log likelihood"

    def from_outcome(self, outcome: Outcome) -> float:
        """Value for one prior."""
        return outcome.log_likelihood

    def of_one_label(self) -> ScoreTarget:
        """Mean log-probability of the decision on the label."""
        return LogLoss()
