"""Where to draw the line between yes and no: a threshold on scores that is best for a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import cross_val_predict
from sklearn.utils.validation import check_array, check_is_fitted

from priorwise.errors import InputError, NotEnoughData
from priorwise.kernels import Floats
from priorwise.models.labels import OutputLabels
from priorwise.search import FBeta, Target, as_target
from priorwise.search.targets import COUNTS, ranked_counts


@dataclass(frozen=True)
class Threshold:
    """Cases that score above `value` are predicted positive; `score` is the target there, where it was fitted."""

    value: float
    score: float


def fit_threshold(
    scores: ArrayLike,
    y: ArrayLike,
    target: Target | Callable[..., Any] | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> Threshold:
    """Find the threshold on which a target is best.

    Every threshold that changes a decision is tried, in one sort. The threshold lies midway between two neighbouring
    scores. Of thresholds that are equally good, the one nearest to 0 is taken, where a model itself decides.

    Parameters
    ----------
    scores : array, shape (n_cases,)
        Of training cases, as the papers do it, or better of cases that the model did not see.
    y : array of bool, shape (n_cases,)
        Which cases are positive.
    target : Target, optional
        A target of counts: ``FBeta(1)`` by default, ``FBeta(0.5)``, ``FewestErrors()``, ``PPV(floor=0.5)``, or
        ``FromCounts(your function of tp, fp, positives, negatives)``.
    sample_weight : array, optional
        How much each case counts.

    Examples
    --------
    >>> from priorwise.search import FewestErrors
    >>> scores, y = [-3.0, -2.0, -1.0, 0.5], [False, True, False, True]
    >>> fit_threshold(scores, y)
    Threshold(value=-2.5, score=0.8)
    >>> fit_threshold(scores, y, FewestErrors())
    Threshold(value=-0.25, score=-1.0)
    """
    wanted = as_target(target if target is not None else FBeta(1.0))
    if wanted.needs != COUNTS:
        raise InputError(f"a threshold is fitted to a target of counts, such as FBeta(1), not {target!r}")
    values, positive = np.asarray(scores, dtype=np.float64), np.asarray(y, dtype=bool)
    weight = np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if values.ndim != 1 or values.shape != positive.shape or values.shape != weight.shape:
        raise InputError(f"give one score, one label and one weight per case, not {values.shape} and {positive.shape}")
    if not np.isfinite(values).all():
        raise InputError("every score must be a finite number")
    if not weight[positive].sum() > 0:
        raise NotEnoughData("no case is positive, so no threshold is better than another")
    ranked, tp, fp = ranked_counts(values, positive, weight)
    totals = float(weight[positive].sum()), float(weight[~positive].sum())
    reached = wanted.from_counts(np.append(0.0, tp), np.append(0.0, fp), *totals)
    middles = ranked[:-1] / 2 + ranked[1:] / 2
    cuts = np.concatenate([ranked[:1], middles, [ranked[-1] - max(1.0, abs(ranked[-1]))]])
    best = np.flatnonzero(reached == reached.max())
    place = best[np.argmin(np.abs(cuts[best]))]
    return Threshold(float(cuts[place]), float(reached[place]))


class Thresholded(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier of two classes, or of labels, whose decisions are best for a target.

    The estimator is fitted, and its threshold moved from 0 to where the target is best: on the scores of the training
    cases, as the papers do it, or with `cv` on scores of cases that were held out, which overfits less.

    Parameters
    ----------
    estimator : classifier
        Any one with ``decision_function`` or ``predict_proba``.
    target : Target, optional
        What the decisions are to be good at; ``FBeta(1)`` by default. `fit_threshold` says what there is.
    cv : int or splitter, optional
        Folds to hold cases out by; by default the training scores are used.

    Attributes
    ----------
    estimator_ : classifier
        The fitted estimator.
    thresholds_ : array, shape (n_outputs,)
        One for two classes, else one per label.
    scores_ : array, shape (n_outputs,)
        The target's value there, on the scores it was fitted to.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]), np.array([0, 0, 0, 0, 1, 0])
    >>> LogisticRegression().fit(X, y).predict(X).sum()
    np.int64(0)
    >>> Thresholded(LogisticRegression()).fit(X, y).predict(X)
    array([0, 0, 0, 0, 1, 1])
    """

    def __init__(
        self, estimator: Any, *, target: Target | Callable[..., Any] | None = None, cv: Any | None = None
    ) -> None:
        self.estimator = estimator
        self.target = target
        self.cv = cv

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the estimator, then its thresholds."""
        if y is None:
            raise InputError("Thresholded requires y to be passed, but the target y is None")
        y = y if sp.issparse(y) else check_array(y, ensure_2d=False, dtype=None, input_name="y")
        labels = OutputLabels.of(y)
        if labels.n_outputs > 1 and not labels.multilabel:
            raise InputError(
                "Only binary classification is supported. The type of the target is multiclass. "
                "With more classes, give y as an indicator matrix of labels"
            )
        extra = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)}
        self.estimator_ = clone(self.estimator).fit(X, y, **extra)
        self._labels, self.classes_ = labels, getattr(self.estimator_, "classes_", labels.classes)
        if hasattr(self.estimator_, "n_features_in_"):
            self.n_features_in_ = self.estimator_.n_features_in_
        members = labels.membership(y if labels.multilabel else np.ravel(y)).toarray() > 0
        if self.cv is None:
            scores = self._scores(X)
        else:
            held_out = cross_val_predict(
                clone(self.estimator), X, y, cv=self.cv, method=self._method, params=extra or None
            )
            scores = _columns(held_out, self._method)
        found = [
            fit_threshold(scores[:, k], members[:, k], self.target, sample_weight=sample_weight)
            for k in range(labels.n_outputs)
        ]
        self.thresholds_ = np.array([threshold.value for threshold in found])
        self.scores_ = np.array([threshold.score for threshold in found])
        return self

    @property
    def _method(self) -> str:
        return "decision_function" if hasattr(self.estimator_, "decision_function") else "predict_proba"

    def _scores(self, X: Any) -> Floats:
        return _columns(getattr(self.estimator_, self._method)(X), self._method)

    def decision_function(self, X: Any) -> Floats:
        """Scores above the threshold: positive where `predict` says yes."""
        check_is_fitted(self, "thresholds_")
        scores = self._scores(X) - self.thresholds_
        return scores if self._labels.multilabel else scores[:, 0]

    def predict(self, X: Any) -> Any:
        """The second of two classes, or a label, wherever the score is above its threshold."""
        positive = self.decision_function(X) > 0
        if self._labels.multilabel:
            return self._labels.indicator(positive)
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        tags.classifier_tags.multi_class = False
        return tags


def _columns(scores: Any, method: str) -> Floats:
    """One column of scores per output; probabilities of two classes, or a list of such, are the positive ones'."""
    if isinstance(scores, list):
        return np.column_stack([np.asarray(one)[:, 1] for one in scores])
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim == 1:
        return table[:, np.newaxis]
    return table[:, [1]] if method == "predict_proba" and table.shape[1] == 2 else table
