"""Many regressions at once: each column is the optimum of its own objective."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, hstack, random_array

import reference_members as reference
from priorwise.models.regression.ridge_columns import RidgeColumns, SharedSubspace, Spread


def some_documents(n: int, width: int, seed: int) -> csr_matrix:
    """Documents of length 1 with some of the features."""
    X = csr_matrix(random_array((n, width), density=0.3, rng=np.random.default_rng(seed), dtype=np.float64))
    length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X.data /= np.where(length > 0, length, 1.0)[np.repeat(np.arange(n), np.diff(X.indptr))]
    return X


@given(
    n=st.integers(1, 40),
    width=st.integers(1, 30),
    columns=st.integers(1, 9),
    n_groups=st.integers(0, 3),
    threads=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_column_is_the_optimum_of_its_own_objective(
    n: int, width: int, columns: int, n_groups: int, threads: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X = some_documents(n, width, seed)
    targets = rng.normal(size=(n, columns))
    strength = 10.0 ** rng.uniform(-2, 2, columns)
    cuts = np.sort(rng.integers(1, width + 1, n_groups))
    groups = np.diff([*cuts, width]).tolist()
    traits = some_documents(width - sum(groups), 1 + seed % 7, seed + 1)
    spread = Spread(rng.choice([0.0, 0.3, 0.8], columns), rng.choice([0.0, 0.1, 1.0, 3.0], (len(groups), columns)))
    ridge = RidgeColumns(X, threads, traits=traits, groups=groups)
    start = rng.normal(size=(n, columns)).astype(np.float32) if seed % 2 else None
    alpha = ridge.solve(targets, strength, spread=spread, start=start, tol=1e-5, max_iter=500)
    weights, scores = ridge.weights(alpha, spread), ridge.scores(alpha, spread)
    dense = X.toarray()
    for column in range(columns):
        own = list(zip(groups, spread.groups[:, column], strict=True))
        S = reference.covariance(width, traits.toarray(), spread.kinship[column], own)
        w = reference.ridge(dense, targets[:, column], strength[column], S)
        np.testing.assert_allclose(weights[:, column], w, atol=2e-3 * np.abs(w).max(initial=1.0))
        close = 2e-3 * max(1.0, np.abs(targets).max())
        np.testing.assert_allclose(scores[:, column], dense @ w, atol=close)
        np.testing.assert_allclose(targets[:, column] - strength[column] * alpha[:, column], dense @ w, atol=close)


def test_columns_in_which_only_some_documents_count() -> None:
    X = some_documents(30, 12, 5)
    rng = np.random.default_rng(5)
    active, targets = rng.random((30, 3)) < 0.5, rng.normal(size=(30, 3))
    ridge = RidgeColumns(X)
    alpha = ridge.solve(targets, np.full(3, 0.7), active=active, start=np.ones((30, 3), np.float32), tol=1e-5)
    assert not alpha[~active].any()
    for column in range(3):
        rows = active[:, column]
        w = reference.ridge(X.toarray()[rows], targets[rows, column], 0.7, np.eye(12))
        np.testing.assert_allclose(ridge.weights(alpha)[:, column], w, atol=1e-3)
        np.testing.assert_allclose(ridge.scores(alpha)[:, column], X @ w, atol=1e-3)


@given(n=st.integers(2, 40), columns=st.integers(1, 9), seed=st.integers(0, 2**32 - 1))
def test_a_shared_subspace_gives_every_column_its_own_optimum(n: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, traits = some_documents(n, 15, seed), some_documents(10, 6, seed + 1)
    ridge = RidgeColumns(X, 1, traits=traits, groups=[2, 3])
    space, apart = SharedSubspace(ridge, np.array([n - 1])), np.arange(n) == n - 1
    for _ in range(2):  # The second time, the directions of the first are of use.
        targets, strength = rng.normal(size=(n, columns)), 10.0 ** rng.uniform(-1, 2, columns)
        spread = Spread(rng.choice([0.0, 0.5], columns), rng.choice([0.0, 0.1, 3.0], (2, columns)))
        counting = rng.random(columns) < 0.5
        alpha, scores = space.solve(targets, strength, spread, counting=counting, tol=1e-5)
        for column in range(columns):
            own = list(zip([2, 3], spread.groups[:, column], strict=True))
            S = reference.covariance(15, traits.toarray(), spread.kinship[column], own)
            rows = ~apart | counting[column]
            w = reference.ridge(X.toarray()[rows], targets[rows, column], strength[column], S)
            close = 2e-3 * max(1.0, np.abs(targets).max())
            np.testing.assert_allclose(scores[:, column], X @ w, atol=close)
            assert counting[column] or not alpha[-1, column]
            rest = targets[rows, column] - strength[column] * alpha[rows, column]
            np.testing.assert_allclose(rest, (X @ w)[rows], atol=close)


def test_nothing_to_solve() -> None:
    ridge = RidgeColumns(some_documents(5, 4, 0))
    assert not ridge.solve(np.zeros((5, 2)), np.ones(2)).any()


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 30))
def test_a_dense_group_is_solved_like_a_sparse_one(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    X, vectors = some_documents(n, 12, seed), rng.normal(size=(n, 5))
    spread = Spread(np.zeros(4), rng.choice([0.0, 0.1, 3.0], (2, 4)))
    targets, strength = rng.normal(size=(n, 4)), 10.0 ** rng.uniform(-1, 1, 4)
    sparse = RidgeColumns(hstack([X, csr_matrix(vectors)], format="csr"), groups=[3, 5])
    dense = RidgeColumns(X, groups=[3], dense=[vectors])
    solved = [each.solve(targets, strength, spread=spread, tol=1e-6, max_iter=500) for each in (sparse, dense)]
    np.testing.assert_allclose(solved[1], solved[0], atol=1e-3 * max(1.0, np.abs(solved[0]).max()))
    weights = [each.weights(solved[0], spread) for each in (sparse, dense)]
    np.testing.assert_allclose(weights[1], weights[0], atol=1e-4 * max(1.0, np.abs(weights[0]).max()))
    assert dense.n_features == 17
    assert dense.n_groups == 2
