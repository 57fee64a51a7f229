"""What every fit returns: a bias and a number per token."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """A fitted model of any kind: per output a bias, and a number for each token that the model knows.

    A document's score is the bias plus the numbers of its tokens. Tokens that the model does not know say nothing.

    Parameters
    ----------
    features : array of int, shape (n_features,)
        The tokens that the model knows, ascending.
    values : array, shape (n_outputs, n_features)
        What each of them adds to each output.
    bias : array, shape (n_outputs,)
        What each output starts from.

    Examples
    --------
    >>> weights = Weights(np.array([1, 3]), np.array([[0.5, -2.0]]), np.array([0.1]))
    >>> weights.score(np.array([0, 3, 3, 1]), np.array([1, 2]))
    array([[-1.9],
           [ 0.1]])
    """

    features: NDArray[np.int64]
    values: Floats
    bias: Floats

    def lookup(self, n_tokens: int, output: int = 0) -> Floats:
        """Array of one number per token of the vocabulary: 0 where the model does not know the token.

        A known token whose number happens to be 0 gets the smallest positive number instead. It changes no sum, and
        whether a token is known can still be told from the array.
        """
        table = np.zeros(n_tokens)
        values = self.values[output]
        table[self.features] = np.where(values == 0.0, np.finfo(np.float64).tiny, values)
        return table

    def score(self, tokens: NDArray[np.integer], starts: NDArray[np.integer]) -> Floats:
        """Score documents whose tokens lie one after the other, each beginning at one of `starts` (the last ends all).

        Returns an array of shape (n_documents, n_outputs), one row fewer than there are starts.
        """
        known = np.searchsorted(self.features, tokens)
        known[known == len(self.features)] = 0
        is_known = self.features[known] == tokens if len(self.features) else np.zeros(len(tokens), dtype=bool)
        running = np.zeros((len(tokens) + 1, len(self.bias)))
        np.cumsum(np.where(is_known[:, np.newaxis], self.values.T[known], 0.0), axis=0, out=running[1:])
        return running[starts[1:]] - running[starts[:-1]] + self.bias
