"""The best few of many scores, without sorting all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def best_labels(scores: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """The columns of the k largest scores of each row, largest first, a tie to the first of them.

    Examples
    --------
    >>> best_labels(np.array([[1.0, 3.0, 2.0], [2.0, 2.0, 2.0]]), 2)
    array([[1, 2],
           [0, 1]])
    """
    n, width = scores.shape
    k = min(k, width)
    if k == 1:
        return np.argmax(scores, axis=1)[:, np.newaxis]
    last = np.partition(scores, width - k, axis=1)[:, width - k, np.newaxis]
    rows, columns = np.nonzero(scores >= last)
    order = np.lexsort((columns, -scores[rows, columns], rows))
    first = np.searchsorted(rows, np.arange(n))
    # A row has more than k candidates when the k-th is tied, and those beyond stand last.
    best: NDArray[np.int64] = columns[order][first[:, np.newaxis] + np.arange(k)]
    return best
