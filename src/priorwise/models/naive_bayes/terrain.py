"""The target's value in every cell of the grid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus.storage.threads import in_order
from priorwise.models.naive_bayes.leave_one_out import LeaveOneOut, Terms
from priorwise.search import Target

Floats = NDArray[np.float64]

COARSE: Floats = np.array(
    [0.01, 0.1, 0.5, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 32, 40, 50, 65, 80, 100, 125, 160, 200]
)
"""Where a target that costs a sort per cell is looked at first."""


@dataclass(frozen=True)
class Terrain:
    """What leave-one-out says of every pair of strengths.

    Parameters
    ----------
    grid : array
        The strengths λ.
    tp, fp : array, shape (len(grid), len(grid))
        Weight of the members and of the others predicted positive; rows λ−, columns λ+.
    score : array, same shape
        The target's value; NaN in the cells that a search did not look at.
    positives, negatives : float
        Weight of the members and of the others in all.
    """

    grid: Floats
    tp: Floats
    fp: Floats
    score: Floats
    positives: float
    negatives: float

    @property
    def sensitivity(self) -> Floats:
        """Share of the members predicted positive in every cell."""
        return self.tp / self.positives

    def __repr__(self) -> str:
        best = float(np.nanmax(self.score))
        return f"Terrain({len(self.grid)} × {len(self.grid)} cells, best score {best:.4g})"


class Survey:
    """A target in the cells of a grid, under one leave-one-out: all cells at once if it can be, else as they are asked.

    Scores are divided by the `length_power` of the case's number of tokens before a target of scores sees them.
    """

    def __init__(
        self, loo: LeaveOneOut, target: Target, grid: Floats, negative_weight: float = 1.0, length_power: float = 0.0
    ) -> None:
        self.loo, self.target, self.grid = loo, target, grid
        self.negative_weight, self.length_power = negative_weight, length_power
        self._terms: Terms | None = None
        self._columns: dict[int, tuple[Floats, Floats]] = {}
        score = target.everywhere(self)
        self.is_complete = score is not None
        self.score = np.full((len(grid), len(grid)), np.nan) if score is None else score

    @cached_property
    def _predicted(self) -> tuple[Floats, Floats]:
        return self.loo.predicted_positive(self.grid, self._terms)

    def counts(self) -> tuple[Floats, Floats, float, float, float]:
        """Weight of the members and of the others predicted positive in every cell, and what a target needs beside."""
        positives = float(self.loo.truth.positives[0])
        return *self._predicted, positives, self.loo.truth.total - positives, self.negative_weight

    def average_precision(self) -> Floats:
        """Average precision at the corpus's class odds in every cell, by binning."""
        self._terms = self.loo.terms(self.grid)
        return average_precision(self.loo, self._terms, self.negative_weight, self.length_power)

    def values(self, cells: NDArray[np.int64] | list[tuple[int, int]]) -> Floats:
        """Score and sensitivity of some cells; scores that are not known yet are computed one by one, and kept."""
        rows, columns = np.asarray(cells).T
        missing = np.isnan(self.score[rows, columns])
        if missing.any() and not self.is_complete:
            self._fill(rows[missing], columns[missing])
        tp, _, positives, *_ = self.counts()
        return np.column_stack([self.score[rows, columns], tp[rows, columns] / positives])

    def _fill(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        new = [place for place in np.unique([rows, columns]).tolist() if place not in self._columns]
        if new:
            terms = self.loo.terms(self.grid[new])
            self._columns.update(zip(new, zip(terms.positive.T, terms.negative.T, strict=True), strict=True))
        divisor = length_divisor(self.loo.cases.length, self.length_power)
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            scores = (self._columns[column][0] - self._columns[row][1]) / divisor
            self.score[row, column] = self.target.value(self.loo.outcome(scores[:, np.newaxis], self.negative_weight))

    def terrain(self) -> Terrain:
        """What is known so far."""
        tp, fp, positives, negatives, _ = self.counts()
        return Terrain(self.grid, tp, fp, self.score, positives, negatives)


def average_precision(loo: LeaveOneOut, terms: Terms, negative_weight: float, length_power: float) -> Floats:
    """Average precision at the corpus's class odds in every cell of the grid that `terms` are for, by binning."""
    from priorwise.models.naive_bayes._kernels.average_precision import average_precision_rows

    cases, size = loo.cases, terms.positive.shape[1]
    central = terms.positive[:, size // 2] - terms.negative[:, size // 2]
    members = np.flatnonzero(cases.positive & (cases.weight > 0))
    others = np.flatnonzero(~cases.positive & (cases.weight > 0))
    order = np.concatenate([members, others[np.argsort(-central[others], kind="stable")]])
    divisor = length_divisor(cases.length, length_power)[order, np.newaxis]
    positive_terms = np.ascontiguousarray((terms.positive[order] / divisor).T, dtype=np.float32)
    negative_terms = np.ascontiguousarray((terms.negative[order] / divisor).T, dtype=np.float32)
    weight = (np.where(cases.positive, 1.0, negative_weight) * cases.weight)[order].astype(np.float32)
    score = np.empty((size, size))

    def fill(rows: NDArray[np.int64]) -> None:
        average_precision_rows(rows, positive_terms, negative_terms, weight, len(members), score)

    parts = np.array_split(np.arange(size), min(size, 8 * loo.threads))
    list(in_order((partial(fill, rows) for rows in parts), loo.threads))
    return score


def length_divisor(length: NDArray[np.integer], power: float) -> Floats:
    """What a score is divided by so that long documents have no advantage: (distinct tokens)^power, at least 1."""
    if power == 0.0:
        return np.ones(len(length))
    divisor: Floats = np.maximum(length, 1).astype(np.float64) ** power
    return divisor


def coarse_places(grid: Floats) -> NDArray[np.int64]:
    """Some two dozen places of a grid: those of the coarse strengths if they are in it, else evenly spread.

    Examples
    --------
    >>> coarse_places(np.array([0.3, 3.5, 7.7]))
    array([0, 1, 2])
    """
    found = np.flatnonzero(np.isin(grid, COARSE))
    if len(found) == len(COARSE):
        return found
    return np.unique(np.linspace(0, len(grid) - 1, min(len(grid), len(COARSE))).round().astype(np.int64))
