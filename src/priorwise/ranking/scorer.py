"""How a document gets its place: weights, divided by a power of its length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.models.terrain import length_divisor
from priorwise.models.weights import Weights

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scorer:
    """One output of a model, made comparable over documents of different length.

    The score is s(d) / n^power, n being the number of distinct tokens of the document; power 0 leaves s(d) as it is.
    """

    weights: Weights
    length_power: float = 0.0
    output: int = 0

    @property
    def bias(self) -> float:
        """What every document starts from."""
        return float(self.weights.bias[self.output])

    def table(self, n_tokens: int) -> Floats:
        """Array of one number per token of the vocabulary."""
        return self.weights.lookup(n_tokens, self.output)

    def prepared(self, n_tokens: int) -> Callable[[NDArray[Any], NDArray[np.uint32], NDArray[Any]], Floats]:
        """Return a function from offsets, tokens and counts of some documents to their scores."""
        from priorwise.kernels.scoring import score_documents

        table = self.table(n_tokens)

        def score(offsets: NDArray[Any], tokens: NDArray[np.uint32], counts: NDArray[Any]) -> Floats:
            scores = np.empty(len(offsets) - 1)
            score_documents(offsets, tokens, table, self.bias, scores)
            return scores / self.divisor(np.diff(offsets))

        return score

    def divisor(self, length: NDArray[np.integer]) -> Floats:
        """What s(d) is divided by, for documents of so many tokens."""
        return length_divisor(length, self.length_power)


@dataclass(frozen=True)
class Top:
    """The best documents under one scorer, best first; equals in the order of the corpus.

    `predicted_positive` counts the documents, among all that were ranked, whose s(d) is above 0; where many scorers
    share a pass, to rounding.
    """

    documents: NDArray[np.int64]
    scores: Floats
    predicted_positive: int


def best_first(scores: Floats, documents: NDArray[np.int64], top: int) -> tuple[NDArray[np.int64], Floats]:
    """Order by score, equals by document, and cut."""
    order = np.lexsort((documents, -scores))[:top]
    return documents[order], scores[order]


def places(scores: Floats, documents: NDArray[np.int64], skip: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The place, from 1, of each of `documents` in the whole ranking by `scores`; skipped documents take no place.

    Examples
    --------
    >>> places(np.array([5.0, 9.0, 5.0, 7.0]), np.array([2, 3]), np.array([False, True, False, False]))
    array([3, 1])
    """
    own = scores[documents]
    ascending = np.sort(scores[~skip])
    up_to = np.searchsorted(ascending, own, side="right")
    ahead = len(ascending) - up_to
    tied = np.flatnonzero(up_to - np.searchsorted(ascending, own) > 1)
    if len(tied):
        # Equals stand in the order of the corpus: find each one's place among those of its score.
        values = np.unique(own[tied])
        nearest = np.minimum(np.searchsorted(values, scores), len(values) - 1)
        rivals = np.flatnonzero(~skip & (values[nearest] == scores))
        rivals = rivals[np.argsort(scores[rivals], kind="stable")]
        first, last = (np.searchsorted(scores[rivals], own[tied], side=side) for side in ("left", "right"))
        for i, start, end in zip(tied, first, last, strict=True):
            ahead[i] += np.searchsorted(rivals[start:end], documents[i])
    return ahead + 1
