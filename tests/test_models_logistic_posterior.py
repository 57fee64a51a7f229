"""One model's end is the next one's beginning: weights and posteriors as priors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from reference_regression import worst_slope

from priorwise import BernoulliNB, MultinomialNB, PresenceNB, PriorSearch
from priorwise.errors import InputError, NotEnoughData
from priorwise.models.regression.logistic import LogisticRegression
from priorwise.models.regression.probit import ProbitRegression
from priorwise.priors.informed import Informed
from priorwise.priors.regression import Gaussian, Laplace


def problem(seed=0, *, n=400, d=5, classes=2):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    score = X @ np.linspace(-1.5, 1.5, d) + random.logistic(size=n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


def literal_precision(X, coef, intercept, weight, prior_precision):
    """1/σ² + Σ s p (1 − p) x², by loops."""
    found = np.array(prior_precision, dtype=float)
    for x, s in zip(X, weight, strict=True):
        p = 1 / (1 + np.exp(-(x @ coef + intercept)))
        for j in range(len(found)):
            found[j] += s * p * (1 - p) * x[j] ** 2
    return found


def test_the_posterior_is_the_formula():
    X, y = problem(classes=3, n=60)
    weight = np.random.default_rng(1).integers(1, 4, size=60).astype(float)
    model = LogisticRegression(Gaussian([4.0, 2.0, 1.0, 0.5, np.inf]), tol=1e-10).fit(X, y, sample_weight=weight)
    for k in range(3):
        precision = literal_precision(X, model.coef_[k], model.intercept_[k], weight, [0.25, 0.5, 1.0, 2.0, 0.0])
        assert model.posterior_.precision[k] == pytest.approx(precision)
        ones = literal_precision(np.ones((60, 1)), 0 * precision[:1], 0.0, weight, [0.0])
        assert model.posterior_.intercept_precision[k] < ones[0]
    np.testing.assert_array_equal(model.posterior_.mode, model.coef_)
    assert not hasattr(LogisticRegression(Laplace()).fit(X, y), "posterior_")


def test_the_posterior_of_many_outputs_is_the_formula():
    X, _ = problem(n=80)
    Y = np.random.default_rng(3).random((80, 37)) < 0.4
    model = LogisticRegression(Gaussian(2.0)).fit(sp.csr_matrix(X), Y.astype(int))
    for k in (0, 15, 16, 36):
        precision = literal_precision(X, model.coef_[k], model.intercept_[k], np.ones(80), [0.5] * 5)
        assert model.posterior_.precision[k] == pytest.approx(precision)


def test_the_first_batch_is_a_fit_and_the_second_a_fit_under_its_posterior():
    X, y = problem()
    model = LogisticRegression(Gaussian(2.0), tol=1e-10)
    model.partial_fit(X[:150], y[:150], classes=[0, 1])
    whole = LogisticRegression(Gaussian(2.0), tol=1e-10).fit(X[:150], y[:150])
    np.testing.assert_array_equal(model.coef_, whole.coef_)
    before = model.posterior_
    model.partial_fit(X[150:], y[150:])
    ones = np.hstack([X[150:], np.ones((250, 1))])
    precision = np.append(before.precision[0], before.intercept_precision[0])
    mode = np.append(before.mode[0], before.intercept_mode[0])
    slope = worst_slope(
        ones, y[150:] == 1, np.ones(250), np.append(model.coef_[0], model.intercept_[0]), 0.0, "gaussian",
        1 / precision, mode, fit_intercept=False,
    )  # fmt: skip
    assert slope < 1e-3
    assert (model.posterior_.precision > before.precision).all()
    again = LogisticRegression(before.coefficients, intercept_prior=before.intercepts, tol=1e-10)
    assert again.fit(X[150:], y[150:]).coef_ == pytest.approx(model.coef_, abs=1e-5)
    whole.partial_fit(X[150:], y[150:])  # after a fit as well
    np.testing.assert_array_equal(whole.coef_, model.coef_)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_batches_approach_the_whole(sparse, classes):
    X, y = problem(3, n=4000, classes=classes)
    X = sp.csr_matrix(X) if sparse else X
    whole = LogisticRegression(Gaussian(1.0)).fit(X, y)
    model = LogisticRegression(Gaussian(1.0))
    off = []
    for start in range(0, 4000, 500):
        model.partial_fit(X[start : start + 500], y[start : start + 500], classes=np.arange(classes))
        off.append(np.abs(model.coef_ - whole.coef_).max())
    assert off[-1] < 0.35 * off[0]
    assert off[-1] < 0.1
    assert np.mean(model.predict(X) == whole.predict(X)) > 0.985
    assert model.posterior_.precision == pytest.approx(whole.posterior_.precision, rel=0.1)


def test_labels_and_batches_without_a_class():
    X, y = problem(5, n=300, classes=3)
    Y = np.eye(3, dtype=int)[y]
    model = LogisticRegression(Gaussian(1.0)).partial_fit(X[:150], Y[:150]).partial_fit(X[150:], Y[150:])
    names = LogisticRegression(Gaussian(1.0)).partial_fit(X[:150], y[:150], classes=[0, 1, 2])
    assert model.coef_.shape == (3, 5)
    only = np.flatnonzero(y[150:] < 2) + 150
    names.partial_fit(X[only], y[only])
    assert np.isfinite(names.coef_).all()
    alone = LogisticRegression(Gaussian(1.0), fit_intercept=False).partial_fit(X, y, classes=[0, 1, 2])
    assert not alone.partial_fit(X, y).intercept_.any()


def test_partial_fit_refuses():
    X, y = problem(n=40)
    for model in (LogisticRegression(Laplace()), LogisticRegression(intercept_prior=Laplace()),
                  LogisticRegression(sparse_coef=True)):  # fmt: skip
        with pytest.raises(AttributeError, match="has no attribute 'partial_fit'"):
            model.partial_fit(X, y, classes=[0, 1])
    model = LogisticRegression()
    with pytest.raises(InputError, match="classes must be given at the first call"):
        model.partial_fit(X, y)
    with pytest.raises(NotEnoughData, match="no example with class 2"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    model = LogisticRegression().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(InputError, match="differ from those of the first call"):
        model.partial_fit(X, y, classes=[0, 2])
    with pytest.raises(InputError, match="class 7 was not among the classes"):
        model.partial_fit(X, y + 7)
    with pytest.raises(ValueError, match="4 features"):
        model.partial_fit(X[:, :4], y)


@pytest.mark.parametrize(
    "model", [MultinomialNB(), BernoulliNB(), PresenceNB(), LogisticRegression(), ProbitRegression()]
)
@pytest.mark.parametrize("kind", [Gaussian, Laplace])
def test_weights_of_a_model_are_modes(model, kind):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, size=60)
    X = random.poisson(np.where(y[:, np.newaxis] == 1, [3.0, 1, 1, 0.5], [1.0, 1, 2, 0.5]))
    fitted = model.fit(X, y)
    prior = kind.from_model(fitted, strength=0.5, variance=3.0)
    assert isinstance(prior, kind)
    assert prior.variance == 3.0
    weights = fitted.weights_
    expected = np.zeros(4)
    expected[weights.features] = weights.lookup(4)[weights.features]
    assert np.asarray(prior.mode) == pytest.approx(0.5 * expected)
    # With a prior that nothing moves, the next model orders documents as this one does.
    held = LogisticRegression(kind.from_model(fitted, variance=1e-10)).fit(X, y)
    assert held.coef_[0] == pytest.approx(expected, abs=1e-3)


def test_several_classes_of_naive_bayes_are_taken_beyond_their_mean():
    random = np.random.default_rng(0)
    X, y = random.poisson(1.0, size=(60, 4)), random.integers(0, 3, size=60)
    fitted = MultinomialNB().fit(X, y)
    mode = np.asarray(Gaussian.from_model(fitted).mode)
    logs = fitted.weights_.table(4)
    assert mode == pytest.approx(logs - logs.mean(axis=0))
    labels = MultinomialNB().fit(X, np.eye(3, dtype=int)[y])
    assert np.asarray(Gaussian.from_model(labels).mode) == pytest.approx(labels.weights_.table(4))
    regression = LogisticRegression().fit(X, y)
    np.testing.assert_array_equal(Gaussian.from_model(regression).mode, regression.coef_)


def test_the_strength_of_naive_bayes_is_learned():
    random = np.random.default_rng(2)
    y = random.integers(0, 2, size=400)
    rates = random.exponential(size=(2, 30))
    X = random.poisson(rates[y])
    naive = MultinomialNB().fit(X[:300], y[:300])
    believed = Informed.from_model(naive)
    search = PriorSearch(LogisticRegression(believed), grid=believed.grid([0.1, 0.5, 1.0], [0.01, 1.0]), folds=5)
    search.fit(X[300:], y[300:])
    plain = PriorSearch(LogisticRegression(), grid=Gaussian().grid([0.01, 1.0]), folds=5).fit(X[300:], y[300:])
    assert search.best_score_ > plain.best_score_
    with pytest.raises(InputError, match="fit it first"):
        Gaussian.from_model(MultinomialNB())
