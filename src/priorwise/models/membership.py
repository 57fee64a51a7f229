"""Membership as a regression on a document's words, its prior learned from how well left-out members are found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import NotEnoughData
from priorwise.models.membership_trials import Setting, Trial, Trials, most_missing

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

STEPS = (0.125, 0.5, 2.0, 8.0)
"""The variances that are tried, as parts of the usual one."""

SHARED = 0.5
"""How much of the prior's variance belongs to what tokens have in common, if any does."""

BELIEVED = (30, 100, 300)
"""How many of the best other documents are taken for likely members, if any."""

LABEL_VARIANCES = (1 / 16, 1 / 4, 1.0)
"""The variances of the weights of other labels that are tried, beside that of tokens."""

LABELLED_TRIALS = 2
DESCRIBED_TRIALS = 3
BELIEVING_TRIALS = 3
ONE_SIDED_TRIALS = 2
"""So many of the best settings are tried again in these ways."""

LOST_BEYOND = 5.0
LOST_AFTER = 50.0
"""A left-out member beyond 5 h + 50, with h the most members that can be missing, is lost, wherever it stands."""

DESCRIPTION_WORTH = float(np.e)
LABELS_WORTH = float(np.exp(-2))
"""By how much a setting is worth more or less, before any member is left out, if it listens to the texts about the
category, and if it listens to other labels."""


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
        The mean of log(rank + 9) of the members left out, by setting; a rank beyond `lost` counts as `lost`.
    lost : float
        The rank beyond which a member is lost.
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
    lost: float
    weights: Floats
    scores: Floats
    held_out: Floats
    held_out_ranks: NDArray[np.int64]


def usual_variance(n_known: int) -> float:
    """The variance, times the number of documents, that suits so many members as a rule: 400 (n/5)^0.6.

    Found on categories of six collections. With five members the prior must hold the weights together, with a thousand
    it must let go.

    Examples
    --------
    >>> [round(usual_variance(n)) for n in (5, 20, 100, 1000)]
    [400, 919, 2414, 9609]
    """
    return float(400 * (n_known / 5) ** 0.6)


