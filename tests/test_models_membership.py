from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, hstack, random_array

import reference_membership as reference
from priorwise.errors import NotEnoughData
from priorwise.models.membership import learn_membership, usual_variance
from priorwise.models.membership_trials import FOLDS, FOLDS_OF_MANY, Setting, Trial, Trials, folds
from priorwise.models.prior_spread import Spread
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
    n_apart = int(rng.integers(0, width))
    traits = some_documents(width - n_apart, 1 + seed % 7, seed + 1)
    shared, apart = rng.choice([0.0, 0.3, 0.8], columns), rng.choice([0.0, 0.1, 1.0, 3.0], columns)
    spread = Spread(shared, apart)
    ridge = RidgeColumns(X, threads, traits=traits, n_apart=n_apart)
    start = rng.normal(size=(n, columns)).astype(np.float32) if seed % 2 else None
    alpha = ridge.solve(targets, strength, spread=spread, start=start, tol=1e-5, max_iter=500)
    dense = X.toarray()
    for column in range(columns):
        own = (shared[column], n_apart, apart[column])
        w = reference.ridge(dense, targets[:, column], strength[column], traits.toarray(), *own)
        size = np.abs(w).max(initial=1.0)
        np.testing.assert_allclose(ridge.weights(alpha[:, column], shared[column], apart[column]), w, atol=2e-3 * size)
        np.testing.assert_allclose(
            ridge.scores(alpha, spread)[:, column], dense @ w, atol=2e-3 * max(1.0, np.abs(targets).max())
        )
        scores = targets[:, column] - strength[column] * alpha[:, column]
        np.testing.assert_allclose(scores, dense @ w, atol=2e-3 * max(1.0, np.abs(targets).max()))


def least_one_sided(X: csr_matrix, known: np.ndarray, strength: float, traits: np.ndarray, shared: float) -> np.ndarray:
    S = (1 - shared) * np.eye(X.shape[1]) + shared * traits @ traits.T
    root = np.linalg.cholesky(S)
    rotated = X @ root
    found = minimize(lambda v: reference.one_sided_loss(rotated, known.tolist(), strength, v), np.zeros(X.shape[1]))
    return root @ found.x


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
    X, traits = some_documents(60, 25, 4), some_documents(25, 9, 5)
    known = np.arange(0, 5 * n_known, 5)
    learned = learn_membership(
        X,
        known,
        rejected=np.array(rejected, np.int64),
        traits=traits,
        variances=(30.0, 300.0, 3000.0),
        believed=(4, 9),
        seed=2,
        tol=1e-4,
    )
    fold = np.random.default_rng(2).permutation(n_known) % min(FOLDS, n_known)
    dense = X.toarray()
    two_sided = [i for i, setting in enumerate(learned.settings) if not setting.one_sided]
    expected = [
        reference.log_ranks(
            dense,
            known.tolist(),
            fold.tolist(),
            rejected,
            setting.variance,
            setting.believed,
            traits.toarray(),
            setting.shared,
            learned.lost,
        )
        for setting in np.array(learned.settings)[two_sided]
    ]
    # Two documents that all but tie may change places.
    np.testing.assert_allclose(learned.log_ranks[two_sided] * n_known, expected, atol=0.3)
    shares = np.exp(-(learned.log_ranks - learned.log_ranks.min()) * n_known)
    np.testing.assert_allclose(learned.shares, shares / shares.sum())

    first = [Setting(variance, shared=shared) for shared in (0.0, 0.5) for variance in (30.0, 300.0, 3000.0)]
    assert learned.settings[:6] == first
    best = [first[place] for place in np.argsort(learned.log_ranks[:6], kind="stable")]
    assert learned.settings[6:8] == [replace(setting, one_sided=True) for setting in best[:2]]
    assert learned.settings[8:] == [replace(setting, believed=k) for k in (4, 9) for setting in best[:3]]


@pytest.mark.parametrize("n_known", [3, 12, 100])
def test_who_learns_from_fewer_members_has_a_stronger_prior(n_known: int) -> None:
    X, known = some_documents(150, 20, n_known), np.arange(n_known)
    none = np.empty(0, np.int64)
    trials = Trials(RidgeColumns(X), known, none, none, seed=1, tol=1e-5)
    (trial,) = trials.plain([Setting(200.0)])
    for left_out in range(trials.width):
        rest = known[trials.fold != left_out]
        variance = 200.0 * (len(rest) / n_known) ** reference.FEWER
        expected = reference.setting_scores(X.toarray(), rest.tolist(), [], variance, 0)
        np.testing.assert_allclose(trial.scores[:, left_out], expected, atol=1e-3)


