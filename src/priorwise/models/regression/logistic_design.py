"""What a logistic regression is solved from: the matrix, shared by all classes, and a prior as the solvers read it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from priorwise.priors.regression import PenaltyPrior

Floats = NDArray[np.float64]
Arrays = tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], Floats]


class Design:
    """The matrix of a regression, by rows and by columns; made once and shared by all classes, folds and priors."""

    def __init__(self, X: Any) -> None:
        rows = sp.csr_matrix(X, dtype=np.float64)
        if not rows.has_canonical_format:
            # To turn the matrix over twice takes less than to sort its rows, and leaves the columns at hand.
            columns = rows.tocsc()
            columns.sum_duplicates()
            self.by_columns, rows = columns, columns.tocsr()
        self.by_rows = rows
        self._scaled: tuple[float, Floats] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """How many cases, and how many features."""
        n, d = self.by_rows.shape
        return int(n), int(d)

    @cached_property
    def by_columns(self) -> sp.csc_matrix:
        """The same, column after column."""
        return self.by_rows.tocsc()

    @cached_property
    def transposed(self) -> sp.csr_matrix:
        """The same, cases as columns."""
        return self.by_columns.T

    @cached_property
    def rows(self) -> Arrays:
        """Where each row begins, its columns and its values, as compiled loops read them."""
        return _unsigned(self.by_rows)

    @cached_property
    def columns(self) -> Arrays:
        """Where each column begins, its rows and its values."""
        return _unsigned(self.by_columns)

    @cached_property
    def squares(self) -> sp.csr_matrix:
        """x_ij²."""
        return self.by_rows.power(2)

    @cached_property
    def column_squares(self) -> Floats:
        """Σ x_ij² of each feature."""
        squares: Floats = np.bincount(self.by_rows.indices, self.by_rows.data**2, self.shape[1]).astype(np.float64)
        return squares

    @cached_property
    def row_squares(self) -> Floats:
        """Σ x_ij² of each case."""
        return np.asarray(self.squares.sum(axis=1)).ravel()

    def scaled_rows(self, scale: Floats) -> Floats:
        """Give the values by rows, each column times its scale; kept for the next class if all have the same scale."""
        values = self.by_rows.data
        if not scale.size:
            return values
        first = float(scale[0])
        if not np.all(scale == first):
            return np.asarray(values * scale[self.by_rows.indices])
        if first == 1.0:
            return values
        kept = self._scaled
        if kept is None or kept[0] != first:
            self._scaled = kept = first, values * first
        return kept[1]

    def row_sizes(self, scale: Floats) -> Floats:
        """Σ x_ij² of each case, each column times its scale."""
        if scale.size and np.all(scale == scale[0]):
            return self.row_squares * float(scale[0]) ** 2
        return np.asarray(self.squares @ scale**2)

    def offsets(self, mode: Floats) -> Floats:
        """What coefficients at their modes add to each case's score."""
        return np.asarray(self.by_rows @ mode) if mode.any() else np.zeros(self.shape[0])

    @cached_property
    def occupied(self) -> tuple[NDArray[np.int64], Design] | None:
        """The columns that hold something, and a design of them alone; None if they are most columns."""
        columns = np.flatnonzero(np.bincount(self.by_rows.indices, minlength=self.shape[1]))
        return (columns, Design(self.by_rows[:, columns])) if 2 * len(columns) < self.shape[1] else None

    @cached_property
    def with_ones(self) -> Design:
        """The same and a last column of ones, which is an intercept that can have any prior."""
        return Design(sp.hstack([self.by_rows, np.ones((self.shape[0], 1))], format="csr"))


@dataclass(frozen=True)
class Penalty:
    """A prior as a solver reads it: l1·|β − mode| + l2·(β − mode)²/2 for each feature, and for the intercept."""

    l1: Floats
    l2: Floats
    mode: Floats
    intercept: bool
    l1_b: float = 0.0
    l2_b: float = 0.0
    mode_b: float = 0.0

    @classmethod
    def of(
        cls,
        prior: PenaltyPrior,
        n_features: int,
        *,
        output: int = 0,
        n_outputs: int = 1,
        fit_intercept: bool = True,
        intercept_prior: PenaltyPrior | None = None,
    ) -> Penalty:
        """Read the prior of one output's features, and that of its intercept; None leaves the intercept to the data.

        Examples
        --------
        >>> from priorwise.priors import Laplace
        >>> penalty = Penalty.of(Laplace(variance=0.5), 2)
        >>> penalty.l1, penalty.flat_intercept
        (array([2., 2.]), True)
        """
        l1, l2, mode = prior.penalties(n_features, output, n_outputs)
        if not fit_intercept or intercept_prior is None:
            return cls(l1, l2, mode, fit_intercept)
        l1_b, l2_b, mode_b = intercept_prior.penalties(1, output, n_outputs)
        return cls(l1, l2, mode, True, float(l1_b[0]), float(l2_b[0]), float(mode_b[0]))

    @cached_property
    def flat(self) -> NDArray[np.int64]:
        """The features that nothing holds."""
        return np.flatnonzero((self.l1 == 0) & (self.l2 == 0))

    @property
    def flat_intercept(self) -> bool:
        """Whether nothing holds the intercept."""
        return self.intercept and self.l1_b == 0 and self.l2_b == 0

    def of_columns(self, columns: NDArray[np.int64]) -> Penalty:
        """Give the penalty of some of the features."""
        return replace(self, l1=self.l1[columns], l2=self.l2[columns], mode=self.mode[columns])

    def with_intercept_as_feature(self) -> Penalty:
        """Give the penalty of a design whose last column is the intercept."""
        return replace(
            self,
            l1=np.append(self.l1, self.l1_b),
            l2=np.append(self.l2, self.l2_b),
            mode=np.append(self.mode, self.mode_b),
            intercept=False,
            l1_b=0.0,
            l2_b=0.0,
            mode_b=0.0,
        )


def _unsigned(matrix: Any) -> Arrays:
    """Indices that cannot be negative: the compiler then does without a check at each, and loops run twice as fast."""
    kind = np.uint32 if matrix.indices.dtype.itemsize == 4 else np.uint64
    return matrix.indptr.astype(np.uint64), matrix.indices.view(kind), matrix.data
