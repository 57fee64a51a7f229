"""Documents scored by models that were trained on the other folds, for what cannot leave one out by subtraction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from priorwise.errors import InputError, NotEnoughData
from priorwise.models.labels import Labels
from priorwise.search import HeldOut, Target
from priorwise.search.held_out import candidates_of

Floats = NDArray[np.float64]

SEED = 0
USUAL_FOLDS = 5
OUT_OF_THE_QUESTION = -1e6
"""Score of a class that a training fold has no document of."""


class FoldedScores(HeldOut):
    """Scores of every document under models fitted without its fold.

    Parameters
    ----------
    estimator : scikit-learn classifier
        A model with a parameter `prior`.
    X, y : arrays
        The documents and their classes.
    weight : array
        What each document weighs.
    folds : int or scikit-learn splitter, optional
        How many folds, 5 by default, drawn by chance with a fixed seed and the classes in proportion; no more than the
        largest class has documents. Or how to split.
    grid : sequence of priors, optional
        What to choose from; by default the grid of the estimator's own prior.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, weight: Floats, folds: Any, grid: Sequence[Any] | None) -> None:
        self.estimator, self.X, self.y, self.weight = estimator, X, y, weight
        self.labels = labels = Labels.of(y)
        self.classes, self.exclusive = labels.classes, not labels.against_rest
        self.own, self.candidates = candidates_of(grid, getattr(estimator, "given_prior", estimator.prior))
        if not hasattr(folds, "split"):
            folds = _usual(USUAL_FOLDS if folds is None else folds, y, labels)
        self.folds = list(folds.split(X, None if labels.multilabel else y))

    @property
    def usual_target(self) -> Target:
        """What the estimator says, or F1, or accuracy of several classes."""
        return getattr(self.estimator, "usual_target", None) or super().usual_target

    def members(self) -> NDArray[np.bool_]:
        """Which documents are of which output."""
        return self.labels.membership(self.y).toarray() > 0

    def score_matrices(self, priors: Sequence[Any]) -> Iterator[Floats]:
        """For each prior in turn, the scores of every document for every output."""
        for p, prior in enumerate(priors):
            scores = np.full((self.X.shape[0], self.labels.n_outputs), OUT_OF_THE_QUESTION)
            for fold, (train, test) in enumerate(self.folds):
                self.progress((p + fold / len(self.folds)) / len(priors))
                model = clone(self.estimator).set_params(prior=prior)
                model.fit(self.X[train], self.y[train], sample_weight=self.weight[train])
                if self.labels.against_rest:
                    log_odds = getattr(model, "log_odds", None) or model.decision_function
                    scores[test] = np.reshape(log_odds(self.X[test]), (len(test), -1))
                else:
                    places = np.searchsorted(self.labels.classes, model.classes_)
                    scores[np.ix_(test, places)] = model.predict_log_proba(self.X[test])
            yield scores


def held_out_of(estimator: Any, X: Any, y: Any, weight: Floats, folds: Any, grid: Sequence[Any] | None) -> HeldOut:
    """Score documents as the estimator offers to; any other estimator with a parameter `prior`, by folds."""
    offered = getattr(estimator, "held_out", None)
    if offered is None:
        return FoldedScores(estimator, X, y, weight, folds, grid)
    held_out: HeldOut = offered(X, y, weight, folds, grid)
    return held_out


def _usual(folds: int, y: Any, labels: Labels) -> Any:
    if folds < 2:
        raise InputError(f"cross-validation takes at least 2 folds, not {folds}")
    if labels.multilabel:
        return KFold(min(folds, y.shape[0]), shuffle=True, random_state=SEED)
    largest = int(np.unique(y, return_counts=True)[1].max())
    if largest < 2:
        raise NotEnoughData("no class has two documents, so none can be held out: give more, or a prior of your own")
    return StratifiedKFold(min(folds, largest), shuffle=True, random_state=SEED)
