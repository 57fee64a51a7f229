"""What an estimator that chooses another one hands on to it: predictions, and what it can be given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

Floats = NDArray[np.float64]


def _fitted_has(method: str) -> Callable[[Any], bool]:
    def check(self: Any) -> bool:
        getattr(self.best_estimator_ if hasattr(self, "best_estimator_") else self.estimator, method)
        return True

    return check


class BestEstimator(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier that predicts as `best_estimator_`, its `estimator` fitted with what was chosen."""

    estimator: Any

    @available_if(_fitted_has("predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict with the best estimator."""
        return self._best().predict(self._validated(X))

    @available_if(_fitted_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Scores of the best estimator."""
        return self._best().decision_function(self._validated(X))

    @available_if(_fitted_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the best estimator."""
        return self._best().predict_proba(self._validated(X))

    @available_if(_fitted_has("predict_log_proba"))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Log-probabilities of the best estimator."""
        return self._best().predict_log_proba(self._validated(X))

    def _best(self) -> Any:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    def _validated(self, X: Any) -> Any:
        check_is_fitted(self, "best_estimator_")
        return validate_data(self, X, accept_sparse="csr", reset=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator)
        tags.input_tags.sparse = own.input_tags.sparse
        tags.input_tags.positive_only = own.input_tags.positive_only
        tags.classifier_tags.poor_score = True
        tags.classifier_tags.multi_label = own.classifier_tags is not None and own.classifier_tags.multi_label
        return tags
