"""One topic under one setting of the sparse paper: fitted, its threshold set, and judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.models.threshold import fit_threshold
from priorwise.papers.sparse_published import Setting
from priorwise.papers.split import Split
from priorwise.priors import Dirichlet
from priorwise.priors.coefficients import Gaussian, Jeffreys, Laplace
from priorwise.search import FBeta, FewestErrors

Floats = NDArray[np.float64]

EARLY = 0.01
"""EM that stops early stops when a step is this part of the coefficients' length, or less."""

SMALL = 1e-4
"""A coefficient that EM has not brought below this is counted as not 0 where EM stops early."""


@dataclass(frozen=True)
class Topic:
    """The documents of one topic against the rest, in the features of a setting."""

    X_train: Any
    X_test: Any
    train: NDArray[np.bool_]
    test: NDArray[np.bool_]

    @classmethod
    def of(cls, split: Split, label: str, setting: Setting) -> Topic:
        """Keep the words that go with the topic, and weigh them."""
        from priorwise.features.recipe import Recipe, inverse_document_frequency
        from priorwise.features.selection import correlations

        place = split.labels.index(label)
        train, test = (np.asarray(Y[:, [place]].toarray()[:, 0] > 0) for Y in (split.Y_train, split.Y_test))
        r = np.abs(correlations(split.X_train, train[:, np.newaxis].astype(np.float64))[:, 0])
        kept = np.sort(np.argsort(-r, kind="stable")[: setting.features])
        X = split.X_train[:, kept]
        factors = None
        if setting.weighting in ("log TF·IDF", "TFIDF"):
            holding = np.bincount(X.indices, minlength=X.shape[1])
            factors = inverse_document_frequency(holding, X.shape[0], "lookahead")
        recipe = Recipe("raw" if setting.weighting == "raw TF" else "log", factors, setting.weighting == "TFIDF")
        return cls(recipe.apply(X), recipe.apply(split.X_test[:, kept]), train, test)


def prior_of(setting: Setting) -> Any:
    """The prior of every coefficient."""
    if setting.prior == "Laplace":
        return Laplace.from_gamma(setting.number)
    return Gaussian(setting.number) if setting.prior == "Gaussian" else Jeffreys()


def judge(split: Split, label: str, setting: Setting) -> dict[str, Any]:
    """Fit one topic; count the test documents rightly put into it, all put into it, and the parameters that are not 0.

    The threshold is the one with the fewest errors on the training documents.
    """
    topic = Topic.of(split, label, setting)
    model = _model(setting).fit(topic.X_train, topic.train)
    scores = [_scores(model, X) for X in (topic.X_train, topic.X_test)]
    decided = scores[1] > fit_threshold(scores[0], topic.train, FewestErrors()).value
    found: dict[str, Any] = {"found": int(np.sum(decided & topic.test)), "decided": int(np.sum(decided))}
    if setting.prior:
        found["nonzero"] = int(np.count_nonzero(model.coef_) + np.count_nonzero(model.intercept_))
    return found


def stopped_early(split: Split, label: str, setting: Setting) -> dict[str, Any]:
    """Count the parameters that EM has not brought to 0 when it is stopped before it has converged."""
    from priorwise.models.logistic_design import Design
    from priorwise.models.probit_em import Blocks, ProbitEM

    topic = Topic.of(split, label, setting)
    design = Design(topic.X_train).with_ones
    columns = design.shape[1]
    blocks = Blocks(design, np.ones(design.shape[0]), False, columns)
    y, mode = np.where(topic.train, 1.0, -1.0), np.zeros(columns)
    beta, _ = ProbitEM(blocks, Gaussian(), (np.ones(columns), mode)).sweep(y, np.zeros(columns))
    prior = prior_of(setting)
    em, moved, steps = ProbitEM(blocks, prior, (np.full(columns, prior.variance), mode)), np.inf, 0
    while moved > EARLY * np.linalg.norm(beta):
        after, _ = em.sweep(y, beta)
        beta, moved, steps = after, float(np.linalg.norm(after - beta)), steps + 1
    return {"nonzero": int(np.sum(np.abs(beta) > SMALL)), "steps": steps}


def _model(setting: Setting) -> Any:
    from priorwise.models.logistic import LogisticRegression
    from priorwise.models.probit import ProbitRegression

    if setting.model == "probit":
        prior = prior_of(setting)
        return ProbitRegression(prior, intercept_prior=prior, tol=1e-7, max_iter=5000)
    if setting.model == "logistic":
        prior = prior_of(setting)
        return LogisticRegression(prior, intercept_prior=prior)
    if setting.model == "SVM":
        from sklearn.svm import LinearSVC

        return LinearSVC()
    from priorwise.models.multinomial import MultinomialNB
    from priorwise.models.prior_search import PriorSearch

    return PriorSearch(MultinomialNB(), target=FBeta(1.0), grid=[Dirichlet(alpha) for alpha in (0.001, 0.01, 0.1, 1.0)])


def _scores(model: Any, X: Any) -> Floats:
    return np.asarray(np.ravel(model.decision_function(X)), dtype=np.float64)
