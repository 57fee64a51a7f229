"""Term frequencies and inverse document frequencies, as scikit-learn transformers.

A column of counts becomes the papers' TFIDF, cosine normalised, by
``make_pipeline(TermFrequency("log"), InverseDocumentFrequency(), Normalizer())``; the last is scikit-learn's.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from priorwise.errors import InputError
from priorwise.features.matrices import validate_data
from priorwise.features.recipe import inverse_document_frequency, term_frequency

Floats = NDArray[np.float64]


class TermFrequency(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """What a count of f says of a document.

    ::

        raw       f
        boolean   1
        log       1 + log f

    each where f is positive, and 0 where it is 0.

    Parameters
    ----------
    kind : {"log", "raw", "boolean"}
        Which of them.

    Examples
    --------
    >>> TermFrequency("log").fit_transform([[0, 1, 20]]).toarray().round(3)
    array([[0.   , 1.   , 3.996]])
    """

    def __init__(self, kind: str = "log") -> None:
        self.kind = kind

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the counts; there is nothing to learn."""
        _counts(self, X, reset=True)
        return self

    def transform(self, X: Any) -> sp.csr_matrix:
        """Turn counts into term frequencies."""
        counts = _counts(self, X, reset=False)
        counts.data = term_frequency(counts.data, self.kind)
        return counts

    def __sklearn_tags__(self) -> Any:
        return _count_tags(super().__sklearn_tags__(), fitted=False)


class InverseDocumentFrequency(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Multiply every column by how rare its word is: with N documents, n of which hold the word.

    ::

        lookahead   log((N + 1)/(n + 1))            the papers'
        plain       log(N/n), 0 for a word that no document holds
        smooth      log((N + 1)/(n + 1)) + 1        scikit-learn's

    Parameters
    ----------
    kind : {"lookahead", "plain", "smooth"}
        Which of them.
    population : matrix, optional
        Documents to count in, if not those that are fitted: the papers count in the whole training population even
        when they train on a few documents of it.

    Attributes
    ----------
    idf_ : array, shape (n_features,)
        The factor of each column.

    Examples
    --------
    >>> InverseDocumentFrequency().fit([[1, 0], [1, 1], [1, 0]]).idf_.round(3)
    array([0.   , 0.693])
    >>> InverseDocumentFrequency(population=[[1, 0]] * 7).fit([[1, 0]]).idf_.round(3)
    array([0.   , 2.079])
    """

    def __init__(self, kind: str = "lookahead", *, population: Any = None) -> None:
        self.kind = kind
        self.population = population

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count in how many documents each word occurs."""
        documents = _counts(self, X, reset=True)
        if self.population is not None:
            documents = sp.csr_matrix(self.population, dtype=np.float64)
            if documents.shape[1] != self.n_features_in_:
                raise InputError(
                    f"population has {documents.shape[1]} columns, but X {self.n_features_in_}: give the same words"
                )
        self.idf_ = inverse_document_frequency(_holding(documents), documents.shape[0], self.kind)
        return self

    def transform(self, X: Any) -> sp.csr_matrix:
        """Multiply the columns."""
        check_is_fitted(self, "idf_")
        weighted = _counts(self, X, reset=False)
        weighted.data *= self.idf_[weighted.indices]
        return weighted

    def __sklearn_tags__(self) -> Any:
        return _count_tags(super().__sklearn_tags__(), fitted=True)


def _counts(estimator: Any, X: Any, *, reset: bool) -> sp.csr_matrix:
    X = validate_data(
        estimator, X, accept_sparse="csr", dtype=np.float64, reset=reset, ensure_non_negative=True, copy=True
    )
    counts = sp.csr_matrix(X)
    counts.eliminate_zeros()
    return counts


def _holding(documents: sp.csr_matrix) -> Floats:
    holding: Floats = np.bincount(documents.indices[documents.data != 0], minlength=documents.shape[1]).astype(
        np.float64
    )
    return holding


def _count_tags(tags: Any, *, fitted: bool) -> Any:
    tags.input_tags.sparse = True
    tags.input_tags.positive_only = True
    tags.requires_fit = fitted
    return tags
