"""The objective map of presence naive Bayes: survey every pair of strengths, search it, and say what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.kernels import Floats
from priorwise.models.naive_bayes.presence_leave_one_out import LeaveOneOut, Terms
from priorwise.processors import on_threads
from priorwise.search import NINE_STARTS, AveragePrecision, Grid, Target, Tried, best_place, radial
from priorwise.search.targets import COUNTS

COARSE: Floats = np.array(
    [0.01, 0.1, 0.5, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 32, 40, 50, 65, 80, 100, 125, 160, 200]
)
"""Where a target that costs a sort per cell is looked at first."""


@dataclass(frozen=True)
class Terrain:
    """What leave-one-out says of every pair of strengths."""

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
        """Weight of the members and of the others predicted positive in every cell, and what else a target needs."""
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
        tp, fp, positives, negatives, _ = self.counts()
        return Terrain(self.grid, tp, fp, self.score, positives, negatives)


def average_precision(loo: LeaveOneOut, terms: Terms, negative_weight: float, length_power: float) -> Floats:
    """Average precision at the corpus's class odds in every cell of the grid that `terms` are for, by binning."""
    from priorwise.models.naive_bayes._kernels.leave_one_out import average_precision_rows

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
    on_threads(fill, parts, loo.threads)
    return score


def length_divisor(length: NDArray[np.integer], power: float) -> Floats:
    """What a score is divided by so that long documents have no advantage: (distinct tokens)^power, at least 1."""
    if power == 0.0:
        return np.ones(len(length))
    return np.maximum(length, 1).astype(np.float64) ** power


def coarse_places(grid: Floats) -> NDArray[np.int64]:
    """About two dozen places of a grid: those of the coarse strengths if they are in it, else evenly spread."""
    found = np.flatnonzero(np.isin(grid, COARSE))
    if len(found) == len(COARSE):
        return found
    return np.unique(np.linspace(0, len(grid) - 1, min(len(grid), len(COARSE))).round().astype(np.int64))


Cell = tuple[int, int]
LENGTH_POWERS = (0.0, 0.25, 0.5, 0.75, 1.0)

FEW_MEMBERS = 0.1


@dataclass(frozen=True)
class TriedPair:
    """One pair of strengths that a search looked at: means over the samples."""

    row: int
    column: int
    score: float
    sensitivity: float


