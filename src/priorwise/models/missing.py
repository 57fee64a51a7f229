"""How many members are missing, and how probable each candidate is, from the ranks of members that were left out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels import Floats
from priorwise.models.weights import Calibration, logistic_line
from priorwise.search.targets import LeftOutRanks

TOO_MANY = 1.1
"""The factor by which the least quotient is usually too large: at no rank are all documents above it members."""


@dataclass(frozen=True, slots=True)
class Missing:
    """The estimated number of missing members, with an 80% interval."""

    expected: float
    low: float
    high: float


def estimate_missing(ranks: NDArray[np.int64], n_others: int) -> Missing:
    """Estimate how many members are missing from the ranks of members that were left out.

    Missing members have ranks like left-out ones, so their number h is at most `LeftOutRanks.most_missing`, and near it
    if the documents at the top are mostly members::

        h ≈ min_i r_(i) (n + 1)/i / 1.1,   i ≥ n/10

    with r_(1) ≤ r_(2) ≤ … the n ranks. The factor and the interval come from hidden members of 288 cases in seven
    datasets, where h is known.
    """
    expected = min(LeftOutRanks().most_missing(ranks) / TOO_MANY, float(n_others))
    within = math.exp(spread_of_missing(len(ranks)))
    return Missing(expected, expected / within, min(expected * within, float(n_others)))


def spread_of_missing(n_known: int) -> float:
    """The half-width of the 80% interval of the estimate's logarithm."""
    return 0.4 + 3.4 / math.sqrt(n_known)


def calibrate_by_moments(scores: Floats, held_out: Floats, expected: float) -> Calibration:
    """Find the logistic function that finds `expected` members among `scores`, as good on average as those held out.

    ::

        Σ_d p(s_d) = h,    Σ_d p(s_d) s_d = h · mean of the held-out scores,    p(s) = 1/(1 + e^{−(as + b)})

    Unlike a fit that takes all other documents for negatives, it knows that missing members are among them.
    """
    centre, spread = float(scores.mean()), float(scores.std())
    if spread <= 1e-12 * max(1.0, float(np.max(np.abs(scores)))):
        spread = 1.0
    h = min(max(expected, 1e-3), 0.9 * len(scores))
    x = (scores - centre) / spread
    # No average can be beyond the best h documents; a little below it keeps the slope finite.
    best = np.sort(x)[::-1][: max(1, int(np.ceil(h)))].mean()
    mean = float(np.clip((held_out.mean() - centre) / spread, 0.0, 0.95 * best))
    slope, intercept = logistic_line(x, np.ones(len(x)), np.array([h * mean, h]), math.log(h / (len(x) - h)))
    return Calibration(slope / spread, intercept - slope * centre / spread)
