"""Least squares under a Gaussian prior, for many targets at once: conjugate gradients on a block of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels import Block, Floats
from priorwise.models.regression._kernels.row_sums import sum_rows
from priorwise.processors import processors

T = TypeVar("T", bound=np.generic)

PIECES = 16
"""The rows are cut into this many pieces whatever the number of threads, so sums are the same on every machine."""

LEFT_ASIDE = 0.1
"""The share of what is left of a column that the next directions of a subspace may leave aside."""

SIDE_BY_SIDE = 8
"""A compiled loop adds this many columns at a time."""

SIMILAR = 2.0
"""Strengths that differ by at most this factor need the same directions, and those of other targets more."""

MOST_DIRECTIONS = 384
"""A subspace with more directions than this is left for a new one: what is shared no longer pays."""

RESOLVED = 1e-6
"""What is smaller than this share of the largest number is lost in single precision."""

PATIENCE = 6
"""A column is given up after this many rounds without a gain."""

JOBS_PER_THREAD = 2
"""More than one, so that a thread that is done early takes work from one that is not."""


class Spread(NamedTuple):
    """How the prior's variance is spread over the features, for each column of targets.

    `kinship` (shape (n_columns,)): s, the share of the variance that kindred features of the first group have in
    common. `groups` (shape (n_groups, n_columns)): the variance of each further group of features, relative to the
    first group's; 0 leaves the group out.
    """

    kinship: NDArray[np.floating]
    groups: NDArray[np.floating]

    @classmethod
    def even(cls, n_columns: int, n_groups: int = 0) -> Spread:
        """No kinship, and no further groups."""
        return cls(np.zeros(n_columns, np.float32), np.zeros((n_groups, n_columns), np.float32))

    def of(self, columns: NDArray[np.int64] | slice) -> Spread:
        """Some of the columns, in the type that the compiled loops take."""
        return Spread(self.kinship[columns].astype(np.float32), self.groups[:, columns].astype(np.float32))


class RidgeColumns:
    """Regressions on the same documents, each with targets and a prior of its own.

    For every column of targets t and prior strength λ::

        w = argmin Σ_d (t_d − w·x_d)² + λ wᵀS⁻¹w

    which is w = SXᵀα with (XSXᵀ + λ) α = t. The documents' own scores follow at no cost: Xw = t − λα. A Gaussian
    prior on w with covariance vS, and noise of variance 1 in t, make λ = 1/v.

    S describes the prior's structure. In the first group of features it is (1 − s) I + s TTᵀ: a share s of the variance
    belongs to *traits* that features have in common, such as runs of letters. Every further group has no traits and a
    variance of its own, 0 to leave it out.

    `X` (shape (n_documents, n_features)): A row per document. `threads`: all cores by default. `traits` (shape
    (n_features of the first group, n_traits)): T: how much of each trait a feature has. `groups`: how many features
    each further group has; these are the last columns of X, group after group. `dense` (shape (n_documents,
    n_features of a group)): further groups after those, whose features every document has: their products are left
    to BLAS.
    """

    def __init__(
        self,
        X: Any,
        threads: int | None = None,
        *,
        traits: Any | None = None,
        groups: Sequence[int] = (),
        dense: Sequence[Block] = (),
    ) -> None:
        self.n_documents, self._n_sparse = X.shape
        self._dense = [np.ascontiguousarray(each, np.float32) for each in dense]
        self.n_features = self._n_sparse + sum(each.shape[1] for each in self._dense)
        self.n_groups = len(groups) + len(self._dense)
        ends = self._n_sparse - np.cumsum([0, *groups[::-1]])[::-1]
        self._groups = [slice(int(begin), int(end)) for begin, end in pairwise(ends)]
        self._first = int(ends[0])
        self._threads = threads or processors()
        self._rows = self._parts(X)
        self._further = [X[:, group].astype(np.float32) for group in self._groups]
        self._columns = self._parts(X.T.tocsr())
        self.has_traits = traits is not None
        self._traits = None if traits is None else self._both_ways(traits)
        self._pool = ThreadPoolExecutor(self._threads)

    def weights(self, alpha: Block, spread: Spread | None = None) -> Floats:
        """Return w = SXᵀα for every column."""
        block = np.ascontiguousarray(alpha, np.float32)
        over = self._spread(spread, block)
        sparse = self._feature_weights(block, over)
        dense = [(each.T @ block) * own for each, own in self._dense_groups(over)]
        return np.concatenate([sparse, *dense]).astype(np.float64)

    def _dense_groups(self, spread: Spread) -> zip[tuple[Block, Block]]:
        """Each dense group's features, and its variance in every column."""
        return zip(self._dense, spread.groups[len(self._groups) :], strict=True)

    def _spread(self, spread: Spread | None, block: Block) -> Spread:
        return (spread or Spread.even(block.shape[1], self.n_groups)).of(slice(None))

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

        `targets` (shape (n_documents, n_columns)): the score each document should have. `strength` (shape
        (n_columns,)): λ of each column. `spread`: the structure S of each column's prior; by default no
        kinship, and no further groups. `start` (shape (n_documents, n_columns)): A first guess at α. `active`
        (shape (n_documents, n_columns)): the documents that count in each column; α is 0 for the rest. `tol`:
        the residual's length relative to the targets' at which to stop.
        """
        wanted = np.ascontiguousarray(targets, np.float32)
        solution = np.zeros_like(wanted) if start is None else start.astype(np.float32, copy=True)
        own = np.asarray(strength, np.float32)
        over = self._spread(spread, wanted)
        if active is not None:
            wanted, solution = wanted * active, solution * active
        residual = wanted.copy()
        if start is not None:
            residual -= self._gram(solution, over, active) + own * solution
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
            left = self._step(work, own[live], over.of(live), left, mask)
            done = left <= goal[live]
            if 4 * np.count_nonzero(done) >= len(live):
                # Finished columns are set aside once that is worth the copying.
                solution[:, live] = work[0]
                keep = np.flatnonzero(~done)
                live, left = live[keep], left[keep]
                work = [_columns(each, keep) for each in work]
                mask = None if mask is None else _columns(mask, keep)
        solution[:, live] = work[0]
        return solution

    @property
    def n_parts(self) -> int:
        """How many parts XSXᵀ has: the first group, its kinship, and each further group."""
        return 2 + self.n_groups

    def part_products(self, block: Block) -> list[Block]:
        """Return what each part of XSXᵀ makes of a block: the first group alone, its traits, each further group."""
        block = np.ascontiguousarray(block)
        width, further = block.shape[1], slice(self._first, None)
        weights = self._times(self._columns, block)
        groups = [weights[group] for group in self._groups]
        of_groups = [np.asarray(X @ own) for X, own in zip(self._further, groups, strict=True)]
        of_groups += [features @ (features.T @ block) for features in self._dense]
        if self._groups:
            weights[further] = 0.0
        if self._traits is None:
            return [self._times(self._rows, weights), np.zeros_like(block), *of_groups]
        features, traits = self._traits
        kin = self._times(features, self._times(traits, weights))
        both = self._times(self._rows, np.hstack([weights, kin]))
        return [np.ascontiguousarray(both[:, :width]), np.ascontiguousarray(both[:, width:]), *of_groups]

    def scores(self, alpha: Block, spread: Spread | None = None) -> Block:
        """Return Xw = XSXᵀα for every column."""
        block = np.ascontiguousarray(alpha, np.float32)
        return self._gram(block, self._spread(spread, block))

    def _step(
        self,
        work: list[Block],
        strength: Block,
        spread: Spread,
        left: Floats,
        active: NDArray[np.bool_] | None,
    ) -> Floats:
        solution, residual, direction = work
        product = self._gram(direction, spread, active)
        product += strength * direction
        inner = np.einsum("ij,ij->j", product, direction, dtype=np.float64)
        step = (left / np.maximum(inner, 1e-300)).astype(np.float32)
        solution += step * direction
        residual -= step * product
        squares = _squares(residual)
        direction *= (squares / np.maximum(left, 1e-300)).astype(np.float32)
        direction += residual
        return squares

    def _pieces(self, work: Callable[[int, int], Any], cuts: list[int]) -> list[Any]:
        """What the pieces return, in order. Each job takes several pieces, because starting a job takes time too."""
        pieces = list(pairwise(cuts))
        if self._threads == 1:
            return [work(*piece) for piece in pieces]
        jobs = min(JOBS_PER_THREAD * self._threads, len(pieces))

        def some(job: int) -> list[Any]:
            return [work(*piece) for piece in pieces[job::jobs]]

        returned: list[Any] = [None] * len(pieces)
        for job, own in enumerate(self._pool.map(some, range(jobs))):
            returned[job::jobs] = own
        return returned

    def _gram(self, block: Block, spread: Spread, active: NDArray[np.bool_] | None = None) -> Block:
        product = self._times(self._rows, self._feature_weights(block, spread))
        for features, own in self._dense_groups(spread):
            # Only columns that use the group need the two products.
            if own.all():
                product += features @ ((features.T @ block) * own)
            elif len(live := np.flatnonzero(own)):
                product[:, live] += features @ ((features.T @ _columns(block, live)) * own[live])
        if active is not None:
            product *= active
        return product

    def _feature_weights(self, block: Block, spread: Spread) -> Block:
        weights = self._times(self._columns, block)
        further = [weights[group] * own for group, own in zip(self._groups, spread.groups, strict=False)]
        if self._traits is not None and spread.kinship.any():
            features, traits = self._traits
            # Only columns with kinship need the two products.
            kin = np.flatnonzero(spread.kinship)
            own_weights = _columns(weights, kin)
            of_traits = self._times(features, self._times(traits, own_weights))
            of_traits -= own_weights
            of_traits *= spread.kinship[kin]
            own_weights += of_traits
            if own_weights is not weights:
                weights[:, kin] = own_weights
        for group, own in zip(self._groups, further, strict=True):
            weights[group] = own
        return weights

    def _times(self, parts: Any, block: Block) -> Block:
        indptr, indices, values, cuts = parts
        out, flat = np.empty((len(indptr) - 1, block.shape[1]), np.float32), block.ravel()

        def rows(begin: int, end: int) -> None:
            sum_rows(indptr, indices, values, flat, begin, end, out)

        self._pieces(rows, cuts)
        return out

    def _both_ways(self, traits: Any) -> tuple[Any, Any]:
        traits = traits.copy()
        traits.resize((self._n_sparse, traits.shape[1]))
        return self._parts(traits), self._parts(traits.T.tocsr())

    def _parts(self, matrix: Any) -> Any:
        indptr = matrix.indptr.astype(np.int64)
        cuts = _cut(indptr)
        return indptr, matrix.indices.astype(np.int32), matrix.data.astype(np.float32), cuts


class SharedSubspace:
    """Regressions of one family, solved in one subspace of dual solutions that grows with what is left to explain.

    Every α is sought in the span of the same orthonormal vectors Q. There (QᵀXSXᵀQ + λ) c = Qᵀt is a small system, and
    XSXᵀQ is linear in the numbers of the prior, so a product with a new vector serves every strength, kinship, variance
    of a group and target that is tried later. What is left of all columns together says how Q grows.

    Vectors and targets are rows here: a vector of all documents is one piece of memory.

    `apart`: rows that count in some columns only, such as texts about the category.
    """

    def __init__(self, columns: RidgeColumns, apart: NDArray[np.int64]) -> None:
        self._columns, self._apart = columns, apart
        self._basis = _Long(columns.n_documents)
        self._parts = [_Long(columns.n_documents) for _ in range(columns.n_parts)]
        self._small = np.zeros((columns.n_parts, 0, 0))
        units = np.zeros((len(apart), columns.n_documents), np.float32)
        units[np.arange(len(apart)), apart] = 1.0
        self._grow(units)

    @property
    def size(self) -> int:
        return self._basis.length

    def solve(
        self,
        targets: NDArray[np.floating],
        strength: Floats,
        spread: Spread,
        *,
        counting: NDArray[np.bool_],
        tol: float = 1e-2,
    ) -> tuple[Block, Block]:
        """Return α and the scores XSXᵀα of every column, as exact as |t − (XSXᵀ + λ)α| ≤ tol·|t|.

        As in `RidgeColumns.solve`; `counting` says of each column whether the rows apart count in it.
        """
        wanted = np.array(targets.T, np.float32, order="C")
        wanted[np.ix_(~counting, self._apart)] = 0.0
        goal = tol * np.sqrt(np.maximum(_row_squares(wanted), 1e-30))
        shares = np.vstack([1.0 - spread.kinship, spread.kinship, spread.groups]).T
        solutions, scores = np.zeros((len(wanted), 0), np.float32), np.zeros_like(wanted)
        aims = self._basis.inner(wanted)
        least, waited = np.full(len(wanted), np.inf), np.zeros(len(wanted), np.int64)
        hardest = _hardest(shares, strength, counting)
        for some in (hardest, np.setdiff1d(np.arange(len(least)), hardest)):
            live = some
            while len(live):
                own = self._small_solutions(aims[live], strength[live], shares[live], counting[live])
                solutions = np.pad(solutions, ((0, 0), (0, self.size - solutions.shape[1])))
                solutions[live] = own
                scores[live] = reached = self._scores(own, shares[live])
                rest = self._basis.times(own * -strength[live, None].astype(np.float32))
                rest -= reached
                rest += wanted[live]
                rest[np.ix_(~counting[live], self._apart)] = 0.0
                now = np.sqrt(_row_squares(rest)) / goal[live]
                waited[live] = np.where(now < least[live], 0, waited[live] + 1)
                least[live] = np.minimum(now, least[live])
                # What is left does not fall steadily, and in single precision there is an end to it.
                gains = (now > 1.0) & (waited[live] < PATIENCE)
                live, rest = live[gains], rest[gains]
                if not len(live) or self.size >= self._columns.n_documents:
                    break
                new = _orthonormal(self._outside(_main_directions(rest, goal[live])))
                self._grow(new)
                aims = np.hstack([aims, wanted @ new.T])
        return self._basis.times(solutions).T, scores.T

    def _scores(self, solutions: Block, shares: Floats) -> Block:
        """What the documents score with solutions, a row each."""
        total = np.zeros((len(solutions), self._columns.n_documents), np.float32)
        for part, share in zip(self._parts, shares.T.astype(np.float32), strict=True):
            if share.all():
                total += part.times(solutions * share[:, None])
            elif share.any():
                total[share > 0] += part.times(solutions[share > 0] * share[share > 0, None])
        return total

    def _small_solutions(self, aims: Block, strength: Floats, shares: Floats, counting: NDArray[np.bool_]) -> Block:
        """Return c for every column; those with the same system are solved together."""
        aims = aims.T.astype(np.float64)
        solutions = np.zeros_like(aims)
        kinds, kind = np.unique(np.column_stack([shares, counting, strength]), axis=0, return_inverse=True)
        for number, (*share, counts, own_strength) in enumerate(kinds):
            first = 0 if counts else len(self._apart)
            own = np.flatnonzero(kind.ravel() == number)
            system = np.tensordot(np.array(share), self._small[:, first:, first:], axes=1)
            # Below what single precision resolves of the system, a strength could not hold the solution.
            least = RESOLVED * system.diagonal().max(initial=0.0)
            system[np.diag_indices(len(system))] += max(own_strength, least)
            solutions[first:, own] = np.linalg.solve(system, aims[first:, own])
        return solutions.T.astype(np.float32)

    def _outside(self, block: Block) -> Block:
        block = block.copy()
        block[:, self._apart] = 0.0
        return block - self._basis.times(self._basis.inner(block))

    def _grow(self, block: Block) -> None:
        products = [each.T for each in self._columns.part_products(block.T)]
        self._basis.append(block)
        inner = np.stack([self._basis.inner(each) for each in products])
        size, more = self.size - len(block), len(block)
        small = np.zeros((len(inner), size + more, size + more))
        small[:, :size, :size] = self._small
        small[:, size:, :] = inner
        small[:, :size, size:] = small[:, size:, :size].transpose(0, 2, 1)
        self._small = small
        for part, own in zip(self._parts, products, strict=True):
            part.append(own)


class _Long:
    """Vectors of all documents, a row each, with room for more."""

    def __init__(self, n_documents: int) -> None:
        # Memory that is not written to costs nothing, and copying it into more room does.
        self._room = np.empty((MOST_DIRECTIONS, n_documents), np.float32)
        self.length = 0

    def append(self, block: Block) -> None:
        length = self.length + len(block)
        if length > len(self._room):
            room = np.empty((max(length, 2 * len(self._room)), self._room.shape[1]), np.float32)
            room[: self.length] = self._room[: self.length]
            self._room = room
        self._room[self.length : length] = block
        self.length = length

    def times(self, small: Block) -> Block:
        """Sums of the vectors, a row of `small` each."""
        product: Block = small @ self._room[: self.length]
        return product

    def inner(self, block: Block) -> Block:
        """The inner product of each row of a block with each vector."""
        product: Block = block @ self._room[: self.length].T
        return product


def _hardest(shares: Floats, strength: Floats, counting: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The columns with the least strength of each structure: a subspace that suits those suits the others."""
    kinds, kind = np.unique(np.column_stack([shares, counting]), axis=0, return_inverse=True)
    least = np.full(len(kinds), np.inf)
    np.minimum.at(least, kind.ravel(), strength)
    return np.flatnonzero(strength <= SIMILAR * least[kind.ravel()])


