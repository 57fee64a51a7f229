"""How good the decisions on one side of a line are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Points(NamedTuple):
    """Where documents are.

    Parameters
    ----------
    x : array
        The first coordinate. Of naive Bayes it is log P(d|c) + log P(c); of the model that ranks, the log odds where
        the sliders open.
    odds : array
        The log odds of being a member.
    """

    x: Floats
    odds: Floats

    @property
    def y(self) -> Floats:
        """The second coordinate of naive Bayes, log P(d|¬c) + log P(¬c)."""
        return self.x - self.odds


@dataclass(frozen=True)
class Line:
    """The decision line y = slope · x + shift: below it a document is in the category. Bayes' rule is y = x.

    Examples
    --------
    >>> points = Points(np.array([-5.0, -5.0]), np.array([1.0, -1.0]))
    >>> Line().below(points), Line(shift=2.0).below(points)
    (array([ True, False]), array([ True,  True]))
    """

    slope: float = 1.0
    shift: float = 0.0

    def below(self, points: Points) -> Mask:
        """Which of the documents at these coordinates are in the category."""
        # By the log odds, so that under y = x a document is where its score's sign says, to the last bit.
        return points.odds > (1 - self.slope) * points.x - self.shift


@dataclass(frozen=True)
class Measures:
    """Right and wrong decisions, and the shares that follow from them.

    Parameters
    ----------
    tp, fp, fn, tn : int
        Members and others that are predicted positive, and that are not.
    others_per_member : float
        How many times an other document that was looked at stands for more than a member does.

    Examples
    --------
    >>> found = Measures.of(np.array([True, True, False]), np.array([True, False, False]), 10.0)
    >>> found.precision, found.recall, round(found.f1, 4), round(found.ppv, 4)
    (0.5, 1.0, 0.6667, 0.0909)
    """

    tp: int
    fp: int
    fn: int
    tn: int
    others_per_member: float = 1.0

    @classmethod
    def of(cls, predicted: Mask, member: Mask, others_per_member: float = 1.0) -> Measures:
        """Count."""
        tp, fp = int(np.count_nonzero(predicted & member)), int(np.count_nonzero(predicted & ~member))
        members = int(np.count_nonzero(member))
        return cls(tp, fp, members - tp, len(member) - members - fp, others_per_member)

    @property
    def precision(self) -> float:
        """The share of the predicted positives that are members, among the documents that are shown."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """The share of the members that are predicted positive."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def ppv(self) -> float:
        """The positive predictive value at the corpus's own odds: precision, had no document been left out."""
        return _share(self.tp, self.tp + self.others_per_member * self.fp)

    def as_dict(self) -> dict[str, float]:
        """Everything by name."""
        counts = {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn}
        return {**counts, "precision": self.precision, "recall": self.recall, "f1": self.f1, "ppv": self.ppv}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
