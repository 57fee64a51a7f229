"""How priors are judged: cases are scored by models that have not seen them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.kernels import Floats, Ints, Mask
from priorwise.search.strategies import Grid, Strategy
from priorwise.search.targets import COUNTS, Accuracy, FBeta, Outcome, Target, Truth

TOGETHER = 32
"""How many priors of an objective map are tried in one pass over the documents."""


@dataclass(frozen=True)
class SearchResult:
    """What a search found: the best prior, or a tuple of one for each label, and its target.

    `trials` has every trial in order, and `prior_of` gives the prior of a trial by its place. `remark` is what to know
    before trusting the best prior. `terrain` is what is known of a whole grid, where all of it is.
    """

    prior: Any
    score: float
    trials: dict[str, NDArray[Any]]
    remark: str
    prior_of: Callable[[int], Any]
    terrain: Any = None


class HeldOut:
    """Cases with their true labels and, for any prior, their scores by models that have not seen them.

    A subclass gives `weight`, `members` and `score_matrices`; the rest follows. It may know better how to find
    predictions, a whole terrain, or the best prior.
    """

    weight: Floats
    """How many equal cases each one stands for."""
    exclusive: bool = False
    """Whether every case is a member of exactly one output."""
    classes: NDArray[Any]
    """The names of the outputs, as trials name them."""
    candidates: Sequence[Any] = ()
    """The priors to choose from."""
    own: Any = None
    """The prior that the model has now."""
    one_for_all: bool = False
    """Whether all labels must share one prior."""
    progress: Callable[[float], None] = staticmethod(lambda share: None)
    """Told which share of the work is done, by those that take long."""

    @property
    def usual_target(self) -> Target:
        """F1, or accuracy of several classes."""
        return Accuracy() if self.exclusive else FBeta(1.0)

    def members(self) -> Mask:
        """Which cases are members of which output, shape (n_cases, n_outputs)."""
        raise NotImplementedError

    def score_matrices(self, priors: Sequence[Any]) -> Iterator[Floats]:
        """For each prior in turn, the scores of every case for every output."""
        raise NotImplementedError

    def predictions(self, priors: Sequence[Any]) -> Iterator[Ints]:
        """For each prior in turn, the output with the best score for every case, a tie to the first."""
        for scores in self.score_matrices(priors):
            yield np.argmax(scores, axis=1)

    @cached_property
    def truth(self) -> Truth:
        """The truth about the cases that count."""
        return Truth(self.members()[self._counted], self.weight[self._counted], self.exclusive)

    @cached_property
    def _counted(self) -> Mask:
        return self.weight > 0

    def outcome(self, scores: Floats, negative_weight: float = 1.0) -> Outcome:
        """The outcome of scores of all cases. With exclusive classes, no negative represents several documents."""
        return Outcome(self.truth, scores[self._counted], None, 1.0 if self.exclusive else negative_weight)

    def outcomes(self, priors: Sequence[Any], needs: str, negative_weight: float = 1.0) -> Iterator[Outcome]:
        """For each prior in turn, what its models predict; `needs` is what will be read there."""
        if self.exclusive and needs == COUNTS:
            for predicted in self.predictions(priors):
                yield Outcome(self.truth, predicted=predicted[self._counted])
        else:
            for scores in self.score_matrices(priors):
                yield self.outcome(scores, negative_weight)

    def terrain(self, axes: Sequence[Floats], make: Callable[..., Any]) -> tuple[Floats, Floats]:
        """Weight of the members and of the others predicted positive in every cell.

        There is an axis for each number of a prior, and `make` is given a value of each.
        """
        cells = np.stack([each.ravel() for each in np.meshgrid(*axes, indexing="ij")], axis=1).tolist()
        counts = []
        for start in range(0, len(cells), TOGETHER):
            priors = [make(*values) for values in cells[start : start + TOGETHER]]
            counts += [(outcome.tp[0], outcome.fp[0]) for outcome in self.outcomes(priors, COUNTS)]
        tp, fp = np.array(counts).T.reshape(2, *(len(axis) for axis in axes))
        return tp, fp

    def choose(
        self,
        target: Target,
        strategy: Strategy | None = None,
        *,
        search: str = "exhaustive",
        per_label: bool = True,
        negative_weight: float = 1.0,
    ) -> SearchResult:
        """Find the prior whose target is best, or with `per_label` the best for each label, if the target allows.

        Without a strategy all `candidates` are tried; cases with a fast terrain do as `search` says.
        """
        strategy = strategy or Grid(self.candidates, self.distance)
        per_label = per_label and not self.exclusive and not self.one_for_all
        known: dict[int, tuple[Any, Floats]] = {}  # Keep each candidate alive, or another object could reuse its id.

        def scores(candidates: Sequence[Any]) -> Floats:
            new = [each for each in candidates if id(each) not in known]
            outcomes = self.outcomes(new, target.needs, negative_weight) if new else ()
            for each, outcome in zip(new, outcomes, strict=True):
                of_labels = target.values(outcome)
                known[id(each)] = each, of_labels if per_label else of_labels.mean(keepdims=True)
            return np.array([known[id(each)][1] for each in candidates])

        def value(label: int, candidates: Sequence[Any]) -> Floats:
            return np.column_stack([scores(candidates)[:, label], np.zeros(len(candidates))])

        tried = [strategy.search(partial(value, 0))]
        tried += [strategy.search(partial(value, k)) for k in range(1, scores(tried[0].candidates[:1]).shape[1])]
        lengths = [len(each.candidates) for each in tried]
        priors = np.empty(sum(lengths), dtype=object)
        priors[:] = [prior for each in tried for prior in each.candidates]
        trials = {"label": np.repeat(self.classes, lengths)} if len(tried) > 1 else {}
        trials |= {"prior": priors, "score": np.concatenate([each.values[:, 0] for each in tried])}
        best = tuple(each.best for each in tried)
        remark = self.remark(best, tried[0].candidates)
        if all(np.nanmax(each.values[:, 0]) == np.nanmin(each.values[:, 0]) for each in tried):
            remark = "the target is the same for every prior: the data do not tell them apart"
        score = float(np.mean([each.values[each.place, 0] for each in tried]))
        return SearchResult(best if len(best) > 1 else best[0], score, trials, remark, priors.__getitem__)

    def distance(self, priors: Sequence[Any]) -> Floats:
        """How far priors are from the model's own."""
        return np.array([distance(prior, self.own) for prior in priors])

    def remark(self, best: Sequence[Any], candidates: Sequence[Any]) -> str:
        """A remark about the best prior, or about one for each label."""
        at_end = [prior for prior in best if _is_at_end(prior, candidates)]
        if at_end and len(best) == 1:
            return f"the best prior lies at the end of the grid, {best[0]!r}: one beyond it may do better"
        some = f"{len(at_end)} of {len(best)} labels"
        return f"the best priors of {some} lie at the end of the grid: others may do better" if at_end else ""


