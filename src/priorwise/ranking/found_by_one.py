"""Which of two lists found the documents that only one of them found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FoundByOne:
    """Of the documents that belong: how many only the first list holds, how many only the second, and how many both.

    Attributes
    ----------
    first, second, both : int
    p : float
        p-value of McNemar's exact test: were it a fair coin that decides which list finds a document that one of them
        misses, so uneven a division or a more uneven one would have this probability.
    """

    first: int
    second: int
    both: int
    p: float


def found_by_one(first: Sequence[str], second: Sequence[str], relevant: Collection[str]) -> FoundByOne:
    """Compare two lists by the documents that belong, each of them paired with itself.

    Examples
    --------
    >>> found_by_one(["a", "b", "c", "x"], ["c", "y", "z", "w"], {"a", "b", "c", "d"})
    FoundByOne(first=2, second=0, both=1, p=0.5)
    """
    found = [set(ids).intersection(relevant) for ids in (first, second)]
    both = len(found[0] & found[1])
    a, b = len(found[0]) - both, len(found[1]) - both
    return FoundByOne(a, b, both, mcnemar(a, b))


def mcnemar(first: int, second: int) -> float:
    """Return McNemar's exact two-sided p-value: 2·P(X ≤ min) for X ~ Binomial(first + second, ½), at most 1.

    Examples
    --------
    >>> mcnemar(9, 1), mcnemar(4, 4), mcnemar(0, 0)
    (0.021484375, 1.0, 1.0)
    """
    from scipy import stats

    if not first + second:
        return 1.0
    return min(1.0, 2.0 * float(stats.binom.cdf(min(first, second), first + second, 0.5)))
