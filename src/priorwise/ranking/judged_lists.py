"""Two rankings whose documents people have judged: precision down the list, its uncertainty, and which is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

RESAMPLES = 10_000


def ppv_curve(relevant: Mask) -> Floats:
    """Return PPV@k for k = 1, 2, …: the share of the first k that are relevant.

    Examples
    --------
    >>> ppv_curve(np.array([True, False, True, False])).round(2).tolist()
    [1.0, 0.5, 0.67, 0.5]
    """
    return np.cumsum(relevant) / np.arange(1, len(relevant) + 1)


def area_between(first: Mask, second: Mask) -> float:
    """Return the mean over k of the difference of two PPV@k curves, as far as both go.

    Examples
    --------
    >>> area_between(np.array([True, True]), np.array([False, True]))
    0.75
    """
    n = min(len(first), len(second))
    return float(np.mean(ppv_curve(first[:n]) - ppv_curve(second[:n]))) if n else 0.0


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure and what resampling makes of it: the mean, the quartiles, and the 95% interval by percentiles."""

    value: float
    mean: float
    low: float
    first_quartile: float
    median: float
    third_quartile: float
    high: float

    @classmethod
    def of(cls, value: float, resampled: Floats) -> Spread:
        """Put together a figure and its resampled values."""
        low, first, median, third, high = np.percentile(resampled, [2.5, 25.0, 50.0, 75.0, 97.5]).tolist()
        return cls(value, float(np.mean(resampled)), low, first, median, third, high)


def bootstrap_ppv(relevant: Mask, *, seed: int = 0, resamples: int = RESAMPLES) -> Spread:
    """Return the PPV of a list with its spread by the nonparametric bootstrap.

    To draw n documents out of n with replacement, r of them relevant, gives a binomial number of relevant ones: it is
    drawn as such.

    Examples
    --------
    >>> spread = bootstrap_ppv(np.repeat([True, False], 50))
    >>> spread.value, spread.low < 0.45, spread.high > 0.55
    (0.5, True, True)
    """
    n = len(relevant)
    if not n:
        raise InputError("a list without documents has no precision")
    share = float(np.mean(relevant))
    return Spread.of(share, np.random.default_rng(seed).binomial(n, share, resamples) / n)


@dataclass(frozen=True, slots=True)
class Difference:
    """How far the first of two lists is ahead.

    Attributes
    ----------
    spread : Spread
        Of the difference of the two precisions. Documents in both lists cancel and are not resampled.
    t_test : float
        p-value of Welch's t-test of the two lists' judgements, as if no document were in both (presence).
    exact : float
        p-value of Fisher's exact test over the documents that are in one list only.
    """

    spread: Spread
    t_test: float
    exact: float


def compare_lists(
    first: Sequence[str], second: Sequence[str], relevant: frozenset[str], *, seed: int = 0, resamples: int = RESAMPLES
) -> Difference:
    """Compare two lists of as many documents, of which some are relevant.

    Examples
    --------
    >>> compare_lists(["a", "b", "c"], ["c", "d", "e"], frozenset("abc")).spread.value
    0.6666666666666666
    """
    from scipy import stats

    n = len(first)
    if not n or len(second) != n:
        raise InputError("two lists are compared when they have as many documents, and at least one")
    in_first, in_second = set(first), set(second)
    only_first = np.array([id in relevant for id in first if id not in in_second], np.bool_)
    only_second = np.array([id in relevant for id in second if id not in in_first], np.bool_)
    m, a, b = len(only_first), int(only_first.sum()), int(only_second.sum())
    rng = np.random.default_rng(seed)
    drawn = [rng.binomial(m, hits / m, resamples) if m else np.zeros(resamples) for hits in (a, b)]
    spread = Spread.of((a - b) / n, (drawn[0] - drawn[1]) / n)
    exact = float(stats.fisher_exact([[a, m - a], [b, m - b]]).pvalue) if m else 1.0
    both = sum(id in relevant for id in in_first & in_second)
    return Difference(spread, _welch((a + both) / n, (b + both) / n, n), exact)


def _welch(first: float, second: float, n: int) -> float:
    """Return the p-value of Welch's t-test of two lists of n zeros and ones with these means."""
    from scipy import stats

    deviations = [np.sqrt(share * (1.0 - share) * n / (n - 1)) if n > 1 else 0.0 for share in (first, second)]
    if not any(deviations):
        # Without any spread the t statistic is 0/0 or infinite; one document says nothing at all.
        return 1.0 if first == second or n == 1 else 0.0
    found = stats.ttest_ind_from_stats(first, deviations[0], n, second, deviations[1], n, equal_var=False)
    return float(found.pvalue)
