"""Membership as a regression on a document's words, its prior learned from how well left-out members are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import NotEnoughData

if TYPE_CHECKING:
    from priorwise.models.ridge_columns import RidgeColumns

Block = NDArray[np.float32]
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

VARIANCES = (50.0, 200.0, 800.0, 3000.0, 12_000.0)
"""Variances of the prior, times the number of documents."""

BELIEVED = (10, 30, 100, 300)
"""How many of the best other documents are taken for likely members, if any."""

BELIEF = 0.5
"""How far the very best of them is believed; the others less and less, down to 0."""

BELIEF_PRIOR = 0.25
"""What all settings that believe other documents are worth together before any member is left out."""

FOLDS = 5
KEPT_VARIANCES = 2
ONE_SIDED_STEPS = 3

RANK_OFFSET = 10.0
"""A left-out member stands at rank r with a probability like 1/(r + 10): what weighs one setting against another."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One choice.

    Parameters
    ----------
    variance : float
        The prior's variance, times the number of documents.
    believed : int
        How many other documents are taken for likely members.
    one_sided : bool
        Whether members may score above 1, and others below 0, at no cost.
    """

    variance: float
    believed: int = 0
    one_sided: bool = False


@dataclass(frozen=True)
class Membership:
    """A regression, averaged over settings by how well each finds members that were left out.

    Parameters
    ----------
    settings : list of Setting
        What was tried.
    shares : array
        How much each of them counts; they add up to 1.
    log_ranks : array
        The mean of log(rank + 10) of the members left out, by setting.
    weights : array, shape (n_features,)
        What each feature adds to the score.
    scores : array, shape (n_documents,)
        The documents' scores.
    held_out : array, shape (n_known,)
        The scores of the known members by regressions that took them for other documents.
    held_out_ranks : array of int, shape (n_known,)
        How many documents that are not known score at least as much there, plus 1.
    """

    settings: list[Setting]
    shares: Floats
    log_ranks: Floats
    weights: Floats
    scores: Floats
    held_out: Floats
    held_out_ranks: NDArray[np.int64]


def learn_membership(
    X: Any,
    known: Rows,
    *,
    imagined: Rows | None = None,
    rejected: Rows | None = None,
    variances: Sequence[float] = VARIANCES,
    believed: Sequence[int] = BELIEVED,
    seed: int = 0,
    threads: int | None = None,
) -> Membership:
    """Regress membership on the rows of X, and learn the prior's variance and how many other documents to believe.

    A known member's target is 1, every other document's 0, since most are none. For a setting (G, k)::

        w = argmin Σ_d (t_d − w·x_d)² + (n/G) |w|²

    and, if k > 0, again with targets from ½ down to 0 for the k best of the others: members that nobody has found yet
    look like members, and tell what else members look like. Or, one-sided,::

        w = argmin Σ_members max(0, 1 − w·x_d)² + Σ_others max(0, w·x_d)² + (n/G) |w|²

    which suits short texts and many members. The two best variances of the first kind are tried in the others.

    Each setting is tried on members that are left out, a fifth of them at a time. They stand among the other documents
    at ranks r, and the setting counts in proportion to Π 1/(r + 10), times what it was worth before: those that believe
    other documents are worth a quarter together. The weights are the average over the settings, each in units of its
    scores' spread.

    Parameters
    ----------
    X : scipy.sparse.csr_matrix, shape (n_documents, n_features)
        The documents.
    known : array of int
        The rows of the members, ascending.
    imagined : array of int, optional
        Rows that are no documents but texts about the category, such as its name: members that are never left out.
    rejected : array of int, optional
        Rows of documents that are known not to be members: never believed, and not counted in ranks.
    variances : sequence of float
        The values of G to try.
    believed : sequence of int
        The values of k to try, beside 0.
    seed : int
        Which members are left out together.
    threads : int, optional
        All cores by default.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> X = csr_matrix(np.repeat([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], [8, 24], axis=0))
    >>> learned = learn_membership(X, np.arange(5))
    >>> sorted(np.argsort(-learned.scores)[:8].tolist()), bool(learned.weights[0] > learned.weights[1])
    ([0, 1, 2, 3, 4, 5, 6, 7], True)
    """
    # Only who learns waits for the compiled loops.
    from priorwise.models.ridge_columns import RidgeColumns

    if len(known) < 2:
        raise NotEnoughData(f"a category needs at least 2 members to learn from, and this one has {len(known)}")
    columns = RidgeColumns(X, threads)
    n = columns.n_documents
    fold = _folds(len(known), seed)
    n_columns = int(fold.max()) + 2
    plain = np.zeros((n, n_columns), np.float32)
    plain[known] = 1.0
    plain[known, fold] = 0.0
    sure = np.zeros(n, bool)
    sure[known] = True
    if imagined is not None:
        plain[imagined] = 1.0
        sure[imagined] = True
    if rejected is not None:
        sure[rejected] = True
    judge = _Judge(known, fold, np.flatnonzero(~sure))

    strength = np.repeat(n / np.asarray(variances), n_columns)
    tried = _two_sided(columns, np.tile(plain, (1, len(variances))), strength).split(n_columns)
    settings = [Setting(variance) for variance in variances]
    log_ranks = [judge.log_rank(each.scores) for each in tried]

    best = np.sort(np.argsort(log_ranks, kind="stable")[:KEPT_VARIANCES])
    start = _Tried.joined([tried[g] for g in best])
    more = _one_sided(columns, np.tile(plain, (1, len(best))), start).split(n_columns)
    settings += [Setting(variances[g], one_sided=True) for g in best]
    ks = [k for k in dict.fromkeys(min(k, len(judge.others) // 4) for k in believed) if k > 0]
    if ks:
        targets = np.concatenate([_believing(tried[g], plain, judge.others, k) for k in ks for g in best], axis=1)
        start = _Tried.joined([tried[g] for _ in ks for g in best])
        more += _two_sided(columns, targets, start.strength, start.alpha).split(n_columns)
        settings += [Setting(variances[g], k) for k in ks for g in best]
    log_ranks += [judge.log_rank(each.scores) for each in more]
    tried += more

    total = np.array(log_ranks)
    shares = _shares(settings, total)
    spread = np.array([np.maximum(each.scores.std(axis=0, dtype=np.float64), 1e-12) for each in tried])
    in_units = shares[:, None] / spread
    scores = np.sum([each.scores * by for each, by in zip(tried, in_units, strict=True)], axis=0)
    alpha = np.sum([each.alpha[:, -1] * by[-1] for each, by in zip(tried, in_units, strict=True)], axis=0)
    return Membership(
        settings,
        shares,
        total / len(known),
        columns.weights(alpha),
        scores[:, -1].astype(np.float64),
        scores[known, fold].astype(np.float64),
        judge.ranks(scores),
    )


def _shares(settings: Sequence[Setting], log_ranks: Floats) -> Floats:
    """Bayes' rule: what each setting was worth before, times how probable it makes the ranks of left-out members."""
    believes = np.array([setting.believed > 0 for setting in settings])
    before = np.where(believes, BELIEF_PRIOR / max(1, believes.sum()), (1 - BELIEF_PRIOR) / (~believes).sum())
    shares = before * np.exp(-(log_ranks - log_ranks.min()))
    normed: Floats = shares / shares.sum()
    return normed


