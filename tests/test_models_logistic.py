"""LogisticRegression: optima that are proved, and what scikit-learn expects."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_regression import minus_log_posterior, worst_slope
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.utils.estimator_checks import parametrize_with_checks

from priorwise.errors import InputError, NotEnoughData
from priorwise.models.regression._kernels.logistic import solve_semidefinite
from priorwise.models.regression._kernels.logistic_columns import fit_sparse
from priorwise.models.regression.design import DesignMatrix
from priorwise.models.regression.logistic import LogisticRegression
from priorwise.priors.regression import Gaussian, Jeffreys, Laplace

KINDS = {"gaussian": Gaussian, "laplace": Laplace}


@parametrize_with_checks(
    [
        LogisticRegression(tol=1e-13),
        LogisticRegression(Laplace(4.0), tol=1e-13),
        LogisticRegression(Laplace(9.0), tol=1e-13, sparse_coef=True),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def problem(seed, *, n=30, d=8, density=0.5):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * (random.random((n, d)) < density)
    positive = random.random(n) < 1 / (1 + np.exp(-X[:, :3].sum(axis=1) - random.normal()))
    positive[:2] = [True, False]
    return X, positive, random


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(sorted(KINDS)),
    st.sampled_from(["auto", "newton"]),
    st.booleans(),
    st.sampled_from([(30, 8), (12, 40), (200, 5)]),
)
@settings(max_examples=120, deadline=None)
def test_the_answer_is_an_optimum(seed, kind, solver, sparse, shape):
    X, positive, random = problem(seed, n=shape[0], d=shape[1])
    d = shape[1]
    variance, mode = np.exp(random.normal(size=d)), random.normal(size=d) * (random.random(d) < 0.5)
    weight = random.integers(0, 3, size=len(X)).astype(float)
    weight[:2] = 1.0
    model = LogisticRegression(KINDS[kind](variance, mode), solver=solver, tol=1e-11, max_iter=20_000)
    model.fit(sp.csc_matrix(X) if sparse else X, positive, sample_weight=weight)
    given_by = (X, positive, weight, model.coef_[0], model.intercept_[0], kind, variance, mode)
    assert worst_slope(*given_by) < 2e-4
    assert model.objective_[0] == pytest.approx(minus_log_posterior(*given_by), rel=1e-10)
    assert 0 <= model.gap_[0] <= 1e-11
    # No neighbour is better by more than the gap that was proved.
    least = model.objective_[0] * (1 - 1e-11) - 1e-12
    for _ in range(5):
        other = model.coef_[0] + random.normal(size=d) * 10.0 ** random.integers(-6, 1)
        assert minus_log_posterior(X, positive, weight, other, model.intercept_[0], kind, variance, mode) >= least


@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(KINDS)), st.sampled_from([1e-2, 1e-4, 1e-6]))
@settings(max_examples=40, deadline=None)
def test_the_gap_that_is_stated_holds(seed, kind, tol):
    X, positive, _ = problem(seed, n=60, d=20)
    prior = KINDS[kind](2.0)
    exact = LogisticRegression(prior, tol=1e-12).fit(X, positive)
    rough = LogisticRegression(prior, tol=tol).fit(X, positive)
    excess = (rough.objective_[0] - exact.objective_[0]) / rough.objective_[0]
    assert -1e-11 < excess <= rough.gap_[0] + 1e-12
    assert rough.gap_[0] <= tol


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("solver", ["auto", "newton"])
def test_infinite_variance_leaves_a_coefficient_to_the_data(kind, solver):
    X, positive, _ = problem(3, n=200, d=6, density=1.0)
    variance = np.array([np.inf, 1.0, 0.1, np.inf, 2.0, 1.0])
    model = LogisticRegression(KINDS[kind](variance), solver=solver, tol=1e-10, max_iter=5000).fit(X, positive)
    assert model.gap_[0] <= 1e-10
    finite = np.where(np.isinf(variance), 1e30, variance)
    assert worst_slope(X, positive, np.ones(200), model.coef_[0], model.intercept_[0], kind, finite, np.zeros(6)) < 1e-3


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_separation_by_unpenalised_features_is_refused(kind):
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    y = [0, 0, 1, 1]
    prior = KINDS[kind](variance=[np.inf, 1.0])
    with pytest.raises(InputError, match=r"infinite variance .column 0. tell class 1 from the rest"):
        LogisticRegression(prior, max_iter=200).fit(X, y)
    model = LogisticRegression(prior, tol=1e-9).fit(X, [0, 1, 0, 1])
    assert np.isfinite(model.coef_).all()


def test_intercept_priors():
    X, positive, _ = problem(5, n=50, d=4)
    ones = np.hstack([X, np.ones((50, 1))])
    for prior, kind in ((Gaussian(0.3, mode=1.0), "gaussian"), (Laplace(0.3, mode=1.0), "laplace")):
        for features in (Gaussian(2.0), Laplace(2.0)):
            for solver in ("auto", "newton"):
                model = LogisticRegression(features, intercept_prior=prior, tol=1e-10, max_iter=5000, solver=solver)
                model.fit(X, positive)
                assert model.gap_[0] <= 1e-10
                # The same as a last column of ones that has that prior, where both are of one kind.
                if isinstance(features, type(prior)):
                    same = type(prior)(np.append(np.full(4, 2.0), 0.3), np.append(np.zeros(4), 1.0))
                    other = LogisticRegression(same, fit_intercept=False, tol=1e-10).fit(ones, positive)
                    assert np.append(model.coef_[0], model.intercept_) == pytest.approx(other.coef_[0], abs=1e-4)
                    assert other.intercept_[0] == 0
                    slope = worst_slope(
                        ones, positive, np.ones(50), other.coef_[0], 0.0, kind, np.append(np.full(4, 2.0), 0.3),
                        np.append(np.zeros(4), 1.0), fit_intercept=False,
                    )  # fmt: skip
                    assert slope < 1e-4


def test_against_scikit_learn():
    X, positive, _ = problem(7, n=300, d=40)
    ours = LogisticRegression(Gaussian(4.0), tol=1e-12).fit(X, positive)
    peer = Peer(C=4.0, tol=1e-10, max_iter=10_000).fit(X, positive)
    assert ours.coef_ == pytest.approx(peer.coef_, abs=1e-4)
    assert ours.intercept_ == pytest.approx(peer.intercept_, abs=1e-4)
    assert ours.predict_proba(X) == pytest.approx(peer.predict_proba(X), abs=1e-4)


@pytest.mark.parametrize("dense", [0, 1000])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_both_ways_to_solve_the_quadratic_model_agree(dense, seed):
    """On the columns themselves, and in their Gram matrix."""
    X, positive, _ = problem(seed, n=40, d=15)
    columns = DesignMatrix(X).columns
    w, y, n = np.zeros(15), np.where(positive, 1.0, -1.0), 40
    b, objective, gap, _ = fit_sparse(
        *columns, y, np.ones(n), np.zeros(n), np.full(15, 0.7), np.zeros(15),
        np.zeros((n, 0)), True, 0.0, w, 0.0, 1e-10, 0.0, 500, dense,
    )  # fmt: skip
    assert gap <= 1e-10 * objective
    assert worst_slope(X, positive, np.ones(n), w, b, "laplace", np.full(15, 2 / 0.7**2), np.zeros(15)) < 1e-4


def test_a_word_that_no_document_has_keeps_its_mode():
    X, positive, _ = problem(2)
    X[:, 4] = 0
    for kind in KINDS.values():
        model = LogisticRegression(kind(1.0, mode=np.where(np.arange(8) == 4, 3.0, 0.0))).fit(X, positive)
        assert model.coef_[0, 4] == 3.0


@pytest.mark.parametrize("solver", ["auto", "newton"])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_empty_columns_change_nothing(solver, kind):
    X, positive, random = problem(4)
    mode = random.normal(size=40)
    wide = np.zeros((30, 40))
    places = np.sort(random.choice(40, size=8, replace=False))
    wide[:, places] = X
    for intercept in (None, KINDS[kind](0.5, 1.0)):
        how = {"solver": solver, "intercept_prior": intercept, "tol": 1e-10, "max_iter": 20_000}
        whole = LogisticRegression(KINDS[kind](2.0, mode), warm_start=True, **how).fit(wide, positive)
        part = LogisticRegression(KINDS[kind](2.0, mode[places]), **how).fit(X, positive)
        assert whole.coef_[0, places] == pytest.approx(part.coef_[0], abs=1e-4)
        assert whole.objective_ == pytest.approx(part.objective_)
        others = np.setdiff1d(np.arange(40), places)
        np.testing.assert_array_equal(whole.coef_[0, others], mode[others])
        again = whole.fit(wide, positive)
        np.testing.assert_array_equal(again.coef_[0, others], mode[others])


def test_modes_that_put_every_score_far_out():
    """Where no case has any curvature left, as under the paper's largest strength."""
    X, positive, _ = problem(6, n=100, d=5, density=1.0)
    for kind in KINDS.values():
        for variance in (0.25, 100.0, 1e8):
            model = LogisticRegression(kind(variance, mode=[1e4, 0, 0, -1e4, 0])).fit(X, positive)
            assert model.gap_[0] <= 1e-6


