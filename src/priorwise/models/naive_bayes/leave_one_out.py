"""Every case scored by a model that has not seen it, for every prior of a grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus.storage.threads import in_order
from priorwise.models.naive_bayes.grid import PAPER_GRID, Nodes, nodes_for
from priorwise.models.naive_bayes.presence_counts import Cases, PresenceCounts
from priorwise.priors.counts import TermCounts
from priorwise.priors.presence import UNIFORM, PresencePrior, kind_of, strengths_of
from priorwise.processors import processors
from priorwise.search import Choice, FBeta, HeldOut, Strategy, Target

Floats = NDArray[np.float64]

CHUNK = 1024


@dataclass(frozen=True)
class Terms:
    """The two parts of every case's leave-one-out score.

    The score of case i under (λ−, λ+) = (grid[row], grid[column]) is ``positive[i, column] - negative[i, row]``.
    """

    positive: Floats
    negative: Floats

    def of(self, cases: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], Terms]]:
        """Yield the terms of some cases, a chunk at a time."""
        for start in range(0, len(cases), CHUNK):
            some = cases[start : start + CHUNK]
            yield some, Terms(self.positive[some], self.negative[some])


class ClassTerms:
    """What a class adds to the scores of cases that leave the same hole, at every strength of a grid.

    Parameters
    ----------
    kind : PresencePrior
        What a strength means.
    counts : TermCounts
        Counts of the class with the hole in them.
    gone : array of bool
        The tokens that left the vocabulary by that.
    nodes : Nodes
        The grid.
    """

    def __init__(self, kind: PresencePrior, counts: TermCounts, gone: NDArray[np.bool_], nodes: Nodes) -> None:
        table = kind.table(counts, nodes.strengths)
        self._rows = np.where(gone, np.int32(-1), table.rows)
        self._logs, self._sizes, self._nodes = table.logs.ravel(), table.sizes, nodes

    def of(self, cases: NDArray[np.int64], indptr: NDArray[np.integer], tokens: NDArray[np.integer]) -> Floats:
        """A row for each of some cases, a column for each strength."""
        from priorwise.models.naive_bayes._kernels.leave_one_out import case_terms

        nodes = self._nodes
        terms = np.empty((len(cases), nodes.grid_size))
        case_terms(cases, indptr, tokens, self._rows, self._logs, self._sizes, nodes.spread, nodes.direct, terms)
        return terms


class _Group(NamedTuple):
    """Cases that leave the same hole: of one class, with one weight to take out."""

    cases: NDArray[np.int64]
    is_positive: bool
    members: TermCounts
    others: TermCounts


class LeaveOneOut(HeldOut):
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
    kind : PresencePrior
        The kind of prior to be tried on a grid; imagined documents that hold every token by default.
    grid : array, optional
        The strengths that `choose` chooses from; those of the kind by default.
    threads : int, optional
        How many threads share the work; all cores by default.

    Examples
    --------
    >>> from priorwise.priors import PseudoCounts
    >>> cases = Cases.of([0, 2, 3, 5, 6], [0, 1, 0, 1, 2, 2], [True, True, False, False])
    >>> loo = LeaveOneOut(cases, cases.count(3))
    >>> loo.scores(PseudoCounts.laplace()).round(4)
    array([0.6931, 0.6931, 0.6931, 0.4055])
    """

    usual_target = FBeta(0.5)

    def __init__(
        self,
        cases: Cases,
        counts: PresenceCounts,
        *,
        kind: PresencePrior = UNIFORM,
        grid: Floats | None = None,
        threads: int | None = None,
    ) -> None:
        from priorwise.models.naive_bayes._kernels.leave_one_out import keep_known

        self.cases, self.weight = cases, cases.weight
        self.counts = counts
        self.kind, self.grid = kind, kind.strength_grid if grid is None else grid
        self.threads = threads or processors()
        features = counts.features
        local = np.full(len(counts.positive), -1, dtype=np.int32)
        local[features] = np.arange(len(features), dtype=np.int32)
        self._indptr = np.empty(len(cases.indptr), dtype=np.int64)
        self._tokens = np.empty(len(cases.tokens), dtype=np.int32)
        keep_known(cases.indptr, cases.tokens, local, self._indptr, self._tokens)
        self._groups = list(self._group())

    def _group(self) -> Iterator[_Group]:
        taken_out = self.cases.taken_out
        for is_positive in (True, False):
            of_class = (self.cases.positive == is_positive) & (self.cases.weight > 0)
            for amount in np.unique(taken_out[of_class]).tolist():
                cases = np.flatnonzero(of_class & (taken_out == amount))
                from_each = (amount, 0.0) if is_positive else (0.0, amount)
                yield _Group(cases, is_positive, *self.counts.without(*from_each))

    def terms(self, grid: Floats, kind: PresencePrior | None = None) -> Terms:
        """Give both parts of every case's score at every value of `grid`. Cases of weight 0 get zeros."""
        n = len(self.cases.positive)
        terms = Terms(np.zeros((n, len(grid))), np.zeros((n, len(grid))))
        for group in self._groups:
            for cases, part in self._chunks(group, kind or self.kind, nodes_for(grid)):
                terms.positive[cases] = part.positive
                terms.negative[cases] = part.negative
        return terms

    def scores(self, prior: Any) -> Floats:
        """Leave-one-out score of every case under one prior, of this kind or another."""
        kind = kind_of(prior)
        terms = self.terms(strengths_of(prior, 2), kind)
        return terms.positive[:, 1] - terms.negative[:, 0]

    def members(self) -> NDArray[np.bool_]:
        """Which cases are members."""
        return self.cases.positive[:, np.newaxis]

    def score_matrices(self, priors: Sequence[Any]) -> Iterator[Floats]:
        """For each prior in turn, the score of every case."""
        for prior in priors:
            yield self.scores(prior)[:, np.newaxis]

    def choose(self, target: Target, strategy: Strategy | None = None, **options: Any) -> Choice:
        """Find the best pair of strengths of the grid, every cell at once; or the best prior that a strategy tries."""
        from priorwise.models.naive_bayes.prior_choice import choose_prior

        if strategy is not None:
            return super().choose(target, strategy, **options)
        options.pop("per_label", None)
        found, grid = choose_prior([self], target, grid=self.grid, **options), self.grid
        negative, positive = grid[found.trials.rows], grid[found.trials.columns]
        trials = {"lambda_negative": negative, "lambda_positive": positive, "score": found.trials.score}
        trials["sensitivity"] = found.trials.sensitivity

        def prior_of(place: int) -> Any:
            return self.kind.with_strengths([negative[place], positive[place]])

        return Choice(found.prior, found.score, trials, found.remark, prior_of, found.terrains[0])

    def terrain(self, axes: Sequence[Floats], make: Callable[..., Any]) -> tuple[Floats, Floats]:
        """Weight of the members and of the others predicted positive in every cell; both axes are the same grid."""
        return self.predicted_positive(axes[0])

    def predicted_positive(self, grid: Floats = PAPER_GRID, terms: Terms | None = None) -> tuple[Floats, Floats]:
        """Weight of the members and of the others predicted positive in every cell: rows λ−, columns λ+.

        If there are the `terms` of all cases already, they are not summed again.
        """
        from priorwise.models.naive_bayes._kernels.leave_one_out import add_cells, add_staircases

        # If a larger strength can lower a score, a case's cells need not form a staircase.
        staircases = self.kind.rising
        add = add_staircases if staircases else add_cells
        found = {True: np.zeros((len(grid), len(grid))), False: np.zeros((len(grid), len(grid)))}
        for group in self._groups:
            chunks = self._chunks(group, self.kind, nodes_for(grid)) if terms is None else terms.of(group.cases)
            for cases, part in chunks:
                add(part.positive, part.negative, self.cases.weight[cases], found[group.is_positive])
        if staircases:
            return np.cumsum(found[True], axis=1), np.cumsum(found[False], axis=1)
        return found[True], found[False]

    def _chunks(self, group: _Group, kind: PresencePrior, nodes: Nodes) -> Iterator[tuple[NDArray[np.int64], Terms]]:
        """Score the cases of a group in chunks, on all threads; yields in order, so sums do not depend on timing."""
        gone = group.members.found <= 0
        positive, negative = (ClassTerms(kind, counts, gone, nodes) for counts in (group.members, group.others))

        def score(cases: NDArray[np.int64]) -> Terms:
            of_cases = cases, self._indptr, self._tokens
            return Terms(positive.of(*of_cases), negative.of(*of_cases))

        chunks = [group.cases[start : start + CHUNK] for start in range(0, len(group.cases), CHUNK)]
        yield from zip(chunks, in_order((partial(score, chunk) for chunk in chunks), self.threads), strict=True)