@dataclass(frozen=True)
class _Tried:
    """Some columns, solved."""

    strength: Floats
    alpha: Block
    scores: Block

    def split(self, width: int) -> list[_Tried]:
        """One for each setting."""
        return [
            _Tried(
                self.strength[begin : begin + width],
                np.ascontiguousarray(self.alpha[:, begin : begin + width]),
                np.ascontiguousarray(self.scores[:, begin : begin + width]),
            )
            for begin in range(0, len(self.strength), width)
        ]

    @classmethod
    def joined(cls, parts: Sequence[_Tried]) -> _Tried:
        """Columns side by side."""
        return cls(
            np.concatenate([part.strength for part in parts]),
            np.concatenate([part.alpha for part in parts], axis=1),
            np.concatenate([part.scores for part in parts], axis=1),
        )


def _two_sided(columns: RidgeColumns, targets: Block, strength: Floats, start: Block | None = None) -> _Tried:
    alpha = columns.solve(targets, strength, start=start)
    return _Tried(strength, alpha, targets - strength.astype(np.float32) * alpha)


def _one_sided(columns: RidgeColumns, targets: Block, start: _Tried) -> _Tried:
    """Newton's method: least squares over the documents on the wrong side, until which those are hardly changes."""
    alpha, scores = start.alpha, start.scores
    for _ in range(ONE_SIDED_STEPS):
        wrong = np.where(targets > 0.5, scores < 1.0, scores > 0.0)
        alpha = columns.solve(targets, start.strength, start=alpha, active=wrong)
        scores = columns.scores(alpha)
    return _Tried(start.strength, alpha, scores)


@dataclass(frozen=True)
class _Judge:
    """Where members stand that were left out: among the other documents, in the column that left them out."""

    known: Rows
    fold: NDArray[np.int64]
    others: Rows

    def ranks(self, scores: Block) -> NDArray[np.int64]:
        ranks = np.empty(len(self.known), np.int64)
        for column in range(int(self.fold.max()) + 1):
            ascending = np.sort(scores[self.others, column])
            own = self.fold == column
            ranks[own] = len(ascending) - np.searchsorted(ascending, scores[self.known[own], column]) + 1
        return ranks

    def log_rank(self, scores: Block) -> float:
        return float(np.log(self.ranks(scores) - 1 + RANK_OFFSET).sum())


def _folds(n_known: int, seed: int) -> NDArray[np.int64]:
    """Which fifth of the members each belongs to; with fewer than five, each is left out alone."""
    folds: NDArray[np.int64] = np.random.default_rng(seed).permutation(n_known) % min(FOLDS, n_known)
    return folds


def _believing(tried: _Tried, plain: Block, others: Rows, k: int) -> Block:
    """The targets with the k best of the others believed; a member that is left out is one of the others."""
    targets = plain.copy()
    belief = (BELIEF * (1 - np.arange(k) / k)).astype(np.float32)
    may = np.zeros(len(plain), bool)
    may[others] = True
    for column in range(plain.shape[1]):
        own = may | (plain[:, column] < plain[:, -1])
        candidates = np.flatnonzero(own)
        scores = tried.scores[candidates, column]
        best = np.argpartition(-scores, k - 1)[:k]
        best = best[np.lexsort((candidates[best], -scores[best]))]
        targets[candidates[best], column] = belief
    return targets
