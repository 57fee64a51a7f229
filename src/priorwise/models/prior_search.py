"""Choose a prior as scikit-learn chooses hyperparameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from priorwise.errors import InputError
from priorwise.models.class_strengths import choose_class_strengths
from priorwise.models.grid import PAPER_GRID
from priorwise.models.leave_one_out import LeaveOneOut
from priorwise.models.presence import PresenceNB, presence
from priorwise.models.presence_counts import Cases
from priorwise.models.prior_choice import choose_prior
from priorwise.search import FBeta, Target, as_target

Floats = NDArray[np.float64]


def _fitted_has(method: str) -> Callable[[Any], bool]:
    def check(self: Any) -> bool:
        getattr(self.best_estimator_ if hasattr(self, "best_estimator_") else self.estimator, method)
        return True

    return check


class PriorSearch(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Find the prior whose leave-one-out target is best, and fit the estimator with it.

    Leave-one-out is exact and needs no refits: for two classes every pair of strengths of the grid is valued at once.
    For more classes, strengths are improved one class at a time until none improves the target, which is then the mean
    over the classes of the target of one class against the rest.

    Parameters
    ----------
    estimator : PresenceNB
        The model whose prior is searched.
    target : Target or callable, optional
        What a good prior is good at: an object such as ``PPV()``, or a function of (y_true, scores); ``FBeta(0.5)`` by
        default.
    search : {"exhaustive", "radial"}
        Every cell of the grid, or the paper's nine climbs.
    grid : array, optional
        The strengths to choose from, ascending; the paper's 203 by default.
    negative_weight : float
        How many documents each negative stands for, where negatives are a sample; targets at corpus odds use it.

    Attributes
    ----------
    best_prior_ : PseudoCounts
        The prior.
    best_score_ : float
        Its target.
    best_estimator_ : PresenceNB
        The model fitted with it.
    trials_ : dict of arrays
        Every trial, in order: strengths, score and sensitivity.
    terrain_ : Terrain
        For two classes: ``grid``, and ``tp``, ``fp``, ``score`` with rows λ− and columns λ+.
    remark_ : str
        What to know before trusting the prior, such as a degenerate optimum; empty if nothing.

    Examples
    --------
    >>> X = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]])
    >>> search = PriorSearch(PresenceNB()).fit(X, [1, 1, 1, 0, 0, 0])
    >>> search.terrain_.score.shape
    (203, 203)
    >>> search.predict([[1, 0, 0, 0]])
    array([1])
    """

    def __init__(
        self,
        estimator: PresenceNB,
        *,
        target: Target | Callable[..., Any] | None = None,
        search: str = "exhaustive",
        grid: Sequence[float] | None = None,
        negative_weight: float = 1.0,
    ) -> None:
        self.estimator = estimator
        self.target = target
        self.search = search
        self.grid = grid
        self.negative_weight = negative_weight

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Search, then fit."""
        if not isinstance(self.estimator, PresenceNB):
            raise InputError(f"PriorSearch does not know how to leave one out of {self.estimator!r}")
        X, y = validate_data(self, X, y, accept_sparse="csr", reset=True)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        target = as_target(self.target if self.target is not None else FBeta(0.5))
        grid = PAPER_GRID if self.grid is None else _checked_grid(self.grid)
        self.classes_, place = np.unique(y, return_inverse=True)
        present = presence(X)
        if len(self.classes_) == 2:
            cases = Cases.of(present.indptr, present.indices, place == 1, weight=weight)
            samples = [LeaveOneOut(cases, cases.count(X.shape[1]))]
            choice = choose_prior(samples, target, grid=grid, search=self.search, negative_weight=self.negative_weight)
            self.best_prior_, self.best_score_, self.remark_ = choice.prior, choice.score, choice.remark
            self.terrain_ = choice.terrains[0]
            self.trials_ = {
                "lambda_negative": grid[choice.trials.rows],
                "lambda_positive": grid[choice.trials.columns],
                "score": choice.trials.score,
                "sensitivity": choice.trials.sensitivity,
            }
        else:
            many = choose_class_strengths(present, place, weight, len(self.classes_), target, grid)
            self.best_prior_, self.best_score_, self.trials_, self.remark_ = many
        self.best_estimator_ = clone(self.estimator).set_params(prior=self.best_prior_)
        self.best_estimator_.fit(X, y, sample_weight=sample_weight)
        return self

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

    def _best(self) -> PresenceNB:
        check_is_fitted(self, "best_estimator_")
        best: PresenceNB = self.best_estimator_
        return best

    def _validated(self, X: Any) -> Any:
        check_is_fitted(self, "best_estimator_")
        return validate_data(self, X, accept_sparse="csr", reset=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True
        return tags


def _checked_grid(grid: Sequence[float]) -> Floats:
    values = np.asarray(grid, dtype=np.float64)
    if values.ndim != 1 or len(values) < 1 or not np.all(values > 0) or np.any(np.diff(values) <= 0):
        raise InputError("a grid is a list of positive strengths in ascending order")
    return values
