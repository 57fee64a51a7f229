"""What every fit returns: a bias and a number per token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.counting import counted

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Background:
    """What tokens add to an output that has nothing of its own to say of them: one number per output and group.

    Parameters
    ----------
    values : array, shape (n_outputs, n_groups)
        The numbers.
    group : array of int, shape (n_features,)
        The group of each token.
    """

    values: Floats
    group: NDArray[np.int32]


@dataclass(frozen=True, repr=False)
class Weights:
    """A fitted model of any kind: per output a bias, and a number for each token that the model knows.

    A document's score is the bias plus the numbers of its tokens. Tokens that the model does not know say nothing.

    With thousands of outputs most tokens are new to most of them. Then `values` is a sparse matrix of differences
    from a background, which every token has, and nothing of size outputs × tokens is ever made.

    Parameters
    ----------
    features : array of int, shape (n_features,)
        The tokens that the model knows, ascending.
    values : array, or scipy.sparse.csc_matrix, shape (n_outputs, n_features)
        What each of them adds to each output, beyond the background if there is one.
    bias : array, shape (n_outputs,)
        What each output starts from.
    background : Background, optional
        What each token adds where `values` holds nothing.

    Examples
    --------
    >>> weights = Weights(np.array([1, 3]), np.array([[0.5, -2.0]]), np.array([0.1]))
    >>> weights.lookup(5)
    array([ 0. ,  0.5,  0. , -2. ,  0. ])
    >>> from scipy.sparse import csc_matrix
    >>> background = Background(np.array([[-1.0], [-2.0]]), np.zeros(3, dtype=np.int32))
    >>> Weights(np.arange(3), csc_matrix([[0.5, 0, 0], [0, 0, 4]]), np.zeros(2), background).lookup(3, output=1)
    array([-2., -2.,  2.])
    >>> weights
    <Weights: 1 output, 2 tokens>
    """

    features: NDArray[np.int64]
    values: Any
    bias: Floats
    background: Background | None = None

    def __repr__(self) -> str:
        return f"<Weights: {counted(len(self.bias), 'output')}, {counted(len(self.features), 'token')}>"

    def table(self, n_tokens: int) -> Floats:
        """Array of one number per output and token of the vocabulary: 0 where the model does not know the token.

        Examples
        --------
        >>> Weights(np.array([1]), np.array([[0.5]]), np.array([0.1])).table(3)
        array([[0. , 0.5, 0. ]])
        """
        found = np.zeros((len(self.bias), n_tokens))
        for output, row in enumerate(found):
            row[self.features] = self.row(output)
        return found

    def lookup(self, n_tokens: int, output: int = 0) -> Floats:
        """Array of one number per token of the vocabulary: 0 where the model does not know the token.

        A known token whose number happens to be 0 gets the smallest positive number instead. It changes no sum, and
        whether a token is known can still be told from the array.
        """
        table = np.zeros(n_tokens)
        values = self.row(output)
        table[self.features] = np.where(values == 0.0, np.finfo(np.float64).tiny, values)
        return table

    def row(self, output: int) -> Floats:
        """Array of what each token that the model knows adds to an output, the background included."""
        if self.background is None:
            row: Floats = self.values[output]
            return row
        row = self.background.values[output, self.background.group]
        own = self.values.indices == output
        row[np.repeat(np.arange(len(row)), np.diff(self.values.indptr))[own]] += self.values.data[own]
        return row
