"""Find the members that are missing: the member regression, with its prior learned from left-out members."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from priorwise.errors import InputError, NotEnoughData
from priorwise.kernels import Floats, Rows
from priorwise.models.regression.member_regression import Design, LinearMembers
from priorwise.models.regression.member_trials import (
    MANY,
    MemberTrials,
    Setting,
    Trial,
    draw_folds,
    never_left_out,
    without_groups,
)
from priorwise.priors.structured import HyperPrior, StructuredGaussian
from priorwise.search.strategies import Climb, Tried
from priorwise.search.targets import LeftOutRanks

GROUPED_TRIALS = 2
VECTOR_TRIALS = 1
DESCRIBED_TRIALS = 3
KNOWING_TRIALS = 2
BELIEVING_TRIALS = 3
ONE_SIDED_TRIALS = 2
"""How many of the best settings so far each stage of the climb starts from."""

HOPELESS = 10.0
"""With many members, if a variance is this many units of log-probability behind a smaller one, a larger variance is not
tried: it takes longest to solve."""

Step = Callable[[Tried], Iterable[Setting]]


@dataclass(frozen=True)
class WeightedSetting:
    """A setting that was tried.

    `setting`: the prior and the rest of the setting. `value`: the target, and the setting's log odds before any
    member is left out. `share`: how much it counts in the average; all shares add up to 1. `typical_rank`: the rank
    at which a left-out member is typically found.
    """

    setting: Setting
    value: float
    share: float
    typical_rank: float


class MemberFinder(LinearMembers):
    """Find the members that are missing; this is how ``discover`` ranks by default.

    It tries settings of :class:`MemberRegression`. Each is fitted without a fifth of the members at a time (a third, if
    there are a hundred or more), and judged by the ranks of the members that were left out (:class:`LeftOutRanks`).
    Members that are near copies of each other are left out together. The search climbs in stages: variances with and
    without kinship; then further groups of features for the best; then texts about the category; then one-sided
    squares, and candidates treated as provisional members. The weights are the average over all settings, each in units
    of its scores' spread, in proportion to the probability that it gives to the ranks.

    Parameters
    ----------
    hyperprior : HyperPrior, optional
        Which settings to try, and the odds of each before any member is left out.
    target : LeftOutRanks, optional
        What a good setting is good at.
    groups, kinship, about, threads
        As for :class:`MemberRegression`.
    knowledge : array or sparse row, shape (n_features,), optional
        What somebody knows: how much each feature counts for the category, or against it. How far to trust it is
        learned from left-out members. With knowledge the finder also works with no member at all, or with one; then it
        trusts knowledge by a stated share, and cannot estimate what is missing.
    learned_before : array of int, optional
        The rows of members that knowledge was learned from, such as those of an earlier model. They are never left out,
        because they would confirm what was learned from them. At least two other members must be there, if two are.
    seed : int
        Which members are left out together.
    tol : float
        How exactly the regressions are solved. Rankings are hardly better below a fiftieth.
    progress : function, optional
        Told which share of the search is done.

    Attributes
    ----------
    best_prior_ : StructuredGaussian
        The prior that counts most.
    tried_ : list of Tried
        Every setting that was tried, in order, with its share in the average.
    coef_ : array, shape (1, n_features)
        The weights.
    missing_ : Missing or None
        The estimated number of missing members, with its 80% interval; None with fewer than two members.
    calibration_ : Calibration or None
        From scores to probabilities; None with fewer than two members.
    from_prior_ : array, shape (n_features,)
        The part of each weight that knowledge brought; the documents added the rest.
    left_out_scores_, left_out_ranks_ : array
        The scores and ranks of the members that were left out, by regressions that did not know them.
    typical_rank_ : float
        The rank at which a left-out member is typically found, by the average of the settings.
    n_copies_ : int
        How many known members are near copies of another, not counting the first of each.
    horizon_ : float
        The rank beyond which a left-out member counts as lost.

    Examples
    --------
    >>> X = np.repeat([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], [8, 24], axis=0)
    >>> finder = MemberFinder().fit(X, np.arange(32) < 5)
    >>> sorted(np.argsort(-finder.decision_function(X), kind="stable")[:8].tolist())
    [0, 1, 2, 3, 4, 5, 6, 7]
    >>> len(finder.tried_), round(sum(each.share for each in finder.tried_), 6)
    (9, 1.0)
    """

    def __init__(
        self,
        *,
        hyperprior: HyperPrior | None = None,
        target: LeftOutRanks | None = None,
        groups: Mapping[str, int] | None = None,
        kinship: Any = None,
        about: Any = None,
        knowledge: Any = None,
        learned_before: Any = None,
        seed: int = 0,
        tol: float = 2e-2,
        threads: int | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        self.hyperprior = hyperprior
        self.target = target
        self.groups = groups
        self.kinship = kinship
        self.about = about
        self.knowledge = knowledge
        self.learned_before = learned_before
        self.seed = seed
        self.tol = tol
        self.threads = threads
        self.progress = progress

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the prior and fit the weights; y is 1 for a known member, 0 for unknown and −1 for rejected."""
        design, known = self._read(X, y, may_be_empty=self.knowledge is not None)
        hyper, target = self.hyperprior or HyperPrior(), self.target or LeftOutRanks()
        knowledge = _row(self.knowledge, design.X.shape[1])
        copies = design.copies(known)
        fold = self._folds(known.members, copies)
        self.n_copies_ = len(copies) - len(np.unique(copies))
        scores_known = None if knowledge is None else design.score(knowledge)
        trials = design.trials(known, hyper, fold, self.tol, known_scores=scores_known)
        if len(known.members) < 2:
            return self._start(design, trials, hyper, knowledge)
        tried, horizon = self._climb(design, trials, hyper, target)

        values = np.array([_value(each, target, hyper, horizon) for each in tried])
        shares = np.exp(values - values.max())
        shares /= shares.sum()
        spread = np.array([np.maximum(each.scores.std(axis=0, dtype=np.float64), 1e-12) for each in tried])
        in_units = shares[:, None] / spread
        scores = sum(each.scores * by for each, by in zip(tried, in_units, strict=True))

        n_checks = int(np.count_nonzero(fold >= 0))
        self.horizon_ = horizon
        self.tried_ = [
            WeightedSetting(
                each.setting, float(value), float(by), target.typical_rank(target.value(each.ranks, horizon), n_checks)
            )
            for each, value, by in zip(tried, values, shares, strict=True)
        ]
        self.best_prior_: StructuredGaussian = self.tried_[int(np.argmax(shares))].setting.prior
        self._keep(design, trials, tried, in_units[:, -1], knowledge)
        self.left_out_scores_ = scores[known.members, fold][fold >= 0].astype(np.float64)
        self.left_out_ranks_ = trials.ranks(scores)
        self.typical_rank_ = target.typical_rank(target.value(self.left_out_ranks_, horizon), n_checks)
        candidates = (design.X @ self.coef_[0])[trials.candidates]
        return self.calibrate(candidates, self.left_out_scores_, self.left_out_ranks_)

    def _folds(self, members: Rows, copies: Rows) -> Rows:
        """Which members are left out together; none that knowledge was learned from, and no copy of such a member."""
        if self.learned_before is None:
            return draw_folds(len(members), self.seed, copies)
        before = np.isin(members, np.asarray(self.learned_before, np.int64))
        with_copies = np.isin(copies, copies[before])
        if (~with_copies).sum() >= 2:
            before = with_copies
        if len(members) >= 2 and (~before).sum() < 2:
            raise InputError("knowledge that was learned from these members cannot be checked by them: leave it out")
        fold = never_left_out(len(members))
        fold[~before] = draw_folds(int((~before).sum()), self.seed, np.unique(copies[~before], return_inverse=True)[1])
        return fold

    def _keep(
        self, design: Design, trials: MemberTrials, tried: list[Trial], by: Floats, knowledge: Floats | None
    ) -> None:
        """Keep the weights, and the part of them that knowledge brought."""
        share = sum(unit * each.setting.knowledge for each, unit in zip(tried, by, strict=True)) / trials.known_spread
        self.from_prior_ = np.zeros(design.X.shape[1]) if knowledge is None else share * knowledge
        self.coef_ = (design.weights(trials, tried, by) + self.from_prior_)[None, :]

    def _start(self, design: Design, trials: MemberTrials, hyper: HyperPrior, knowledge: Floats | None) -> Self:
        """Rank before any member can be left out: by what is known, and by candidates that fit it.

        The best candidates count as provisional members, and are chosen anew a few times. No left-out member checks the
        result, so nothing is estimated.
        """
        n_members = len(trials.members)
        if not n_members and knowledge is None:
            raise NotEnoughData("without a member there must be words or a description to start from")
        prior = StructuredGaussian(hyper.first_variance / design.columns.n_documents)
        share = 0.0 if knowledge is None else hyper.first_knowledge[n_members]
        trial = trials.knowledge_alone(Setting(prior)) if not n_members else trials.solve([Setting(prior)])[0]
        if n_members:
            trial = trials.mix(trial, share)
        k = min(hyper.first_believed, len(trials.candidates) // 4)
        for _ in range(hyper.first_rounds if k else 0):
            (trial,) = trials.solve([Setting(prior, believed=k, knowledge=share)], [trial])
        self.tried_ = [WeightedSetting(trial.setting, np.nan, 1.0, np.nan)]
        self.best_prior_ = prior
        self._keep(design, trials, [trial], np.ones(1), knowledge)
        self.left_out_scores_, self.left_out_ranks_ = np.empty(0), np.empty(0, np.int64)
        self.horizon_ = self.typical_rank_ = np.nan
        self.missing_ = self.calibration_ = None
        self.intercept_ = np.zeros(1)
        return self

    def _climb(
        self, design: Design, trials: MemberTrials, hyper: HyperPrior, target: LeftOutRanks
    ) -> tuple[list[Trial], float]:
        """Try settings in stages, each from the best so far; return them with the horizon of their ranks."""
        usual = hyper.usual_variance(len(trials.members), design.columns.n_documents)
        kinships = (0.0, hyper.kinship) if design.has_kinship else (0.0,)
        variances = [usual * step for step in hyper.steps]
        first = variances if len(trials.members) < MANY else variances[:-1] or variances
        known: dict[Setting, Trial] = {}
        horizon = np.inf

        def value(settings: list[Setting]) -> Floats:
            nonlocal horizon
            is_first = not known
            for trial in _solved(trials, settings, known):
                known[trial.setting] = trial
            if is_first:
                horizon = target.horizon(max(known.values(), key=lambda each: target.value(each.ranks)).ranks)
            values = [_value(known[each], target, hyper, horizon) for each in settings]
            return np.column_stack([values, np.zeros(len(values))])

        def higher(tried: Tried) -> list[Setting]:
            """The highest variance, unless the one below it is far worse than another of the same kinship."""
            best: dict[float, float] = {}
            for setting, (reached, _) in zip(tried.candidates, tried.values, strict=True):
                best[setting.prior.kinship] = max(reached, best.get(setting.prior.kinship, -np.inf))
                if setting.prior.variance == first[-1] and reached < best[setting.prior.kinship] - HOPELESS:
                    best[setting.prior.kinship] = np.inf
            return [Setting(StructuredGaussian(variances[-1], each)) for each in kinships if best[each] < np.inf]

        def grouped(name: str, tried: Tried) -> list[Setting]:
            most = VECTOR_TRIALS if name == "vectors" else GROUPED_TRIALS
            best = [each.prior for each in tried.leaders(most)]
            pairs = [(prior, variance) for variance in hyper.variances_of(name) for prior in best]
            return [Setting(replace(prior, groups={**prior.groups, name: variance})) for prior, variance in pairs]

        def described(tried: Tried) -> list[Setting]:
            return [replace(each, described=True) for each in _distinct(tried)[:DESCRIBED_TRIALS]]

        def knowing(tried: Tried) -> list[Setting]:
            best = _distinct(tried)[:KNOWING_TRIALS]
            return [replace(each, knowledge=share) for share in hyper.knowledge for each in best]

        def one_sided(tried: Tried) -> list[Setting]:
            best = [each for each in _distinct(tried) if not each.knowledge]
            return [replace(each, one_sided=True) for each in best[:ONE_SIDED_TRIALS]]

        def believing(tried: Tried) -> list[Setting]:
            best = [each for each in _distinct(tried) if not each.one_sided][:BELIEVING_TRIALS]
            if self.knowledge is not None:
                # Under a firm prior, candidates that fit what is known say most about what else members look like.
                best += [replace(tried.candidates[0], knowledge=share) for share in hyper.knowledge]
            ks = dict.fromkeys(min(k, len(trials.candidates) // 4) for k in hyper.believed)
            return [replace(each, believed=k) for k in ks if k > 0 for each in best]

        steps: list[Step] = [higher, *(partial(grouped, name) for name in trials.groups)]
        steps += [described] * bool(len(trials.about)) + [knowing] * (self.knowledge is not None)
        steps += [one_sided, believing]
        starts = [Setting(StructuredGaussian(variance, each)) for each in kinships for variance in first]
        tell = self.progress or (lambda share: None)
        Climb(starts, _telling(steps, tell), together=True, rounds=1).search(value)
        tell(1.0)
        return list(known.values()), float(horizon)


def _telling(steps: Sequence[Step], tell: Callable[[float], None]) -> list[Step]:
    """The same steps, and before each it is told which share of them is done."""

    def told(place: int, tried: Tried) -> Iterable[Setting]:
        tell((place + 1) / (len(steps) + 1))
        return steps[place](tried)

    return [partial(told, place) for place in range(len(steps))]


def _solved(trials: MemberTrials, settings: list[Setting], known: Mapping[Setting, Trial]) -> list[Trial]:
    """Solve settings of one kind, each from the scores of its parent if it needs them."""
    first = settings[0]
    if first.one_sided or first.believed:
        parents = [replace(each, one_sided=False, believed=0) for each in settings]
        return trials.solve(settings, [_mixed(trials, each, known) for each in parents])
    return [_mixed(trials, each, known) for each in settings] if first.knowledge else trials.solve(settings)


def _mixed(trials: MemberTrials, setting: Setting, known: Mapping[Setting, Trial]) -> Trial:
    """A trial that is known, or that is known but for what somebody knows."""
    return known.get(setting) or trials.mix(known[replace(setting, knowledge=0.0)], setting.knowledge)


def _row(knowledge: Any, n_features: int) -> Floats | None:
    """What somebody knows as a number per feature; nothing if all are 0."""
    if knowledge is None:
        return None
    row = knowledge.toarray().ravel() if sp.issparse(knowledge) else np.ravel(np.asarray(knowledge, np.float64))
    if len(row) > n_features or not np.isfinite(row).all():
        raise InputError(f"knowledge is a finite number for each of the {n_features:,} features, not {len(row):,}")
    row = np.concatenate([row, np.zeros(n_features - len(row))])
    return row if row.any() else None


def _value(trial: Trial, target: LeftOutRanks, hyper: HyperPrior, horizon: float) -> float:
    return target.value(trial.ranks, horizon) + trial.setting.log_odds(hyper)


def _distinct(tried: Tried) -> list[Setting]:
    """The best settings first; of those that differ only in their further groups, only the best."""
    best: dict[Setting, Setting] = {}
    for each in tried.leaders(len(tried.candidates)):
        best.setdefault(without_groups(each), each)
    return list(best.values())
