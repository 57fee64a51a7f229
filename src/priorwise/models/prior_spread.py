"""How the variance of a prior is spread over features, for many regressions at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Spread(NamedTuple):
    """How the prior's variance is spread over the features, for each column.

    Parameters
    ----------
    shared : array, shape (n_columns,)
        s, the traits' share of the variance.
    apart : array, shape (n_columns,)
        The variance of the features set apart, beside that of the others.
    """

    shared: NDArray[np.floating]
    apart: NDArray[np.floating]

    @classmethod
    def even(cls, n_columns: int) -> Spread:
        """No traits, and nothing set apart."""
        return cls(np.zeros(n_columns, np.float32), np.zeros(n_columns, np.float32))

    def of(self, columns: NDArray[np.int64] | slice) -> Spread:
        """Some of the columns, as the compiled loops want them."""
        return Spread(self.shared[columns].astype(np.float32), self.apart[columns].astype(np.float32))
