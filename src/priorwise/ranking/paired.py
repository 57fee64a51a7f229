"""Whether one method is ahead of another, category by category."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """A method beside a baseline over the same categories.

    Parameters
    ----------
    difference : float
        Mean of the differences.
    ahead, behind : int
        In how many categories the method is ahead of and behind the baseline.
    t_test : float
        p-value of the paired t-test.
    wilcoxon : float
        p-value of Wilcoxon's signed-rank test.
    """

    difference: float
    ahead: int
    behind: int
    t_test: float
    wilcoxon: float


def compare(method: Floats, baseline: Floats) -> Comparison:
    """Compare paired figures. Without any difference both p-values are 1; with fewer than two pairs, too.

    Examples
    --------
    >>> compare(np.array([0.5, 0.6, 0.7]), np.array([0.4, 0.6, 0.5])).ahead
    2
    """
    from scipy import stats

    # Rounded, so that differences that are equal on paper (0.3 − 0.1 and 0.2) are equal here.
    difference = np.round(np.asarray(method, dtype=np.float64) - np.asarray(baseline, dtype=np.float64), 12)
    ahead, behind = int(np.count_nonzero(difference > 0)), int(np.count_nonzero(difference < 0))
    mean = float(difference.mean())
    if len(difference) < 2 or not difference.any():
        return Comparison(mean, ahead, behind, 1.0, 1.0)
    # Equal differences have no variance, and a t-test of them divides by it.
    constant = np.ptp(difference) == 0
    t_test = 0.0 if constant else float(stats.ttest_1samp(difference, 0.0).pvalue)
    wilcoxon = float(
        stats.wilcoxon(difference, method="auto" if len(np.unique(np.abs(difference))) > 1 else "approx").pvalue
    )
    return Comparison(mean, ahead, behind, t_test, wilcoxon)