def test_the_average_is_that_of_the_settings_in_units_of_their_spread() -> None:
    X, traits = some_documents(80, 30, 9), some_documents(30, 9, 5)
    known, rejected = np.arange(0, 30, 5), np.array([40])
    learned = learn_membership(
        X, known, rejected=rejected, traits=traits, variances=(100.0, 1000.0), believed=(6,), tol=1e-4
    )
    expected = np.zeros(80)
    for setting, share in zip(learned.settings, learned.shares, strict=True):
        if setting.one_sided:
            w = least_one_sided(X, known, 80 / setting.variance, traits.toarray(), setting.shared)
            expected += share * (X @ w) / (X @ w).std()
            continue
        scores = reference.setting_scores(
            X.toarray(), known.tolist(), [40], setting.variance, setting.believed, traits.toarray(), setting.shared
        )
        expected += share * scores / scores.std()
    np.testing.assert_allclose(learned.scores, expected, atol=0.05)
    np.testing.assert_allclose(X @ learned.weights, expected, atol=0.05)
    others = np.setdiff1d(np.arange(80), [*known, *rejected])
    assert len(learned.held_out) == len(known)
    assert np.all((learned.held_out_ranks >= 1) & (learned.held_out_ranks <= len(others) + 1))


def test_an_imagined_member_is_never_left_out_and_counts_only_where_it_is_heard() -> None:
    X = some_documents(50, 20, 3)
    known, imagined = np.arange(0, 20, 4), np.array([49])
    learned = learn_membership(X, known, imagined=imagined, variances=(300.0,), believed=(), tol=1e-4)
    dense = X.toarray()
    fold = np.random.default_rng(0).permutation(5) % 5
    places = {setting.described: place for place, setting in enumerate(learned.settings) if not setting.one_sided}
    for described, place in places.items():
        rows = dense if described else dense[:49]
        expected = 0.0
        for left_out in range(5):
            rest = known[fold != left_out].tolist() + [49] * described
            # The strength is that of all 50 rows in both.
            scores = reference.setting_scores(rows, rest, [], 300.0 * len(rows) / 50, 0)
            others = [scores[d] for d in range(49) if d not in known]
            expected += sum(np.log(np.sum(others >= scores[d]) + 10) for d in known[fold == left_out])
        assert learned.log_ranks[place] * 5 == pytest.approx(expected, abs=0.1)
    assert learned.lost > 50
    heard = np.array([setting.described for setting in learned.settings])
    shares = np.exp(-5 * learned.log_ranks) * np.where(heard, np.e, 1.0)
    np.testing.assert_allclose(learned.shares, shares / shares.sum())


def test_labels_are_heard_where_members_are_found_the_better_for_it() -> None:
    rng = np.random.default_rng(3)
    words, belongs = some_documents(80, 25, 3), np.zeros((80, 2))
    belongs[:16, 0] = belongs[rng.permutation(80)[:20], 1] = 1.0
    X = hstack([words, csr_matrix(belongs)]).tocsr()
    known = np.arange(0, 16, 2)
    learned = learn_membership(X, known, n_labels=2, variances=(300.0,), believed=(), tol=1e-5)
    fold = np.random.default_rng(0).permutation(8) % FOLDS
    for setting, log_rank in zip(learned.settings, learned.log_ranks, strict=True):
        if not setting.one_sided:
            own = (None, 0.0, np.inf, 2, setting.labels)
            expected = reference.log_ranks(X.toarray(), known.tolist(), fold.tolist(), [], 300.0, 0, *own)
            assert log_rank * 8 == pytest.approx(expected, abs=0.3)
    assert [setting.labels for setting in learned.settings[:4]] == [0.0, 1 / 16, 1 / 4, 1.0]
    heard = np.array([setting.labels > 0 for setting in learned.settings])
    shares = np.exp(-8 * (learned.log_ranks - learned.log_ranks.min())) * np.where(heard, np.exp(-2), 1.0)
    np.testing.assert_allclose(learned.shares, shares / shares.sum())
    assert learned.shares[heard].sum() > 0.9
    assert learned.weights[25] > 0.5
    assert set(np.argsort(-learned.scores)[:16]) == set(range(16))
    np.testing.assert_allclose(X @ learned.weights, learned.scores, atol=1e-3)


def test_a_member_far_beyond_the_category_is_lost_wherever_it_stands() -> None:
    X = csr_matrix(np.repeat(np.eye(3), [20, 3, 4000], axis=0))
    learned = learn_membership(X, np.array([0, 1, 2, 3, 4, 5, 20, 21]), believed=())
    # Rows 20 and 21 look like nobody but each other, and one of them may be left out alone.
    assert learned.lost < 300
    assert np.all(learned.log_ranks <= np.log(learned.lost + 9))
    ranks = np.array([1, 9, 40, 3999])
    trial = Trial(Setting(1.0), np.empty((0, 0), np.float32), np.empty((0, 0), np.float32), ranks)
    assert trial.log_rank(100.0) == pytest.approx(float(np.log([10.0, 18.0, 49.0, 109.0]).sum()))
    assert trial.log_rank(np.inf) == pytest.approx(float(np.log(ranks + 9.0).sum()))


def test_many_members_are_left_out_by_thirds() -> None:
    assert [int(folds(n, 0).max()) + 1 for n in (2, 4, 5, 99, 100)] == [2, 4, FOLDS, FOLDS, FOLDS_OF_MANY]


def test_the_variances_follow_the_number_of_members() -> None:
    X = some_documents(90, 40, 1)
    for n_known in (4, 20):
        learned = learn_membership(X, np.arange(n_known))
        assert {setting.variance / usual_variance(n_known) for setting in learned.settings} == {0.125, 0.5, 2.0, 8.0}


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
