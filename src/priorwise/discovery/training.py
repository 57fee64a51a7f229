"""What a model learns from: all members, and everything else, or samples of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import NotEnoughData
from priorwise.models.leave_one_out import LeaveOneOut
from priorwise.models.presence_counts import Cases, PresenceCounts
from priorwise.models.presence_priors import UNIFORM, PriorKind

Rows = NDArray[np.int64]
NO_ROWS: Rows = np.empty(0, np.int64)

BACKGROUND_PER_MEMBER = 200
"""All other documents together weigh at most this much per member, so that λ− means the same in any corpus."""

HARD_WEIGHT = 100.0
"""What a document weighs that people rejected, among all other documents; together at most as much as all of those."""

JUDGED_PER_MEMBER = 20
JUDGED_AT_MOST = 5_000


@dataclass(frozen=True)
class Sample:
    """All members and one sample of the others, to be scored by leave-one-out."""

    seed: int
    negatives: Rows
    cases: Cases
    counts: PresenceCounts

    def leave_one_out(self, kind: PriorKind = UNIFORM, threads: int | None = None) -> LeaveOneOut:
        """Score every case by a model that has not seen it."""
        return LeaveOneOut(self.cases, self.counts, kind=kind, threads=threads)


@dataclass(frozen=True)
class Training:
    """What a model learns from.

    Parameters
    ----------
    members : array of int
        The members' rows.
    features : array of int
        The tokens that occur in at least one member; counts and cases speak of them by their place here.
    samples : list of Sample
        One per seed.
    others : int
        How many documents the samples were drawn from.
    background : PresenceCounts, optional
        The members against all other documents; without it, the model is trained on the samples.
    """

    members: Rows
    features: NDArray[np.int64]
    samples: list[Sample]
    others: int
    background: PresenceCounts | None = None

    @property
    def negative_weight(self) -> float:
        """How many documents of the corpus each sampled negative stands for."""
        return self.others / len(self.samples[0].negatives)

    def first_counts(self) -> PresenceCounts:
        """The counts with the first sample: the paper's model."""
        return self.samples[0].counts

    def mean_counts(self) -> PresenceCounts:
        """The counts with all other documents, or the mean over the samples: the same n(−), with less noise."""
        if self.background is not None:
            return self.background
        counts = [sample.counts for sample in self.samples]
        negative = np.mean([each.negative for each in counts], axis=0)
        return replace(counts[0], negative=negative)


def draw_training(
    corpus: Corpus,
    members: Rows,
    excluded: Rows,
    *,
    seeds: list[int],
    per_member: float | None = None,
    hard: Rows = NO_ROWS,
) -> Training:
    """Read the members, and draw one sample of other documents per seed, without replacement.

    With `per_member`, each sample has so many negatives per member and trains a model of its own. Without, every model
    is trained on all other documents, which the vocabulary has counted already, and the samples only judge it: 20
    negatives per member, at most 5,000. A sample that holds every other document is drawn once.

    `hard` are other documents that people rejected: every sample that trains a model has them, and among all other
    documents they weigh more.
    """
    if len(members) < 2:
        after = " after the exclusions" if len(excluded) else ""
        raise NotEnoughData(
            f"a category needs at least 2 members to learn from, and this one has {len(members)}{after}"
        )
    is_other = np.ones(corpus.n_documents, dtype=bool)
    is_other[members] = False
    is_other[excluded] = False
    others = np.flatnonzero(is_other)
    if len(others) == 0:
        raise NotEnoughData("every document of the corpus is a member: there is nothing to find, nor to compare with")

    indptr, tokens = corpus.take(members)
    features = np.unique(tokens).astype(np.int64)
    place = np.full(corpus.n_vocabulary, -1, dtype=np.int32)
    place[features] = np.arange(len(features), dtype=np.int32)
    positive = np.bincount(place[tokens], minlength=len(features)).astype(np.float64)
    member_cases = (indptr, place[tokens], np.diff(indptr))

    # What an excluded document holds is unknown to the collection, too.
    in_all = corpus.document_frequency[features] - _count(corpus, excluded, place, len(features))
    n_all = float(len(members) + len(others))
    background, share, hard_weight = None, 1.0, 1.0
    if per_member is None:
        size = min(JUDGED_PER_MEMBER * len(members), JUDGED_AT_MOST, len(others))
        share = min(1.0, BACKGROUND_PER_MEMBER * len(members) / len(others))
        hard_weight = max(share, min(HARD_WEIGHT, len(others) * share / max(1, len(hard))))
        in_others = (in_all - positive) * share + (hard_weight - share) * _count(corpus, hard, place, len(features))
        n_others = len(others) * share + (hard_weight - share) * len(hard)
        background = PresenceCounts(positive, in_others, len(members), n_others, in_all, n_all)
    else:
        size = min(max(1, round(per_member * len(members))), len(others))

    samples = []
    for seed in seeds[:1] if size == len(others) else seeds:
        pool = others if background is not None else np.setdiff1d(others, hard)
        drawn = np.random.default_rng(seed).choice(pool, size=min(size, len(pool)), replace=False, shuffle=False)
        drawn = np.sort(drawn if background is not None else np.concatenate([drawn, hard]))
        cases = _cases(corpus, member_cases, drawn, place, np.where(np.isin(drawn, hard), hard_weight, share))
        counts = background or replace(cases.count(len(features)), collection=in_all, n_collection=n_all)
        samples.append(Sample(seed, drawn, cases, counts))
    return Training(members, features, samples, len(others), background)


def _count(corpus: Corpus, rows: Rows, place: NDArray[np.int32], n_features: int) -> NDArray[np.float64]:
    """In how many of some documents each feature occurs."""
    _, tokens = corpus.take(rows)
    local = place[tokens]
    return np.bincount(local[local >= 0], minlength=n_features).astype(np.float64)


def _cases(
    corpus: Corpus,
    members: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]],
    negatives: Rows,
    place: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> Cases:
    """The members and some negatives with their weights, the latter without the tokens that no member has."""
    member_indptr, member_tokens, member_length = members
    indptr, tokens = corpus.take(negatives)
    local = place[tokens]
    known = local >= 0
    kept = np.concatenate([[0], np.cumsum(known)])
    is_member = np.arange(len(member_length) + len(negatives)) < len(member_length)
    return Cases.of(
        np.concatenate([member_indptr, member_indptr[-1] + kept[indptr[1:]]]),
        np.concatenate([member_tokens, local[known]]),
        is_member,
        taken_out=np.concatenate([np.ones(len(member_length)), weights]),
        length=np.concatenate([member_length, np.diff(indptr)]),
    )
