"""What a count means: a token is in a document or not (Bernoulli), or occurs so many times (multinomial).

Each of the two turns a prior and counts into what a token adds to a class where it is present, and where it is absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from priorwise.models.naive_bayes.class_counts import ClassCounts
from priorwise.priors.counts import (
    TINY,
    ClassSize,
    RatePrior,
    TermCounts,
    WordPrior,
    WordWeights,
    log_complement,
    log_counts,
    log_lift,
    log_rate,
    remainder,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Parts(NamedTuple):
    """What tokens add to classes.

    Every class starts from the sum of `absent` over all tokens (None stands for zeros). A token that is there adds
    `present` to that.
    """

    present: Floats
    absent: Floats | None


class Unseen(IntEnum):
    """What tells apart the tokens that a class has never seen: nothing, or what the collection says of them."""

    ALIKE = 0
    IF_IN_COLLECTION = 1
    BY_COUNT = 2


class EventModel(Protocol):
    """A likelihood of documents, as far as a linear model needs it."""

    def tells_apart(self, prior: Any) -> Unseen:
        """What tells apart the tokens that a class has never seen."""

    def parts(self, prior: Any, rest: Any, n: Floats, c: Ints, in_all: Floats) -> Parts:
        """What tokens counted `n` times in classes `c`, and `in_all` times in all, add there.

        With `rest`, the prior of the class of all other documents, what the same token adds to that class is taken off.
        """


class Bernoulli:
    """A document has a token or not, and both speak.

    ::

        log P(d|c) = Σ over all k of log(1 − θ_k) + Σ over k in d of log θ_k/(1 − θ_k)
    """

    def __init__(self, counts: ClassCounts) -> None:
        self.documents, self.all_documents = counts.documents, np.array(counts.all_documents)

    def tells_apart(self, prior: RatePrior) -> Unseen:
        """Unseen tokens differ if the prior's centre is the collection's rate."""
        return Unseen.BY_COUNT if prior.reads_collection else Unseen.ALIKE

    def parts(self, prior: RatePrior, rest: RatePrior | None, n: Floats, c: Ints, in_all: Floats) -> Parts:
        """Log odds of a token, and the logarithm of the rate of documents without it."""
        counts = TermCounts(n, self.documents[c], in_all, self.all_documents)
        return Parts(*next(bernoulli_parts([prior], [rest], counts)))


def bernoulli_parts(
    priors: Iterable[RatePrior], rests: Iterable[RatePrior | None], counts: TermCounts
) -> Iterator[tuple[Floats, Floats]]:
    """For each prior of a class, and of the rest it is told from, what the same counts add, present and absent."""
    for prior, rest in zip(priors, rests, strict=True):
        rates = prior.rates(counts)
        present, absent = log_rate(rates), log_complement(rates)
        if rest is not None:
            rates = rest.rates(counts.rest)
            present, absent = present - log_rate(rates), absent - log_complement(rates)
        yield present - absent, absent


class Multinomial:
    """A document is a bag of words; what is absent says nothing.

    ::

        log P(d|c) = Σ over i in d of f_i · weight(i, c)

    The weight is the logarithm of the word's rate; with a prior around the collection, of the rate beside the
    collection's, which differs from that by a term that all classes share.
    """

    def __init__(self, counts: ClassCounts) -> None:
        self.counts = counts

    def tells_apart(self, prior: WordPrior) -> Unseen:
        """Around the collection a word weighs by how much more frequent it is in a class: unseen words weigh alike."""
        return Unseen.IF_IN_COLLECTION if prior.reads_collection else Unseen.ALIKE

    def parts(self, prior: Any, rest: Any, n: Floats, c: Ints, in_all: Floats) -> Parts:
        """Weight of a word; its absence weighs nothing."""
        present = self._weights(prior, self.counts.sizes, n, c, in_all)
        if rest is not None:
            present = present - self._weights(rest, self.counts.sizes_of_rest, remainder(in_all, n), c, in_all)
        return Parts(present, None)

    def _weights(self, prior: Any, sizes: ClassSize, n: Floats, c: Ints, in_all: Floats) -> Floats:
        if not prior.reads_collection:
            return word_weights(prior.weigh(sizes), n, c)
        of_count, of_share = prior.mix(sizes.occurrences)
        return log_lift(n, in_all / max(self.counts.collection.sum(), TINY), of_count[c], of_share[c])


def word_weights(weights: WordWeights, n: Floats, c: Ints) -> Floats:
    """Weights of words counted `n` times in classes `c`."""
    seen = n > 0
    if seen.all():
        return log_counts(n, weights.shift[c]) + weights.seen[c]
    counted = log_counts(np.where(seen, n, 1.0), weights.shift[c]) + weights.seen[c]
    return np.where(seen, counted, weights.unseen[c])
