"""How good a ranking is, when the truth is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def ppv_at(relevant: Mask, k: int) -> float:
    """Share of the first `k` that are relevant; a list shorter than `k` counts as if it went on with irrelevant ones.

    Examples
    --------
    >>> ppv_at(np.array([True, False, True]), 2), ppv_at(np.array([True]), 4)
    (0.5, 0.25)
    """
    return float(np.count_nonzero(relevant[:k])) / k


def average_precision(relevant: Mask, total: int | None = None) -> float:
    """Mean, over the relevant ones, of the share of relevant ones down to their place; those not listed count 0.

    Examples
    --------
    >>> round(average_precision(np.array([True, False, True])), 4)
    0.8333
    """
    places = np.flatnonzero(relevant) + 1
    total = len(places) if total is None else total
    return float(np.sum(np.arange(1, len(places) + 1) / places) / total) if total else 0.0
