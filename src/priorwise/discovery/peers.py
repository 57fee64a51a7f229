"""What a scikit-learn user would do instead: a linear model on TF-IDF."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

BAGS = 10


class LinearPeer:
    """Logistic regression or a linear support vector machine on TF-IDF, members against a choice of other documents.

    Parameters
    ----------
    kind : {"logistic", "svm"}
        The scikit-learn model, with its default settings.
    negatives : {"1", "5", "20", "bagged", "all"}
        So many random negatives per member; 20 per member and the mean of ten such models; or all other documents.
    """

    def __init__(self, kind: str, negatives: str) -> None:
        self.kind = kind
        self.negatives = negatives
        self.name = f"{kind}, {negatives} negatives" if negatives in ("bagged", "all") else f"{kind}, {negatives}:1"

    def scores(self, corpus: Corpus, known: Rows) -> Floats:
        """Score every document of the corpus."""
        X = _tfidf(corpus)
        others = np.setdiff1d(np.arange(corpus.n_documents), known)
        if self.negatives == "all":
            return self._fit(X, known, others)
        if self.negatives != "bagged":
            return self._fit(X, known, _draw(others, int(self.negatives) * len(known), 0))
        bags = [self._fit(X, known, _draw(others, 20 * len(known), seed)) for seed in range(BAGS)]
        return np.mean(bags, axis=0)

    def _fit(self, X: Any, known: Rows, negatives: Rows) -> Floats:
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC

        model = LogisticRegression(max_iter=1000) if self.kind == "logistic" else LinearSVC()
        rows = np.concatenate([known, negatives])
        model.fit(X[rows], np.arange(len(rows)) < len(known))
        return np.asarray(model.decision_function(X))


def peers() -> list[LinearPeer]:
    """Every peer of the protocol."""
    return [LinearPeer(kind, n) for kind in ("logistic", "svm") for n in ("1", "5", "20", "bagged", "all")]


def _draw(others: Rows, size: int, seed: int) -> Rows:
    return np.random.default_rng(seed).choice(others, size=min(size, len(others)), replace=False)


_cache: dict[str, Any] = {}


def _tfidf(corpus: Corpus) -> Any:
    """TF-IDF of the whole corpus, kept for the next category."""
    from sklearn.feature_extraction.text import TfidfTransformer

    if corpus.checksum not in _cache:
        _cache.clear()
        _cache[corpus.checksum] = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.matrix())
    return _cache[corpus.checksum]
