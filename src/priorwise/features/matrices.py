"""What an estimator is given, checked once, before any compiled loop reads it.

scikit-learn checks types, shapes and missing values. It does not look into the indices of a sparse matrix, which lead
our loops out of their arrays if they are wrong, nor for entries that are there twice, nor for numbers so large that
sums overflow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data as sklearn_validate_data

from priorwise.errors import InputError

LARGEST = 2.0**53
"""Beyond this, a 64-bit float no longer holds every whole number, so counts cannot be added up."""


def validate_data(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """Do as :func:`sklearn.utils.validation.validate_data` does, and refuse a matrix that cannot be computed with.

    A sparse matrix with an entry that is there twice is replaced by a copy with their sum. The caller's is untouched.

    Raises `InputError` if indices reach beyond the shape, offsets descend, or a number is too large.
    """
    X = sound_matrix(X)
    y = sound_matrix(y, "Y")
    checked = sklearn_validate_data(estimator, X, y, **options)
    if isinstance(checked, tuple):
        return (_checked_size(checked[0]), *checked[1:])
    return _checked_size(checked)


def _checked_size(X: Any) -> Any:
    """A matrix whose numbers are not too large, with 32-bit indices if those suffice: loops are compiled once."""
    check_size(X)
    if not sp.issparse(X) or X.format not in ("csr", "csc") or X.indices.dtype == np.int32:
        return X
    if X.nnz >= 2**31 or max(X.shape) >= 2**31:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def sound_matrix(X: Any, name: str = "X") -> Any:
    """Return a sparse matrix whose indices fit its shape and whose entries are distinct; anything else as it is."""
    if not sp.issparse(X):
        return X
    if X.format == "coo":
        for axis, (places, length) in enumerate(zip(X.coords, X.shape, strict=True)):
            _check_indices(places, length, f"axis {axis} of {name}")
        return X
    if X.format not in ("csr", "csc", "bsr"):
        return X
    rows, columns = X.shape if X.format != "csc" else X.shape[::-1]
    if X.format == "bsr":
        rows, columns = rows // X.blocksize[0], columns // X.blocksize[1]
    starts, indices = np.asarray(X.indptr), np.asarray(X.indices)
    what = "columns" if X.format == "csc" else "rows"
    if starts.ndim != 1 or len(starts) != rows + 1 or starts[0] != 0:
        raise InputError(f"{name} is damaged: indptr does not say where each of its {rows:,} {what} begins")
    if np.any(starts[1:] < starts[:-1]):
        raise InputError(f"{name} is damaged: indptr descends, so some of its {what} end before they begin")
    if starts[-1] > len(indices) or len(indices) > len(X.data):
        raise InputError(f"{name} is damaged: indptr says that there are {starts[-1]:,} entries, more than there are")
    indices = indices[: starts[-1]]
    _check_indices(indices, columns, name)
    return X if X.format == "bsr" or _distinct(starts, indices) else _summed(X)


def check_size(X: Any, name: str = "X") -> None:
    """Refuse numbers that are too large to be added up."""
    values = X.data if sp.issparse(X) else X
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iuf" or not values.size:
        return
    largest = max(float(values.max()), -float(values.min()))
    if largest > LARGEST:
        raise InputError(f"{name} holds {largest:g}, which is too large to compute with; divide its columns first")


def _check_indices(indices: Any, length: int, what: str) -> None:
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= length):
        wrong = int(indices.min()) if int(indices.min()) < 0 else int(indices.max())
        raise InputError(f"{what} is damaged: an index is {wrong:,}, and they go from 0 to {length - 1:,}")


def _distinct(starts: Any, indices: Any) -> bool:
    """Say whether the indices of each row ascend; those that do are distinct."""
    if len(indices) < 2:
        return True
    falls = np.flatnonzero(indices[1:] <= indices[:-1]) + 1
    first = np.zeros(len(indices) + 1, dtype=bool)
    first[starts] = True
    return bool(first[falls].all())


def _summed(X: Any) -> Any:
    kind = sp.csc_matrix if X.format == "csc" else sp.csr_matrix
    end = X.indptr[-1]
    copy = kind((X.data[:end].copy(), X.indices[:end].copy(), X.indptr.copy()), shape=X.shape)
    if copy.dtype.kind == "b":
        copy = copy.astype(np.int64)
    copy.sum_duplicates()
    return copy
