"""What naive Bayes learns from and what it makes of it: counts of class and token, class rates, weights.

An event model says what a count means: a token is in a document or not (Bernoulli), or occurs a number of times
(multinomial). Each turns a prior and counts into what a token adds to a class where it is present, and where it is
absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from priorwise.errors import InputError
from priorwise.kernels import Floats, Ints
from priorwise.models.labels import OutputLabels
from priorwise.models.weights import Background, Weights
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


@dataclass(frozen=True)
class ClassCounts:
    """Counts of the pairs of class and token that occur, and of nothing else.

    Classes may overlap, and a document may have none, so the corpus-wide counts are separate.
    """

    pairs: Any
    documents: Floats
    collection: Floats
    all_documents: float

    @classmethod
    def of(cls, X: Any, membership: Any, weight: Floats) -> ClassCounts:
        """Count the documents of a sparse matrix."""
        from priorwise.models.naive_bayes._kernels.class_counts import (
            add_up_pairs,
            add_up_tokens,
            count_classes_per_token,
        )

        by_class = membership.tocsc()
        class_starts, members = by_class.indptr.astype(np.int64), by_class.indices.astype(np.int64)
        starts, none = np.empty(X.shape[1] + 1, dtype=np.int64), np.full(X.shape[1], -1, dtype=np.int32)
        count_classes_per_token(X.indptr, X.indices, class_starts, members, none.copy(), starts)
        classes, counts = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1])
        before = starts[:-1] - 1
        add_up_pairs(X.indptr, X.indices, X.data, class_starts, members, weight, none, before, classes, counts)
        pairs = sp.csc_matrix((counts, classes, starts), shape=(by_class.shape[1], X.shape[1]))
        if not counts.all():
            pairs.eliminate_zeros()
        documents = np.bincount(
            np.repeat(np.arange(by_class.shape[1]), np.diff(class_starts)), weight[members], by_class.shape[1]
        )
        collection = np.zeros(X.shape[1])
        add_up_tokens(X.indptr, X.indices, X.data, weight, collection)
        return cls(pairs, documents.astype(np.float64), collection, float(weight.sum()))

    def __add__(self, other: ClassCounts) -> ClassCounts:
        return ClassCounts(
            (self.pairs + other.pairs).tocsc(),
            self.documents + other.documents,
            self.collection + other.collection,
            self.all_documents + other.all_documents,
        )

    @property
    def n_classes(self) -> int:
        return len(self.documents)

    @property
    def n_tokens(self) -> int:
        """How many tokens there are, those that never occur included."""
        return len(self.collection)

    @cached_property
    def tokens(self) -> Ints:
        """The token of each pair, as `pairs.indices` is its class."""
        return np.repeat(np.arange(self.n_tokens), np.diff(self.pairs.indptr))

    def of_class(self, c: int) -> tuple[Ints, Floats]:
        """The tokens that occur in a class, ascending, and how often each does."""
        own = slice(self._by_class.indptr[c], self._by_class.indptr[c + 1])
        return self._by_class.indices[own], self._by_class.data[own]

    @cached_property
    def _by_class(self) -> Any:
        return self.pairs.tocsr()

    @cached_property
    def sizes(self) -> ClassSize:
        """Occurrences and distinct tokens of each class."""
        classes, n = self.pairs.indices, self.n_classes
        return ClassSize(
            np.bincount(classes, self.pairs.data, n).astype(np.float64),
            np.bincount(classes, minlength=n).astype(np.float64),
            np.bincount(classes, np.minimum(self.pairs.data, 1.0), n).astype(np.float64),
            self.n_tokens,
        )

    @cached_property
    def sizes_of_rest(self) -> ClassSize:
        """Occurrences and distinct tokens of the documents that are not of each class."""
        classes, n = self.pairs.indices, self.n_classes
        in_all = self.collection[self.tokens]
        in_rest = remainder(in_all, self.pairs.data)
        lost = np.bincount(classes[in_rest <= 0], minlength=n).astype(np.float64)
        lost_whole = np.bincount(classes, np.minimum(in_all, 1.0) - np.minimum(in_rest, 1.0), n)
        return ClassSize(
            remainder(self.collection.sum(), self.sizes.occurrences),
            np.count_nonzero(self.collection > 0) - lost,
            np.minimum(self.collection, 1.0).sum() - lost_whole,
            self.n_tokens,
        )


def log_class_rates(class_rate: str | ArrayLike, counts: ClassCounts, labels: OutputLabels) -> Floats:
    """Logarithm of each class's rate; of its odds, where a class is told from all other documents."""
    if isinstance(class_rate, str):
        rates = _named_rates(class_rate, counts, labels)
    else:
        rates = _given_rates(class_rate, labels)
    return log_rate(rates) - log_complement(rates) if labels.against_rest else log_rate(rates)


