"""What a prior on the words of a class is given, and what a multinomial model asks of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.priors.base import Prior
from priorwise.priors.rates import log_rate

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClassSize:
    """The size of a class, or of many: arrays of one shape.

    Parameters
    ----------
    occurrences : array
        N, how many words its documents have in all.
    distinct : array
        U, how many different ones.
    whole : array
        The same, but a word whose count is below 1, as weighted documents can have it, counts by that.
    types : int
        V, how many different words there are.
    """

    occurrences: Floats
    distinct: Floats
    whole: Floats
    types: int

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
    """Logarithm of how much more frequent words are in a class than in the collection: log (a · n + b · π) / π.

    What the collection itself says of a word is common to all classes, so this weighs as much as log(a · n + b · π). A
    word that the collection does not have says nothing.

    Examples
    --------
    >>> np.exp(log_lift([0, 3, 0], [0.1, 0.2, 0.0], 0.5 / 10, 0.5)).round(2)
    array([0.5 , 1.25, 1.  ])
    """
    share = np.asarray(share, dtype=np.float64)
    known = share > 0
    lift = np.asarray(of_count) * np.asarray(n) / np.where(known, share, 1.0) + of_share
    return np.where(known, log_rate(lift), 0.0)


def log_counts(counts: ArrayLike, shift: ArrayLike) -> Floats:
    """Logarithm of counts above 0 that are shifted by a prior.

    Examples
    --------
    >>> np.exp(log_counts([1, 3, 0.5], -0.4)).round(4)
    array([0.6, 2.6, 0.3])
    """
    counts, shift = np.asarray(counts, dtype=np.float64), np.asarray(shift, dtype=np.float64)
    return np.log(counts + shift * np.where(shift < 0, np.minimum(counts, 1.0), 1.0))
