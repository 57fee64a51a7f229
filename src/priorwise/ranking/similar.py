"""Which documents are most like a given one: the cosine of their rare words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus

LOOKED_AT = 5000
"""Of more documents than this, an even share is compared."""


def most_similar(corpus: Corpus, row: int, rows: NDArray[np.int64], n: int = 3) -> list[tuple[int, list[str]]]:
    """Return the most similar of some documents, each with the words that make it so.

    Words count by their inverse document frequency, and each once.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["red green tea", "green tea leaves", "black coffee", "tea"])
    >>> [(row, sorted(words)) for row, words in most_similar(corpus, 0, np.array([1, 2, 3]), n=2)]
    [(1, ['green', 'tea']), (3, ['tea'])]
    """
    others = rows[rows != row]
    if len(others) > LOOKED_AT:
        others = others[np.linspace(0, len(others) - 1, LOOKED_AT).astype(np.int64)]
    if not len(others):
        return []
    _, own = corpus.take(np.array([row]))
    offsets, tokens = corpus.take(others)
    rarity = np.log((corpus.n_documents + 1) / (corpus.document_frequency + 0.5)) ** 2
    shared = np.isin(tokens, own)
    document = np.repeat(np.arange(len(others)), np.diff(offsets))
    dot = np.bincount(document, rarity[tokens] * shared, len(others))
    length = np.sqrt(np.bincount(document, rarity[tokens], len(others)))
    likeness = dot / np.maximum(length, 1e-9)
    best = np.argsort(-likeness, kind="stable")[:n]
    found = []
    for place in best[likeness[best] > 0].tolist():
        common = tokens[offsets[place] : offsets[place + 1]][shared[offsets[place] : offsets[place + 1]]]
        strongest = common[np.argsort(-rarity[common], kind="stable")[:5]]
        found.append((int(others[place]), corpus.token_names(strongest)))
    return found
