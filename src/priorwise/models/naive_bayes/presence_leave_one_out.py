"""Presence naive Bayes as arithmetic: cases to counts, counts and a prior to weights, and leave-one-out scores.

No scikit-learn here: `discover` uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels import Floats, Ints
from priorwise.models.weights import Weights
from priorwise.priors.counts import TermCounts, remainder
from priorwise.priors.presence import PAPER_GRID, UNIFORM, PresencePrior, kind_of, strengths_of
from priorwise.processors import in_order, processors
from priorwise.search import Climb, FBeta, HeldOut, SearchResult, Strategy, Target, Tried

FEW = 32
"""A grid of fewer values is its own nodes, in any order; a longer one must be ascending."""


@dataclass(frozen=True)
class Nodes:
    """Strengths at which sums are taken, and how to carry them to the grid.

    The first `direct` nodes are grid values themselves. The others are Chebyshev nodes in log λ, and `spread` is the
    matrix that interpolates from them to the rest of the grid.
    """

    strengths: Floats
    direct: int
    spread: Floats


def nodes_for(grid: Floats) -> Nodes:
    """Choose the fewest nodes that give Σ log(λ + count) on the whole grid to rounding.

    As a function of t = log λ the sum is analytic but for the points where λ = −count, all at height π above or below
    the real line. A Chebyshev interpolant on an interval of half-width h therefore gains a factor
    ρ = π/h + √(1 + π²/h²) with every node: 31 nodes cover λ from 3 to 200.
    """
    return _nodes_for(tuple(float(value) for value in grid))


@lru_cache(maxsize=8)
def _nodes_for(values: tuple[float, ...]) -> Nodes:
    grid = np.array(values)
    if len(grid) < FEW:
        return Nodes(grid, len(grid), np.zeros((0, 0)))
    logs = np.log(grid)
    costs = [direct + _nodes_needed(logs[direct], logs[-1]) for direct in range(len(grid) - 1)]
    direct = int(np.argmin(costs))
    if costs[direct] >= len(grid):
        return Nodes(grid, len(grid), np.zeros((0, 0)))
    count = costs[direct] - direct
    angles = (2 * np.arange(count) + 1) * np.pi / (2 * count)
    low, high = logs[direct], logs[-1]
    points = (low + high) / 2 + (high - low) / 2 * np.cos(angles)
    weights = np.where(np.arange(count) % 2, -1.0, 1.0) * np.sin(angles)
    return Nodes(np.concatenate([grid[:direct], np.exp(points)]), direct, _barycentric(points, weights, logs[direct:]))


def _nodes_needed(low: float, high: float) -> int:
    half_width = (high - low) / 2
    height = np.pi / half_width
    gain = height + np.sqrt(1 + height**2)
    return int(np.ceil(-np.log(np.finfo(np.float64).eps / 2) / np.log(gain))) + 2


def _barycentric(points: Floats, weights: Floats, at: Floats) -> Floats:
    """Matrix of the barycentric interpolation formula, from values at `points` to values `at`."""
    distance = at[np.newaxis, :] - points[:, np.newaxis]
    hit = distance == 0
    ratios = weights[:, np.newaxis] / np.where(hit, 1.0, distance)
    matrix = ratios / ratios.sum(axis=0)
    return np.where(hit.any(axis=0), hit.astype(np.float64), matrix)


@dataclass(frozen=True)
class Cases:
    """Training cases of two classes: the set of tokens of each, whether it is a member, and what it weighs.

    The tokens of case i are ``tokens[indptr[i]:indptr[i + 1]]``, each once. A case of weight 2 is two equal cases.
    Tokens that no member has may be left out; `length` still counts them. `taken_out` is how much of the model's counts
    goes when the case is left out: one of its equals, min(weight, 1), unless the model counts it at another rate.
    """

    indptr: NDArray[np.int64]
    tokens: NDArray[np.integer]
    positive: NDArray[np.bool_]
    weight: Floats
    taken_out: Floats
    length: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        indptr: NDArray[np.integer],
        tokens: NDArray[np.integer],
        positive: NDArray[np.bool_],
        *,
        weight: Floats | None = None,
        taken_out: Floats | None = None,
        length: NDArray[np.integer] | None = None,
    ) -> Cases:
        """Make cases from plain arrays; by default each weighs 1, is taken out whole, and is as long as it looks."""
        starts = np.asarray(indptr, dtype=np.int64)
        positive = np.asarray(positive, dtype=bool)
        weight = np.ones(len(positive)) if weight is None else np.asarray(weight, dtype=np.float64)
        taken_out = np.minimum(weight, 1.0) if taken_out is None else np.asarray(taken_out, dtype=np.float64)
        lengths = np.diff(starts) if length is None else np.asarray(length, dtype=np.int64)
        return cls(starts, np.asarray(tokens), positive, weight, taken_out, lengths)

    def count(self, n_tokens: int) -> PresenceCounts:
        """Count in how many members and how many others each token occurs."""
        of_case = np.repeat(np.arange(len(self.positive)), np.diff(self.indptr))
        member = np.where(self.positive, self.weight, 0.0)
        other = np.where(self.positive, 0.0, self.weight)
        in_members: Floats = np.bincount(self.tokens, member[of_case], n_tokens).astype(np.float64)
        in_others: Floats = np.bincount(self.tokens, other[of_case], n_tokens).astype(np.float64)
        return PresenceCounts(in_members, in_others, float(member.sum()), float(other.sum()))


@dataclass(frozen=True)
class PresenceCounts:
    """Documents of each class, and in how many of them each token occurs: all that presence naive Bayes learns from."""

    positive: Floats
    negative: Floats
    n_positive: float
    n_negative: float
    collection: Floats | None = None
    n_collection: float | None = None

    @property
    def features(self) -> NDArray[np.int64]:
        """The model's vocabulary V: the tokens that occur in at least one member."""
        return np.flatnonzero(self.positive > 0)

    def without(self, from_positive: float = 0.0, from_negative: float = 0.0) -> tuple[TermCounts, TermCounts]:
        """Counts of the vocabulary, of the members and of the others, when so much of a document is taken out of each.

        Both know the collection's rates, from which a document is taken out too, and share one strength per token.
        """
        features = self.features
        n_positive, n_negative = self.n_positive - from_positive, self.n_negative - from_negative
        positive = remainder(self.positive[features], np.array(from_positive))
        negative = remainder(self.negative[features], np.array(from_negative))
        if self.collection is None or self.n_collection is None:
            members = TermCounts(positive, np.array(n_positive), positive + negative, np.array(n_positive + n_negative))
        else:
            one = float(from_positive + from_negative > 0)
            in_all = remainder(self.collection[features], np.array(one))
            members = TermCounts(positive, np.array(n_positive), in_all, np.array(self.n_collection - one))
        return members, members.against(negative, np.array(n_negative))

    def weights(self, prior: Any) -> Weights:
        """Blend the counts with the prior::

        s(d) = log p(+)/p(−) + Σ over x in d∩V of log p(x|+)/p(x|−)
        """
        kind = kind_of(prior)
        negative, positive = strengths_of(prior, 2)
        members, others = self.without()
        of_members = kind.table(members, np.array([positive]))
        of_others = kind.table(others, np.array([negative]))
        values = of_members.log_rates() - of_others.log_rates()
        return Weights(self.features, values[np.newaxis, :], of_members.sizes - of_others.sizes)


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
    """What a class adds to the scores of cases that leave the same hole, at every strength of a grid."""

    def __init__(self, kind: PresencePrior, counts: TermCounts, gone: NDArray[np.bool_], nodes: Nodes) -> None:
        table = kind.table(counts, nodes.strengths)
        self._rows = np.where(gone, np.int32(-1), table.rows)
        self._logs, self._sizes, self._nodes = table.logs.ravel(), table.sizes, nodes

    def of(self, cases: NDArray[np.int64], indptr: NDArray[np.integer], tokens: NDArray[np.integer]) -> Floats:
        """A row for each of some cases, a column for each strength."""
        from priorwise.models.naive_bayes._kernels.leave_one_out import case_terms, room_for_cases

        nodes = self._nodes
        terms = np.empty((len(cases), nodes.direct + nodes.spread.shape[1]))
        room = room_for_cases(cases, indptr, len(self._sizes))
        case_terms(cases, indptr, tokens, self._rows, self._logs, self._sizes, nodes.spread, nodes.direct, *room, terms)
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
        return self.cases.positive[:, np.newaxis]

    def score_matrices(self, priors: Sequence[Any]) -> Iterator[Floats]:
        for prior in priors:
            yield self.scores(prior)[:, np.newaxis]

    def choose(self, target: Target, strategy: Strategy | None = None, **options: Any) -> SearchResult:
        """Find the best pair of strengths of the grid, every cell at once; or the best prior that a strategy tries."""
        from priorwise.models.naive_bayes.terrain import choose_prior

        if strategy is not None:
            return super().choose(target, strategy, **options)
        options.pop("per_label", None)
        found, grid = choose_prior([self], target, grid=self.grid, **options), self.grid
        negative, positive = grid[found.trials.rows], grid[found.trials.columns]
        trials = {"lambda_negative": negative, "lambda_positive": positive, "score": found.trials.score}
        trials["sensitivity"] = found.trials.sensitivity

        def prior_of(place: int) -> Any:
            return self.kind.with_strengths([negative[place], positive[place]])

        return SearchResult(found.prior, found.score, trials, found.remark, prior_of, found.terrains[0])

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
        return self.place[:, np.newaxis] == self.classes

    def score_matrices(self, priors: Sequence[Any]) -> Iterator[Floats]:
        for prior in priors:
            strengths = self.strengths(prior)
            for c, strength in enumerate(strengths):
                if strength not in self._known[c]:
                    self._known[c][strength] = self._class_scores(c, np.array([strength]))[:, 0]
            yield np.column_stack([self._known[c][strength] for c, strength in enumerate(strengths)])

    def strengths(self, prior: Any) -> list[float]:
        return strengths_of(prior, len(self.classes)).tolist()

    def choose(self, target: Target, strategy: Strategy | None = None, **options: Any) -> SearchResult:
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