def _named_rates(name: str, counts: ClassCounts, labels: OutputLabels) -> Floats:
    if name == "counted":
        return counts.documents / counts.all_documents if counts.all_documents > 0 else np.zeros(counts.n_classes)
    if name == "uniform":
        return np.full(counts.n_classes, 0.5 if labels.against_rest else 1 / counts.n_classes)
    raise InputError(f"no class rate '{name}'; there are 'counted' and 'uniform', or give the rates")


def _given_rates(class_rate: Any, labels: OutputLabels) -> Floats:
    rates = np.asarray(class_rate, dtype=np.float64)
    if rates.shape != labels.classes.shape:
        raise InputError(f"give one class rate for each of the {len(labels.classes)} classes, not {rates.size}")
    if not np.all((rates >= 0) & (rates <= 1)):
        raise InputError("a class rate must lie between 0 and 1")
    if not labels.multilabel and abs(rates.sum() - 1) > 1e-6:
        raise InputError(f"the class rates must add up to 1, not to {rates.sum():g}")
    return rates[1:] if labels.n_outputs == 1 and len(rates) == 2 else rates


class Parts(NamedTuple):
    """What tokens add to classes.

    Every class starts from the sum of `absent` over all tokens (None stands for zeros). A token that is there adds
    `present` to that.
    """

    present: Floats
    absent: Floats | None


class Unseen(IntEnum):
    """What tells apart the tokens that a class has never seen: nothing, or what the corpus says of them."""

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
        """Unseen tokens differ if the prior's centre is the corpus-wide rate."""
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

    The weight is the logarithm of the word's rate; with a corpus-wide centre, of the rate relative to the
    corpus's, which differs from that by a term that all classes share.
    """

    def __init__(self, counts: ClassCounts) -> None:
        self.counts = counts

    def tells_apart(self, prior: WordPrior) -> Unseen:
        """With that centre a word weighs by how much more frequent it is in a class: unseen words weigh alike."""
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


def class_weights(
    counts: ClassCounts,
    model: EventModel,
    priors: Sequence[Any],
    rest_priors: Sequence[Any] | None,
    log_rates: Floats,
) -> Weights:
    """Weights of each class, or of each class against all other documents.

    A token that a class has never seen weighs what the class and the token's group say: all tokens are one group; or
    those that occur in the corpus are, or those that occur there equally often, if that matters. So the background
    has a column for each group, and only pairs of class and token that occur have a number of their own.
    """
    apart = Unseen.BY_COUNT if rest_priors is not None else max(map(model.tells_apart, set(priors)))
    in_all, group, sizes = _groups(counts, apart)
    background, bias = np.empty((counts.n_classes, len(in_all))), log_rates.copy()
    differences = counts.pairs.copy()
    for prior, rest, classes, pairs in _by_prior(priors, rest_priors, counts):
        unseen = model.parts(prior, rest, np.zeros((1, 1)), classes[:, np.newaxis], in_all[np.newaxis, :])
        background[classes] = unseen.present
        c = counts.pairs.indices[pairs]
        g = group[counts.tokens[pairs]] if len(in_all) > 1 else 0
        of_pairs = counts.collection[counts.tokens[pairs]] if apart == Unseen.IF_IN_COLLECTION else in_all[g]
        seen = model.parts(prior, rest, counts.pairs.data[pairs], c, of_pairs)
        differences.data[pairs] = seen.present - background[c, g]
        if unseen.absent is not None and seen.absent is not None:
            absent = np.zeros(background.shape)
            absent[classes] = unseen.absent
            bias += absent @ sizes + np.bincount(c, seen.absent - absent[c, g], counts.n_classes)
    return Weights(np.arange(counts.n_tokens), differences, bias, Background(background, group.astype(np.int32)))


def _groups(counts: ClassCounts, apart: Unseen) -> tuple[Floats, Ints, Ints]:
    """How often the tokens of each group occur in all, the group of each token, and how many tokens each has."""
    if apart != Unseen.ALIKE:
        by = counts.collection if apart == Unseen.BY_COUNT else (counts.collection > 0).astype(np.float64)
        in_all, group, sizes = np.unique(by, return_inverse=True, return_counts=True)
        return in_all, group, sizes
    return np.zeros(1), np.zeros(counts.n_tokens, dtype=np.int64), np.array([counts.n_tokens])


def _by_prior(
    priors: Sequence[Any], rest_priors: Sequence[Any] | None, counts: ClassCounts
) -> Iterator[tuple[Any, Any, Ints, Any]]:
    """Each distinct prior, with the classes that have it and where their pairs are."""
    both = list(zip(priors, rest_priors if rest_priors is not None else [None] * len(priors), strict=True))
    place = {pair: i for i, pair in enumerate(dict.fromkeys(both))}
    if len(place) == 1:
        yield *both[0], np.arange(counts.n_classes), slice(None)
        return
    number = np.array([place[pair] for pair in both])
    of_pairs = number[counts.pairs.indices]
    order = np.argsort(of_pairs, kind="stable")
    starts = np.searchsorted(of_pairs[order], np.arange(len(place) + 1))
    for pair, i in place.items():
        yield *pair, np.flatnonzero(number == i), order[starts[i] : starts[i + 1]]
