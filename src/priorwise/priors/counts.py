"""What priors on counts are given, and what naive Bayes asks of them. Zero cases are settled here and nowhere else.

A rate of 0 or 1
    counts as 10⁻¹⁰⁰ away from it, so that its logarithm is −230 and not infinite. A document with a word that a class
    can never have is still less at home in a class that lacks two of its words than in one that lacks one. In a
    multinomial model around the corpus it counts as 10⁻¹⁰⁰ of the corpus-wide rate.
An empty class
    has the prior's centre as its rates: ½ if the prior has no strength and so no centre, the corpus-wide rate where
    that is the centre, the same for every word in a multinomial model. Its class rate is 0, as above, unless given.
A token that no training document has
    is one more unseen token to a class. Where the corpus is the centre it has rate 0 in every class alike, and adds
    nothing.
A class that has every word
    leaves nothing unseen, so a discounting prior takes nothing away from what was counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.kernels import NOTHING, Floats
from priorwise.priors.base import Prior

WEAKEST, STRONGEST = 1e-3, 1e7
"""Where a strength is looked for. What would be stronger still is infinite: the two rates are taken to be one."""

NO_EVIDENCE = 1e-6
"""A finite strength must be likelier than an infinite one by more than this factor less 1, and than rounding."""

COARSE = 21
STEPS = 100
PRECISION = 1e-10


def likeliest_strength(
    found: ArrayLike, documents: ArrayLike, found_in_rest: ArrayLike, documents_in_rest: ArrayLike
) -> Floats:
    """Find the strength s of a Beta(sπ, s(1 − π)) under which the counts of a class and of the rest are likeliest.

    π is the rate of the term in both together, and τ of m documents have the probability

        p(τ; s) ∝ B(τ + sπ, m − τ + s(1 − π)) / B(sπ, s(1 − π))

    The variance of the two rates gives a first s in closed form (the method of moments); Newton's steps in log s,
    halving where a step would leave the bracket, find the maximum. Terms with equal counts are looked at once.
    """
    counts = np.broadcast_arrays(found, documents, found_in_rest, documents_in_rest)
    table = np.stack([np.asarray(count, dtype=np.float64).ravel() for count in counts], axis=1)
    rows, places = distinct_rows(table)
    return _solve(*rows.T)[places].reshape(counts[0].shape)


def distinct_rows(table: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Find the distinct rows of a table, and which of them each row is."""
    order = np.lexsort(table.T)
    ordered = table[order]
    new = np.ones(len(table), dtype=bool)
    new[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    places = np.empty(len(table), dtype=np.int64)
    places[order] = np.cumsum(new) - 1
    return ordered[new], places


def _solve(t1: Floats, m1: Floats, t2: Floats, m2: Floats) -> Floats:
    rate = (t1 + t2) / np.maximum(m1 + m2, 1e-300)
    strength = np.full(len(rate), np.inf)
    told_apart = np.flatnonzero((rate > 0) & (rate < 1) & (m1 > 0) & (m2 > 0))
    if not len(told_apart):
        return strength
    counts = [each[told_apart] for each in (rate, t1, m1, t2, m2)]
    # The likelihood can have two maxima, one of them at infinity: find the best of the others and compare the two.
    steps = np.linspace(np.log(WEAKEST), np.log(STRONGEST), COARSE)
    coarse = np.array([_log_likelihood(np.full(len(told_apart), at), *counts) for at in steps])
    summit = np.vstack([np.ones_like(coarse[:1], dtype=bool), coarse[1:-1] >= coarse[:-2]]) & (coarse[:-1] > coarse[1:])
    hill = np.flatnonzero(summit.any(axis=0))
    best = np.argmax(np.where(summit, coarse[:-1], -np.inf), axis=0)[hill]
    counts = [each[hill] for each in counts]
    climbed = _climb(steps[np.maximum(best - 1, 0)], steps[best + 1], *counts)
    higher = _log_likelihood(climbed, *counts) > coarse[-1, hill] + NO_EVIDENCE
    strength[told_apart[hill[higher]]] = np.exp(climbed[higher])
    return strength


def _log_likelihood(log_s: Floats, rate: Floats, t1: Floats, m1: Floats, t2: Floats, m2: Floats) -> Floats:
    from scipy.special import betaln

    s = np.exp(log_s)
    a, b = s * rate, s * (1 - rate)
    return betaln(t1 + a, m1 - t1 + b) + betaln(t2 + a, m2 - t2 + b) - 2 * betaln(a, b)


def _moments(rate: Floats, t1: Floats, m1: Floats, t2: Floats, m2: Floats) -> Floats:
    """A first log s in closed form: what the variance of the two rates leaves once chance has had its share."""
    spread = m1 * (t1 / m1 - rate) ** 2 + m2 * (t2 / m2 - rate) ** 2
    beyond_chance = spread / (rate * (1 - rate)) - 1.0
    correlation = np.clip(beyond_chance / np.maximum(m1 + m2 - 2, 1.0), 1.0 / STRONGEST, 0.999)
    return np.log(np.clip(1.0 / correlation - 1.0, WEAKEST, STRONGEST))


def _climb(low: Floats, high: Floats, rate: Floats, t1: Floats, m1: Floats, t2: Floats, m2: Floats) -> Floats:
    """The maximum between `low` and `high`, from the moments by Newton's steps; halve where a step leads outside."""
    counts = (rate, t1, m1, t2, m2)
    at = np.clip(_moments(*counts), low, high)
    moving = np.arange(len(at))
    for _ in range(STEPS):
        here = at[moving]
        slope, bend = _slopes(here, *(each[moving] for each in counts))
        low[moving] = np.where(slope > 0, here, low[moving])
        high[moving] = np.where(slope > 0, high[moving], here)
        step = here - np.divide(slope, bend, out=np.full(len(here), np.inf), where=bend < 0)
        inside = (step > low[moving]) & (step < high[moving])
        at[moving] = np.where(inside, step, (low[moving] + high[moving]) / 2)
        moving = moving[np.abs(at[moving] - here) > PRECISION]
        if not len(moving):
            break
    return at


def _slopes(log_s: Floats, rate: Floats, t1: Floats, m1: Floats, t2: Floats, m2: Floats) -> tuple[Floats, Floats]:
    """First and second derivative of the log marginal likelihood in log s."""
    from scipy.special import digamma, polygamma

    s = np.exp(log_s)
    first, second = np.zeros(len(s)), np.zeros(len(s))
    for found, documents in ((t1, m1), (t2, m2)):
        for part, count in ((rate, found), (1 - rate, documents - found)):
            first += part * (digamma(s * part + count) - digamma(s * part))
            second += part**2 * (polygamma(1, s * part + count) - polygamma(1, s * part))
        first -= digamma(s + documents) - digamma(s)
        second -= polygamma(1, s + documents) - polygamma(1, s)
    return s * first, s * first + s**2 * second


@dataclass(frozen=True)
class TermCounts:
    """Counts of terms in one class each; all arrays have one shape, or broadcast to one."""

    found: Floats
    documents: Floats
    found_in_all: Floats
    documents_in_all: Floats

    @cached_property
    def share(self) -> Floats:
        """The corpus-wide rate of each term; 0 if there are no documents."""
        whole = np.asarray(self.documents_in_all, dtype=np.float64)
        return np.divide(
            self.found_in_all, whole, out=np.zeros(self.shape), where=np.broadcast_to(whole > 0, self.shape)
        )

    @cached_property
    def strength(self) -> Floats:
        """The strength that makes the counts of the class and of all other documents likeliest, for each term.

        Infinite where the two rates differ no more than chance would have it.
        """
        if (own := self.__dict__.get("_told_from")) is not None:
            return own.strength
        rest = remainder(self.found_in_all, self.found), remainder(self.documents_in_all, self.documents)
        return likeliest_strength(self.found, self.documents, *rest)

    @property
    def rest(self) -> TermCounts:
        """The same terms in all documents that are not of the class."""
        return self.against(remainder(self.found_in_all, self.found), remainder(self.documents_in_all, self.documents))

    def against(self, found: Floats, documents: Floats) -> TermCounts:
        """The same terms in the documents that the class is told from: the two sides share the strengths."""
        other = TermCounts(found, documents, self.found_in_all, self.documents_in_all)
        other.__dict__["share"] = self.share
        other.__dict__["_told_from"] = self
        return other

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that all arrays broadcast to."""
        return np.broadcast_shapes(
            np.shape(self.found), np.shape(self.documents), np.shape(self.found_in_all), np.shape(self.documents_in_all)
        )


def remainder(whole: Floats, part: Floats) -> Floats:
    """Take a part out of a whole; what rounding leaves is nothing."""
    rest = np.asarray(whole, dtype=np.float64) - part
    return np.where(rest < NOTHING, 0.0, rest)


TINY = 1e-100
ROUNDING = 1e-12


class RatePrior(Prior, listed=False):
    """A prior on the share of a class's documents that have a word: what a Bernoulli model asks for."""

    def rates(self, counts: TermCounts) -> Floats:
        """θ of each word: the rate that the prior and the counts agree on."""
        raise NotImplementedError


def log_rate(rate: ArrayLike) -> Floats:
    """Logarithm of a rate, of 0 as of 10⁻¹⁰⁰."""
    return np.log(np.maximum(rate, TINY))


def log_complement(rate: ArrayLike) -> Floats:
    """Logarithm of 1 − rate, of 0 as of 10⁻¹⁰⁰. What rounding leaves below 10⁻¹² is 0."""
    rate = np.asarray(rate, dtype=np.float64)
    return np.where(rate < 1 - ROUNDING, np.log1p(-np.minimum(rate, 1 - ROUNDING)), np.log(TINY))


def blend(found: ArrayLike, documents: ArrayLike, centre: ArrayLike, strength: ArrayLike) -> Floats:
    """Rate of what was found in this many documents and imagined in `strength` more, a `centre` of which have it::

        (found + strength · centre) / (documents + strength)

    No documents, or an infinite strength, give the centre.
    """
    found, documents, centre, strength = np.broadcast_arrays(
        *(np.asarray(each, dtype=np.float64) for each in (found, documents, centre, strength))
    )
    whole = documents + strength
    open_to_change = np.isfinite(whole) & (whole > 0)
    imagined = np.where(open_to_change, strength, 0.0) * centre
    return np.divide(found + imagined, whole, out=np.array(centre), where=open_to_change)


@dataclass(frozen=True)
class ClassSize:
    """The size of a class, or of many: arrays of one shape."""

    occurrences: Floats
    distinct: Floats
    whole: Floats
    types: int

    def of(self, classes: Any) -> ClassSize:
        return ClassSize(self.occurrences[classes], self.distinct[classes], self.whole[classes], self.types)

    @property
    def unseen(self) -> Floats:
        """Z = V − U, how many words the class has never seen."""
        return self.types - self.distinct


@dataclass(frozen=True)
class WordWeights:
    """What a word weighs in each class: log(n + shift) + seen if it was counted n times there, and `unseen` if never.

    A negative shift takes the same share of a count below 1 as it takes of 1, so that something is always left.
    """

    shift: Floats
    seen: Floats
    unseen: Floats

    @classmethod
    def of(
        cls, size: ClassSize, *, shift: ArrayLike, kept: ArrayLike, divisor: ArrayLike, held_back: Floats
    ) -> WordWeights:
        """Rates (n + shift)·kept/divisor of seen words, with a rate of `held_back` shared equally by the unseen.

        A class without words has the same rate for each. A class without unseen words holds nothing back.
        """
        empty, full = size.occurrences <= 0, size.unseen <= 0
        share = np.where(empty, 1.0 / size.types, held_back / np.where(full, 1.0, size.unseen))
        counted = np.log(np.where(empty, 1.0, size.occurrences))
        seen = np.where(empty | full, -counted, log_rate(kept) - log_rate(np.where(empty, 1.0, divisor)))
        return cls(np.where(full, 0.0, shift), seen, log_rate(share))


class WordPrior(Prior, listed=False):
    """A prior on the words of a class: what a multinomial model asks for.

    It treats all unseen words of a class alike (`weigh`). If it `reads_collection` it is a `MixedPrior` instead.
    """

    def weigh(self, size: ClassSize) -> WordWeights:
        """Weights of the words of classes of such sizes."""
        raise NotImplementedError


class MixedPrior(WordPrior, listed=False):
    """A prior on words centred on the whole corpus: a rate is a · n + b · π, with one a and one b for a class."""

    reads_collection = True

    def mix(self, size: ArrayLike) -> tuple[Floats, Floats]:
        """What a rate takes of a count (a) and of the corpus-wide rate (b) in classes of such sizes."""
        raise NotImplementedError


class WeightPrior(Prior, listed=False):
    """Weights of words that are not logarithms of rates: what a weighted model asks for."""

    def weigh(self, size: ClassSize) -> WordWeights:
        """Weights of the words of classes of such sizes."""
        raise NotImplementedError


def log_lift(n: ArrayLike, share: ArrayLike, of_count: ArrayLike, of_share: ArrayLike) -> Floats:
    """Logarithm of how much more frequent words are in a class than in the corpus: log (a · n + b · π) / π.

    What the corpus itself says of a word is common to all classes, so this weighs as much as log(a · n + b · π). A
    word that the corpus does not have says nothing.
    """
    share = np.asarray(share, dtype=np.float64)
    known = share > 0
    lift = np.asarray(of_count) * np.asarray(n) / np.where(known, share, 1.0) + of_share
    return np.where(known, log_rate(lift), 0.0)


def log_counts(counts: ArrayLike, shift: ArrayLike) -> Floats:
    """Logarithm of counts above 0 that are shifted by a prior."""
    counts, shift = np.asarray(counts, dtype=np.float64), np.asarray(shift, dtype=np.float64)
    return np.log(counts + shift * np.where(shift < 0, np.minimum(counts, 1.0), 1.0))
