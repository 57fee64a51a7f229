"""Weights on a document's vector: log term frequencies times inverse document frequencies, divided by their length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.models.weights import Weights

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class VectorScorer:
    """One output of a model on document vectors.

    ::

        x_dt = (1 + log f_dt) · r_t / |…|,   score = Σ_t w_t x_dt

    with f_dt how often token t is in document d, and r_t how rare it is.

    Parameters
    ----------
    weights : Weights
        What each token adds per unit.
    rarity : array, shape (n_vocabulary,)
        r of every token of the corpus, also of those that the model does not know: they make a document longer.

    Examples
    --------
    >>> scorer = VectorScorer(Weights(np.array([0]), np.array([[2.0]]), np.zeros(1)), np.array([3.0, 4.0]))
    >>> scorer.prepared(2)(np.array([0, 2]), np.array([0, 1], np.uint32), np.array([1, 1])).tolist()
    [1.2]
    """

    weights: Weights
    rarity: Floats

    def prepared(self, n_tokens: int) -> Callable[[NDArray[Any], NDArray[np.uint32], NDArray[Any]], Floats]:
        """Return a function from offsets, tokens and counts of some documents to their scores."""
        from priorwise.kernels.vector_scores import score_vectors

        table = self.weights.lookup(n_tokens)

        def score(offsets: NDArray[Any], tokens: NDArray[np.uint32], counts: NDArray[Any]) -> Floats:
            scores = np.empty(len(offsets) - 1)
            score_vectors(offsets, tokens, counts, table, self.rarity, scores)
            return scores

        return score
