"""Settings of the membership regression, each solved for all members and for the members without some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from priorwise.models.prior_spread import Spread

if TYPE_CHECKING:
    from priorwise.models.ridge_columns import RidgeColumns

Block = NDArray[np.float32]
Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]

BELIEF = 0.5
"""How far the very best of the believed documents is believed; the others less and less, down to 0."""

FOLDS = 5
FOLDS_OF_MANY = 3
MANY = 100
"""So many members tell enough when a third of them is left out at a time, and cost less."""

FEWER = 1.2
"""Who learns from a share of the members has a variance that is smaller by this power of the share."""

ONE_SIDED_STEPS = 3

FIRST_SHARE = 0.1
"""The best tenth of the left-out members says too little to be counted by."""

RANK_OFFSET = 9.0
"""A left-out member stands at rank r with a probability like 1/(r + 9): what weighs one setting against another."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One choice.

    Parameters
    ----------
    variance : float
        The prior's variance with all members, times the number of documents.
    believed : int
        How many other documents are taken for likely members.
    one_sided : bool
        Whether members may score above 1, and others below 0, at no cost.
    shared : float
        How much of the variance belongs to what tokens have in common.
    described : bool
        Whether the texts about the category count as members.
    labels : float
        The variance of the weights of other labels, beside that of tokens; 0 if they say nothing.
    """

    variance: float
    believed: int = 0
    one_sided: bool = False
    shared: float = 0.0
    described: bool = False
    labels: float = 0.0


@dataclass(frozen=True)
class Trial:
    """A setting, solved: a column for each part of the members that is left out, and the last for all of them."""

    setting: Setting
    alpha: Block
    scores: Block
    ranks: NDArray[np.int64]

    def log_rank(self, lost: float) -> float:
        """The sum of log(r + 9) over the ranks of left-out members; one beyond `lost` counts as lost."""
        return float(np.log(np.minimum(self.ranks, lost) + RANK_OFFSET).sum())


class Trials:
    """One set of members, on which settings are tried.

    Parameters
    ----------
    columns : RidgeColumns
        The documents.
    known, imagined, rejected : array of int
        Rows: members, texts about the category, documents that are no members.
    seed : int
        Which members are left out together.
    tol : float
        How exactly the regressions are solved.
    """

    def __init__(
        self, columns: RidgeColumns, known: Rows, imagined: Rows, rejected: Rows, *, seed: int, tol: float
    ) -> None:
        self.columns = columns
        self.tol = tol
        self.known, self.imagined = known, imagined
        self.fold = folds(len(known), seed)
        self.width = int(self.fold.max()) + 2
        learned_from = len(known) - np.append(np.bincount(self.fold), 0)
        self._tighter = (len(known) / learned_from) ** FEWER
        n = columns.n_documents
        self._plain = np.zeros((n, self.width), np.float32)
        self._plain[known] = 1.0
        self._plain[known, self.fold] = 0.0
        self._plain[imagined] = 1.0
        unsure = np.ones(n, bool)
        unsure[known] = unsure[imagined] = unsure[rejected] = False
        self.others = np.flatnonzero(unsure)

    def plain(self, settings: Sequence[Setting]) -> list[Trial]:
        """Try settings from scratch: squares on both sides, nobody believed."""
        return self._two_sided(settings, np.tile(self._plain, (1, len(settings))), None)

    def described(self, trials: Sequence[Trial]) -> list[Trial]:
        """Try again with the texts about the category among the members."""
        if not trials or not len(self.imagined):
            return []
        targets = np.tile(self._plain, (1, len(trials)))
        start = np.concatenate([trial.alpha for trial in trials], axis=1)
        return self._two_sided([replace(trial.setting, described=True) for trial in trials], targets, start)

    def labelled(self, trials: Sequence[Trial], variances: Sequence[float]) -> list[Trial]:
        """Try again with other labels among the features."""
        if not trials or not variances:
            return []
        settings = [replace(trial.setting, labels=variance) for variance in variances for trial in trials]
        targets = np.tile(self._plain, (1, len(settings)))
        start = np.concatenate([trial.alpha for _ in variances for trial in trials], axis=1)
        return self._two_sided(settings, targets, start)

    def believing(self, trials: Sequence[Trial], ks: Sequence[int]) -> list[Trial]:
        """Try again with the k best of the others believed."""
        if not trials or not ks:
            return []
        pairs = [(trial, k) for k in ks for trial in trials]
        targets = np.concatenate([self._believe(trial, k) for trial, k in pairs], axis=1)
        start = np.concatenate([trial.alpha for trial, _ in pairs], axis=1)
        return self._two_sided([replace(trial.setting, believed=k) for trial, k in pairs], targets, start)

    def one_sided(self, trials: Sequence[Trial]) -> list[Trial]:
        """Try again with squares on one side only.

        By Newton's method: least squares over the documents on the wrong side, until which those are hardly changes.
        """
        if not trials:
            return []
        settings = [replace(trial.setting, one_sided=True) for trial in trials]
        strength, spread, counting = self._spread(settings)
        targets = np.tile(self._plain, (1, len(settings)))
        alpha = np.concatenate([trial.alpha for trial in trials], axis=1)
        scores = np.concatenate([trial.scores for trial in trials], axis=1)
        for _ in range(ONE_SIDED_STEPS):
            wrong = np.where(targets > 0.5, scores < 1.0, scores > 0.0)
            if counting is not None:
                wrong &= counting
            alpha = self.columns.solve(targets, strength, spread=spread, start=alpha, active=wrong, tol=self.tol)
            scores = self.columns.scores(alpha, spread)
        return self._split(settings, alpha, scores)

    def ranks(self, scores: Block) -> NDArray[np.int64]:
        """Where members stand that were left out: among the others, in the column that left them out."""
        ranks = np.empty(len(self.known), np.int64)
        for column in range(self.width - 1):
            ascending = np.sort(scores[self.others, column])
            own = self.fold == column
            ranks[own] = len(ascending) - np.searchsorted(ascending, scores[self.known[own], column]) + 1
        return ranks

    def _two_sided(self, settings: Sequence[Setting], targets: Block, start: Block | None) -> list[Trial]:
        strength, spread, counting = self._spread(settings)
        alpha = self.columns.solve(targets, strength, spread=spread, start=start, active=counting, tol=self.tol)
        return self._split(settings, alpha, targets - strength.astype(np.float32) * alpha)

    def _spread(self, settings: Sequence[Setting]) -> tuple[NDArray[np.float64], Spread, Mask | None]:
        """The prior's strength, how it is spread over the features, and who counts, for each column of each setting.

        Who learns from fewer members needs a stronger prior.
        """
        n = self.columns.n_documents
        strength = np.outer([n / setting.variance for setting in settings], self._tighter).ravel()
        shares = [[setting.shared, setting.labels] for setting in settings]
        spread = Spread(*np.repeat(shares, self.width, axis=0).T)
        silent = np.repeat([not setting.described for setting in settings], self.width)
        if not len(self.imagined) or not silent.any():
            return strength, spread, None
        counting = np.ones((n, len(silent)), bool)
        counting[np.ix_(self.imagined, silent)] = False
        return strength, spread, counting

    def _split(self, settings: Sequence[Setting], alpha: Block, scores: Block) -> list[Trial]:
        trials = []
        for place, setting in enumerate(settings):
            own = slice(place * self.width, (place + 1) * self.width)
            part = np.ascontiguousarray(scores[:, own])
            trials.append(Trial(setting, np.ascontiguousarray(alpha[:, own]), part, self.ranks(part)))
        return trials

    def _believe(self, trial: Trial, k: int) -> Block:
        """The targets with the k best of the others believed; a member that is left out is one of the others."""
        targets = self._plain.copy()
        belief = (BELIEF * (1 - np.arange(k) / k)).astype(np.float32)
        may = np.zeros(len(targets), bool)
        may[self.others] = True
        for column in range(self.width):
            candidates = np.flatnonzero(may | (self._plain[:, column] < self._plain[:, -1]))
            scores = trial.scores[candidates, column]
            best = np.argpartition(-scores, k - 1)[:k]
            best = best[np.lexsort((candidates[best], -scores[best]))]
            targets[candidates[best], column] = belief
        return targets


def most_missing(ranks: NDArray[np.int64]) -> float:
    """The most members that can be missing, as far as the ranks of left-out members go.

    If a share q of the left-out members stands at rank r or better, then so does a share q of the h missing ones:
    hq ≤ r, at every rank. So h ≤ min_i r_(i) (n + 1)/i, with r_(1) ≤ r_(2) ≤ … the n ranks and i > n/10.

    Examples
    --------
    >>> most_missing(np.array([2, 5, 9, 14, 300]))
    12.0
    """
    ordered = np.sort(ranks)
    place = np.arange(1, len(ordered) + 1)
    counted = place > FIRST_SHARE * len(ordered)
    return float(np.min((ordered * (len(ordered) + 1) / place)[counted]))


def folds(n_known: int, seed: int) -> NDArray[np.int64]:
    """Which fifth of the members each belongs to, or which third of many; with fewer than five, each is alone."""
    parts = FOLDS_OF_MANY if n_known >= MANY else min(FOLDS, n_known)
    fold: NDArray[np.int64] = np.random.default_rng(seed).permutation(n_known) % parts
    return fold
