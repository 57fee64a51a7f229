"""Keep the columns that go with the labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from priorwise.errors import InputError
from priorwise.features.matrices import validate_data

Floats = NDArray[np.float64]


class PearsonSelection(SelectorMixin, BaseEstimator):
    """Keep the `k` columns with the largest absolute correlation with the label.

    ::

        r_j = Σ_i (x_ij − x̄_j)(y_i − ȳ) / √(Σ_i (x_ij − x̄_j)² · Σ_i (y_i − ȳ)²)

    With several classes, or labels, a column counts by its best one.

    Parameters
    ----------
    k : int
        How many columns; all if there are fewer.

    Attributes
    ----------
    scores_ : array, shape (n_features,)
        ``|r_j|``; 0 for a column that is constant.

    References
    ----------
    *sparse*: Eyheramendy and others, *Sparse Bayesian classifiers for text categorization*.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0, 0.0], [2.0, 5.0, 1.0], [3.0, 5.0, 0.0], [4.0, 5.0, 1.0]])
    >>> selection = PearsonSelection(1).fit(X, [0, 0, 1, 1])
    >>> selection.scores_.round(3), selection.get_support().tolist()
    (array([0.894, 0.   , 0.   ]), [True, False, False])
    """

    def __init__(self, k: int = 300) -> None:
        self.k = k

    def fit(self, X: Any, y: Any) -> Self:
        """Correlate each column with the labels."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, multi_output=True, reset=True)
        check_classification_targets(y)
        if not (isinstance(self.k, int | np.integer) and self.k >= 1):
            raise InputError(f"k must be a whole number of at least 1, not {self.k!r}")
        if getattr(y, "ndim", 1) == 2:
            members = y.toarray() if sp.issparse(y) else y
        else:
            classes = np.unique(y)
            members = y[:, np.newaxis] == (classes[1:] if len(classes) == 2 else classes)
        self.scores_ = np.max(np.abs(correlations(X, members.astype(np.float64))), axis=1, initial=0.0)
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "scores_")
        kept = np.zeros(len(self.scores_), dtype=bool)
        kept[np.argsort(-self.scores_, kind="stable")[: self.k]] = True
        return kept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def correlations(X: Any, Y: Floats) -> Floats:
    """Pearson's r of every column of X with every column of Y, without making X dense; 0 where either is constant."""
    n = X.shape[0]
    mean = np.asarray(X.mean(axis=0)).ravel()
    squares = np.asarray((X.multiply(X) if sp.issparse(X) else X**2).sum(axis=0)).ravel()
    spread = np.maximum(squares - n * mean**2, 0.0)
    centred = Y - Y.mean(axis=0)
    together = np.asarray(X.T @ centred)
    scale = np.sqrt(spread[:, np.newaxis] * np.sum(centred**2, axis=0))
    # What is left of a constant column is rounding.
    steady = spread <= 1e-12 * np.maximum(squares, 1e-300)
    scale[steady] = 0.0
    return np.divide(together, scale, out=np.zeros_like(together), where=scale > 0)
