"""Documents as vectors: log term frequencies times inverse document frequencies, each document of length 1."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.features.recipe import Recipe, inverse_document_frequency

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Vectors:
    """Some documents as the rows of a matrix, without the tokens that only one of them has.

    Parameters
    ----------
    X : scipy.sparse.csr_matrix, shape (n_documents, n_features)
        The documents. Tokens that are left out still count in a document's length.
    features : array of int, shape (n_features,)
        The tokens of the columns, ascending.
    """

    X: Any
    features: Rows


def rarity(corpus: Corpus) -> Floats:
    """How rare each token of the corpus is: log((N + 1)/(n + 1)) + 1, for n of N documents.

    Examples
    --------
    >>> rarity(Corpus.from_texts(["a", "a b"])).round(3).tolist()
    [1.0, 1.405]
    """
    return inverse_document_frequency(corpus.document_frequency, corpus.n_documents, "smooth")


def document_vectors(corpus: Corpus, rows: Rows) -> Vectors:
    """Read some documents.

    A token that only one document has can tell nothing of another.

    Examples
    --------
    >>> vectors = document_vectors(Corpus.from_texts(["a b", "a a c"]), np.array([0, 1]))
    >>> vectors.X.toarray().round(3).tolist(), vectors.features.tolist()
    ([[0.58], [0.769]], [0])
    """
    X = Recipe("log", rarity(corpus), cosine=True).apply(corpus.matrix(rows))
    holding = np.bincount(X.indices, minlength=X.shape[1])
    features = np.flatnonzero(holding >= 2)
    return Vectors(X[:, features], features)


def with_description(corpus: Corpus, vectors: Vectors, description: str | None) -> tuple[Any, Rows]:
    """Put a text about the category below the documents, if they have any of its words; return its row, too.

    Whatever is no letter or digit parts words, since names of categories are often ``made_like::this``.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["a film", "the film", "the law"])
    >>> vectors = document_vectors(corpus, np.arange(3))
    >>> X, rows = with_description(corpus, vectors, "some_film")
    >>> rows.tolist(), X[3].toarray().tolist()[0] == [1.0, 0.0]
    ([3], True)
    >>> with_description(corpus, vectors, "C09")[1].tolist()
    []
    """
    from scipy.sparse import vstack

    counts = corpus.vectorize([re.sub(r"[\W_]+", " ", description or "")])
    row = Recipe("log", rarity(corpus), cosine=True).apply(counts)[:, vectors.features]
    if not row.nnz:
        return vectors.X, np.empty(0, np.int64)
    return vstack([vectors.X, row]).tocsr(), np.array([vectors.X.shape[0]], np.int64)
