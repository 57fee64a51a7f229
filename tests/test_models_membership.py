from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, random_array

import reference_membership as reference
from priorwise.errors import NotEnoughData
from priorwise.models.membership import FOLDS, Setting, learn_membership
from priorwise.models.ridge_columns import RidgeColumns


def some_documents(n: int, width: int, seed: int) -> csr_matrix:
    X = csr_matrix(random_array((n, width), density=0.3, rng=np.random.default_rng(seed), dtype=np.float64))
    length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X.data /= np.where(length > 0, length, 1.0)[np.repeat(np.arange(n), np.diff(X.indptr))]
    return X


@given(
    n=st.integers(1, 40),
    width=st.integers(1, 30),
    columns=st.integers(1, 9),
    threads=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_column_is_the_least_of_its_own_objective(
    n: int, width: int, columns: int, threads: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X = some_documents(n, width, seed)
    targets = rng.normal(size=(n, columns))
    strength = 10.0 ** rng.uniform(-2, 2, columns)
    ridge = RidgeColumns(X, threads)
    start = rng.normal(size=(n, columns)).astype(np.float32) if seed % 2 else None
    alpha = ridge.solve(targets, strength, start=start, tol=1e-5, max_iter=500)
    dense = X.toarray()
    for column in range(columns):
        w = reference.ridge(dense, targets[:, column], strength[column])
        size = np.abs(w).max(initial=1.0)
        np.testing.assert_allclose(ridge.weights(alpha[:, column]), w, atol=2e-3 * size)
        scores = targets[:, column] - strength[column] * alpha[:, column]
        np.testing.assert_allclose(scores, dense @ w, atol=2e-3 * max(1.0, np.abs(targets).max()))


def least_one_sided(X: csr_matrix, known: np.ndarray, strength: float) -> np.ndarray:
    dense = X.toarray()
    found = minimize(lambda w: reference.one_sided_loss(dense, known.tolist(), strength, w), np.zeros(X.shape[1]))
    return found.x


def test_columns_in_which_only_some_documents_count() -> None:
    X = some_documents(30, 12, 5)
    rng = np.random.default_rng(5)
    active, targets = rng.random((30, 3)) < 0.5, rng.normal(size=(30, 3))
    ridge = RidgeColumns(X)
    alpha = ridge.solve(targets, np.full(3, 0.7), active=active, start=np.ones((30, 3), np.float32), tol=1e-5)
    assert not alpha[~active].any()
    for column in range(3):
        rows = active[:, column]
        w = reference.ridge(X.toarray()[rows], targets[rows, column], 0.7)
        np.testing.assert_allclose(ridge.weights(alpha[:, column]), w, atol=1e-3)
        np.testing.assert_allclose(ridge.scores(alpha)[:, column], X @ w, atol=1e-3)


def test_nothing_to_solve() -> None:
    ridge = RidgeColumns(some_documents(5, 4, 0))
    assert not ridge.solve(np.zeros((5, 2)), np.ones(2)).any()


@pytest.mark.parametrize("n_known", [3, 7])
@pytest.mark.parametrize("rejected", [[], [30, 31]])
def test_settings_are_weighed_by_the_ranks_of_members_left_out(n_known: int, rejected: list[int]) -> None:
    X = some_documents(60, 25, 4)
    known = np.arange(0, 5 * n_known, 5)
    learned = learn_membership(
        X, known, rejected=np.array(rejected, np.int64), variances=(30.0, 300.0, 3000.0), believed=(4, 9), seed=2
    )
    fold = np.random.default_rng(2).permutation(n_known) % min(FOLDS, n_known)
    dense = X.toarray()
    two_sided = [i for i, setting in enumerate(learned.settings) if not setting.one_sided]
    expected = [
        reference.log_ranks(dense, known.tolist(), fold.tolist(), rejected, setting.variance, setting.believed)
        for setting in np.array(learned.settings)[two_sided]
    ]
    # Targets are met to some thousandths, so two documents that all but tie may change places.
    np.testing.assert_allclose(learned.log_ranks[two_sided] * n_known, expected, atol=0.3)
    shares = np.exp(-(learned.log_ranks - learned.log_ranks.min()) * n_known)
    shares *= [0.25 / 4 if setting.believed else 0.75 / 5 for setting in learned.settings]
    np.testing.assert_allclose(learned.shares, shares / shares.sum())

    assert learned.settings[:3] == [Setting(30.0), Setting(300.0), Setting(3000.0)]
    plain = learned.log_ranks[:3]
    kept = [(30.0, 300.0, 3000.0)[g] for g in np.sort(np.argsort(plain, kind="stable")[:2])]
    assert learned.settings[3:5] == [Setting(variance, one_sided=True) for variance in kept]
    assert learned.settings[5:] == [Setting(variance, k) for k in (4, 9) for variance in kept]


def test_the_average_is_that_of_the_settings_in_units_of_their_spread() -> None:
    X = some_documents(80, 30, 9)
    known, rejected = np.arange(0, 30, 5), np.array([40])
    learned = learn_membership(X, known, rejected=rejected, variances=(100.0, 1000.0), believed=(6,))
    expected = np.zeros(80)
    for setting, share in zip(learned.settings, learned.shares, strict=True):
        if setting.one_sided:
            w = least_one_sided(X, known, 80 / setting.variance)
            expected += share * (X @ w) / (X @ w).std()
            continue
        scores = reference.setting_scores(X.toarray(), known.tolist(), [40], setting.variance, setting.believed)
        expected += share * scores / scores.std()
    np.testing.assert_allclose(learned.scores, expected, atol=0.05)
    np.testing.assert_allclose(X @ learned.weights, expected, atol=0.05)
    others = np.setdiff1d(np.arange(80), [*known, *rejected])
    assert len(learned.held_out) == len(known)
    assert np.all((learned.held_out_ranks >= 1) & (learned.held_out_ranks <= len(others) + 1))


def test_an_imagined_member_is_never_left_out() -> None:
    X = some_documents(50, 20, 3)
    known, imagined = np.arange(0, 20, 4), np.array([49])
    learned = learn_membership(X, known, imagined=imagined, variances=(300.0,), believed=())
    (plain, _), dense = learned.settings, X.toarray()
    fold = np.random.default_rng(0).permutation(5) % 5
    expected = 0.0
    for left_out in range(5):
        rest = [*known[fold != left_out].tolist(), 49]
        scores = reference.setting_scores(dense, rest, [], plain.variance, 0)
        others = [scores[d] for d in range(49) if d not in known]
        expected += sum(np.log(np.sum(others >= scores[d]) + 10) for d in known[fold == left_out])
    assert learned.log_ranks[0] * 5 == pytest.approx(expected, abs=0.3)


def test_one_member_is_too_few() -> None:
    with pytest.raises(NotEnoughData, match="at least 2 members"):
        learn_membership(some_documents(9, 4, 0), np.array([3]))


def test_everything_may_be_a_member() -> None:
    learned = learn_membership(some_documents(6, 4, 0), np.arange(6))
    assert np.all(np.isfinite(learned.weights))
    assert np.all(learned.held_out_ranks == 1)


def test_documents_without_words() -> None:
    X = csr_matrix((8, 3))
    learned = learn_membership(X, np.array([0, 1]))
    assert not learned.weights.any()
    assert np.all(np.isfinite(learned.scores))


def test_threads_change_nothing() -> None:
    X = some_documents(90, 40, 1)
    one, three = (learn_membership(X, np.arange(8), threads=threads) for threads in (1, 3))
    assert one.weights.tobytes() == three.weights.tobytes()
    assert one.scores.tobytes() == three.scores.tobytes()


def test_nearly_all_others_may_be_rejected() -> None:
    X = some_documents(40, 15, 2)
    learned = learn_membership(X, np.arange(6), rejected=np.arange(6, 38))
    assert np.all(np.isfinite(learned.weights))
    assert all(setting.believed == 0 for setting in learned.settings)
