"""Which documents are copies of each other, or nearly so: they have nearly the same words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIKE = 0.8
"""Two members are near copies if this share of all words that either has is in both."""

BANDS, IN_BAND = 6, 3
"""Documents are compared if one of six times three minima agree: of two that share 80% of their words, 98.6% are."""

_GOLDEN = 0x9E3779B97F4A7C15
_MIX = np.uint64(_GOLDEN)
_SHIFT = np.uint64(29)


def near_copies(X: Any, alike: float = ALIKE, shortest: int = 1) -> NDArray[np.int64]:
    """Return a number for each row of a sparse matrix; rows with the same number are copies or near copies.

    Numbers count up in the order of the rows. The minima of hashed features (MinHash) propose pairs, in time
    proportional to the entries, and each pair is then compared exactly.

    `X`: only which entries there are counts, not their values. `alike`: the share of all features that either of
    two rows has, from which they are near copies. `shortest`: rows with fewer features than this are nobody's
    copies.
    """
    from scipy.sparse import coo_matrix, csr_matrix
    from scipy.sparse.csgraph import connected_components

    n_rows, size = X.shape[0], np.diff(X.indptr)
    used, features = np.unique(X.indices, return_inverse=True)
    keys = band_keys(used.astype(np.uint64) + np.uint64(1), features, X.indptr)
    pairs = proposed_pairs(keys, np.flatnonzero(size >= max(1, shortest)))
    has = csr_matrix((np.ones(X.nnz, np.int32), X.indices, X.indptr), X.shape)
    both = np.asarray(has[pairs[:, 0]].multiply(has[pairs[:, 1]]).sum(axis=1)).ravel()
    first, second = pairs[both >= alike * (size[pairs].sum(axis=1) - both)].T
    links = coo_matrix((np.ones(len(first)), (first, second)), shape=(n_rows, n_rows))
    _, group = connected_components(links, directed=False)
    _, at, inverse = np.unique(group, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(at)).astype(np.int64)[inverse]


def share(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Return the share of all features of two rows that both have."""
    both = len(np.intersect1d(one, other))
    return both / max(1, len(one) + len(other) - both)


def band_keys(hashes: NDArray[np.uint64], features: NDArray[Any], bounds: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a key for each row and band; two rows with nearly the same features likely have a key in common.

    `hashes`: a number for each distinct feature, the same wherever the feature occurs. `features`: the features of
    all rows, one row after the other. `bounds`: where each row begins, and the end of the last one.
    """
    filled = np.flatnonzero(np.diff(bounds))
    keys = np.zeros((len(bounds) - 1, BANDS), np.uint64)
    for band in range(BANDS):
        key = np.zeros(len(filled), np.uint64)
        for place in range(IN_BAND if len(filled) else 0):
            odd = 2 * (band * IN_BAND + place) + 1
            hashed = hashes * np.uint64(_GOLDEN * odd % 2**64)
            hashed = (hashed ^ hashed >> _SHIFT) * _MIX
            hashed ^= hashed >> _SHIFT
            key = (key ^ np.minimum.reduceat(hashed[features], bounds[filled])) * _MIX
        keys[filled, band] = key
    return keys


def proposed_pairs(keys: NDArray[np.uint64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return pairs of rows to compare, the earlier first: in each band, every row with the first that has its key."""
    found = [np.empty((0, 2), np.int64)]
    for band in range(BANDS):
        _, first, group = np.unique(keys[rows, band], return_index=True, return_inverse=True)
        pairs = np.column_stack([rows[first[group]], rows])
        found.append(pairs[pairs[:, 0] != pairs[:, 1]])
    return np.unique(np.concatenate(found), axis=0)
