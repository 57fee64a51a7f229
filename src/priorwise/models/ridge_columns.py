"""Least squares under a Gaussian prior, for many targets at once: conjugate gradients on a block of columns."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.row_sums import add_prior, keep_active, mix_columns, step_along, sum_rows, turn
from priorwise.models.prior_spread import Spread
from priorwise.processors import processors

Block = NDArray[np.float32]
Floats = NDArray[np.float64]
T = TypeVar("T", bound=np.generic)

PIECES = 16
"""Into so many the rows are cut, however many threads there are: the same sums, in the same order, on any machine."""


class RidgeColumns:
    """Regressions on the same documents, each with targets and a prior of its own.

    For every column of targets t and prior strength λ::

        w = argmin Σ_d (t_d − w·x_d)² + λ |w|²

    which is w = Xᵀα with (XXᵀ + λ) α = t. The scores of the documents themselves are then Xw = t − λα, for nothing.
    A Gaussian prior on w of variance v, and noise of variance 1 in t, make λ = 1/v.

    Features may have *traits* in common, and a share s of the prior's variance may be that of the traits: a feature's
    weight is then the sum of its own part and of what its traits are worth. With S = (1 − s) I + s TTᵀ the penalty is
    λ wᵀS⁻¹w, and w = SXᵀα with (XSXᵀ + λ) α = t. The last features may be set apart, as labels among words: they have
    no traits, and their entry of S is a variance of their own, 0 if they are to say nothing.

    Parameters
    ----------
    X : scipy.sparse.csr_matrix, shape (n_documents, n_features)
        A row per document.
    threads : int, optional
        All cores by default.
    traits : scipy.sparse.csr_matrix, shape (n_features, n_traits), optional
        T: how much of each trait a feature has.
    n_apart : int
        So many of the last features are set apart.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> columns = RidgeColumns(csr_matrix([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    >>> t = np.array([[1.0], [0.0], [0.0]])
    >>> alpha = columns.solve(t, np.array([1.0]), tol=1e-6)
    >>> (t - 1.0 * alpha).round(3).ravel().tolist(), columns.weights(alpha[:, 0]).round(3).tolist()
    ([0.375, -0.125, 0.25], [0.375, -0.125])
    """

    def __init__(self, X: Any, threads: int | None = None, *, traits: Any | None = None, n_apart: int = 0) -> None:
        self.n_documents, self.n_features = X.shape
        self._together = self.n_features - n_apart
        self._threads = threads or processors()
        self._rows = self._parts(X)
        self._columns = self._parts(X.T.tocsr())
        self._traits = None if traits is None else self._both_ways(traits)
        self._cuts = _cut(np.arange(self.n_documents + 1))

    def weights(self, alpha: NDArray[np.floating], shared: float = 0.0, apart: float = 0.0) -> Floats:
        """Return w = SXᵀα."""
        block = np.ascontiguousarray(alpha, np.float32)[:, None]
        spread = Spread(np.array([shared], np.float32), np.array([apart], np.float32))
        with ThreadPoolExecutor(self._threads) as pool:
            weights = self._feature_weights(pool, block, spread)
        return weights[:, 0].astype(np.float64)

    def solve(
        self,
        targets: NDArray[np.floating],
        strength: NDArray[np.floating],
        *,
        spread: Spread | None = None,
        start: Block | None = None,
        active: NDArray[np.bool_] | None = None,
        tol: float = 1e-2,
        max_iter: int = 100,
    ) -> Block:
        """Return α for every column of `targets`, as exact as |t − (XSXᵀ + λ)α| ≤ tol·|t|.

        Parameters
        ----------
        targets : array, shape (n_documents, n_columns)
            What each document ought to score.
        strength : array, shape (n_columns,)
            λ of each column.
        spread : Spread, optional
            How the prior's variance is spread over the features; evenly by default, and not over those set apart.
        start : array, shape (n_documents, n_columns), optional
            Where to begin.
        active : array of bool, shape (n_documents, n_columns), optional
            The documents that count in each column; the others' α is 0.
        tol : float
            When to stop.
        max_iter : int
            The most steps.
        """
        wanted = np.ascontiguousarray(targets, np.float32)
        solution = np.zeros_like(wanted) if start is None else start.astype(np.float32, copy=True)
        own = np.asarray(strength, np.float32)
        over = (spread or Spread.even(wanted.shape[1])).of(slice(None))
        if active is not None:
            wanted, solution = wanted * active, solution * active
        with ThreadPoolExecutor(self._threads) as pool:
            residual = wanted.copy()
            if start is not None:
                residual -= self._gram(pool, solution, over, active) + own * solution
            goal = tol**2 * _squares(wanted)
            left = _squares(residual)
            live = np.flatnonzero(left > goal)
            work = [_columns(each, live) for each in (solution, residual)]
            work.append(work[1].copy())
            left = left[live]
            mask = None if active is None else _columns(active, live)
            for _ in range(max_iter):
                if not len(live):
                    break
                left = self._step(pool, work, own[live], over.of(live), left, mask)
                done = left <= goal[live]
                if 4 * np.count_nonzero(done) >= len(live):
                    # What has arrived is put away when it is worth the copying.
                    solution[:, live] = work[0]
                    keep = np.flatnonzero(~done)
                    live, left = live[keep], left[keep]
                    work = [_columns(each, keep) for each in work]
                    mask = None if mask is None else _columns(mask, keep)
            solution[:, live] = work[0]
        return solution

    def scores(self, alpha: Block, spread: Spread | None = None) -> Block:
        """Return Xw = XSXᵀα for every column."""
        over = (spread or Spread.even(alpha.shape[1])).of(slice(None))
        with ThreadPoolExecutor(self._threads) as pool:
            return self._gram(pool, np.ascontiguousarray(alpha, np.float32), over)

    def _step(
        self,
        pool: ThreadPoolExecutor,
        work: list[Block],
        strength: Block,
        spread: Spread,
        left: Floats,
        active: NDArray[np.bool_] | None,
    ) -> Floats:
        solution, residual, direction = work
        product = self._gram(pool, direction, spread, active)
        inner = self._each(pool, lambda begin, end: add_prior(product, direction, strength, begin, end))
        step = (left / np.maximum(inner, 1e-300)).astype(np.float32)
        squares = self._each(
            pool, lambda begin, end: step_along(solution, residual, direction, product, step, begin, end)
        )
        share = (squares / np.maximum(left, 1e-300)).astype(np.float32)
        self._each(pool, lambda begin, end: turn(direction, residual, share, begin, end))
        return squares

    def _each(self, pool: ThreadPoolExecutor, work: Callable[[int, int], Any]) -> Any:
        """Do some work on all rows, and add up what each piece returns."""
        pieces = list(pool.map(work, self._cuts[:-1], self._cuts[1:]))
        return None if pieces[0] is None else np.sum(pieces, axis=0)

    def _gram(
        self, pool: ThreadPoolExecutor, block: Block, spread: Spread, active: NDArray[np.bool_] | None = None
    ) -> Block:
        product = self._times(pool, self._rows, self._feature_weights(pool, block, spread))
        if active is not None:
            self._each(pool, lambda begin, end: keep_active(product, active, begin, end))
        return product

    def _feature_weights(self, pool: ThreadPoolExecutor, block: Block, spread: Spread) -> Block:
        weights = self._times(pool, self._columns, block)
        set_apart = weights[self._together :] * spread.apart
        if self._traits is not None and spread.shared.any():
            features, traits = self._traits
            of_traits = self._times(pool, features, self._times(pool, traits, weights))

            def mix(begin: int, end: int) -> None:
                mix_columns(weights, of_traits, spread.shared, begin, end)

            cuts = self._columns[3]
            list(pool.map(mix, cuts[:-1], cuts[1:]))
        weights[self._together :] = set_apart
        return weights

    @staticmethod
    def _times(pool: ThreadPoolExecutor, parts: Any, block: Block) -> Block:
        indptr, indices, values, cuts = parts
        out = np.empty((len(indptr) - 1, block.shape[1]), np.float32)

        def rows(begin: int, end: int) -> None:
            sum_rows(indptr, indices, values, block, begin, end, out)

        list(pool.map(rows, cuts[:-1], cuts[1:]))
        return out

    def _both_ways(self, traits: Any) -> tuple[Any, Any]:
        traits = traits.copy()
        traits.resize((self.n_features, traits.shape[1]))
        return self._parts(traits), self._parts(traits.T.tocsr())

    def _parts(self, matrix: Any) -> Any:
        indptr = matrix.indptr.astype(np.int64)
        cuts = _cut(indptr)
        return indptr, matrix.indices.astype(np.int32), matrix.data.astype(np.float32), cuts


def _cut(indptr: NDArray[np.int64]) -> list[int]:
    """Rows at which to cut into pieces of about as many entries."""
    inner = np.searchsorted(indptr, np.linspace(0, indptr[-1], PIECES + 1)[1:-1])
    return np.unique(np.concatenate([[0], inner, [len(indptr) - 1]])).tolist()


def _columns(block: NDArray[T], which: NDArray[np.int64]) -> NDArray[T]:
    """Some columns side by side; the block itself, if they are all of them."""
    return block if len(which) == block.shape[1] else np.take(block, which, axis=1)


def _squares(block: Block) -> Floats:
    squares: Floats = np.einsum("ij,ij->j", block, block, dtype=np.float64)
    return squares
