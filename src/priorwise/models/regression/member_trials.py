"""Settings of the member regression, each solved for all members and for the members without some of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels import Block, Floats, Mask, Rows
from priorwise.models.regression.ridge_columns import MOST_DIRECTIONS, SharedSubspace, Spread
from priorwise.priors.structured import HyperPrior, StructuredGaussian

if TYPE_CHECKING:
    from priorwise.models.regression.ridge_columns import RidgeColumns


FOLDS = 5
FOLDS_OF_MANY = 3
MANY = 100
"""From this many members on, a third of them is left out at a time: they tell enough, and it costs less."""

ROUGH = 1e-2
"""Solutions that are at most this exact are sought in one subspace that they share."""

ONE_SIDED_STEPS = 3
"""Newton's method is near the optimum after this many steps. With few members a rough solution needs only one step from
the parent's: left-out members get the same ranks, or nearly so."""

GROUP_NAMES = {"labels": "other categories"}
"""What people call a further group of features."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One candidate of the search.

    `prior`: the prior, with the variance that suits all members. `believed`: how many of the best candidates to
    treat as provisional members. `one_sided`: whether members may score above 1, and other documents below 0, at no
    cost. `described`: whether texts about the category count as members. `knowledge`: the share of the score that
    comes from what somebody knows, each part in units of its spread.
    """

    prior: StructuredGaussian
    believed: int = 0
    one_sided: bool = False
    described: bool = False
    knowledge: float = 0.0

    def log_odds(self, hyper: HyperPrior) -> float:
        """The log odds of this setting before any member is left out."""
        told = self.described or self.knowledge > 0
        odds = hyper.described_odds**told * hyper.odds_of(self.prior.groups)
        return float(np.log(odds))

    def in_words(self) -> str:
        words = [f"variance {self.prior.variance:.2g}"]
        words += ["shared by spelling"] * bool(self.prior.kinship)
        words += ["with the name"] * self.described
        words += [f"{self.knowledge:.0%} from what you know"] * bool(self.knowledge)
        words += [f"with {GROUP_NAMES.get(name, name)}" for name, variance in self.prior.groups.items() if variance]
        words += [f"{self.believed:,} candidates treated as members"] * bool(self.believed)
        return ", ".join(words + ["one-sided"] * self.one_sided)


@dataclass(frozen=True)
class Trial:
    """A setting, solved: a column for each part of the members that is left out, and the last for all of them.

    `alpha` (shape (n_documents, n_columns)): the dual solutions. `scores` (shape (n_documents, n_columns)): the
    documents' scores. `ranks` (shape (n_members,)): the rank of each member among the candidates, in the column
    that left it out.
    """

    setting: Setting
    alpha: Block
    scores: Block
    ranks: NDArray[np.int64]


