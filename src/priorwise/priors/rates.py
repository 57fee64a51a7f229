"""Zero cases, settled here and nowhere else.

A rate of 0 or 1
    counts as 10⁻¹⁰⁰ away from it, so that its logarithm is −230 and not infinite. A document with a word that a class
    can never have is still less at home in a class that lacks two of its words than in one that lacks one. In a
    multinomial model around the collection it counts as 10⁻¹⁰⁰ of the collection's rate.
An empty class
    has the prior's centre as its rates: ½ if the prior has no strength and so no centre, the collection's rate where
    that is the centre, the same for every word in a multinomial model. Its class rate is 0, as above, unless given.
A token that no training document has
    is one more unseen token to a class. Where the collection is the centre it has rate 0 in every class alike, and says
    nothing.
A class that has every word
    leaves nothing unseen, so a discounting prior takes nothing away from what was counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.priors.base import Prior
from priorwise.priors.term_counts import TermCounts

Floats = NDArray[np.float64]

TINY = 1e-100
ROUNDING = 1e-12


class RatePrior(Prior, listed=False):
    """A prior on the share of a class's documents that have a word: what a Bernoulli model asks for."""

    def rates(self, counts: TermCounts) -> Floats:
        """θ of each word: the rate that the prior and the counts agree on."""
        raise NotImplementedError


def log_rate(rate: ArrayLike) -> Floats:
    """Logarithm of a rate, of 0 as of 10⁻¹⁰⁰.

    Examples
    --------
    >>> log_rate([1.0, 0.0]).round(2)
    array([   0.  , -230.26])
    """
    return np.log(np.maximum(rate, TINY))


def log_complement(rate: ArrayLike) -> Floats:
    """Logarithm of 1 − rate, of 0 as of 10⁻¹⁰⁰. What rounding leaves below 10⁻¹² is 0.

    Examples
    --------
    >>> log_complement([1.0, 0.0, 1e-20])
    array([-2.30258509e+02, -0.00000000e+00, -1.00000000e-20])
    """
    rate = np.asarray(rate, dtype=np.float64)
    return np.where(rate < 1 - ROUNDING, np.log1p(-np.minimum(rate, 1 - ROUNDING)), np.log(TINY))


def blend(found: ArrayLike, documents: ArrayLike, centre: ArrayLike, strength: ArrayLike) -> Floats:
    """Rate of what was found in so many documents and imagined in `strength` more, a `centre` of which have it::

        (found + strength · centre) / (documents + strength)

    No documents, or an infinite strength, give the centre.

    Examples
    --------
    >>> blend([3, 3, 0], [8, 8, 0], 0.5, [2, np.inf, 0])
    array([0.4, 0.5, 0.5])
    """
    found, documents, centre, strength = np.broadcast_arrays(
        *(np.asarray(each, dtype=np.float64) for each in (found, documents, centre, strength))
    )
    whole = documents + strength
    open_to_change = np.isfinite(whole) & (whole > 0)
    imagined = np.where(open_to_change, strength, 0.0) * centre
    return np.divide(found + imagined, whole, out=np.array(centre), where=open_to_change)
