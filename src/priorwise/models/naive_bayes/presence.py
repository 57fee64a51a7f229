"""Presence naive Bayes as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from priorwise.errors import InputError
from priorwise.features.matrices import validate_data
from priorwise.kernels import Floats
from priorwise.models.base import LinearClassifier
from priorwise.models.labels import OutputLabels
from priorwise.models.naive_bayes.presence_leave_one_out import Cases, PresenceCounts
from priorwise.models.weights import Weights
from priorwise.priors import PseudoCounts
from priorwise.priors.counts import TermCounts
from priorwise.priors.presence import PresencePrior, kind_of, strengths_of
from priorwise.search import HeldOut


class PresenceNB(LinearClassifier):
    """Naive Bayes that reads only what a document contains; what it lacks says nothing.

    A document is the set of its tokens (the columns with a positive value). With two classes the second of ``classes_``
    is the positive one, and the model's vocabulary V is the tokens of its documents::

        p(x|c) = (λc + n(x,c)) / (λc + n(c))          p(c) = (λc + n(c)) / (Σ λ + N)
        s(d)   = log p(+)/p(−) + Σ over x in d∩V of log p(x|+)/p(x|−)          positive when s(d) > 0

    With more classes V is every token seen in training, and a document goes to the class with the largest
    log p(c) + Σ log p(x|c).

    Parameters
    ----------
    prior : PseudoCounts, TermBeta or sequence of TermBeta, optional
        The strengths λ, Bayes-Laplace (1 for every class) by default; or a strength for each token, read from the data,
        with one scale or a scale for each class::

            p(x|c) = (λc ŝ(x) π(x) + n(x,c)) / (λc ŝ(x) + n(c))          p(c) = n(c) / N

    Attributes
    ----------
    classes_ : array
        The labels.
    class_count_ : array, shape (n_classes,)
        n(c), the weight of the documents of each class.
    feature_count_ : array, shape (n_classes, n_features)
        n(x,c), in how many of them each token occurs.
    weights_ : Weights
        The fitted model: one output for two classes, else one per class.

    References
    ----------
    Kayaalp, O. K., *Learning optimal Bayesian prior probabilities from data*.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> texts = ["goal match team", "match team win", "vote law", "law court vote"]
    >>> model = make_pipeline(CountVectorizer(), PresenceNB(PseudoCounts(negative=2, positive=1)))
    >>> model.fit(texts, ["politics", "politics", "sport", "sport"][::-1]).predict(["the team", "a vote"]).tolist()
    ['sport', 'politics']
    """

    asks = PresencePrior
    reads = "presence"
    trains = False
    prepares_for_one_kind = True
    explored = "Presence: words present"

    def __init__(self, prior: Any | Sequence[Any] | None = None) -> None:
        self.prior = prior

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Count, then blend the counts with the prior."""
        for attribute in ("classes_", "class_count_", "feature_count_"):
            if hasattr(self, attribute):
                delattr(self, attribute)
        X, y = validate_data(self, X, y, accept_sparse="csr", reset=True)
        check_classification_targets(y)
        return self._add(X, y, np.unique(y), sample_weight)

    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add the counts of more documents; `classes` names all classes at the first call."""
        X, y = validate_data(self, X, y, accept_sparse="csr", reset=not hasattr(self, "classes_"))
        return self._add(X, y, classes, sample_weight)

    def _add(self, X: Any, y: NDArray[Any], classes: Any, sample_weight: ArrayLike | None) -> Self:
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        first = not hasattr(self, "classes_")
        self._first_classes(y, classes)
        names = self.classes_
        if first:
            self.class_count_ = np.zeros(len(names))
            self.feature_count_ = np.zeros((len(names), X.shape[1]))
        place = np.searchsorted(names, y)
        place[place == len(names)] = 0
        unknown = names[place] != y
        if unknown.any():
            raise InputError(f"class {y[unknown][0]!r} was not among the classes of the first call")
        of_class = sp.csr_matrix((weight, (place, np.arange(len(y)))), shape=(len(names), len(y)))
        self.class_count_ = self.class_count_ + np.asarray(of_class.sum(axis=1)).ravel()
        self.feature_count_ = self.feature_count_ + (of_class @ presence(X)).toarray()
        self.weights_ = self._blend()
        return self

    def _default_prior(self) -> PseudoCounts:
        return PseudoCounts.laplace()

    def _blend(self) -> Weights:
        prior = self.given_prior
        if len(self.classes_) == 2:
            return PresenceCounts(
                self.feature_count_[1], self.feature_count_[0], self.class_count_[1], self.class_count_[0]
            ).weights(prior)
        kind = kind_of(prior)
        in_all, n_all = self.feature_count_.sum(axis=0), np.array(self.class_count_.sum())
        features = np.flatnonzero(in_all > 0)
        tables = [
            kind.table(TermCounts(found[features], np.array(documents), in_all[features], n_all), np.array([strength]))
            for found, documents, strength in zip(
                self.feature_count_, self.class_count_, strengths_of(prior, len(self.classes_)), strict=True
            )
        ]
        sizes = np.concatenate([table.sizes for table in tables])
        values = np.stack([table.log_rates() for table in tables])
        return Weights(features, values, sizes - np.logaddexp.reduce(sizes))

    def held_out(self, X: Any, y: Any, weight: Any, folds: Any = None, grid: Sequence[Any] | None = None) -> HeldOut:
        """Exact leave-one-out, where `grid` has the strengths to choose from; or folds, where it has the priors."""
        from priorwise.models.naive_bayes.presence_leave_one_out import ClassesLeftOut, LeaveOneOut

        if folds is not None:
            return super().held_out(X, y, weight, folds, grid)
        labels = OutputLabels.of(y)
        if labels.multilabel:
            raise InputError("PresenceNB tells classes apart; for an indicator matrix wrap it in OneVsRestClassifier")
        kind = kind_of(self.prior)
        strengths = kind.strength_grid if grid is None else _checked_grid(grid)
        place, found = np.searchsorted(labels.classes, y), presence(X)
        if len(labels.classes) != 2:
            return ClassesLeftOut(found, place, weight, len(labels.classes), strengths, kind)
        cases = Cases.of(found.indptr, found.indices, place == 1, weight=weight)
        return LeaveOneOut(cases, cases.count(X.shape[1]), kind=kind, grid=strengths)

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        return presence(X) @ self.weights_.table(X.shape[1]).T + self.weights_.bias

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.classifier_tags.multi_label = False
        return tags


def presence(X: Any) -> sp.csr_matrix:
    """Turn any matrix into a sparse one of ones where a value is positive."""
    X = sp.csr_matrix(X, copy=True)
    X.sum_duplicates()
    X.data = (X.data > 0).astype(np.float64)
    X.eliminate_zeros()
    return X


def _checked_grid(grid: Sequence[float]) -> Floats:
    values = np.asarray(grid, dtype=np.float64)
    if values.ndim != 1 or len(values) < 1 or not np.all(values > 0) or np.any(np.diff(values) <= 0):
        raise InputError("a grid is a list of positive strengths in ascending order")
    return values
