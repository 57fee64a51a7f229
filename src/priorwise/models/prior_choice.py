"""Choose the prior: survey, search, average over samples, and say what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.models.leave_one_out import LeaveOneOut, Terms
from priorwise.models.presence_priors import PresencePrior
from priorwise.models.terrain import Surveyor, Terrain, coarse_places, length_divisor
from priorwise.search import NINE_STARTS, Choice, RadialSearch, choose_best, radial_search
from priorwise.search.targets import AveragePrecision, CountTarget, ScoreTarget

Floats = NDArray[np.float64]
Cell = tuple[int, int]

LENGTH_POWERS = (0.0, 0.25, 0.5, 0.75, 1.0)
FEW_MEMBERS = 0.1


@dataclass(frozen=True)
class Trial:
    """One pair of strengths that a search looked at: means over the samples."""

    row: int
    column: int
    score: float
    sensitivity: float


@dataclass(frozen=True)
class Trials:
    """Every pair of strengths that a search looked at, in order, as arrays; iterating gives them one by one."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    score: Floats
    sensitivity: Floats

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Trial]:
        for row, column, score, sensitivity in zip(
            self.rows.tolist(), self.columns.tolist(), self.score.tolist(), self.sensitivity.tolist(), strict=True
        ):
            yield Trial(row, column, score, sensitivity)


@dataclass(frozen=True)
class PriorChoice:
    """The chosen prior, and everything that was looked at on the way.

    Parameters
    ----------
    prior : PseudoCounts, or TermBeta of each class
        The best pair of strengths.
    score, sensitivity : float
        The target there and the share of the members predicted positive, means over the samples.
    length_power : float
        The power of a document's number of tokens that scores are divided by in a ranking.
    terrains : list of Terrain
        One per sample.
    trials : Trials
        Every cell looked at, in order.
    paths : list
        Of a radial search: for each sample, the cells it went through from each start.
    remark : str
        What a person should know before trusting this prior; empty if nothing.
    """

    prior: Any
    score: float
    sensitivity: float
    length_power: float
    terrains: list[Terrain]
    trials: Trials
    paths: list[list[list[Cell]]]
    remark: str


def choose_prior(
    samples: Sequence[LeaveOneOut],
    target: CountTarget | ScoreTarget,
    *,
    grid: Floats,
    search: str = "exhaustive",
    negative_weight: float = 1.0,
    length_powers: Sequence[float] = (0.0,),
    given: PresencePrior | None = None,
) -> PriorChoice:
    """Find the pair of strengths whose target, averaged over the samples, is best.

    Parameters
    ----------
    samples : sequence of LeaveOneOut
        The same members with different samples of negatives.
    target : CountTarget or ScoreTarget
        What a good prior is good at.
    grid : array
        The strengths to choose from.
    search : {"exhaustive", "radial"}
        Every cell, or the paper's nine climbs. An exhaustive search of a target that costs a sort per cell (all but
        `AveragePrecision`) looks at a coarse grid and then climbs from its best cell.
    negative_weight : float
        How many documents of the corpus each negative stands for.
    length_powers : sequence of float
        The powers of a document's number of tokens to choose from; by average precision, whatever the target.
    given : prior, optional
        A prior to take instead of the best one; the terrain is surveyed all the same.
    """
    if search not in ("exhaustive", "radial"):
        raise InputError(f"no search '{search}'; there are 'exhaustive' and 'radial'")
    surveyors = [Surveyor(loo, target, grid, negative_weight, length_powers[0]) for loo in samples]
    if len(length_powers) > 1 and not isinstance(target, CountTarget):
        power = _best_power_anywhere(surveyors, length_powers)
        surveyors = [replace(surveyor, length_power=power) for surveyor in surveyors]
    terrains = [surveyor.survey() for surveyor in surveyors]
    if search == "radial":
        terrains, trials, paths = _climb_each(surveyors, terrains)
    else:
        terrains, trials, paths = _look_everywhere(surveyors, terrains)
    choice = choose_best(_mean(terrains, "score"), _mean(terrains, "sensitivity"), grid)
    power = surveyors[0].length_power
    if given is not None:
        if len(length_powers) > 1:
            power = _best_power_at(surveyors, given, length_powers)
        value = score_of(samples, target, given, negative_weight=negative_weight, length_power=power)
        return PriorChoice(given, *value, power, terrains, trials, paths, "this prior was given, not learned")
    prior = samples[0].kind.prior([grid[choice.row], grid[choice.column]])
    if len(length_powers) > 1 and isinstance(target, CountTarget):
        power = _best_power_at(surveyors, prior, length_powers)
    remark = _remark(choice, terrains, target)
    return PriorChoice(prior, choice.score, choice.sensitivity, power, terrains, trials, paths, remark)


