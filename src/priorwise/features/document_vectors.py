"""Documents as vectors: log term frequencies times inverse document frequencies, each document of length 1."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.features.recipe import Recipe, inverse_document_frequency

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


def rarity(corpus: Corpus) -> Floats:
    """Return how rare each word of the corpus is: log((N + 1)/(n + 1)) + 1, for n of N documents.

    Examples
    --------
    >>> rarity(Corpus.from_texts(["a", "a b"])).round(3).tolist()
    [1.0, 1.405]
    """
    return inverse_document_frequency(corpus.document_frequency, corpus.n_documents, "smooth")


def document_vectors(corpus: Corpus, rows: Rows) -> Any:
    """Return some documents as the rows of a sparse matrix, a column per word of the corpus.

    Examples
    --------
    >>> document_vectors(Corpus.from_texts(["a b", "a a c"]), np.array([0, 1])).toarray().round(3).tolist()
    [[0.58, 0.815, 0.0], [0.769, 0.0, 0.639]]
    """
    return Recipe("log", rarity(corpus), cosine=True).apply(corpus.matrix(rows))


def text_vector(corpus: Corpus, text: str) -> Any:
    """Return a text as a matrix of one row, a column per word of the corpus.

    Everything that is neither a letter nor a digit separates words, since categories are often named ``like::this``.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["a film", "the film", "the law"])
    >>> corpus.token_names(text_vector(corpus, "some_film").indices)
    ['film']
    """
    return Recipe("log", rarity(corpus), cosine=True).apply(corpus.vectorize([re.sub(r"[\W_]+", " ", text)]))
