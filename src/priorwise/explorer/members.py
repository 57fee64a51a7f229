"""The documents of a view as the model that ranks sees them: regression on words and other categories."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from priorwise.discovery.category import Category
from priorwise.discovery.knowledge import WordsByHand
from priorwise.discovery.member_stage import CategoryFeatures
from priorwise.errors import NotEnoughData
from priorwise.explorer.documents import Evidence, Points
from priorwise.explorer.families import Family, FamilySetting, ShownModel
from priorwise.kernels import Floats, Rows
from priorwise.models.weights import Calibration, calibrate
from priorwise.priors.keywords import Keywords
from priorwise.priors.structured import HyperPrior

if TYPE_CHECKING:
    from priorwise.explorer.view import View
    from priorwise.models.regression.member_regression import Design
    from priorwise.models.regression.member_trials import MemberTrials, Setting, Trial
    from priorwise.search import Target


TOLERANCE = 5e-3
"""How exactly the regressions are solved. On Ohsumed, points are then within 0.5% of the picture's height."""

ROUGHLY = 1e-2
"""The same for a solve that only chooses provisional members, as in ``discover``."""

FINE, FARTHEST = 1e4, 2.0
"""Sliders are on logarithmic scales from about 1/FINE on; and how many steps ahead a solution is continued."""

TINY = 1e-12
"""Scores that spread less than this are all the same."""

KEPT = 32
"""How many settings are kept solved, so that figures, words and documents of a setting cost nothing more."""

DIGITS = 4
"""The learned numbers are rounded to as many digits as the page's address has."""


class ExploredSetting(Protocol):
    """A setting that a search for the prior tried, with its share in the average and what it was worth."""

    @property
    def setting(self) -> Setting:
        """The setting."""

    @property
    def share(self) -> float:
        """How much it counts; all shares add up to 1."""

    @property
    def typical_rank(self) -> float:
        """The rank at which a member that was left out is typically found."""


class Solved(NamedTuple):
    """A setting, solved for the training documents."""

    scores: Floats
    left_out: Floats
    weights: Floats
    calibration: Calibration
    trial: Trial
    plain: Trial


@dataclass(frozen=True)
class TriedMap:
    """What the search for the prior tried."""

    tried: Sequence[ExploredSetting]
    opening: FamilySetting

    def drawn(self, objective: Target) -> dict[str, Any]:
        """Each setting in words, its numbers, its share and the typical rank of a member that was left out."""
        del objective  # members that were left out were ranked, whatever else one may want
        return {
            "tried": [
                {
                    "says": each.setting.in_words(),
                    "values": _values(each.setting),
                    "share": each.share,
                    "rank": each.typical_rank,
                }
                for each in self.tried
            ]
        }

    def way(self, objective: Target, start: FamilySetting) -> list[FamilySetting]:
        del objective
        return list(dict.fromkeys([start, self.opening]))


def _values(setting: Setting) -> tuple[float, ...]:
    numbers = (*setting.prior.numbers, float(setting.believed), 1.0)
    return tuple(float(f"{number:.{DIGITS}g}") for number in numbers)


def continued(setting: FamilySetting, last: Sequence[tuple[FamilySetting, Solved]]) -> tuple[Trial, Trial] | None:
    """Where to start a setting after the last two: while one slider moves, on the line through both solutions.

    The first solution has provisional members, the second has none. On Ohsumed this halves the time of a move, compared
    with a start from the last solution.
    """
    if not last:
        return None
    (before, first), (now, second) = last[0], last[-1]
    places = np.array([[*map(np.log1p, np.multiply(each.values, FINE))] for each in (before, now, setting)])
    way, further = places[1] - places[0], places[2] - places[1]
    moved = np.flatnonzero(way)
    same = before.keywords == now.keywords == setting.keywords
    if not same or len(moved) != 1 or np.any(np.delete(further, moved)):
        return second.trial, second.plain
    share = float(np.clip(further[moved[0]] / way[moved[0]], -FARTHEST, FARTHEST))

    def on(a: Trial, b: Trial) -> Trial:
        return replace(b, alpha=b.alpha + np.float32(share) * (b.alpha - a.alpha))

    return on(first.trial, second.trial), on(first.plain, second.plain)


