"""What a count means: a token is in a document or not (Bernoulli), or occurs so many times (multinomial).

Each of the two turns a prior and counts into what a token adds to a class where it is present, and where it is absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from priorwise.models.class_counts import ClassCounts
from priorwise.priors.rates import RatePrior, log_complement, log_rate
from priorwise.priors.term_counts import TermCounts, remainder
from priorwise.priors.words import WordPrior, WordWeights, log_counts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Parts(NamedTuple):
    """What tokens add to classes.

    Every class starts from the sum of `absent` over all tokens (None stands for zeros). A token that is there adds
    `present` to that.
    """

    present: Floats
    absent: Floats | None


class EventModel(Protocol):
    """A likelihood of documents, as far as a linear model needs it."""

    def reads_collection(self, prior: Any) -> bool:
        """Whether a token's weight in a class also depends on how often it occurs elsewhere."""

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

    def reads_collection(self, prior: RatePrior) -> bool:
        """Whether the prior's centre is the collection's rate."""
        return prior.reads_collection

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
    """

    def __init__(self, counts: ClassCounts) -> None:
        self.counts = counts

    def reads_collection(self, prior: WordPrior) -> bool:
        """No prior of words here looks beyond its class."""
        return False

    def parts(self, prior: WordPrior, rest: WordPrior | None, n: Floats, c: Ints, in_all: Floats) -> Parts:
        """Weight of a word; its absence weighs nothing."""
        present = word_weights(prior.weigh(self.counts.sizes), n, c)
        if rest is not None:
            present = present - word_weights(rest.weigh(self.counts.sizes_of_rest), remainder(in_all, n), c)
        return Parts(present, None)


def word_weights(weights: WordWeights, n: Floats, c: Ints) -> Floats:
    """Weights of words counted `n` times in classes `c`."""
    seen = n > 0
    if seen.all():
        return log_counts(n, weights.shift[c]) + weights.seen[c]
    counted = log_counts(np.where(seen, n, 1.0), weights.shift[c]) + weights.seen[c]
    return np.where(seen, counted, weights.unseen[c])
