"""What a scikit-learn user would do instead: a linear model on TF-IDF."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

BAGS = 10
TUNED_OVER = (0.1, 1.0, 10.0, 100.0)
TUNING_FOLDS = 3


class LinearPeer:
    """Logistic regression or a linear support vector machine on TF-IDF, members against a choice of other documents.

    Parameters
    ----------
    kind : {"logistic", "svm"}
        The scikit-learn model, with its default settings.
    negatives : {"1", "5", "20", "bagged", "all"}
        So many random negatives per member; 20 per member and the mean of ten such models; or all other documents.
    C : float
        How far it trusts the data.
    tuned : bool
        Whether C is the one of 0.1, 1, 10, 100 with the best average precision in three-fold cross-validation, for each
        model that is fitted; else it is given.
    characters : bool
        Whether it reads the runs of two to four characters that at least two texts have, instead of words.
    pairs : bool
        Whether it also reads the pairs of adjacent words that at least two texts have.
    balanced : bool
        Whether members and other documents weigh the same together.
    """

    def __init__(
        self,
        kind: str,
        negatives: str,
        *,
        C: float = 1.0,
        tuned: bool = False,
        characters: bool = False,
        pairs: bool = False,
        balanced: bool = False,
    ) -> None:
        self.kind = kind
        self.negatives = negatives
        self.C = C
        self.tuned = tuned
        self.name = f"{kind}, {negatives} negatives" if negatives in ("bagged", "all") else f"{kind}, {negatives}:1"
        if tuned:
            self.name += ", tuned"
        elif C != 1.0:
            self.name += f", C={C:g}"
        self.reads = "characters" if characters else "pairs" if pairs else "words"
        self.balanced = balanced
        self.name += f", {self.reads}" * (self.reads != "words") + ", balanced" * balanced

    def scores(self, corpus: Corpus, known: Rows, label: str = "") -> Floats:
        """Score every document of the corpus."""
        X = tfidf(corpus, self.reads)
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

        how = {"C": self.C, "class_weight": "balanced" if self.balanced else None}
        model = LogisticRegression(max_iter=1000, **how) if self.kind == "logistic" else LinearSVC(**how)
        rows = np.concatenate([known, negatives])
        y = np.arange(len(rows)) < len(known)
        if self.tuned:
            model = _tuned(model, len(known))
        model.fit(X[rows], y)
        return np.asarray(model.decision_function(X))


def peers(*, tuned: bool = False) -> list[LinearPeer]:
    """Every peer of the protocol; with `tuned`, those of the largest sets of negatives also with C chosen."""
    plain = [LinearPeer(kind, n) for kind in ("logistic", "svm") for n in ("1", "5", "20", "bagged", "all")]
    chosen = [LinearPeer(kind, n, tuned=True) for kind in ("logistic", "svm") for n in ("20", "bagged", "all")]
    return plain + (chosen if tuned else [])


def _tuned(model: Any, n_known: int) -> Any:
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    folds = StratifiedKFold(min(TUNING_FOLDS, n_known), shuffle=True, random_state=0)
    return GridSearchCV(model, {"C": list(TUNED_OVER)}, scoring="average_precision", cv=folds)


def _draw(others: Rows, size: int, seed: int) -> Rows:
    return np.random.default_rng(seed).choice(others, size=min(size, len(others)), replace=False)


_cache: dict[str, dict[str, Any]] = {}
_CUT: dict[str, dict[str, Any]] = {
    "characters": {"analyzer": "char", "ngram_range": (2, 4)},
    "pairs": {"ngram_range": (1, 2), "token_pattern": r"\w+"},
}


def tfidf(corpus: Corpus, reads: str = "words") -> Any:
    """TF-IDF of the whole corpus, of words, words and pairs, or runs of characters, kept for the next category."""
    from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

    if corpus.checksum not in _cache:
        _cache.clear()
    kept = _cache.setdefault(corpus.checksum, {})
    if reads not in kept:
        if reads in _CUT:
            rows = range(corpus.n_documents)
            texts = [f"{title}\n{corpus.text(row) or ''}" for row, title in zip(rows, corpus.titles(rows), strict=True)]
            kept[reads] = TfidfVectorizer(sublinear_tf=True, min_df=2, **_CUT[reads]).fit_transform(texts)
        else:
            kept[reads] = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.matrix())
    return kept[reads]