def learn_membership(
    X: Any,
    known: Rows,
    *,
    imagined: Rows | None = None,
    rejected: Rows | None = None,
    traits: Any | None = None,
    n_labels: int = 0,
    variances: Sequence[float] | None = None,
    believed: Sequence[int] = BELIEVED,
    seed: int = 0,
    tol: float = 1e-2,
    threads: int | None = None,
) -> Membership:
    """Regress membership on the rows of X, and learn the prior and how many other documents to believe.

    A known member's target is 1, every other document's 0, since most are none. For a prior of variance G/n::

        w = argmin Σ_d (t_d − w·x_d)² + (n/G) wᵀS⁻¹w

    with S = I, or with half of the variance in what features have in common, their traits: S = ½I + ½TTᵀ. Then, if
    k > 0, again with targets from ½ down to 0 for the k best of the others: members that nobody has found yet look like
    members, and tell what else members look like. Or, one-sided, as a support vector machine::

        w = argmin Σ_members max(0, 1 − w·x_d)² + Σ_others max(0, w·x_d)² + (n/G) wᵀS⁻¹w

    The last features may be other labels of the documents. Their weights have a variance of their own, from a sixteenth
    of the tokens' to as much, or none. Texts about the category are one more member each, or none. The best settings of
    the first kind are tried in the others.

    Each setting is tried on members that are left out, a fifth of them at a time, or a third of a hundred and more.
    The members that stay are fewer and need a stronger prior: G times their share to the power of 1.2. Those left out
    stand among the other documents at ranks r, and the setting counts in proportion to Π 1/(r + 9), times what it
    was worth before: e times as much if it listens to the texts, e² times less if it listens to labels. A member far
    beyond where the category can end is lost, and it does not matter how far: r is at most 5 h + 50, where h is the
    most members that can be missing (`most_missing`). The weights are the average over the settings, each in units of
    its scores' spread.

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
    traits : scipy.sparse.csr_matrix, shape (n_features, n_traits), optional
        What features have in common; nothing by default.
    n_labels : int
        So many of the last features are no tokens but labels.
    variances : sequence of float, optional
        The values of G to try; by default from an eighth of the usual one to eight times as much.
    believed : sequence of int
        The values of k to try, beside 0.
    seed : int
        Which members are left out together.
    tol : float
        How exactly the regressions are solved: the length of what is left of the targets, beside theirs. Rankings
        hardly change below a hundredth.
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
    columns = RidgeColumns(X, threads, traits=traits, n_apart=n_labels)
    texts = np.empty(0, np.int64) if imagined is None else imagined
    no = np.empty(0, np.int64) if rejected is None else rejected
    trials = Trials(columns, known, texts, no, seed=seed, tol=tol)

    tried = trials.plain(_first_settings(variances, len(known), traits is not None))
    least = min(tried, key=lambda trial: trial.log_rank(np.inf))
    lost = LOST_BEYOND * most_missing(least.ranks) + LOST_AFTER
    badness = partial(_badness, lost=lost)
    if n_labels:
        tried += trials.labelled(sorted(tried, key=badness)[:LABELLED_TRIALS], LABEL_VARIANCES)
    tried += trials.described(_best(tried, badness)[:DESCRIBED_TRIALS])
    best = _best(tried, badness)
    ks = [k for k in dict.fromkeys(min(k, len(trials.others) // 4) for k in believed) if k > 0]
    tried += trials.one_sided(best[:ONE_SIDED_TRIALS])
    tried += trials.believing(best[:BELIEVING_TRIALS], ks)

    against = np.array([badness(each) for each in tried])
    shares = np.exp(-(against - against.min()))
    shares /= shares.sum()
    spread = np.array([np.maximum(each.scores.std(axis=0, dtype=np.float64), 1e-12) for each in tried])
    in_units = shares[:, None] / spread
    scores = np.sum([each.scores * by for each, by in zip(tried, in_units, strict=True)], axis=0)
    return Membership(
        [each.setting for each in tried],
        shares,
        np.array([each.log_rank(lost) for each in tried]) / len(known),
        lost,
        _weights(columns, tried, in_units[:, -1]),
        scores[:, -1].astype(np.float64),
        scores[known, trials.fold].astype(np.float64),
        trials.ranks(scores),
    )


def _first_settings(variances: Sequence[float] | None, n_known: int, alike: bool) -> list[Setting]:
    own = [usual_variance(n_known) * step for step in STEPS] if variances is None else variances
    return [Setting(variance, shared=shared) for shared in ((0.0, SHARED) if alike else (0.0,)) for variance in own]


def _badness(trial: Trial, lost: float) -> float:
    """How improbable a setting makes the ranks of left-out members, and how little it was worth before; a logarithm."""
    worth = np.log(DESCRIPTION_WORTH) * trial.setting.described + np.log(LABELS_WORTH) * (trial.setting.labels > 0)
    return trial.log_rank(lost) - float(worth)


def _best(tried: Sequence[Trial], badness: Callable[[Trial], float]) -> list[Trial]:
    """The best settings first, and of those that differ only in how they listen to labels only the best."""
    distinct = {replace(each.setting, labels=0.0): each for each in sorted(tried, key=badness, reverse=True)}
    return sorted(distinct.values(), key=badness)


def _weights(columns: Any, tried: Sequence[Trial], in_units: Floats) -> Floats:
    total = np.zeros(columns.n_features)
    spreads = [(each.setting.shared, each.setting.labels) for each in tried]
    for spread in dict.fromkeys(spreads):
        own = [
            each.alpha[:, -1] * by for each, by, other in zip(tried, in_units, spreads, strict=True) if other == spread
        ]
        total += columns.weights(np.sum(own, axis=0), *spread)
    return total
