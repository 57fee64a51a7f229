"""Matrices that know the word of each column, so that a prior about words can be bound to whatever was fitted."""

from __future__ import annotations

from typing import Any, Self

import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted


class WordMatrix(sp.csr_matrix):
    """A sparse matrix with the word of each column in `words`; rows taken from it have none."""

    words: Any = None


class NamedColumns(TransformerMixin, BaseEstimator):
    """A vectorizer that tells the next step of a pipeline which word each column is.

    A prior that is about words, such as ``Informed(Laplace, {"wheat": 2.0}, "mode")``, needs that: in
    cross-validation every fold has a vocabulary of its own.

    Parameters
    ----------
    vectorizer : transformer
        A `TfidfVectorizer`, or anything else with `get_feature_names_out`.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> from priorwise import Informed, Laplace, LogisticRegression
    >>> known = Informed(Laplace, {"wheat": 2.0, "oil": -1.0}, "mode")
    >>> model = make_pipeline(NamedColumns(TfidfVectorizer()), LogisticRegression(known))
    >>> model.fit(["wheat rose", "oil fell"], [1, 0]).predict(["wheat"]).tolist()
    [1]
    """

    def __init__(self, vectorizer: Any) -> None:
        self.vectorizer = vectorizer

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the vocabulary."""
        self.vectorizer_ = clone(self.vectorizer).fit(X, y)
        return self

    def transform(self, X: Any) -> WordMatrix:
        """Turn texts into a matrix with named columns."""
        check_is_fitted(self, "vectorizer_")
        made = WordMatrix(self.vectorizer_.transform(X))
        made.words = self.get_feature_names_out()
        return made

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The word of each column."""
        return self.vectorizer_.get_feature_names_out()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