class ShownMembers(ShownModel):
    """Documents by their log odds under the learned prior, and under the one of the sliders.

    The training documents are read as ``discover`` reads a corpus. Members are left out in folds, all in one solve. The
    log odds come from the members that were left out and the other training documents. Squares are on both sides.

    Each solve starts from the last ones, so a slider that moves a little costs little.
    """

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._lock = threading.RLock()
        self._solved: OrderedDict[FamilySetting, Solved] = OrderedDict()

    def opening(self, family: Family) -> FamilySetting:
        with self._lock:
            return FamilySetting(family, _values(self._learned))

    def points(self, setting: FamilySetting) -> Points:
        return Points(self._odds(self.opening(setting.family)), self._odds(setting))

    def left_out(self, setting: FamilySetting) -> Floats:
        solved = self._solve(setting)
        return solved.calibration.log_odds(solved.left_out)

    def weights(self, setting: FamilySetting) -> Floats:
        solved = self._solve(setting)
        return solved.calibration.slope * solved.weights * self._amounts

    def names(self, features: Rows) -> list[str]:
        corpus = self.view.corpus
        n_words = corpus.n_vocabulary
        of_labels = features >= n_words
        found = np.empty(len(features), object)
        found[~of_labels] = corpus.token_names(features[~of_labels])
        numbers = self._read.labels.numbers[features[of_labels] - n_words]
        found[of_labels] = [f"category {name}" for name in corpus.label_names(numbers)]
        return found.tolist()

    def evidence(self, place: int, setting: FamilySetting) -> list[Evidence]:
        solved, row = self._solve(setting), self._read.X[place]
        added = solved.calibration.slope * solved.weights[row.indices] * row.data
        order = np.lexsort((row.indices, -np.abs(added)))
        order = order[added[order] != 0]
        _, tokens, counts = self.view.corpus.take_counts(self.view.documents.rows[place : place + 1])
        count_of = dict(zip(tokens.tolist(), counts.tolist(), strict=True))
        features = row.indices[order].astype(np.int64)
        own = [int(count_of.get(feature, 1)) for feature in features.tolist()]
        each = zip(self.names(features), own, added[order].tolist(), strict=True)
        return [Evidence(name, count, weight, weight / count) for name, count, weight in each]

    def objective_map(self, family: Family) -> TriedMap:
        with self._lock:
            return TriedMap(self._tried, self.opening(family))

    def _odds(self, setting: FamilySetting) -> Floats:
        solved = self._solve(setting)
        return solved.calibration.log_odds(solved.scores)

    def _solve(self, setting: FamilySetting) -> Solved:
        with self._lock:
            if setting not in self._solved:
                start = continued(setting, list(self._solved.items())[-2:])
                self._solved[setting] = self._fit(self._as_tried(setting), start)
            self._solved.move_to_end(setting)
            while len(self._solved) > KEPT:
                self._solved.popitem(last=False)
            return self._solved[setting]

    def _fit(self, setting: Setting, start: tuple[Trial, Trial] | None) -> Solved:
        trials, shown = self._trials, self.view.documents
        first = self._rough_trials if setting.believed else trials
        (plain,) = first.solve([replace(setting, believed=0)], None if start is None else [start[1]])
        trial = plain
        if setting.believed:
            # This prior's scores say which candidates count; the solution is near the last one.
            parent = plain if start is None else replace(plain, alpha=start[0].alpha)
            (trial,) = trials.solve([setting], [parent])
        weights = self._design.weights(trials, [trial], np.ones(1))
        scores = np.asarray(self._read.X @ weights)
        left_out = scores[shown.training]
        # Fewer members and a tighter prior make all scores smaller, so they are compared in units of their spread.
        spread = np.maximum(trial.scores.std(axis=0, dtype=np.float64), TINY)
        left_out[trials.members] = trial.scores[trials.members, trials.fold] * (spread[-1] / spread)[trials.fold]
        member = shown.member[shown.training]
        return Solved(scores, left_out, weights, calibrate(left_out, member, np.ones(len(member))), trial, plain)

    def _as_tried(self, setting: FamilySetting) -> Setting:
        """What the sliders say, as the regression takes it."""
        numbers = setting.named()
        believed = min(round(numbers["believed"]), len(self._trials.candidates) // 4)
        centre = numbers["trust"] * self._known(setting.keywords) if setting.keywords else 0.0
        return replace(self._learned, prior=replace(setting.prior, centre=centre), believed=believed)

    def _known(self, keywords: str) -> Floats:
        """The weight that each feature is given by keywords."""
        weights = WordsByHand.of(self.view.corpus, Keywords.parse(keywords)).weights
        return np.concatenate([weights, np.zeros(self._read.X.shape[1] - len(weights))])

    # What is made once, under the lock.

    @cached_property
    def _category(self) -> Category:
        view, none = self.view, np.empty(0, np.int64)
        members = view.documents.rows[view.documents.member & ~view.documents.held_out]
        if len(members) < 2:
            raise NotEnoughData(
                f"the model that ranks needs 2 training members, and '{view.label}' has {len(members)}; choose another "
                "prior, such as beta"
            )
        return Category(view.corpus, view.label, members, none, none)

    @cached_property
    def _read(self) -> CategoryFeatures:
        return CategoryFeatures.of(self._category, self.view.documents.rows, text=self.view.label, use_labels=True)

    @cached_property
    def _ranker(self) -> Any:
        return self._read.ranker(self._category)

    @cached_property
    def _tried(self) -> Sequence[ExploredSetting]:
        if self.view.tried:
            return self.view.tried
        training = self.view.documents.training
        return self._ranker.fit(self._read.X[training], self._read.y[training]).tried_

    @cached_property
    def _learned(self) -> Setting:
        """The setting that counts most, with squares on both sides; keywords move its centre instead."""
        best = max(self._tried, key=lambda each: each.share).setting
        return replace(best, one_sided=False, knowledge=0.0, described=best.described and bool(len(self._design.about)))

    @cached_property
    def _design(self) -> Design:
        from priorwise.models.regression.member_regression import Design

        X, ranker = self._read.X[self.view.documents.training], self._ranker
        return Design.of(X, ranker.about, ranker.groups or {}, ranker.kinship, None)

    @cached_property
    def _trials(self) -> MemberTrials:
        return self._solved_to(TOLERANCE)

    @cached_property
    def _rough_trials(self) -> MemberTrials:
        return self._solved_to(ROUGHLY)

    def _solved_to(self, tolerance: float) -> MemberTrials:
        from priorwise.models.regression.member_regression import Known

        known = Known.of(self._read.y[self.view.documents.training])
        return self._design.trials(known, HyperPrior(), self._design.folds(known, 0), tolerance)

    @cached_property
    def _amounts(self) -> Floats:
        """How much of each feature the documents that have it have, on average."""
        X = self._read.X
        held = np.bincount(X.indices, minlength=X.shape[1])
        return np.asarray(X.sum(axis=0), np.float64).ravel() / np.maximum(held, 1)
