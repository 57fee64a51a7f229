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
    >>> weights.lookup(5)
    array([ 0. ,  0.5,  0. , -2. ,  0. ])
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
