"""What models predict for cases they have not seen, next to what is true. True and false positives are counted here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.nothing import TIE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


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

    Parameters
    ----------
    truth : Truth
        What is true of the cases.
    scores : array, shape (n_cases, n_outputs), optional
        Log odds of each output; up to a term that all outputs of a case share, if outputs are exclusive.
    predicted : array of int, shape (n_cases,), optional
        The output that each case is predicted to be of, if outputs are exclusive; that is all a target of counts needs.
    negative_weight : float
        How many documents of the corpus each case that is no member stands for.

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
    """Each distinct score from the highest down, with the weight of the members and of the others that reach it.

    Examples
    --------
    >>> ranked_counts(np.array([1.0, 3.0, 3.0]), np.array([True, True, False]), np.ones(3))
    (array([3., 1.]), array([1., 2.]), array([1., 1.]))
    """
    order = np.argsort(-scores, kind="stable")
    tp = np.cumsum(np.where(positive[order], weight[order], 0.0))
    fp = np.cumsum(np.where(positive[order], 0.0, weight[order] * negative_weight))
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    return scores[order][ends], tp[ends], fp[ends]


def ratio(part: Floats, whole: Floats) -> Floats:
    """Part of a whole, and 0 of nothing."""
    return np.divide(part, whole, out=np.zeros_like(part, dtype=np.float64), where=whole > 0)
