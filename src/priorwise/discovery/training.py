"""What a model learns from: all members, and everything else, or samples of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import NotEnoughData
from priorwise.models.leave_one_out import LeaveOneOut
from priorwise.models.presence_counts import Cases, PresenceCounts

Rows = NDArray[np.int64]

BACKGROUND_PER_MEMBER = 200
"""All other documents together weigh at most this much per member, so that λ− means the same in any corpus."""

JUDGED_PER_MEMBER = 20
JUDGED_AT_MOST = 5_000


@dataclass(frozen=True)
class Sample:
    """All members and one sample of the others, to be scored by leave-one-out."""

    seed: int
    negatives: Rows
    cases: Cases
    counts: PresenceCounts

    def leave_one_out(self, threads: int | None = None) -> LeaveOneOut:
        """Score every case by a model that has not seen it."""
        return LeaveOneOut(self.cases, self.counts, threads=threads)


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
        return PresenceCounts(counts[0].positive, negative, counts[0].n_positive, counts[0].n_negative)


def draw_training(
    corpus: Corpus, members: Rows, excluded: Rows, *, seeds: list[int], per_member: float | None = None
) -> Training:
    """Read the members, and draw one sample of other documents per seed, without replacement.

    With `per_member`, each sample has so many negatives per member and trains a model of its own. Without, every model
    is trained on all other documents, which the vocabulary has counted already, and the samples only judge it: 20
    negatives per member, at most 5,000. A sample that holds every other document is drawn once.
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

    background, share = None, 1.0
    if per_member is None:
        size = min(JUDGED_PER_MEMBER * len(members), JUDGED_AT_MOST, len(others))
        share = min(1.0, BACKGROUND_PER_MEMBER * len(members) / len(others))
        in_others = corpus.document_frequency[features] - positive - _count(corpus, excluded, place, len(features))
        background = PresenceCounts(positive, in_others * share, len(members), len(others) * share)
    else:
        size = min(max(1, round(per_member * len(members))), len(others))

    samples = []
    for seed in seeds[:1] if size == len(others) else seeds:
        drawn = np.sort(np.random.default_rng(seed).choice(others, size=size, replace=False, shuffle=False))
        cases = _cases(corpus, member_cases, drawn, place, share)
        samples.append(Sample(seed, drawn, cases, background or cases.count(len(features))))
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
    share: float,
) -> Cases:
    """The members and some negatives, the latter without the tokens that no member has."""
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
        taken_out=np.where(is_member, 1.0, share),
        length=np.concatenate([member_length, np.diff(indptr)]),
    )
