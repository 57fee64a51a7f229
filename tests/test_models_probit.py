"""ProbitRegression: EM as printed, its optima, and what scikit-learn expects."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_regression import normal_cumulative, probit_em_step, probit_minus_log_posterior, probit_slopes
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from priorwise.errors import InputError, NotEnoughData
from priorwise.models.regression.design import DesignMatrix
from priorwise.models.regression.probit import Blocks, ProbitEM, ProbitRegression, hazard
from priorwise.priors.regression import Gaussian, Jeffreys, Laplace
from test_models_logistic import problem

PRIORS = {"gaussian": Gaussian(0.7), "laplace": Laplace(0.7), "jeffreys": Jeffreys()}


@parametrize_with_checks(
    [ProbitRegression(tol=1e-13, max_iter=20_000), ProbitRegression(Laplace(0.5)), ProbitRegression(Jeffreys())]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_hazard_in_the_tails():
    t = np.array([-5.0, -1.0, 0.0, 2.0, 8.0])
    density = np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi)
    assert hazard(t) == pytest.approx(density / [normal_cumulative(x) for x in t])
    # Far down it is −t − 1/t + …, far up it is nothing.
    assert hazard(np.array([-1e4]))[0] == pytest.approx(1e4 + 1e-4, rel=1e-14)
    assert hazard(np.array([1e4]))[0] == 0.0


@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(PRIORS)), st.sampled_from([(20, 5), (6, 15)]))
@settings(max_examples=30, deadline=None)
def test_a_step_is_the_papers(seed, kind, shape):
    X, positive, random = problem(seed, n=shape[0], d=shape[1])
    beta = random.normal(size=shape[1]) * 0.5 + 0.01
    prior = PRIORS[kind]
    blocks = Blocks(DesignMatrix(X), np.ones(len(X)), False, 100)
    em = ProbitEM(blocks, prior, (np.full(shape[1], 0.7), np.zeros(shape[1])))
    stepped, _ = em.sweep(np.where(positive, 1.0, -1.0), beta)
    assert stepped == pytest.approx(probit_em_step(X, positive, beta, prior.precision(beta)), rel=1e-7, abs=1e-8)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(sorted(PRIORS)),
    st.sampled_from([None, 1, 3]),
    st.booleans(),
    st.sampled_from([(30, 8), (12, 30)]),
)
@settings(max_examples=30, deadline=None)
def test_the_objective_never_rises(seed, kind, block_size, accelerate, shape):
    X, positive, _ = problem(seed, n=shape[0], d=shape[1])
    model = ProbitRegression(PRIORS[kind], block_size=block_size, accelerate=accelerate, tol=1e-7, max_iter=5000)
    model.fit(sp.csr_matrix(X), positive)
    trace = model.objective_trace_[0]
    assert np.all(np.diff(trace) <= 1e-9 * np.abs(trace[1:]) + 1e-9)
    assert np.isfinite(model.coef_).all()
    if kind != "jeffreys":
        ones = np.hstack([X, np.ones((len(X), 1))])
        beta = np.append(model.coef_[0], model.intercept_)
        slow = probit_minus_log_posterior(ones, positive, beta, kind, 0.7, np.arange(len(beta)) < shape[1])
        assert trace[-1] == pytest.approx(slow, rel=1e-9)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["gaussian", "laplace"]), st.sampled_from([None, 4]))
@settings(max_examples=20, deadline=None)
def test_gaussian_and_laplace_end_at_the_optimum(seed, kind, block_size):
    X, positive, random = problem(seed, n=40, d=8)
    variance, mode = np.exp(random.normal(size=8)), random.normal(size=8) * (random.random(8) < 0.4)
    prior = type(PRIORS[kind])(variance, mode)
    model = ProbitRegression(prior, tol=1e-14, max_iter=50_000, block_size=block_size).fit(X, positive)
    ones = np.hstack([X, np.ones((40, 1))])
    slopes = probit_slopes(ones, positive, np.append(model.coef_[0], model.intercept_))
    assert abs(slopes[8]) < 1e-4
    away = model.coef_[0] - mode
    if kind == "gaussian":
        assert slopes[:8] + away / variance == pytest.approx(np.zeros(8), abs=1e-3)
        return
    rate = np.sqrt(2 / variance)
    at_mode = away == 0
    assert np.all(np.abs(slopes[:8][at_mode]) <= rate[at_mode] * (1 + 1e-3))
    assert (slopes[:8] + rate * np.sign(away))[~at_mode] == pytest.approx(np.zeros((~at_mode).sum()), abs=2e-3)


def test_laplace_and_jeffreys_are_sparse():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 40))
    positive = X[:, 0] - 2 * X[:, 1] + random.normal(size=300) > 0
    many = ProbitRegression(Gaussian(1.0)).fit(X, positive)
    some = ProbitRegression(Laplace.from_gamma(200.0)).fit(X, positive)
    few = ProbitRegression(Jeffreys(), tol=1e-12, max_iter=5000).fit(X, positive)
    assert np.count_nonzero(many.coef_) == 40
    assert np.count_nonzero(few.coef_) < np.count_nonzero(some.coef_) < 25
    assert few.coef_[0, 0] > 0 > few.coef_[0, 1]
    # A local maximum of Jeffreys' posterior: the slope of the likelihood balances 1/β.
    ones = np.hstack([X, np.ones((300, 1))])
    slopes = probit_slopes(ones, positive, np.append(few.coef_[0], few.intercept_))[:40]
    alive = few.coef_[0] != 0
    assert slopes[alive] * few.coef_[0][alive] == pytest.approx(-np.ones(alive.sum()), abs=1e-2)


@pytest.mark.parametrize("kind", sorted(PRIORS))
def test_a_weight_of_two_is_two_cases(kind):
    X, positive, random = problem(15, n=40, d=6)
    weight = random.integers(0, 3, size=40)
    weight[:2] = 1
    model = ProbitRegression(PRIORS[kind], tol=1e-10).fit(X, positive, sample_weight=weight)
    repeated = ProbitRegression(PRIORS[kind], tol=1e-10).fit(np.repeat(X, weight, axis=0), np.repeat(positive, weight))
    assert model.coef_ == pytest.approx(repeated.coef_, abs=1e-3)


def test_reproducible_and_threads_do_not_matter():
    X, _, random = problem(3, n=60, d=10)
    y = random.integers(0, 3, size=60)
    one = ProbitRegression(Laplace(0.3), threads=1).fit(X, y)
    two = ProbitRegression(Laplace(0.3), threads=2).fit(sp.csc_matrix(X), y)
    np.testing.assert_array_equal(one.coef_, two.coef_)
    assert one.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(60))
    assert one.n_iter_.shape == (3,)
    labels = ProbitRegression(Laplace(0.3)).fit(X, np.eye(3, dtype=int)[y])
    np.testing.assert_array_equal(labels.coef_, one.coef_)


def test_probabilities_are_probit():
    X, positive, _ = problem(5)
    model = ProbitRegression().fit(X, positive)
    scores = model.decision_function(X)
    assert model.predict_proba(X)[:, 1] == pytest.approx([normal_cumulative(s) for s in scores])


def test_the_intercept_can_have_the_features_prior():
    X, positive, _ = problem(7)
    ones = np.hstack([X, np.ones((30, 1))])
    for prior in PRIORS.values():
        model = ProbitRegression(prior, intercept_prior=prior, tol=1e-10, max_iter=20_000).fit(X, positive)
        same = ProbitRegression(prior, fit_intercept=False, tol=1e-10, max_iter=20_000).fit(ones, positive)
        assert np.append(model.coef_[0], model.intercept_) == pytest.approx(same.coef_[0])


def test_bad_input_is_a_sentence():
    X, y = np.array([[1.0, 0], [0, 1], [1, 1]]), [0, 1, 1]
    with pytest.raises(InputError, match="the prior of ProbitRegression is Gaussian"):
        ProbitRegression(3.0).fit(X, y)
    with pytest.raises(InputError, match="intercept_prior must be a Laplace as prior is, not Gaussian"):
        ProbitRegression(Laplace(1.0), intercept_prior=Gaussian(1.0)).fit(X, y)
    with pytest.raises(InputError, match="block_size at least 1"):
        ProbitRegression(block_size=0).fit(X, y)
    with pytest.raises(NotEnoughData, match="all examples are of one class"):
        ProbitRegression().fit(X, [1, 1, 1])
    with pytest.raises(NotEnoughData, match="no example with label 1"):
        ProbitRegression().fit(X, [[1, 0], [0, 0], [1, 0]])
    with pytest.warns(ConvergenceWarning, match="EM stopped after 1 iterations for 1 of 1 outputs"):
        ProbitRegression(Laplace(4.0), max_iter=1).fit(X, y)


@pytest.mark.parametrize("kind", [Gaussian, Laplace])
def test_separation_by_unpenalised_features_is_refused(kind):
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    with pytest.raises(InputError, match=r"infinite variance .column 0. tell class 1 from the rest"):
        ProbitRegression(kind([np.inf, 1.0])).fit(X, [0, 0, 1, 1])
    with pytest.raises(InputError, match=r"infinite variance .column 0 and 1 more. tell class 1 from the rest"):
        ProbitRegression(kind(np.inf)).fit(X, [0, 0, 1, 1])
    assert np.isfinite(ProbitRegression(kind([np.inf, 1.0])).fit(X, [0, 1, 0, 1]).coef_).all()


@pytest.mark.parametrize("prior", [Gaussian(2.0), Gaussian([np.inf, *[0.5] * 59]), Laplace(2.0)], ids=repr)
def test_more_features_than_cases_are_one_system_of_cases(prior):
    random = np.random.default_rng(7)
    X = random.normal(size=(40, 60)) * (random.random((40, 60)) < 0.3)
    y = X[:, :5].sum(axis=1) + random.normal(size=40) > 0.3
    weight = random.integers(0, 3, 40).astype(float)
    whole = ProbitRegression(prior, tol=1e-12, max_iter=20_000).fit(X, y, sample_weight=weight)
    blocks = ProbitRegression(prior, tol=1e-12, max_iter=20_000, block_size=7).fit(X, y, sample_weight=weight)
    assert whole.coef_ == pytest.approx(blocks.coef_, abs=1e-4)
    assert whole.intercept_ == pytest.approx(blocks.intercept_, abs=1e-4)
    assert whole.objective_trace_[0][-1] == pytest.approx(blocks.objective_trace_[0][-1], rel=1e-8)


def test_a_long_fit_is_announced(monkeypatch):
    monkeypatch.setattr("priorwise.models.regression.probit.LONGEST_WAIT", 1e-9)
    X, positive, _ = problem(3, n=20, d=4)
    with pytest.warns(
        RuntimeWarning, match="20 cases with 5 features will take about 0 minutes: select features first"
    ):
        ProbitRegression(Laplace(1.0)).fit(X, positive)