def _main_directions(rest: Block, goal: Floats) -> Block:
    """The fewest directions that hold nine tenths of the square of every row, or all but half of its goal's.

    Their number is rounded up to one that fills the processor's registers: a product with more costs hardly more.
    """
    unit = 1.0 / goal
    values, vectors = np.linalg.eigh((rest @ rest.T).astype(np.float64) * np.outer(unit, unit))
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    held = np.cumsum(values * vectors**2, axis=1)
    enough = (held[:, -1:] - held <= np.maximum(LEFT_ASIDE * held[:, -1:], 0.5)).all(axis=0)
    number = -(-(int(np.argmax(enough)) + 1) // SIDE_BY_SIDE) * SIDE_BY_SIDE
    return np.asarray((vectors[:, :number].T * unit).astype(np.float32) @ rest)


def _orthonormal(block: Block) -> Block:
    values, vectors = np.linalg.eigh((block @ block.T).astype(np.float64))
    kept = values > 1e-6 * values.max(initial=1e-30)
    return np.asarray((vectors[:, kept] / np.sqrt(values[kept])).astype(np.float32).T @ block)


def _cut(indptr: NDArray[np.int64]) -> list[int]:
    """Rows at which to cut, so that all pieces have about as many entries."""
    inner = np.searchsorted(indptr, np.linspace(0, indptr[-1], PIECES + 1)[1:-1])
    return np.unique(np.concatenate([[0], inner, [len(indptr) - 1]])).tolist()


def _columns(block: NDArray[T], which: NDArray[np.int64]) -> NDArray[T]:
    """Some columns as a block of their own; the block itself if those are all of its columns."""
    return block if len(which) == block.shape[1] else np.take(block, which, axis=1)


def _squares(block: Block) -> Floats:
    squares: Floats = np.einsum("ij,ij->j", block, block, dtype=np.float64)
    return squares


def _row_squares(block: Block) -> Floats:
    return np.array([np.dot(row, row) for row in block], np.float64)
