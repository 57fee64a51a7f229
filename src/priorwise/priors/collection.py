"""Beliefs whose centre is the collection: a term is expected in a class as often as everywhere else.

In a Bernoulli model counts are of documents, in a multinomial model of words: τ is how often the term occurs in the
class, m how many words that has, and π the term's share of all words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.priors.notebook import Shown
from priorwise.priors.numbers import above_zero, at_least_zero, share
from priorwise.priors.rates import blend
from priorwise.priors.term_counts import TermCounts

Floats = NDArray[np.float64]


def _mixed(counts: TermCounts, of_count: Floats, of_share: Floats) -> Floats:
    return of_count * counts.found + of_share * counts.share


@dataclass(frozen=True)
class JelinekMercer(Shown):
    """A share λ of every rate is the collection's.

    ::

        θ = (1 − λ)·τ/m + λ·π          centre π, strength λm/(1 − λ)

    π is the share of all documents that have the term. The strength grows with the class, so a large class learns no
    faster than a small one.

    Parameters
    ----------
    mixing : float
        λ, from 0 (only the class) to 1 (only the collection).

    References
    ----------
    *bernoulli*: Di Nunzio and Sordoni, *How well do we know Bernoulli?*

    Examples
    --------
    >>> JelinekMercer(0.5).rates(TermCounts(np.array([0, 3]), np.array(4), np.array([5, 10]), np.array(20)))
    array([0.125, 0.625])
    >>> JelinekMercer(0.75).strength(100)
    300.0
    """

    mixing: float = 0.5

    reads_collection: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "mixing", share("λ", self.mixing))

    def __repr__(self) -> str:
        return f"JelinekMercer({self.mixing:g})"

    @classmethod
    def grid(cls) -> tuple[JelinekMercer, ...]:
        """Priors to choose from: λ in steps of a fiftieth, and closer to 0 and to 1.

        Examples
        --------
        >>> len(JelinekMercer.grid())
        61
        """
        near = [0.0001, 0.001, 0.005, 0.01, 0.015]
        steps = [round(0.02 * step, 2) for step in range(1, 50)]
        return tuple(cls(mixing) for mixing in [*near, *steps, *(round(1 - each, 4) for each in near[::-1]), 1.0, 0.0])

    def strength(self, documents: float) -> float:
        """How many imagined documents λ amounts to in a class of so many."""
        return float("inf") if self.mixing == 1 else self.mixing * documents / (1 - self.mixing)

    def rates(self, counts: TermCounts) -> Floats:
        """θ of each term."""
        return _mixed(counts, *self.mix(counts.documents))

    def mix(self, size: ArrayLike) -> tuple[Floats, Floats]:
        """What a rate takes of a count and of the collection's rate, in classes of such sizes."""
        size = np.asarray(size, dtype=np.float64)
        empty = size <= 0
        return (1 - self.mixing) / np.where(empty, np.inf, size), np.where(empty, 1.0, self.mixing)


@dataclass(frozen=True)
class CollectionBeta(Shown):
    """The same strength for every term, around the collection's rate.

    ::

        θ = (τ + sπ) / (m + s)          centre π, strength s

    Parameters
    ----------
    strength : float
        s, in documents, at least 0.

    Examples
    --------
    >>> CollectionBeta(4).rates(TermCounts(np.array([0, 3]), np.array(4), np.array([5, 10]), np.array(20)))
    array([0.125, 0.625])
    """

    strength: float = 100.0

    reads_collection: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "strength", at_least_zero("a strength", self.strength))

    def __repr__(self) -> str:
        return f"CollectionBeta({self.strength:g})"

    @classmethod
    def grid(cls) -> tuple[CollectionBeta, ...]:
        """Priors to choose from: s from 0.1 to 100,000, eight to a factor of ten.

        Examples
        --------
        >>> len(CollectionBeta.grid())
        49
        """
        return tuple(cls(strength) for strength in 10.0 ** np.arange(-1.0, 5.01, 0.125))

    def rates(self, counts: TermCounts) -> Floats:
        """θ of each term."""
        return _mixed(counts, *self.mix(counts.documents))

    def mix(self, size: ArrayLike) -> tuple[Floats, Floats]:
        """What a rate takes of a count and of the collection's rate, in classes of such sizes."""
        whole = np.asarray(size, dtype=np.float64) + self.strength
        empty = whole <= 0
        whole = np.where(empty, 1.0, whole)
        return np.where(empty, 0.0, 1.0 / whole), np.where(empty, 1.0, self.strength / whole)


@dataclass(frozen=True)
class TermBeta(Shown):
    """A strength for each term and class, read from the data, around the collection's rate.

    ::

        θ = (τ + sπ) / (m + s)          centre π, strength s = scale · ŝ

    ŝ makes the counts of the term likeliest, in the class and in all other documents, if both rates are drawn from
    Beta(sπ, s(1 − π)). A term that the class uses as everybody does has an infinite ŝ and says nothing; one that tells
    the class from the others keeps its counts. The scale sets the strength of all: terms are not independent, as the
    model has it, and a scale above 1 makes up for that.

    Parameters
    ----------
    scale : float
        What every ŝ is multiplied by, above 0.

    Examples
    --------
    >>> counts = TermCounts(np.array([30.0, 10.0]), np.array(100.0), np.array([40.0, 100.0]), np.array(1000.0))
    >>> counts.strength.round(2)
    array([6.17,  inf])
    >>> TermBeta().rates(counts).round(4)
    array([0.2849, 0.1   ])
    """

    scale: float = 1.0

    reads_collection: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", above_zero("the scale", self.scale))

    def __repr__(self) -> str:
        return f"TermBeta({self.scale:g})"

    @classmethod
    def grid(cls) -> tuple[TermBeta, ...]:
        """Priors to choose from: the scale from 10⁻⁶ to 10⁴, four to a factor of ten.

        Examples
        --------
        >>> len(TermBeta.grid())
        41
        """
        return tuple(cls(scale) for scale in 10.0 ** np.arange(-6.0, 4.01, 0.25))

    def rates(self, counts: TermCounts) -> Floats:
        """θ of each term."""
        return blend(counts.found, counts.documents, counts.share, self.scale * counts.strength)
