"""What the regressions share once they have weights: scores, probabilities and predictions, as in scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from priorwise.errors import NotEnoughData
from priorwise.features.matrices import validate_data
from priorwise.models.base import PriorModel
from priorwise.models.labels import Labels
from priorwise.models.weights import Background, Weights
from priorwise.priors.base import bound, is_several, one_each
from priorwise.priors.regression import Gaussian
from priorwise.search import LogLikelihood

Floats = NDArray[np.float64]


class LinearOutputs(ClassifierMixin, PriorModel, listed=False):
    """Reads `coef_` and `intercept_`; an output is a class against the rest, or the second of two classes."""

    regression = True

    _labels: Labels
    classes_: NDArray[Any]
    coef_: Any
    intercept_: Floats
    usual_target = LogLikelihood()

    def _validated(self, X: Any, y: Any, *, reset: bool = True) -> tuple[Any, Any]:
        words = getattr(X, "words", None)
        X, y = validate_data(self, X, y, accept_sparse=["csr", "csc"], multi_output=True, dtype=np.float64, reset=reset)
        given, words = self.given_prior, getattr(self, "feature_names_in_", words)
        self._bound = [bound(each, words) for each in given] if is_several(given) else bound(given, words)
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        return X, y

    def _default_prior(self) -> Gaussian:
        return Gaussian(1.0)

    def _prior(self, output: int, n_outputs: int) -> Any:
        """The prior of one output, bound to the words of the columns if they have names."""
        prior = one_each(self._bound, n_outputs, "rows of coef_")[output]
        self.check_prior(prior)
        return prior

    def _check_outputs(self) -> None:
        if len(self.classes_) < 2 and not self._labels.multilabel:
            raise NotEnoughData(f"all examples are of one class, {self.classes_.tolist()[0]!r}: it takes two to tell")
        for output in range(self._labels.n_outputs):
            self._prior(output, self._labels.n_outputs)

    def _name(self, output: int) -> str:
        return self._labels.name(output)

    @property
    def weights_(self) -> Weights:
        """The fitted model as everything after fitting reads it: the features whose weight is not 0 somewhere."""
        check_is_fitted(self, "coef_")
        if sp.issparse(self.coef_):
            values = self.coef_.tocsc()
            used = np.flatnonzero(np.diff(values.indptr))
            nothing = Background(np.zeros((values.shape[0], 1)), np.zeros(len(used), dtype=np.int32))
            return Weights(used, values[:, used], self.intercept_, nothing)
        used = np.flatnonzero(np.any(self.coef_ != 0, axis=0))
        return Weights(used, self.coef_[:, used], self.intercept_)

    def _take(self, weights: Weights) -> None:
        self.coef_, self.intercept_ = weights.table(self.n_features_in_), weights.bias

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse=["csr", "csc"], dtype=np.float64, reset=False)
        scores = X @ self.coef_.T
        return (scores.toarray() if sp.issparse(scores) else np.asarray(scores)) + self.intercept_

    @property
    def _two_classes(self) -> bool:
        return self._labels.n_outputs == 1 and not self._labels.multilabel

    def decision_function(self, X: Any) -> Floats:
        """βᵀx + b: of the second of two classes, else one column per class or label."""
        scores = self._scores(X)
        return scores[:, 0] if self._two_classes else scores

    def _link(self, scores: Floats) -> Floats:
        """Probability of a score: logistic, unless a model says otherwise."""
        from scipy.special import expit

        return np.asarray(expit(scores), dtype=np.float64)

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class; of each label on its own.

        With more than two classes, the one-vs-rest probabilities of a document divided by their sum.
        """
        scores = self._scores(X)
        if self._two_classes:
            return np.column_stack([self._link(-scores[:, 0]), self._link(scores[:, 0])])
        each = self._link(scores)
        if self._labels.multilabel:
            return each
        total = each.sum(axis=1, keepdims=True)
        return np.where(total > 0, each / np.where(total > 0, total, 1.0), 1.0 / each.shape[1])

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> Any:
        """The class with the largest score, a tie to the first; or every label whose score is above 0."""
        scores = self._scores(X)
        if self._labels.multilabel:
            return self._labels.indicator(scores > 0)
        best = (scores[:, 0] > 0).astype(int) if self._two_classes else np.argmax(scores, axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags
