"""What a prior on rates is given: in how many documents of a class, and of the whole collection, a term occurs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.nothing import NOTHING
from priorwise.priors.marginal_likelihood import likeliest_strength

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TermCounts:
    """Counts of terms in one class each; all arrays have one shape, or broadcast to one.

    Parameters
    ----------
    found : array
        τ, in how many documents of the class the term occurs.
    documents : array
        m, how many documents the class has.
    found_in_all, documents_in_all : array
        The same for the whole collection, this class and all others.

    Examples
    --------
    >>> counts = TermCounts(np.array([3.0, 0.0]), np.array(4.0), np.array([5.0, 10.0]), np.array(20.0))
    >>> counts.share
    array([0.25, 0.5 ])
    >>> counts.rest.found
    array([ 2., 10.])
    """

    found: Floats
    documents: Floats
    found_in_all: Floats
    documents_in_all: Floats

    @cached_property
    def share(self) -> Floats:
        """The collection's rate of each term; 0 if the collection has no documents."""
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
            strength: Floats = own.strength
            return strength
        rest = remainder(self.found_in_all, self.found), remainder(self.documents_in_all, self.documents)
        return likeliest_strength(self.found, self.documents, *rest)

    @property
    def rest(self) -> TermCounts:
        """The same terms in all documents that are not of the class."""
        return self.beside(remainder(self.found_in_all, self.found), remainder(self.documents_in_all, self.documents))

    def beside(self, found: Floats, documents: Floats) -> TermCounts:
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
    """Take a part out of a whole; what rounding leaves is nothing.

    Examples
    --------
    >>> remainder(np.array([0.3, 2.0]), np.array([0.1 + 0.2, 0.5]))
    array([0. , 1.5])
    """
    rest = np.asarray(whole, dtype=np.float64) - part
    return np.where(rest < NOTHING, 0.0, rest)