def score_of(
    samples: Sequence[LeaveOneOut],
    target: CountTarget | ScoreTarget,
    prior: PresencePrior,
    *,
    negative_weight: float = 1.0,
    length_power: float = 0.0,
) -> tuple[float, float]:
    """Value one prior by its leave-one-out scores: the target and the sensitivity, means over the samples."""
    from priorwise.kernels.leave_one_out import TIE

    values, sensitivities = [], []
    for loo in samples:
        scores = loo.scores(prior)
        cases = loo.cases
        weight = cases.weight
        tp = weight[cases.positive & (scores > TIE)].sum()
        fp = weight[~cases.positive & (scores > TIE)].sum()
        positives, negatives = weight[cases.positive].sum(), weight[~cases.positive].sum()
        if isinstance(target, CountTarget):
            counts = np.array([tp]), np.array([fp])
            values.append(float(target.from_counts(*counts, positives, negatives, negative_weight)[0]))
        else:
            scores = scores / length_divisor(cases.length, length_power)
            values.append(target.from_scores(scores, cases.positive, weight, negative_weight))
        sensitivities.append(float(tp / positives))
    return float(np.mean(values)), float(np.mean(sensitivities))


def _mean(terrains: Sequence[Terrain], what: str) -> Floats:
    return np.mean([getattr(terrain, what) for terrain in terrains], axis=0)


def _look_everywhere(
    surveyors: Sequence[Surveyor], terrains: list[Terrain]
) -> tuple[list[Terrain], Trials, list[list[list[Cell]]]]:
    score, sensitivity = _mean(terrains, "score"), _mean(terrains, "sensitivity")
    if not np.isnan(score).any():
        return terrains, _trials(np.argwhere(~np.isnan(score)), score, sensitivity), []
    start = choose_best(score, sensitivity, surveyors[0].grid)
    columns = _ColumnCache(surveyors)
    evaluated = [terrain.score.copy() for terrain in terrains]

    def value(cell: Cell) -> tuple[float, ...]:
        if np.isnan(evaluated[0][cell]):
            for sample, at in enumerate(columns.values(cell)):
                evaluated[sample][cell] = at
        return float(np.mean([score[cell] for score in evaluated])), float(sensitivity[cell])

    looked_at = [tuple(cell) for cell in np.argwhere(~np.isnan(score))]
    climb = radial_search(value, score.shape, [(start.row, start.column)])
    looked_at += [cell for cell in climb.values if np.isnan(score[cell])]
    terrains = [replace(terrain, score=score) for terrain, score in zip(terrains, evaluated, strict=True)]
    return terrains, _trials(np.array(looked_at), _mean(terrains, "score"), sensitivity), [climb.paths]