@dataclass(frozen=True)
class TriedPairs:
    """Every pair of strengths that a search looked at, in order, as arrays; iterating gives them one by one."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    score: Floats
    sensitivity: Floats

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[TriedPair]:
        table = (self.rows, self.columns, self.score, self.sensitivity)
        return map(TriedPair, *(column.tolist() for column in table))


@dataclass(frozen=True)
class PriorChoice:
    """The chosen prior, and everything that was looked at on the way."""

    prior: Any
    score: float
    sensitivity: float
    length_power: float
    terrains: list[Terrain]
    trials: TriedPairs
    paths: list[list[list[Cell]]]
    remark: str


def choose_prior(
    samples: Sequence[LeaveOneOut],
    target: Target,
    *,
    grid: Floats,
    search: str = "exhaustive",
    negative_weight: float = 1.0,
    length_powers: Sequence[float] = (0.0,),
    given: Any | None = None,
) -> PriorChoice:
    """Find the pair of strengths whose target, averaged over the samples, is best."""
    if search not in ("exhaustive", "radial"):
        raise InputError(f"no search '{search}'; there are 'exhaustive' and 'radial'")
    power, of_counts = length_powers[0], target.needs == COUNTS
    if len(length_powers) > 1 and not of_counts:
        coarse = [(loo, loo.terms(grid[coarse_places(grid)])) for loo in samples]
        power = _best_power(
            length_powers,
            lambda p: np.mean([average_precision(*each, negative_weight, p) for each in coarse], axis=0).max(),
        )
    surveys = [Survey(loo, target, grid, negative_weight, power) for loo in samples]
    tried, paths = (_climb_each if search == "radial" else _look_everywhere)(surveys)
    rows, columns = np.asarray(tried.candidates).T
    terrains = [survey.terrain() for survey in surveys]
    trials = TriedPairs(rows, columns, tried.values[:, 0], tried.values[:, 1])
    row, column = np.asarray(tried.best).tolist()
    if given is not None:
        remark, prior = "this prior was given, not learned", given
    else:
        remark = _remark(tried, terrains[0].grid, target)
        prior = samples[0].kind.with_strengths([grid[row], grid[column]])
    if len(length_powers) > 1 and (of_counts or given is not None):
        by_rank: dict[str, Any] = {"target": AveragePrecision(), "prior": prior, "negative_weight": negative_weight}
        power = _best_power(length_powers, lambda p: score_of(samples, **by_rank, length_power=p)[0])
    score, sensitivity = tried.values[tried.place].tolist()
    if given is not None:
        score, sensitivity = score_of(samples, target, given, negative_weight=negative_weight, length_power=power)
    return PriorChoice(prior, score, sensitivity, power, terrains, trials, paths, remark)


def score_of(
    samples: Sequence[LeaveOneOut],
    target: Target,
    prior: Any,
    *,
    negative_weight: float = 1.0,
    length_power: float = 0.0,
) -> tuple[float, float]:
    """Value one prior by its leave-one-out scores: the target and the sensitivity, means over the samples."""
    outcomes = []
    for loo in samples:
        scores = loo.scores(prior) / length_divisor(loo.cases.length, length_power)
        outcomes.append(loo.outcome(scores[:, np.newaxis], negative_weight))
    sensitivity = np.mean([outcome.sensitivity[0] for outcome in outcomes])
    return float(np.mean([target.value(outcome) for outcome in outcomes])), float(sensitivity)


def _look_everywhere(surveys: Sequence[Survey]) -> tuple[Tried, list[list[list[Cell]]]]:
    """Every cell if all are known, else the coarse cells, and a climb from the best of them."""
    grid = surveys[0].grid

    def value(cells: Any) -> Floats:
        return np.asarray(np.mean([survey.values(cells) for survey in surveys], axis=0))

    if surveys[0].is_complete:
        cells = np.indices((len(grid), len(grid))).reshape(2, -1).T
        return Grid(cells, _from_laplace(grid)).search(value), []
    places = coarse_places(grid).tolist()
    starts = [(row, column) for row in places for column in places]
    climb = radial((len(grid), len(grid)), starts, together=True, distance=_from_laplace(grid)).search(value)
    return climb, [climb.paths]


def _climb_each(surveys: Sequence[Survey]) -> tuple[Tried, list[list[list[Cell]]]]:
    """The paper's search: nine climbs per sample; every pair explored under any sample is averaged over all."""
    grid = surveys[0].grid
    starts = [tuple(int(np.argmin(np.abs(grid - strength))) for strength in start) for start in NINE_STARTS]
    climbs = [radial((len(grid), len(grid)), starts).search(survey.values) for survey in surveys]
    explored = list(dict.fromkeys(cell for climb in climbs for cell in climb.candidates))
    values = np.mean([survey.values(explored) for survey in surveys], axis=0)
    seen = np.full((len(grid), len(grid)), np.nan)
    seen[tuple(np.array(explored).T)] = 0.0
    for survey in surveys:
        survey.score = survey.score + seen
    place = best_place(values, _from_laplace(grid)(explored))
    return Tried(explored, values, place), [climb.paths for climb in climbs]


def _from_laplace(grid: Floats) -> Any:
    """Euclidean distance in log λ, so that a plateau gives the prior that departs least from Laplace."""
    departure = np.log(grid) ** 2
    return lambda cells: departure[np.asarray(cells)].sum(axis=1)


def _best_power(powers: Sequence[float], value: Callable[[float], float]) -> float:
    return float(powers[int(np.argmax([value(power) for power in powers]))])


def _remark(tried: Tried, grid: Floats, target: Target) -> str:
    score, sensitivity = tried.values.T
    if np.nanmax(score) == np.nanmin(score):
        return "the target is the same for every prior: the data do not tell them apart; the most sensitive was taken"
    found = sensitivity[tried.place]
    if target.needs == COUNTS and found < FEW_MEMBERS:
        return (
            f"a degenerate optimum: the best cell for '{target.name}' predicts only {found:.1%} of the "
            "members positive, and such a prior usually ranks worse than Laplace; "
            "try average precision, F0.5 or a sensitivity floor"
        )
    if len(grid) - 1 in np.asarray(tried.best).tolist():
        return f"the best prior lies at the end of the grid (λ = {grid[-1]:g}): a larger one may do better"
    return ""
