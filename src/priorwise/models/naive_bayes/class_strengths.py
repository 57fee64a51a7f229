"""One strength per class, for more than two classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.models.naive_bayes.grid import nodes_for
from priorwise.models.naive_bayes.leave_one_out import ClassTerms
from priorwise.priors.counts import TermCounts, remainder
from priorwise.priors.presence import UNIFORM, PresencePrior, strengths_of
from priorwise.search import Choice, Climb, FBeta, HeldOut, Strategy, Target, Tried

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDS = 20


class ClassesLeftOut(HeldOut):
    """Leave-one-out of presence naive Bayes of several classes, by subtraction.

    A case's score for class c depends on λc alone, so each class is scored once for all strengths of the grid.
    `present` is a matrix of ones where a document has a token, and `place` the class of each document.
    """

    exclusive = True
    usual_target = FBeta(0.5)

    def __init__(
        self, present: Any, place: Ints, weight: Floats, n_classes: int, grid: Floats, kind: PresencePrior = UNIFORM
    ) -> None:
        self.present, self.place, self.weight, self.grid, self.kind = present, place, weight, grid, kind
        self.classes = np.arange(n_classes)
        self._start = grid[np.argmin(np.abs(np.log(grid)))]
        self._known: list[dict[float, Floats]] = [
            dict(zip(grid.tolist(), self._class_scores(c, grid).T, strict=True)) for c in range(n_classes)
        ]

    def members(self) -> NDArray[np.bool_]:
        """Which documents are of which class."""
        return self.place[:, np.newaxis] == self.classes

    def score_matrices(self, priors: Sequence[Any]) -> Iterator[Floats]:
        """For each prior in turn, the scores of every document for every class."""
        for prior in priors:
            strengths = self.strengths(prior)
            for c, strength in enumerate(strengths):
                if strength not in self._known[c]:
                    self._known[c][strength] = self._class_scores(c, np.array([strength]))[:, 0]
            yield np.column_stack([self._known[c][strength] for c, strength in enumerate(strengths)])

    def strengths(self, prior: Any) -> list[float]:
        """The strength of each class."""
        strengths: list[float] = strengths_of(prior, len(self.classes)).tolist()
        return strengths

    def choose(self, target: Target, strategy: Strategy | None = None, **options: Any) -> Choice:
        """Improve the strengths one class at a time, from Laplace, until a whole round improves nothing."""
        start = self.kind.with_strengths([float(self._start)] * len(self.classes))
        steps = [self._along(c) for c in self.classes.tolist()]
        climb = Climb([start], steps, rounds=ROUNDS, distance=self.distance)
        return super().choose(target, strategy or climb, **options)

    def _along(self, c: int) -> Callable[[Tried], list[Any]]:
        """Every other strength of one class, the nearest in the grid first."""

        def step(tried: Tried) -> list[Any]:
            now = self.strengths(tried.best)
            near = np.argsort(np.abs(np.arange(len(self.grid)) - np.searchsorted(self.grid, now[c])), kind="stable")
            return [
                self.kind.with_strengths([*now[:c], strength, *now[c + 1 :]]) for strength in self.grid[near].tolist()
            ]

        return step

    def distance(self, priors: Sequence[Any]) -> Floats:
        """How far priors are from Laplace, in the logarithms of their strengths."""
        strengths = np.array([self.strengths(prior) for prior in priors])
        return np.asarray(np.sum(np.log(strengths / self._start) ** 2, axis=1))

    def remark(self, best: Sequence[Any], candidates: Sequence[Any]) -> str:
        """Say if a strength is the largest there is."""
        at_end = self.grid[-1] in self.strengths(best[0])
        return "a strength lies at the end of the grid: a larger one may do better" if at_end else ""

    def _class_scores(self, c: int, grid: Floats) -> Floats:
        """Leave-one-out log p(c) + Σ log p(x|c), up to a term that all classes share, for every strength of a grid.

        The vocabulary is every token that is still seen in some class without the case.
        """
        present, weight, own = self.present, self.weight, self.place == c
        in_class, in_all = present.T @ (weight * own), present.T @ weight
        size, total = float(weight[own].sum()), float(weight.sum())
        taken_out = np.minimum(weight, 1.0)
        scores = np.empty((present.shape[0], len(grid)))
        for is_own in (True, False):
            for amount in np.unique(taken_out[own == is_own]):
                cases = np.flatnonzero((own == is_own) & (taken_out == amount))
                from_class = amount * is_own
                counts = TermCounts(
                    remainder(in_class, from_class), size - from_class, remainder(in_all, amount), total - amount
                )
                terms = ClassTerms(self.kind, counts, counts.found_in_all <= 0, nodes_for(grid))
                scores[cases] = terms.of(cases, present.indptr, present.indices)
        return scores