def _climb_each(
    surveyors: Sequence[Surveyor], terrains: list[Terrain]
) -> tuple[list[Terrain], Trials, list[list[list[Cell]]]]:
    """The paper's search: nine climbs per sample; every pair explored under any sample is averaged over all."""
    grid = surveyors[0].grid
    starts = [(_nearest(grid, negative), _nearest(grid, positive)) for negative, positive in NINE_STARTS]
    columns = _ColumnCache(surveyors)
    searches: list[RadialSearch] = []
    for sample, terrain in enumerate(terrains):

        def value(cell: Cell, sample: int = sample, terrain: Terrain = terrain) -> tuple[float, ...]:
            score = terrain.score[cell]
            if np.isnan(score):
                score = columns.values(cell)[sample]
            return float(score), float(terrain.sensitivity[cell])

        searches.append(radial_search(value, terrain.score.shape, starts))
    explored = list(dict.fromkeys(cell for search in searches for cell in search.values))
    seen = np.full(terrains[0].score.shape, np.nan)
    seen[tuple(np.array(explored).T)] = 0.0
    climbed = []
    for sample, terrain in enumerate(terrains):
        score = terrain.score + seen
        for cell in explored:
            if np.isnan(score[cell]):
                score[cell] = columns.values(cell)[sample]
        climbed.append(replace(terrain, score=score))
    trials = _trials(np.array(explored), _mean(climbed, "score"), _mean(climbed, "sensitivity"))
    return climbed, trials, [search.paths for search in searches]


class _ColumnCache:
    """Values of single cells on all samples, for targets that cost a sort per cell.

    The terms of a strength are summed once, however many cells of its row and column are looked at.
    """

    def __init__(self, surveyors: Sequence[Surveyor]) -> None:
        self.surveyors = surveyors
        self._terms: dict[int, list[Terms]] = {}
        self._values: dict[Cell, list[float]] = {}

    def values(self, cell: Cell) -> list[float]:
        if cell not in self._values:
            rows, columns = self._terms_of(cell[0]), self._terms_of(cell[1])
            self._values[cell] = [
                surveyor.value(column.positive[:, 0] - row.negative[:, 0])
                for surveyor, row, column in zip(self.surveyors, rows, columns, strict=True)
            ]
        return self._values[cell]

    def _terms_of(self, place: int) -> list[Terms]:
        if place not in self._terms:
            strength = self.surveyors[0].grid[place : place + 1]
            self._terms[place] = [surveyor.loo.terms(strength) for surveyor in self.surveyors]
        return self._terms[place]


def _trials(cells: NDArray[np.integer], score: Floats, sensitivity: Floats) -> Trials:
    rows, columns = cells.T
    return Trials(rows, columns, score[rows, columns], sensitivity[rows, columns])


def _nearest(grid: Floats, value: float) -> int:
    return int(np.argmin(np.abs(grid - value)))


def _best_power_anywhere(surveyors: Sequence[Surveyor], powers: Sequence[float]) -> float:
    """The power that reaches the best average precision in any cell of the coarse grid."""
    grid = surveyors[0].grid
    coarse = grid[coarse_places(grid)]
    best = [
        np.mean([replace(s, length_power=power).average_precision(coarse) for s in surveyors], axis=0).max()
        for power in powers
    ]
    return float(powers[int(np.argmax(best))])


def _best_power_at(surveyors: Sequence[Surveyor], prior: PresencePrior, powers: Sequence[float]) -> float:
    samples = [surveyor.loo for surveyor in surveyors]
    weight = surveyors[0].negative_weight
    best = [
        score_of(samples, AveragePrecision(), prior, negative_weight=weight, length_power=power)[0] for power in powers
    ]
    return float(powers[int(np.argmax(best))])


def _remark(choice: Choice, terrains: Sequence[Terrain], target: CountTarget | ScoreTarget) -> str:
    score = _mean(terrains, "score")
    if np.nanmax(score) == np.nanmin(score):
        return "the target is the same for every prior: the data do not tell them apart; the most sensitive was taken"
    if isinstance(target, CountTarget) and choice.sensitivity < FEW_MEMBERS:
        return (
            f"a degenerate optimum: the best cell for '{target.name}' predicts only {choice.sensitivity:.1%} of the "
            "members positive, and such a prior usually ranks worse than Laplace; "
            "try average precision, F0.5 or a sensitivity floor"
        )
    last = len(terrains[0].grid) - 1
    if last in (choice.row, choice.column):
        return f"the best prior lies at the end of the grid (λ = {terrains[0].grid[-1]:g}): a larger one may do better"
    return ""