class MemberTrials:
    """The members and candidates on which settings are tried.

    `columns`: the documents, and below them the texts about the category. `members`, `about`, `rejected`: rows:
    known members, texts about the category, documents known not to be members. `groups`: the names of the further
    groups of features. `hyper`: what we expect of the prior. `fold` (shape (n_members,)): the part in which each
    member is left out; one part after the other, from 0. −1: never left out. `tol`: how exactly the regressions are
    solved. `one_sided_steps`: the most steps of Newton's method for one-sided settings. `offset`: from a prior to
    what its centre alone scores every row of the columns. `known_scores` (shape (n_documents,)): what somebody's
    knowledge alone scores every row of the columns.
    """

    def __init__(
        self,
        columns: RidgeColumns,
        members: Rows,
        about: Rows,
        rejected: Rows,
        *,
        groups: tuple[str, ...],
        hyper: HyperPrior,
        fold: Rows,
        tol: float,
        one_sided_steps: int | None = None,
        offset: Callable[[StructuredGaussian], Floats],
        known_scores: Floats | None = None,
    ) -> None:
        self.columns, self.members, self.about = columns, members, about
        self.groups, self.hyper, self.fold, self.tol = groups, hyper, fold, tol
        self.width = int(fold.max(initial=-1)) + 2
        is_exact = tol < ROUGH or len(members) >= MANY
        self._one_sided_steps = one_sided_steps or (ONE_SIDED_STEPS if is_exact else 1)
        self._offset_of = offset
        self.known_spread = 1.0 if known_scores is None else max(float(known_scores.std()), 1e-12)
        self._known = None if known_scores is None else (known_scores / self.known_spread).astype(np.float32)[:, None]
        learned_from = len(members) - np.append(np.bincount(fold[fold >= 0], minlength=self.width - 1), 0)
        self._tighter = (max(len(members), 1) / np.maximum(learned_from, 1)) ** hyper.fewer
        self._space: SharedSubspace | None = None
        n = columns.n_documents
        self._plain = np.zeros((n, self.width), np.float32)
        self._plain[members] = 1.0
        out = fold >= 0
        self._plain[members[out], fold[out]] = 0.0
        self._plain[about] = 1.0
        unknown = np.ones(n, bool)
        unknown[members] = unknown[about] = unknown[rejected] = False
        # Where every other document was rejected, left-out members are ranked among those.
        self.candidates = np.flatnonzero(unknown) if unknown.any() else rejected

    def solve(self, settings: Sequence[Setting], parents: Sequence[Trial] | None = None) -> list[Trial]:
        """Solve settings of one kind, each from the solution of its parent.

        Settings that treat candidates as members, and one-sided ones, need the scores of a parent.
        """
        if not settings:
            return []
        # A trial that is mixed with knowledge is in other units, and no start for the next.
        is_start = parents is not None and not any(each.setting.knowledge for each in parents)
        start = np.concatenate([each.alpha for each in parents or ()], axis=1) if is_start else None
        if settings[0].one_sided:
            return self._one_sided(settings, parents or (), start)
        targets = np.concatenate([self._targets(*pair) for pair in self._pairs(settings, parents)], axis=1)
        offset = self._offset(settings)
        strength, spread, active = self._spread(settings)
        wanted = targets if offset is None else targets - offset
        if self.width == 1 or self.tol < ROUGH:
            # A single fit shares nothing, and an exact one is not to depend on what was solved before.
            alpha = self.columns.solve(wanted, strength, spread=spread, start=start, active=active, tol=self.tol)
            # Not t − λα: under a strong prior what is left of the residual would be larger than the scores.
            scores = self.columns.scores(alpha, spread)
            return self._split(settings, alpha, scores if offset is None else scores + offset)
        if self._space is None or self._space.size > MOST_DIRECTIONS:
            self._space = SharedSubspace(self.columns, self.about)
        counting = np.repeat([setting.described for setting in settings], self.width)
        alpha, scores = self._space.solve(wanted, strength, spread, counting=counting, tol=self.tol)
        return self._split(settings, alpha, scores if offset is None else scores + offset)

    def mix(self, trial: Trial, share: float) -> Trial:
        """Let a share of a trial's score come from what somebody knows, each part in units of its spread."""
        if not share:
            return trial
        assert self._known is not None
        spread = np.maximum(trial.scores.std(axis=0, dtype=np.float64), 1e-12)
        learned = ((1.0 - share) / spread).astype(np.float32)
        scores = np.float32(share) * self._known + trial.scores * learned
        setting = replace(trial.setting, knowledge=share)
        return Trial(setting, trial.alpha * learned, scores, self.ranks(scores))

    def knowledge_alone(self, setting: Setting) -> Trial:
        """Score by what somebody knows, and by nothing else."""
        assert self._known is not None
        scores = np.repeat(self._known, self.width, axis=1)
        return Trial(replace(setting, knowledge=1.0), np.zeros_like(scores), scores, self.ranks(scores))

    def at(self, setting: Setting, alpha: Block) -> Trial:
        """A setting at a dual solution that was found for other targets: a start."""
        offset = self._offset([setting])
        scores = self.columns.scores(alpha, self._spread([setting])[1])
        return self._split([setting], alpha, scores if offset is None else scores + offset)[0]

    @staticmethod
    def _pairs(settings: Sequence[Setting], parents: Sequence[Trial] | None) -> list[tuple[Setting, Trial | None]]:
        return list(zip(settings, parents if parents is not None else [None] * len(settings), strict=True))

    def _one_sided(self, settings: Sequence[Setting], parents: Sequence[Trial], start: Block | None) -> list[Trial]:
        """Squares on one side only, by Newton's method: least squares over the documents on the wrong side."""
        strength, spread, counting = self._spread(settings)
        targets = np.tile(self._plain, (1, len(settings)))
        offset = self._offset(settings)
        wanted = targets if offset is None else targets - offset
        alpha = start
        scores = np.concatenate([trial.scores for trial in parents], axis=1)
        before: Mask | None = None
        for step in range(self._one_sided_steps):
            wrong = np.where(targets > 0.5, scores < 1.0, scores > 0.0)
            if counting is not None:
                wrong &= counting
            if step >= ONE_SIDED_STEPS and before is not None and np.array_equal(wrong, before):
                break
            before = wrong
            alpha = self.columns.solve(wanted, strength, spread=spread, start=alpha, active=wrong, tol=self.tol)
            scores = self.columns.scores(alpha, spread)
            if offset is not None:
                scores += offset
        assert alpha is not None
        return self._split(settings, alpha, scores)

    def ranks(self, scores: Block) -> NDArray[np.int64]:
        """The ranks of left-out members among the candidates, each in the column that left it out."""
        ranks = np.zeros(len(self.members), np.int64)
        for column in range(self.width - 1):
            ascending = np.sort(scores[self.candidates, column])
            own = self.fold == column
            ranks[own] = len(ascending) - np.searchsorted(ascending, scores[self.members[own], column]) + 1
        return ranks[self.fold >= 0]

    def weights(self, trials: Sequence[Trial], shares: Floats) -> Floats:
        """How far the features' weights are from the centre with all members: the sum over trials, by their shares."""
        total = np.zeros(self.columns.n_features)
        structures = [_structure(each.setting.prior, self.groups) for each in trials]
        for structure in dict.fromkeys(structures):
            own = [
                each.alpha[:, -1] * by for each, by, other in zip(trials, shares, structures, strict=True)
                if other == structure
            ]  # fmt: skip
            kinship, *further = structure
            spread = Spread(np.array([kinship]), np.array(further).reshape(-1, 1))
            total += self.columns.weights(np.sum(own, axis=0)[:, None].astype(np.float32), spread)[:, 0]
        return total

    def _targets(self, setting: Setting, parent: Trial | None) -> Block:
        """What each document should score; the best candidates of the parent may count as provisional members."""
        if not setting.believed:
            return self._plain
        assert parent is not None
        k = setting.believed
        targets = self._plain.copy()
        belief = (self.hyper.belief * (1 - np.arange(k) / k)).astype(np.float32)
        may = np.zeros(len(targets), bool)
        may[self.candidates] = True
        for column in range(self.width):
            candidates = np.flatnonzero(may | (self._plain[:, column] < self._plain[:, -1]))
            scores = parent.scores[candidates, column]
            best = np.argpartition(-scores, k - 1)[:k]
            best = best[np.lexsort((candidates[best], -scores[best]))]
            targets[candidates[best], column] = belief
        return targets

    def _offset(self, settings: Sequence[Setting]) -> Block | None:
        """What the centres score by themselves, for each column of each setting."""
        if not any(np.any(each.prior.centre) for each in settings):
            return None
        own = np.stack([self._offset_of(each.prior) for each in settings], axis=1)
        return np.repeat(own, self.width, axis=1).astype(np.float32)

    def _spread(self, settings: Sequence[Setting]) -> tuple[Floats, Spread, Mask | None]:
        """The prior's strength, its structure, and the rows that count, for each column of each setting."""
        strength = np.outer([1.0 / setting.prior.variance for setting in settings], self._tighter).ravel()
        structures = np.array([_structure(setting.prior, self.groups) for setting in settings])
        by_column = np.repeat(structures, self.width, axis=0).T
        spread = Spread(by_column[0], by_column[1:])
        silent = np.repeat([not setting.described for setting in settings], self.width)
        if not len(self.about) or not silent.any():
            return strength, spread, None
        counting = np.ones((self.columns.n_documents, len(silent)), bool)
        counting[np.ix_(self.about, silent)] = False
        return strength, spread, counting

    def _split(self, settings: Sequence[Setting], alpha: Block, scores: Block) -> list[Trial]:
        trials = []
        for place, setting in enumerate(settings):
            own = slice(place * self.width, (place + 1) * self.width)
            trial = Trial(setting, alpha[:, own], scores[:, own], self.ranks(scores[:, own]))
            trials.append(self.mix(trial, setting.knowledge))
        return trials


def _structure(prior: StructuredGaussian, groups: tuple[str, ...]) -> tuple[float, ...]:
    return (prior.kinship, *prior.of_groups(groups).tolist())


def draw_folds(n_members: int, seed: int, copies: Rows | None = None) -> Rows:
    """Deal the members to five parts, or three if they are many; each is alone if there are fewer than five.

    A single member cannot be left out. Members with the same number in `copies` are left out together, or the copy that
    stays would find the one that was left out; if all are copies of each other, that is unavoidable.
    """
    if n_members < 2:
        return never_left_out(n_members)
    groups = np.arange(n_members) if copies is None or not copies.any() else copies
    n_groups = int(groups.max()) + 1
    parts = FOLDS_OF_MANY if n_members >= MANY else FOLDS
    fold: Rows = (np.random.default_rng(seed).permutation(n_groups) % min(parts, n_groups))[groups]
    return fold


def never_left_out(n_members: int) -> Rows:
    """The fold of members of whom none is left out: a single fit."""
    return np.full(n_members, -1, np.int64)


def without_groups(setting: Setting) -> Setting:
    """The same setting without the further groups of features."""
    return replace(setting, prior=replace(setting.prior, groups={}))
