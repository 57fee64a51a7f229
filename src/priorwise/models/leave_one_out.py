"""Every case scored by a model that has not seen it, for every prior of a grid."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.models.grid import PAPER_GRID, Nodes, nodes_for
from priorwise.models.presence_counts import Cases, PresenceCounts
from priorwise.priors import PseudoCounts

Floats = NDArray[np.float64]

CHUNK = 1024


@dataclass(frozen=True)
class Terms:
    """The two parts of every case's leave-one-out score.

    The score of case i under (λ−, λ+) = (grid[row], grid[column]) is ``positive[i, column] - negative[i, row]``.
    """

    positive: Floats
    negative: Floats


@dataclass(frozen=True)
class _Group:
    """Cases that leave the same hole: of one class, with one weight to take out."""

    cases: NDArray[np.int64]
    is_positive: bool
    positive_counts: Floats
    negative_counts: Floats
    n_positive: float
    n_negative: float


class LeaveOneOut:
    """Leave-one-out of presence naive Bayes by subtraction, equal to refitting without each case.

    Taking a case out lowers the counts of its own class: by 1 for each of its tokens, and by 1 for the class. A token
    whose positive count falls to zero by that leaves the vocabulary for that case. A case of weight w stands for w
    equal cases, of which one is taken out (or what there is of it, if w < 1).

    Parameters
    ----------
    cases : Cases
        The cases to score.
    counts : PresenceCounts
        The counts of the model that all cases together train. The cases must be part of them; the counts may hold
        more documents than the cases do.
    centre : {"one", "collection"}
        The centre of the priors to be tried.
    threads : int, optional
        How many threads share the work; all cores by default.

    Examples
    --------
    >>> cases = Cases.of([0, 2, 3, 5, 6], [0, 1, 0, 1, 2, 2], [True, True, False, False])
    >>> loo = LeaveOneOut(cases, cases.count(3))
    >>> loo.scores(PseudoCounts.laplace()).round(4)
    array([0.6931, 0.6931, 0.6931, 0.4055])
    """

    def __init__(
        self, cases: Cases, counts: PresenceCounts, *, centre: str = "one", threads: int | None = None
    ) -> None:
        from priorwise.kernels.leave_one_out import keep_known

        self.cases = cases
        self.counts = counts
        self.centre = centre
        self.threads = threads or os.cpu_count() or 1
        features = counts.features
        local = np.full(len(counts.positive), -1, dtype=np.int32)
        local[features] = np.arange(len(features), dtype=np.int32)
        self._indptr = np.empty(len(cases.indptr), dtype=np.int64)
        self._tokens = np.empty(len(cases.tokens), dtype=np.int32)
        keep_known(cases.indptr, cases.tokens, local, self._indptr, self._tokens)
        self._groups = list(self._group())

    def prior(self, negative: float, positive: float) -> PseudoCounts:
        """Make a prior with this centre and these strengths."""
        return PseudoCounts(float(negative), float(positive), centre=self.centre)

    def _group(self) -> Iterator[_Group]:
        counts = self.counts
        taken_out = self.cases.taken_out
        for is_positive in (True, False):
            of_class = (self.cases.positive == is_positive) & (self.cases.weight > 0)
            for amount in np.unique(taken_out[of_class]):
                cases = np.flatnonzero(of_class & (taken_out == amount))
                from_positive, from_negative = (amount, 0.0) if is_positive else (0.0, amount)
                yield _Group(
                    cases,
                    is_positive,
                    *counts.without(from_positive, from_negative, self.centre),
                    counts.n_positive - from_positive,
                    counts.n_negative - from_negative,
                )

    def terms(self, grid: Floats) -> Terms:
        """Give both parts of every case's score at every value of `grid`. Cases of weight 0 get zeros."""
        n = len(self.cases.positive)
        terms = Terms(np.zeros((n, len(grid))), np.zeros((n, len(grid))))
        for group in self._groups:
            for cases, part in self._chunks(group, nodes_for(grid)):
                terms.positive[cases] = part.positive
                terms.negative[cases] = part.negative
        return terms

    def scores(self, prior: PseudoCounts) -> Floats:
        """Leave-one-out score of every case under one prior."""
        if prior.centre != self.centre:
            raise InputError(f"{prior!r} is tried where the centre is '{self.centre}'")
        negative, positive = prior.strengths(2)
        terms = self.terms(np.array([negative, positive]))
        return terms.positive[:, 1] - terms.negative[:, 0]

    def predicted_positive(self, grid: Floats = PAPER_GRID) -> tuple[Floats, Floats]:
        """Weight of the members and of the others predicted positive in every cell: rows λ−, columns λ+."""
        from priorwise.kernels.leave_one_out import add_cells, add_staircases

        # Around the collection a larger strength can lower a score, so a case's cells need not form a staircase.
        staircases = self.centre == "one"
        add = add_staircases if staircases else add_cells
        found = {True: np.zeros((len(grid), len(grid))), False: np.zeros((len(grid), len(grid)))}
        for group in self._groups:
            for cases, part in self._chunks(group, nodes_for(grid)):
                add(part.positive, part.negative, self.cases.weight[cases], found[group.is_positive])
        if staircases:
            return np.cumsum(found[True], axis=1), np.cumsum(found[False], axis=1)
        return found[True], found[False]

    def _chunks(self, group: _Group, nodes: Nodes) -> Iterator[tuple[NDArray[np.int64], Terms]]:
        """Score the cases of a group in chunks, on all threads; yields in order, so sums do not depend on timing."""
        from priorwise.kernels.leave_one_out import case_terms

        positive_row, positive_logs = _log_table(group.positive_counts, nodes.strengths)
        negative_row, negative_logs = _log_table(group.negative_counts, nodes.strengths)
        positive_row[group.positive_counts <= 0] = -1
        positive_size_logs = np.log(nodes.strengths + group.n_positive)
        negative_size_logs = np.log(nodes.strengths + group.n_negative)

        def score(cases: NDArray[np.int64]) -> Terms:
            shape = (len(cases), nodes.grid_size)
            part = Terms(np.empty(shape), np.empty(shape))
            case_terms(
                cases,
                self._indptr,
                self._tokens,
                positive_row,
                negative_row,
                positive_logs,
                negative_logs,
                positive_size_logs,
                negative_size_logs,
                nodes.spread,
                nodes.direct,
                part.positive,
                part.negative,
            )
            return part

        chunks = [group.cases[start : start + CHUNK] for start in range(0, len(group.cases), CHUNK)]
        with ThreadPoolExecutor(self.threads) as pool:
            # Waves of a few chunks per thread keep memory flat while the caller adds up the results.
            wave = 4 * self.threads
            for start in range(0, len(chunks), wave):
                batch = chunks[start : start + wave]
                yield from zip(batch, pool.map(score, batch), strict=True)


def _log_table(counts: Floats, strengths: Floats) -> tuple[NDArray[np.int32], Floats]:
    """Table of log(λ + count), flat, with a row per distinct count, and the row of every token."""
    values, rows = np.unique(counts, return_inverse=True)
    return rows.astype(np.int32), np.log(strengths[np.newaxis, :] + values[:, np.newaxis]).ravel()
