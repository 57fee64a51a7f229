"""What a model learns from: all members, and everything else, or samples of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import NotEnoughData
from priorwise.models.naive_bayes.presence_leave_one_out import Cases, LeaveOneOut, PresenceCounts
from priorwise.priors.presence import UNIFORM, PresencePrior

Rows = NDArray[np.int64]
Bags = tuple[NDArray[np.int64], NDArray[np.uint32]]
"""Offsets and tokens of some documents."""

NO_ROWS: Rows = np.empty(0, np.int64)

BACKGROUND_PER_MEMBER = 200
"""All other documents together weigh at most this much per member, so that λ− means the same in any corpus."""

HARD_WEIGHT = 100.0
"""What a document weighs that people rejected, among all other documents; together at most as much as all of those."""

NOTHING_TO_FIND = "every document of the corpus is a member: there is nothing to find, nor to compare with"

JUDGED_PER_MEMBER = 20
JUDGED_AT_MOST = 5_000


@dataclass(frozen=True)
class Sample:
    """All members and one sample of the others, to be scored by leave-one-out."""

    seed: int
    negatives: Rows
    cases: Cases
    counts: PresenceCounts

    def leave_one_out(self, kind: PresencePrior = UNIFORM, threads: int | None = None) -> LeaveOneOut:
        """Score every case by a model that has not seen it."""
        return LeaveOneOut(self.cases, self.counts, kind=kind, threads=threads)


@dataclass(frozen=True)
class SharedSample:
    """Documents that judge the priors of many categories: drawn once, and read once."""

    seed: int
    rows: Rows
    indptr: NDArray[np.int64]
    tokens: NDArray[np.uint32]

    @classmethod
    def draw(cls, corpus: Corpus, excluded: Rows, *, size: int, seed: int) -> SharedSample:
        """Draw so many documents that are not excluded, or take all of them."""
        pool = np.setdiff1d(np.arange(corpus.n_documents), excluded)
        drawn = np.random.default_rng(seed).choice(pool, min(size, len(pool)), replace=False, shuffle=False)
        rows = np.sort(drawn).astype(np.int64)
        return cls(seed, rows, *corpus.take(rows))

    def without(self, members: Rows) -> tuple[Rows, Bags]:
        """The rows, and the offsets and tokens, of those that are no members."""
        kept = ~np.isin(self.rows, members, assume_unique=True)
        lengths = np.diff(self.indptr)
        indptr = np.concatenate([[0], np.cumsum(lengths[kept])])
        return self.rows[kept], (indptr, self.tokens[np.repeat(kept, lengths)])


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
    shared: SharedSample | None = None,
) -> Training:
    """Read the members, and draw one sample of other documents per seed, without replacement.

    With `per_member`, each sample has so many negatives per member and trains a model of its own. Without, every model
    is trained on all other documents, which the vocabulary has counted already, and the samples only judge it: 20
    negatives per member, at most 5,000. A sample that holds every other document is drawn once.

    `hard` are other documents that people rejected: every sample that trains a model has them, and among all other
    documents they weigh more.

    `shared` is a sample that judges the priors of other categories, too, instead of samples of this one's own.
    """
    if len(members) < 2:
        after = " after the exclusions" if len(excluded) else ""
        raise NotEnoughData(
            f"a category needs at least 2 members to learn from, and this one has {len(members)}{after}"
        )
    n_other = corpus.n_documents - len(members) - len(excluded)
    if n_other == 0:
        raise NotEnoughData(NOTHING_TO_FIND)

    indptr, tokens = corpus.take(members)
    features = np.unique(tokens).astype(np.int64)
    place = np.full(corpus.n_vocabulary, -1, dtype=np.int32)
    place[features] = np.arange(len(features), dtype=np.int32)
    positive = np.bincount(place[tokens], minlength=len(features)).astype(np.float64)
    member_cases = (indptr, place[tokens], np.diff(indptr))

    # What an excluded document holds is unknown to the collection, too.
    in_all = corpus.document_frequency[features] - _count(corpus, excluded, place, len(features))
    n_all = float(len(members) + n_other)
    background, share, hard_weight = None, 1.0, 1.0
    if per_member is None:
        size = min(JUDGED_PER_MEMBER * len(members), JUDGED_AT_MOST, n_other)
        share = min(1.0, BACKGROUND_PER_MEMBER * len(members) / n_other)
        hard_weight = max(share, min(HARD_WEIGHT, n_other * share / max(1, len(hard))))
        in_others = (in_all - positive) * share + (hard_weight - share) * _count(corpus, hard, place, len(features))
        n_others = n_other * share + (hard_weight - share) * len(hard)
        background = PresenceCounts(positive, in_others, len(members), n_others, in_all, n_all)
    else:
        size = min(max(1, round(per_member * len(members))), n_other)

    samples = []
    for seed, drawn, negatives in _judges(corpus, members, excluded, seeds, size, shared, background is None, hard):
        weights = np.where(np.isin(drawn, hard), hard_weight, share)
        cases = _cases(member_cases, negatives, place, weights)
        counts = background or replace(cases.count(len(features)), collection=in_all, n_collection=n_all)
        samples.append(Sample(seed, drawn, cases, counts))
    return Training(members, features, samples, n_other, background)


def _judges(
    corpus: Corpus,
    members: Rows,
    excluded: Rows,
    seeds: list[int],
    size: int,
    shared: SharedSample | None,
    train: bool,
    hard: Rows,
) -> Iterator[tuple[int, Rows, Bags]]:
    """Yield the seed, the rows, and the offsets and tokens of each sample."""
    if shared is not None and len((own := shared.without(members))[0]):
        yield shared.seed, *own
        return
    is_other = np.ones(corpus.n_documents, dtype=bool)
    is_other[members] = False
    is_other[excluded] = False
    others = np.flatnonzero(is_other)
    pool = np.setdiff1d(others, hard) if train else others
    for seed in seeds[:1] if size == len(others) else seeds:
        drawn = np.random.default_rng(seed).choice(pool, size=min(size, len(pool)), replace=False, shuffle=False)
        drawn = np.sort(np.concatenate([drawn, hard]) if train else drawn)
        yield seed, drawn, corpus.take(drawn)


def _count(corpus: Corpus, rows: Rows, place: NDArray[np.int32], n_features: int) -> NDArray[np.float64]:
    """In how many of some documents each feature occurs."""
    _, tokens = corpus.take(rows)
    local = place[tokens]
    return np.bincount(local[local >= 0], minlength=n_features).astype(np.float64)


def _cases(
    members: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]],
    negatives: Bags,
    place: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> Cases:
    """The members and some negatives with their weights, the latter without the tokens that no member has."""
    member_indptr, member_tokens, member_length = members
    indptr, tokens = negatives
    local = place[tokens]
    known = local >= 0
    kept = np.concatenate([[0], np.cumsum(known)])
    is_member = np.arange(len(member_length) + len(weights)) < len(member_length)
    return Cases.of(
        np.concatenate([member_indptr, member_indptr[-1] + kept[indptr[1:]]]),
        np.concatenate([member_tokens, local[known]]),
        is_member,
        taken_out=np.concatenate([np.ones(len(member_length)), weights]),
        length=np.concatenate([member_length, np.diff(indptr)]),
    )
