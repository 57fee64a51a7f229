"""The target's value in every cell of the grid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus.threads import in_order
from priorwise.models.leave_one_out import LeaveOneOut, Terms
from priorwise.search.targets import AveragePrecision, CountTarget, ScoreTarget

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


@dataclass(frozen=True)
class Surveyor:
    """Values a target on one leave-one-out.

    Parameters
    ----------
    loo : LeaveOneOut
        The cases.
    target : CountTarget or ScoreTarget
        What to value.
    grid : array
        The strengths λ.
    negative_weight : float
        How many documents of the corpus each negative stands for.
    length_power : float
        Scores are divided by this power of the case's number of tokens before a target of scores sees them.
    """

    loo: LeaveOneOut
    target: CountTarget | ScoreTarget
    grid: Floats
    negative_weight: float = 1.0
    length_power: float = 0.0

    def survey(self) -> Terrain:
        """Value every cell: exactly for counts, binned for average precision, on the coarse grid for other targets."""
        terms = self.loo.terms(self.grid) if isinstance(self.target, AveragePrecision) else None
        tp, fp = self.loo.predicted_positive(self.grid, terms)
        cases = self.loo.cases
        positives = float(cases.weight[cases.positive].sum())
        negatives = float(cases.weight[~cases.positive].sum())
        if isinstance(self.target, CountTarget):
            score = self.target.from_counts(tp, fp, positives, negatives, self.negative_weight)
        elif isinstance(self.target, AveragePrecision):
            score = self.average_precision(self.grid, terms)
        else:
            score = np.full(tp.shape, np.nan)
            on_grid = coarse_places(self.grid)
            rows, columns = np.meshgrid(on_grid, on_grid, indexing="ij")
            score[rows, columns] = self.values(rows.ravel(), columns.ravel()).reshape(rows.shape)
        return Terrain(self.grid, tp, fp, score, positives, negatives)

    def values(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Floats:
        """Value a target of scores in some cells, one by one."""
        used, places = np.unique(np.concatenate([rows, columns]), return_inverse=True)
        terms = self.loo.terms(self.grid[used])
        cells = zip(places[: len(rows)], places[len(rows) :], strict=True)
        return np.array([self.value(terms.positive[:, column] - terms.negative[:, row]) for row, column in cells])

    def value(self, scores: Floats) -> float:
        """Value a target of scores from the cases' leave-one-out scores under one prior."""
        if isinstance(self.target, CountTarget):
            raise TypeError("a target of counts is known in every cell of the terrain")
        cases = self.loo.cases
        counted = cases.weight > 0
        scores = (scores / length_divisor(cases.length, self.length_power))[counted]
        return self.target.from_scores(scores, cases.positive[counted], cases.weight[counted], self.negative_weight)

    def average_precision(self, grid: Floats, terms: Terms | None = None) -> Floats:
        """Average precision at the corpus's class odds in every cell of `grid`, by binning.

        If there are the `terms` of all cases already, they are not summed again.
        """
        from priorwise.kernels.average_precision import average_precision_rows

        cases = self.loo.cases
        terms = terms or self.loo.terms(grid)
        middle = len(grid) // 2
        central = terms.positive[:, middle] - terms.negative[:, middle]
        members = np.flatnonzero(cases.positive & (cases.weight > 0))
        others = np.flatnonzero(~cases.positive & (cases.weight > 0))
        order = np.concatenate([members, others[np.argsort(-central[others], kind="stable")]])
        divisor = length_divisor(cases.length, self.length_power)[order, np.newaxis]
        positive_terms = np.ascontiguousarray((terms.positive[order] / divisor).T, dtype=np.float32)
        negative_terms = np.ascontiguousarray((terms.negative[order] / divisor).T, dtype=np.float32)
        stands_for = np.where(cases.positive, 1.0, self.negative_weight) * cases.weight
        weight = stands_for[order].astype(np.float32)
        score = np.empty((len(grid), len(grid)))

        def fill(rows: NDArray[np.int64]) -> None:
            average_precision_rows(rows, positive_terms, negative_terms, weight, len(members), score)

        parts = np.array_split(np.arange(len(grid)), min(len(grid), 8 * self.loo.threads))
        list(in_order((partial(fill, rows) for rows in parts), self.loo.threads))
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
