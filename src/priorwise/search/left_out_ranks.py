"""How well left-out members are found again: an objective made of their ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Ranks = NDArray[np.int64]


@dataclass(frozen=True)
class LeftOutRanks:
    """The log-probability of the ranks of left-out members: Σ −log(r + 9), ranks beyond a horizon counting alike.

    A left-out member has rank r among the documents that may be members. The probability of rank r falls like
    1/(r + 9), so the sum compares two settings as a likelihood would. A member far beyond where the category can end is
    lost, and it does not matter how far: ranks count as at most 5 h + 50, where h is the most members that can be
    missing (`most_missing`).

    Parameters
    ----------
    offset : float
        9: the difference between ranks 1 and 2 is small compared with that between 10 and 20.
    lost_beyond, lost_after : float
        The horizon is `lost_beyond` times the most members that can be missing, plus `lost_after`: 5 h + 50.
    first_share : float
        The best tenth of the ranks says too little to bound how many are missing.

    Examples
    --------
    >>> ranks = np.array([2, 5, 9, 14, 300])
    >>> target = LeftOutRanks()
    >>> target.most_missing(ranks), target.horizon(ranks)
    (12.0, 110.0)
    >>> bool(target.value(ranks, horizon=110.0) == target.value(np.array([2, 5, 9, 14, 5000]), horizon=110.0))
    True
    """

    offset: float = 9.0
    lost_beyond: float = 5.0
    lost_after: float = 50.0
    first_share: float = 0.1

    is_log_probability: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "left-out ranks"

    def value(self, ranks: Ranks, horizon: float = np.inf) -> float:
        """The log-probability of the ranks, up to a constant."""
        return -float(np.log(np.minimum(ranks, horizon) + self.offset).sum())

    def typical_rank(self, value: float, n_members: int) -> float:
        """The rank that, had all members had it, would give this value.

        Examples
        --------
        >>> round(LeftOutRanks().typical_rank(LeftOutRanks().value(np.array([7, 7, 7])), 3), 6)
        7.0
        """
        return max(1.0, float(np.exp(-value / n_members)) - self.offset)

    def horizon(self, ranks: Ranks) -> float:
        """The rank beyond which a member counts as lost."""
        return self.lost_beyond * self.most_missing(ranks) + self.lost_after

    def most_missing(self, ranks: Ranks) -> float:
        """The most members that can be missing, as far as the ranks of left-out members tell.

        If a share q of the left-out members is at rank r or better, then so is a share q of the h missing ones: hq ≤ r,
        at every rank. So h ≤ min_i r_(i) (n + 1)/i, with r_(1) ≤ r_(2) ≤ … the n ranks and i > n/10.
        """
        ordered = np.sort(ranks)
        place = np.arange(1, len(ordered) + 1)
        counted = place > self.first_share * len(ordered)
        return float(np.min((ordered * (len(ordered) + 1) / place)[counted]))