def test_one_vs_rest_and_labels_share_their_answers():
    X, _, random = problem(13, n=90, d=10)
    y = random.integers(0, 3, size=90)
    names = np.array(["a", "b", "c"])[y]
    Y = np.eye(3, dtype=int)[y]
    prior = Laplace(variance=np.exp(random.normal(size=(3, 10))), mode=random.normal(size=(3, 10)))
    classes = LogisticRegression(prior, tol=1e-10, threads=2).fit(X, names)
    labels = LogisticRegression(prior, tol=1e-10, threads=1).fit(sp.csr_matrix(X), Y)
    assert classes.coef_.shape == (3, 10)
    assert classes.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(classes.coef_, labels.coef_)
    for c in range(3):
        one = LogisticRegression(Laplace(np.asarray(prior.variance)[c], np.asarray(prior.mode)[c]), tol=1e-10)
        one.fit(X, y == c)
        np.testing.assert_array_equal(one.coef_[0], classes.coef_[c])
        assert labels.predict_proba(X)[:, c] == pytest.approx(one.predict_proba(X)[:, 1])
    assert (
        classes.predict(X).tolist() == np.array(["a", "b", "c"])[classes.decision_function(X).argmax(axis=1)].tolist()
    )
    np.testing.assert_array_equal(labels.predict(X), (labels.decision_function(X) > 0).astype(int))
    assert classes.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(90))


