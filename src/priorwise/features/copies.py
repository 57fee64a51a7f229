"""Which documents are copies of each other, or nearly so: they have nearly the same words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIKE = 0.8
"""Two documents are near copies if this share of all words that either has is in both."""

BANDS, IN_BAND = 6, 3
"""Documents are compared if one of six times three minima agree: of two that share 80% of their words, 98.6% are."""

_GOLDEN = 0x9E3779B97F4A7C15
_MIX = np.uint64(_GOLDEN)
_SHIFT = np.uint64(29)


def near_copies(X: Any) -> NDArray[np.int64]:
    """Return a number for each row of a sparse matrix; rows with the same number are copies or near copies.

    Numbers count up in the order of the rows. A row without any feature is nobody's copy. The minima of hashed features
    (MinHash) propose pairs, in time proportional to the entries, and each pair is then compared exactly.

    Parameters
    ----------
    X : scipy.sparse.csr_matrix
        Only which entries there are counts, not their values.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> near_copies(csr_matrix([[1, 1, 1, 1, 1], [0, 0, 0, 1, 1], [2, 1, 1, 1, 0]])).tolist()
    [0, 1, 0]
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    n_rows = X.shape[0]
    filled = np.flatnonzero(np.diff(X.indptr))
    pairs = _proposed(X, filled)
    size = np.diff(X.indptr)
    both = np.array([len(np.intersect1d(_features(X, a), _features(X, b))) for a, b in pairs.tolist()], np.int64)
    alike = both >= ALIKE * (size[pairs[:, 0]] + size[pairs[:, 1]] - both)
    first, second = pairs[alike].T
    links = coo_matrix((np.ones(len(first)), (first, second)), shape=(n_rows, n_rows))
    _, group = connected_components(links, directed=False)
    _, at, inverse = np.unique(group, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(at)).astype(np.int64)[inverse]


def _features(X: Any, row: int) -> NDArray[Any]:
    features: NDArray[Any] = X.indices[X.indptr[row] : X.indptr[row + 1]]
    return features


def _proposed(X: Any, filled: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs of rows to compare: in each band, every row with the first that has the same minima."""
    if not len(filled):
        return np.empty((0, 2), np.int64)
    starts = X.indptr[filled]
    features = X.indices.astype(np.uint64) + np.uint64(1)
    found = []
    for band in range(BANDS):
        key = np.zeros(len(filled), np.uint64)
        for place in range(IN_BAND):
            odd = 2 * (band * IN_BAND + place) + 1
            hashed = features * np.uint64(_GOLDEN * odd % 2**64)
            hashed = (hashed ^ hashed >> _SHIFT) * _MIX
            key = (key ^ np.minimum.reduceat(hashed ^ hashed >> _SHIFT, starts)) * _MIX
        _, first, group = np.unique(key, return_index=True, return_inverse=True)
        pairs = np.column_stack([filled[first[group]], filled])
        found.append(pairs[pairs[:, 0] != pairs[:, 1]])
    return np.unique(np.concatenate(found), axis=0)