def candidates_of(grid: Sequence[Any] | None, given: Any) -> tuple[Any, list[Any]]:
    """The model's own prior, the first if it has several, and those to choose from: `grid`, or that of its own."""
    own = given[0] if isinstance(given, Sequence) and not isinstance(given, str) else given
    if grid is None:
        if not hasattr(own, "grid"):
            raise InputError(f"give PriorSearch a grid, a list of the priors to choose from; {own!r} has none")
        grid = own.grid()
    priors = list(grid)
    if not priors:
        raise InputError("the grid is empty: give at least one prior")
    return own, priors


def distance(prior: Any, other: Any) -> float:
    """Distance of two priors in the logarithms of their numbers; infinite if they are of different kinds."""
    if type(prior) is not type(other):
        return float("inf")
    ours, theirs = np.abs(_numbers(prior)), np.abs(_numbers(other))
    return float(np.sum((np.log(ours + 1e-6) - np.log(theirs + 1e-6)) ** 2))


def _numbers(prior: Any) -> Floats:
    """The numbers of a prior. Other objects have no numbers to compare."""
    return np.array(getattr(prior, "numbers", ()))


def _is_at_end(prior: Any, priors: Sequence[Any]) -> bool:
    """Whether a number of the prior is the smallest or the largest of its kind among those tried."""
    own = _numbers(prior)
    alike = [_numbers(other) for other in priors if type(other) is type(prior)]
    if not len(own) or any(len(each) != len(own) for each in alike):
        return False
    low, high = np.min(alike, axis=0), np.max(alike, axis=0)
    return bool(np.any((low < high) & ((own == low) | (own == high))))