def test_weights_are_the_model():
    X, _, random = problem(17, n=80, d=12)
    y = random.integers(0, 3, size=80)
    for sparse in (False, True):
        model = LogisticRegression(Laplace(0.05), sparse_coef=sparse).fit(X, y)
        assert sp.issparse(model.coef_) == sparse
        weights = model.weights_
        assert len(weights.features) < 12
        table = np.array([weights.lookup(12, output) for output in range(3)])
        assert X @ table.T + weights.bias == pytest.approx(model.decision_function(X), abs=1e-12)
        assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == model.predict(X).tolist()


def test_warm_start_begins_where_the_last_fit_ended():
    X, positive, _ = problem(19, n=200, d=30)
    for prior in (Laplace(1.0), Gaussian(1.0)):
        model = LogisticRegression(prior, warm_start=True, tol=1e-8).fit(X, positive)
        first = model.n_iter_[0]
        again = model.fit(X, positive).n_iter_[0]
        assert again < first
        cold = LogisticRegression(prior.with_variance(1.1), tol=1e-8).fit(X, positive)
        warm = model.set_params(prior=prior.with_variance(1.1)).fit(X, positive)
        assert warm.coef_ == pytest.approx(cold.coef_, abs=1e-3)


def test_extreme_variances_end():
    X, positive, _ = problem(23, n=60, d=100)
    for kind in KINDS.values():
        for variance in (1e-12, 1e8):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                model = LogisticRegression(kind(variance)).fit(X, positive)
            assert np.isfinite(model.coef_).all()
    assert not LogisticRegression(Laplace(1e-12)).fit(X, positive).coef_.any()


def test_bad_input_is_a_sentence():
    X, y = np.array([[1.0, 0], [0, 1], [1, 1]]), [0, 1, 1]
    with pytest.raises(InputError, match=r"Gaussian\(…\) or Laplace\(…\), not Jeffreys"):
        LogisticRegression(Jeffreys()).fit(X, y)
    with pytest.raises(InputError, match=r"Gaussian\(…\) or Laplace\(…\), not 'ridge'"):
        LogisticRegression("ridge").fit(X, y)
    with pytest.raises(InputError, match="mode has 3 numbers, but there are 2 features"):
        LogisticRegression(Gaussian(mode=[0, 0, 0])).fit(X, y)
    with pytest.raises(InputError, match="variance has 3 rows, but the model has 1"):
        LogisticRegression(Gaussian(np.ones((3, 2)))).fit(X, y)
    with pytest.raises(InputError, match="no solver 'magic'"):
        LogisticRegression(solver="magic").fit(X, y)
    with pytest.raises(InputError, match="tol must be positive"):
        LogisticRegression(tol=0.0).fit(X, y)
    with pytest.raises(NotEnoughData, match="all examples are of one class, 1"):
        LogisticRegression().fit(X, [1, 1, 1])
    with pytest.raises(NotEnoughData, match="no example with label 1"):
        LogisticRegression().fit(X, [[1, 0], [0, 0], [1, 0]])
    with pytest.raises(NotEnoughData, match="no example without class 1"):
        LogisticRegression().fit(X, y, sample_weight=[0, 1, 1])
    with pytest.raises(ValueError, match="NaN"):
        LogisticRegression().fit([[np.nan], [1.0]], [0, 1])
    with pytest.warns(ConvergenceWarning, match="stopped after 1 steps, class 1 with a relative gap"):
        LogisticRegression(Laplace(50.0), max_iter=1).fit(X, y)


@given(st.integers(1, 5), st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_dependent_columns_are_left_out_of_a_small_system(n_columns: int, n_copies: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(12, n_columns))
    F = np.column_stack([F, F @ rng.normal(size=(n_columns, n_copies))])[:, rng.permutation(n_columns + n_copies)]
    D, slope = rng.uniform(0.1, 1.0, 12), rng.normal(size=12)
    square, right = F.T @ (D[:, None] * F), F.T @ slope
    solution = solve_semidefinite.py_func(square.copy(), right.copy())
    np.testing.assert_allclose(F @ solution, F @ np.linalg.lstsq(square, right, rcond=None)[0], atol=1e-6)
