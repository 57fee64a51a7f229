"""Imagined documents, one number per class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.priors.notebook import Shown


@dataclass(frozen=True)
class PseudoCounts(Shown):
    """λ imagined documents per class, each of which holds every token.

    The centre is 1 for every token (an imagined document holds the token), the strength is λ, one number per class::

        p(x|c) = (λc + n(x,c)) / (λc + n(c))          p(c) = (λc + n(c)) / (Σ λ + N)

    A large λ makes rare tokens count for little: it takes many documents to move a rate away from 1.

    With the collection as the centre, the imagined documents hold each token as often as all documents do. Then every
    token has a prior of its own, and a large λ makes tokens count for little that a class uses as everybody does::

        p(x|c) = (λc π(x) + n(x,c)) / (λc + n(c))     π(x) = share of all documents that hold x

    Parameters
    ----------
    negative, positive : float
        λ of the two classes, in the order of ``classes_``.
    classes : sequence of float, optional
        One λ per class, in the order of ``classes_``, for any number of classes. It takes the place of the other two.
    centre : {"uniform", "collection"}
        What the imagined documents hold: every token alike, or each as often as the collection's documents do.

    References
    ----------
    Kayaalp, O. K., *Learning optimal Bayesian prior probabilities from data*.

    Examples
    --------
    >>> PseudoCounts(negative=22, positive=4).strengths(2)
    array([22.,  4.])
    >>> PseudoCounts.jeffreys()
    PseudoCounts(negative=0.5, positive=0.5)
    >>> PseudoCounts(classes=[1, 2, 3])
    PseudoCounts(classes=(1.0, 2.0, 3.0))
    >>> PseudoCounts(1000, 3000, centre="collection")
    PseudoCounts(negative=1000, positive=3000, centre='collection')
    """

    negative: float = 1.0
    positive: float = 1.0
    classes: Sequence[float] | None = None
    centre: str = "uniform"

    def __post_init__(self) -> None:
        if self.classes is not None:
            object.__setattr__(self, "classes", tuple(float(strength) for strength in self.classes))
        if self.centre not in ("uniform", "collection"):
            raise InputError(f"the centre is 'uniform' or 'collection', not {self.centre!r}")
        for strength in self.classes or (self.negative, self.positive):
            if not (math.isfinite(strength) and strength > 0):
                raise InputError(f"a pseudo-count must be a positive number, not {strength!r}")

    def __repr__(self) -> str:
        centre = "" if self.centre == "uniform" else f", centre={self.centre!r}"
        if self.classes is not None:
            return f"PseudoCounts(classes={self.classes}{centre})"
        return f"PseudoCounts(negative={self.negative:g}, positive={self.positive:g}{centre})"

    @classmethod
    def laplace(cls) -> PseudoCounts:
        """Bayes-Laplace: one imagined document per class, the baseline."""
        return cls(1.0, 1.0)

    @classmethod
    def jeffreys(cls) -> PseudoCounts:
        """Jeffreys: half an imagined document per class."""
        return cls(0.5, 0.5)

    @classmethod
    def perks(cls, types: int) -> PseudoCounts:
        """Perks: one imagined document shared by all `types` tokens.

        Examples
        --------
        >>> PseudoCounts.perks(100)
        PseudoCounts(negative=0.01, positive=0.01)
        """
        return cls(1.0 / types, 1.0 / types)

    def strengths(self, n_classes: int) -> NDArray[np.float64]:
        """Give λ of each class, in the order of ``classes_``.

        Examples
        --------
        >>> PseudoCounts.laplace().strengths(3)
        array([1., 1., 1.])
        """
        if self.classes is not None:
            if len(self.classes) != n_classes:
                raise InputError(f"{self!r} has {len(self.classes)} strengths, but there are {n_classes} classes")
            return np.array(self.classes, dtype=np.float64)
        if n_classes == 2:
            return np.array([self.negative, self.positive], dtype=np.float64)
        if self.negative == self.positive:
            return np.full(n_classes, self.negative, dtype=np.float64)
        raise InputError(f"{self!r} tells two classes apart, but there are {n_classes}: give classes=(λ, λ, …)")
