"""Documents as vectors: log term frequencies times inverse document frequencies, each document of length 1."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.features.recipe import Recipe, inverse_document_frequency
from priorwise.kernels import Floats, Rows


def rarity(corpus: Corpus) -> Floats:
    """Return how rare each word of the corpus is: log((N + 1)/(n + 1)) + 1, for n of N documents."""
    return inverse_document_frequency(corpus.document_frequency, corpus.n_documents, "smooth")


def document_vectors(corpus: Corpus, rows: Rows) -> Any:
    """Return some documents as the rows of a sparse matrix, a column per word of the corpus."""
    return Recipe("log", rarity(corpus), cosine=True).apply(corpus.matrix(rows))


def text_vector(corpus: Corpus, text: str) -> Any:
    """Return a text as a matrix of one row, a column per word of the corpus.

    Everything that is neither a letter nor a digit separates words, since categories are often named ``like::this``.
    """
    return Recipe("log", rarity(corpus), cosine=True).apply(corpus.vectorize([re.sub(r"[\W_]+", " ", text)]))


AT_MOST = 4_096
"""Of a larger corpus this many random documents show which words occur together."""

MEASURED = 256
"""About this many of them give the scale."""


class WordCovariance:
    """The prior covariance Σ = (1 − s) I + s C of the weights of words: words that occur together have similar weights.

    C is the covariance of the words in the documents, at a scale at which both parts give the documents the same
    variance. It is never written out: a product with a vector takes two passes over the documents.

    `X`: the documents, a row for each and a column for each word. `share`: s. `seed`: which documents of a corpus
    with more than `AT_MOST` are used.
    """

    def __init__(self, X: Any, share: float, *, seed: int = 0) -> None:
        if X.shape[0] > AT_MOST:
            X = X[np.sort(np.random.default_rng(seed).choice(X.shape[0], AT_MOST, replace=False))]
        self.X = X.astype(np.float32)
        self._across = self.X.T.tocsr()
        some = self.X[:: max(1, self.X.shape[0] // MEASURED)]
        products = np.asarray((some @ self._across).toarray())
        products -= products.mean(axis=1, keepdims=True)
        own, shared = float(some.multiply(some).sum()), float(np.einsum("ij,ij->", products, products))
        self.own = np.float32(1.0 - share)
        self.shared = np.float32(share * own / shared if shared > 0 else 0.0)

    def __call__(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Return Σ w; what comes after the words, such as a constant, is independent."""
        n_words = self.X.shape[1]
        along = self.X @ weights[:n_words]
        result = np.array(weights)
        result[:n_words] *= self.own
        result[:n_words] += self.shared * (self._across @ (along - along.mean()))
        return result

    def products(self, X: Any) -> NDArray[Any]:
        """Return X Σ Xᵀ for the rows of X, whose further columns are independent."""
        n_words = self.X.shape[1]
        words, further = X[:, :n_words], X[:, n_words:]
        along = np.asarray((words @ self._across).toarray(), np.float32)
        along -= along.mean(axis=1, keepdims=True)
        own = self.own * (words @ words.T) + further @ further.T
        return np.asarray(own.toarray() + self.shared * (along @ along.T))
