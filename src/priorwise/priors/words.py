"""What a prior on the words of a class is given, and what a multinomial model asks of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


class WordPrior(Protocol):
    """A prior on the words of a class: what a multinomial model asks of it."""

    def weigh(self, size: ClassSize) -> WordWeights:
        """Weights of the words of classes of such sizes."""


def log_counts(counts: ArrayLike, shift: ArrayLike) -> Floats:
    """Logarithm of counts above 0 that are shifted by a prior.

    Examples
    --------
    >>> np.exp(log_counts([1, 3, 0.5], -0.4)).round(4)
    array([0.6, 2.6, 0.3])
    """
    counts, shift = np.asarray(counts, dtype=np.float64), np.asarray(shift, dtype=np.float64)
    return np.log(counts + shift * np.where(shift < 0, np.minimum(counts, 1.0), 1.0))
