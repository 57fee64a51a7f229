"""What a regression is solved from: the matrix, shared by all classes, a prior as solvers read it, and the problem."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.kernels import Floats
from priorwise.priors.regression import PenaltyPrior
from priorwise.processors import on_threads

Job = TypeVar("Job")
Answer = TypeVar("Answer")


def solve_each(work: Callable[[Job], Answer], jobs: Iterable[Job], threads: int | None) -> list[Answer]:
    """Do all jobs on threads, with linear algebra in the thread that asks: the systems are too small to share."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        return on_threads(work, jobs, threads)


def is_separated(columns: Floats, positive: NDArray[np.bool_]) -> bool:
    """Tell whether some weights put no case on the wrong side, and at least one on the right side.

    By linear programming: maximise Σ y_i x_iᵀc over |c_j| ≤ 1, such that every y_i x_iᵀc is at least 0. The likelihood
    has a finite maximum exactly if the answer is 0 (Albert and Anderson 1984).
    """
    from scipy.optimize import linprog

    signed = np.where(positive, 1.0, -1.0)[:, np.newaxis] * columns
    signed = signed / np.maximum(np.abs(signed).max(axis=0, initial=0.0), 1e-300)
    found = linprog(-signed.sum(axis=0), A_ub=sp.csr_matrix(-signed), b_ub=np.zeros(len(signed)), bounds=(-1.0, 1.0))
    return bool(found.status == 0 and -found.fun > 1e-7)


def separated(flat: NDArray[np.int64], name: str) -> InputError:
    """What to say of unpenalised columns that tell a class from the rest."""
    more = f" and {len(flat) - 1} more" if len(flat) > 1 else ""
    return InputError(
        f"the features of infinite variance (column {flat[0]}{more}) tell {name} from the rest without error, so no "
        "finite weights are best: give them a finite variance"
    )


Arrays = tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], Floats]


class DesignMatrix:
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
    def occupied(self) -> tuple[NDArray[np.int64], DesignMatrix] | None:
        """The columns that hold something, and a design of them alone; None if they are most columns."""
        columns = np.flatnonzero(np.bincount(self.by_rows.indices, minlength=self.shape[1]))
        return (columns, DesignMatrix(self.by_rows[:, columns])) if 2 * len(columns) < self.shape[1] else None

    @cached_property
    def with_ones(self) -> DesignMatrix:
        """The same and a last column of ones, which is an intercept that can have any prior."""
        return DesignMatrix(sp.hstack([self.by_rows, np.ones((self.shape[0], 1))], format="csr"))


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
        """Read the prior of one output's features, and that of its intercept; None leaves the intercept to the data."""
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
        return self.intercept and self.l1_b == 0 and self.l2_b == 0

    def of_columns(self, columns: NDArray[np.int64]) -> Penalty:
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


Found = tuple[float, float, float, int]
"""The intercept, the objective, the duality gap and the steps taken; weights are filled in place."""

NOTHING_TO_GAIN = 1e-2
"""Once the objective is this part of what knowing only the class rate costs, the gap is taken relative to that part."""

SUSPICIOUS_SPREAD = 8.0
"""Unpenalised features that spread the log odds further than this may tell the classes apart altogether."""


@dataclass(frozen=True)
class Problem:
    """Weights and intercept are sought as distances from their modes; what the modes score is the offset."""

    design: DesignMatrix
    y: Floats
    weight: Floats
    offset: Floats
    penalty: Penalty
    flat: Floats
    tol: float
    floor: float
    max_iter: int

    @classmethod
    def of(
        cls,
        design: DesignMatrix,
        positive: NDArray[np.bool_],
        weight: Floats,
        penalty: Penalty,
        tol: float,
        max_iter: int,
    ) -> Problem:
        """Lay out a regression of the positive cases against the others."""
        total = float(weight.sum())
        rate = float(weight @ positive) / total
        return cls(
            design,
            np.where(positive, 1.0, -1.0),
            weight,
            design.offsets(penalty.mode) + penalty.mode_b,
            penalty,
            flat_columns(design, penalty),
            tol,
            NOTHING_TO_GAIN * total * _entropy(rate),
            max_iter,
        )

    def objective(self, w: Floats, b: float) -> float:
        """Minus the log-posterior, up to a constant, under priors without a corner."""
        scores = self.offset + self.design.by_rows @ w + b
        loss = self.weight @ np.logaddexp(0.0, -self.y * scores)
        return float(loss + 0.5 * self.penalty.l2 @ w**2 + 0.5 * self.penalty.l2_b * b**2)

    def is_solved(self, objective: float, gap: float) -> bool:
        """Whether the gap is small enough."""
        return gap <= self.tol * max(objective, self.floor)

    def relative(self, objective: float, gap: float) -> float:
        return max(gap, 0.0) / max(objective, self.floor, np.finfo(np.float64).tiny)

    def refuse_separation(self, w: Floats, gap: float, name: str) -> None:
        """Say so if columns that nothing holds tell the classes apart: their coefficients would have no end."""
        flat = self.penalty.flat
        if not len(flat):
            return
        part = self.flat[:, : len(flat)] @ w[flat]
        if gap <= self.tol and np.ptp(part) < SUSPICIOUS_SPREAD:
            return
        cases = self.weight > 0
        if is_separated(self.flat[cases], self.y[cases] > 0):
            raise separated(flat, name)


def flat_columns(design: DesignMatrix, penalty: Penalty) -> Floats:
    """Give the unpenalised columns, dense, and ones for an unpenalised intercept; nothing if there is only that."""
    flat = penalty.flat
    if not len(flat):
        return np.zeros((design.shape[0], 0))
    columns = design.by_columns[:, flat].toarray()
    if penalty.flat_intercept:
        columns = np.hstack([columns, np.ones((len(columns), 1))])
    return np.ascontiguousarray(columns)


def _entropy(rate: float) -> float:
    return -sum(part * math.log(part) for part in (rate, 1.0 - rate) if part > 0)


def entropies(a: Floats) -> Floats:
    """−a log a − (1 − a) log(1 − a) of each."""
    from scipy.special import entr

    return np.asarray(entr(a) + entr(1.0 - a), dtype=np.float64)
