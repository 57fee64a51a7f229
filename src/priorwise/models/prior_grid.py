"""Choose among priors by the scores of documents that the model has not seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.leave_one_out import TIE
from priorwise.models.class_strengths import mean_of_counts, mean_of_margins
from priorwise.models.held_out import HeldOut
from priorwise.search.class_targets import ClassTarget, Outcome
from priorwise.search.targets import CountTarget, ScoreTarget

Floats = NDArray[np.float64]
AnyTarget = CountTarget | ScoreTarget | ClassTarget


@dataclass(frozen=True)
class GridChoice:
    """The chosen prior, or one for each label, with its target, every trial, and what to know before trusting it."""

    prior: Any
    score: float
    trials: dict[str, NDArray[Any]]
    remark: str


def choose_from_grid(
    held_out: HeldOut,
    priors: Sequence[Any],
    target: AnyTarget,
    own: Any,
    *,
    per_label: bool,
    negative_weight: float = 1.0,
) -> GridChoice:
    """Find the prior whose target is best, or the best for each label.

    Among equals the one nearest to `own` wins, the prior that the model already has.

    Parameters
    ----------
    held_out : HeldOut
        What to judge by.
    priors : sequence
        The priors to choose from.
    target : CountTarget, ScoreTarget or ClassTarget
        What a good prior is good at. A target of one label is averaged over the labels, or over the classes, each
        against the rest.
    own : prior
        Where to stay if the data do not say.
    per_label : bool
        Whether each label chooses for itself; a target of all labels together has to choose one prior for all.
    negative_weight : float
        How many documents each negative stands for.
    """
    judge = _Judge(held_out, target, negative_weight)
    values = np.empty((judge.width(per_label), len(priors)))
    if judge.needs_scores:
        for p, scores in held_out.score_matrices(priors):
            values[:, p] = judge.values(scores, per_label)
    else:
        for p, predicted in held_out.predictions(priors):
            values[:, p] = judge.of_predictions(predicted)
    distance = np.array([_distance(prior, own) for prior in priors])
    chosen = [_best(row, distance) for row in values]
    best = tuple(priors[p] for p in chosen)
    grid = np.empty(len(priors), dtype=object)
    grid[:] = priors
    rows, columns = np.indices(values.shape).reshape(2, -1)
    trials = {"prior": grid[columns], "score": values.ravel()}
    if judge.width(per_label) > 1:
        trials = {"label": held_out.labels.classes[rows], **trials}
    score = float(np.mean([row[p] for row, p in zip(values, chosen, strict=True)]))
    return GridChoice(best if len(best) > 1 else best[0], score, trials, _remark(values, best, priors))


class _Judge:
    """From the scores of one prior to its value, or to one for each label."""

    def __init__(self, held_out: HeldOut, target: AnyTarget, negative_weight: float) -> None:
        self.labels, self.target, self.negative_weight = held_out.labels, target, negative_weight
        self.counted = held_out.weight > 0
        self.weight, self.truth = held_out.weight[self.counted], held_out.truth()[self.counted]
        self.place = np.argmax(self.truth, axis=1)

    @property
    def needs_scores(self) -> bool:
        """Whether knowing the best class of each document is not enough."""
        if isinstance(self.target, ClassTarget):
            return self.labels.against_rest or self.target.reads_probabilities
        return self.labels.against_rest or isinstance(self.target, ScoreTarget)

    def width(self, per_label: bool) -> int:
        """How many values there are for each prior."""
        separate = per_label and self.labels.against_rest and self._of_one_label() is not None
        return self.labels.n_outputs if separate else 1

    def values(self, scores: Floats, per_label: bool) -> Floats:
        """Value of one prior, or of one prior for each label."""
        scores = scores[self.counted]
        if not self.labels.against_rest:
            return np.array([self._of_classes(scores)])
        single = self._of_one_label()
        if single is None:
            return np.array([self.target.from_outcome(self._outcome_of_labels(scores))])  # type: ignore[union-attr]
        each = np.array([self._of_label(single, scores[:, c], self.truth[:, c]) for c in range(scores.shape[1])])
        return each if per_label else np.array([each.mean()])

    def _of_one_label(self) -> CountTarget | ScoreTarget | None:
        return self.target.of_one_label() if isinstance(self.target, ClassTarget) else self.target

    def _of_label(self, target: CountTarget | ScoreTarget, scores: Floats, positive: NDArray[np.bool_]) -> float:
        if not isinstance(target, CountTarget):
            return target.from_scores(scores, positive, self.weight, self.negative_weight)
        found = scores > TIE
        tp, fp = self.weight[found & positive].sum(), self.weight[found & ~positive].sum()
        totals = float(self.weight[positive].sum()), float(self.weight[~positive].sum())
        return float(target.from_counts(np.array([tp]), np.array([fp]), *totals, self.negative_weight)[0])

    def of_predictions(self, predicted: NDArray[np.int64]) -> float:
        """Value of several classes, from the best class of each document."""
        predicted, n = predicted[self.counted], self.truth.shape[1]
        if isinstance(self.target, CountTarget):
            return mean_of_counts(predicted, self.place, self.weight, n, self.target)
        return self._value_of_outcome(predicted, np.nan)

    def _of_classes(self, scores: Floats) -> float:
        if isinstance(self.target, ScoreTarget):
            return mean_of_margins(scores, self.place, self.weight, scores.shape[1], self.target)
        own = scores[np.arange(len(scores)), self.place]
        log_probability = own - np.logaddexp.reduce(scores, axis=1)
        mean = float(np.average(log_probability, weights=self.weight))
        return self._value_of_outcome(np.argmax(scores, axis=1), mean)

    def _value_of_outcome(self, predicted: NDArray[np.int64], log_likelihood: float) -> float:
        n, right = self.truth.shape[1], np.where(predicted == self.place, self.weight, 0.0)
        outcome = Outcome(
            _sum_by(self.place, right, n),
            _sum_by(predicted, self.weight, n),
            _sum_by(self.place, self.weight, n),
            float(self.weight.sum()),
            log_likelihood,
            one_each=True,
        )
        return self.target.from_outcome(outcome)  # type: ignore[union-attr]

    def _outcome_of_labels(self, scores: Floats) -> Outcome:
        found = scores > TIE
        log_probability = -np.logaddexp(0.0, np.where(self.truth, -scores, scores)).mean(axis=1)
        return Outcome(
            self.weight @ (found & self.truth),
            self.weight @ found,
            self.weight @ self.truth,
            float(self.weight.sum()),
            float(np.average(log_probability, weights=self.weight)),
            one_each=False,
        )


def _sum_by(place: NDArray[np.int64], weight: Floats, n: int) -> Floats:
    return np.bincount(place, weight, n).astype(np.float64)


def _best(values: Floats, distance: Floats) -> int:
    candidates = np.flatnonzero(values == np.nanmax(values))
    return int(candidates[np.argmin(distance[candidates])])


def _numbers(prior: Any) -> Floats:
    """The numbers of a prior; one with an array in place of a number has none to compare."""
    if hasattr(prior, "numbers"):
        return np.array(prior.numbers)
    values = (
        [getattr(prior, field.name) for field in dataclasses.fields(prior)] if dataclasses.is_dataclass(prior) else []
    )
    numbers = [float(value) for value in values if np.ndim(value) == 0 and isinstance(value, int | float | np.ndarray)]
    return np.array(numbers if len(numbers) == len(values) else [])


def _distance(prior: Any, other: Any) -> float:
    """How far apart two priors are, in the logarithms of their numbers; infinitely, if they are of different kinds."""
    if type(prior) is not type(other):
        return float("inf")
    ours, theirs = np.abs(_numbers(prior)), np.abs(_numbers(other))
    return float(np.sum((np.log(ours + 1e-6) - np.log(theirs + 1e-6)) ** 2))


def _remark(values: Floats, best: Sequence[Any], priors: Sequence[Any]) -> str:
    if np.all(np.nanmax(values, axis=1) == np.nanmin(values, axis=1)):
        return "the target is the same for every prior: the data do not tell them apart"
    at_end = [prior for prior in best if _is_at_end(prior, priors)]
    if not at_end:
        return ""
    if len(best) == 1:
        return f"the best prior lies at the end of the grid, {best[0]!r}: one beyond it may do better"
    return f"the best priors of {len(at_end)} of {len(best)} labels lie at the end of the grid: others may do better"


def _is_at_end(prior: Any, priors: Sequence[Any]) -> bool:
    """Whether a number of the prior is the smallest or the largest of its kind in the grid."""
    own = _numbers(prior)
    alike = [_numbers(other) for other in priors if type(other) is type(prior)]
    if not len(own) or any(len(each) != len(own) for each in alike):
        return False
    low, high = np.min(alike, axis=0), np.max(alike, axis=0)
    return bool(np.any((low < high) & ((own == low) | (own == high))))
