"""priorwise for ASReview 3: a classifier and a stopping rule, found by ASReview through their entry points."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.base import BaseEstimator, ClassifierMixin

from priorwise.discovery.stopping import may_stop, unfound_members
from priorwise.models.regression.judged_squares import STRENGTH, USUAL_RATIO, balanced, learned_change

__all__ = ["Certificate", "JudgedSquares"]

CONSTANT = 0.1
"""The prior variance of the constant, compared with that of words."""


class JudgedSquares(ClassifierMixin, BaseEstimator):
    """Weighted least squares with a Gaussian prior, which ranks as `priorwise` does.

    Use it without a balancer. If ASReview passes weights of a balancer, they replace `ratio`.

    Parameters
    ----------
    strength : float
        The strength of the prior.
    ratio : float
        How much all relevant records weigh, compared with all irrelevant ones.
    """

    name = "priorwise"
    label = "priorwise"

    def __init__(self, strength: float = STRENGTH, ratio: float = USUAL_RATIO) -> None:
        self.strength = strength
        self.ratio = ratio

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from labelled records."""
        members = np.asarray(y).astype(bool)
        weights = balanced(members, self.ratio) if sample_weight is None else np.asarray(sample_weight, np.float64)
        self.classes_ = np.array([0, 1])
        targets = np.where(members, 1.0, -1.0)
        self.coef_ = learned_change(_with_constant(X), targets, weights, strength=self.strength)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score records; higher is more relevant."""
        return np.asarray(_with_constant(X) @ self.coef_)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Say which records are relevant."""
        return (self.decision_function(X) > 0).astype(np.int64)


class Certificate(BaseEstimator):
    """Stop when a share of the relevant records is found, with a given confidence.

    Records that were labelled before the review as prior knowledge are left out: they were not found in rank order.

    Parameters
    ----------
    recall : float
        The share of the relevant records to find.
    confidence : float
        How certain that must be.
    """

    name = "priorwise"
    label = "priorwise's certificate"

    def __init__(self, recall: float = 0.95, confidence: float = 0.95) -> None:
        self.recall = recall
        self.confidence = confidence

    def stop(self, results: Any, data: Any) -> bool:
        """Say whether the review may stop.

        Parameters
        ----------
        results : pandas.DataFrame
            The labels so far, in order.
        data : sized
            All records.
        """
        if len(results) >= len(data):
            return True
        found = results[results["training_set"].notna()] if "training_set" in results else results
        if not found["label"].any():
            return False
        missing = unfound_members(found["label"].astype(bool).to_numpy(), len(data) - len(results) + len(found))
        return may_stop(missing, recall=self.recall, confidence=self.confidence).safe


def _with_constant(X: Any) -> Any:
    own = csr_matrix(X, dtype=np.float64)
    return hstack([own, csr_matrix(np.full((own.shape[0], 1), np.sqrt(CONSTANT)))], format="csr")
