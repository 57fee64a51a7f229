"""The pair (C, σ²) with the best cross-validated log-likelihood, without fitting what cannot be the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.models.logistic_design import Design, Penalty
from priorwise.models.logistic_solve import Solution, solve
from priorwise.models.logistic_table import Dealt

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = Sequence[Sequence[Any]]

FOLDS = 10

TOLERANCE = 1e-3
"""Relative duality gap of the fits that priors are compared by."""


@dataclass(frozen=True)
class Problem:
    """One category's training documents; the last column is the intercept's ones, for it has the prior of a word."""

    design: Design
    positive: Mask
    folds: Sequence[Mask]

    @classmethod
    def of(cls, X: Any, positive: Mask, seed: int) -> Problem:
        """Deal the documents to ten folds, or fewer if there are fewer documents; members and others apart."""
        return cls(Design(X).with_ones, positive, Dealt(FOLDS, seed).of(positive))

    def fit(self, prior: Any) -> Solution:
        """Fit all documents."""
        return self.solve(self.penalty(prior), np.ones(len(self.positive)), 1e-6, None)

    def penalty(self, prior: Any) -> Penalty:
        """Read a prior of the words, of which the intercept is the last."""
        return Penalty.of(prior, self.design.shape[1], fit_intercept=False)

    def solve(self, penalty: Penalty, weight: Floats, tol: float, start: Solution | None) -> Solution:
        """Fit the documents that weigh something."""
        given = None if start is None else (start.coef, 0.0)
        return solve(self.design, self.positive, weight, penalty, tol=tol, max_iter=200, start=given)


class Race:
    """Priors against each other on documents that were held out; the likelier they are, the better the prior.

    No document's log-likelihood is above 0. So a prior is given up as soon as the folds summed so far are no better
    than all folds of the best one.

    Attributes
    ----------
    best : prior
        The best so far; of equals the first.
    value : float
        Its log-likelihood, summed over the documents, each held out once.
    fits : int
        How many fits it took.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.best: Any = None
        self.value, self.fits = -np.inf, 0
        self._weights = [np.where(held, 0.0, 1.0) for held in problem.folds]
        self._test = [problem.design.by_rows[held] for held in problem.folds]
        self._signs = [np.where(problem.positive[held], 1.0, -1.0) for held in problem.folds]
        self._last: list[Solution | None] = [None] * len(problem.folds)

    def start(self) -> None:
        """Forget the last prior's answers, which the next prior would have started from."""
        self._last = [None] * len(self.problem.folds)

    def enter(self, prior: Any) -> tuple[bool, float]:
        """Value a prior; say whether it is the best so far, and its log-likelihood on the first fold."""
        penalty, total, first = self.problem.penalty(prior), 0.0, 0.0
        for fold, weight in enumerate(self._weights):
            found = self.problem.solve(penalty, weight, TOLERANCE, self._last[fold])
            self._last[fold], self.fits = found, self.fits + 1
            total -= float(np.logaddexp(0.0, -self._signs[fold] * (self._test[fold] @ found.coef)).sum())
            first = total if fold == 0 else first
            if total <= self.value:
                return False, first
        self.best, self.value = prior, total
        return True, first


def walk(problem: Problem, rows: Rows, *, patience: int | None = None) -> Race:
    """Try the priors of every row in turn, from the smallest variance to the largest.

    Parameters
    ----------
    patience : int, optional
        Leave a row once so many priors in turn were given up and each was worse on the first fold than the one before.
        It saves the fits that take longest, under priors that hold nothing. Without it every prior is tried.
    """
    race = Race(problem)
    for row in rows:
        race.start()
        falls, before = 0, -np.inf
        for prior in row:
            better, first = race.enter(prior)
            falls = falls + 1 if not better and first < before else 0
            before = first
            if patience is not None and falls >= patience:
                break
    return race


def climb(problem: Problem, rows: Rows, starts: Sequence[tuple[int, int]]) -> Race:
    """Try the neighbours of the best prior until none of them is better, from each start.

    The rows are of one length, and neighbours within a row, or in the same place of two rows, are alike.
    """
    race, seen = Race(problem), set()
    for at in starts:
        here, moved = at, True
        race.start()
        while moved:
            moved = False
            for cell in _square(here, len(rows), len(rows[0])):
                if cell in seen:
                    continue
                seen.add(cell)
                if race.enter(rows[cell[0]][cell[1]])[0]:
                    here, moved = cell, True
    return race


def _square(at: tuple[int, int], height: int, width: int) -> list[tuple[int, int]]:
    """The cell and those around it."""
    near = [(at[0] + i, at[1] + j) for i in (0, -1, 1) for j in (0, -1, 1)]
    return [(i, j) for i, j in near if 0 <= i < height and 0 <= j < width]
