"""PriorSearch over regressions: the same values as fits one by one, whatever they share."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold

from priorwise import Accuracy, AveragePrecision, FBeta, PriorSearch
from priorwise.errors import InputError, NotEnoughData
from priorwise.models.regression.logistic import LogisticRegression
from priorwise.models.regression.logistic_search import StratifiedFolds
from priorwise.models.regression.probit import ProbitRegression
from priorwise.priors.informed import MODE_STRENGTHS, VARIANCE_STRENGTHS, Informed
from priorwise.priors.regression import PAPER_VARIANCES, Gaussian, Laplace


def problem(seed=0, *, n=80, d=6, classes=2):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * (random.random((n, d)) < 0.6)
    score = X[:, 0] - X[:, 1] + 0.8 * random.logistic(size=n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


def one_by_one(model, X, y, priors, folds):
    """Log-probabilities of every class by a fit of its own for each prior and fold."""
    for prior in priors:
        found = np.empty((len(X), len(np.unique(y))))
        for train, test in folds.split(X, y):
            fitted = clone(model).set_params(prior=prior, tol=1e-10).fit(X[train], y[train])
            found[test] = fitted.predict_log_proba(X[test])
        yield found


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", [Gaussian, Laplace])
def test_values_are_those_of_fits_one_by_one(classes, kind):
    X, y = problem(classes=classes)
    priors = kind().grid([0.01, 1.0, 100.0])
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    model = LogisticRegression(tol=1e-9)
    search = PriorSearch(model, grid=priors, folds=folds).fit(X, y)
    wanted = [found[np.arange(len(y)), y].mean() for found in one_by_one(model, X, y, priors, folds)]
    assert search.trials_["score"] == pytest.approx(wanted, abs=2e-3)
    assert search.best_prior_ is priors[int(np.argmax(wanted))]
    assert search.best_score_ == pytest.approx(max(wanted), abs=2e-3)
    refit = LogisticRegression(search.best_prior_, tol=1e-9).fit(X, y)
    np.testing.assert_array_equal(search.best_estimator_.coef_, refit.coef_)
    accuracy = PriorSearch(model, grid=priors, folds=folds, target=Accuracy()).fit(X, y)
    wanted = [np.mean(found.argmax(axis=1) == y) for found in one_by_one(model, X, y, priors, folds)]
    assert accuracy.trials_["score"] == pytest.approx(wanted, abs=0.03)


def test_approximate_leave_one_out_is_near_the_exact():
    X, y = problem(3, n=60)
    priors = Gaussian().grid([0.1, 1.0, 4.0])
    exact = PriorSearch(LogisticRegression(), grid=priors, folds=KFold(60)).fit(X, y)
    near = PriorSearch(LogisticRegression(), grid=priors, folds="approximate").fit(X, y)
    assert near.trials_["score"] == pytest.approx(exact.trials_["score"], abs=0.01)
    assert near.best_prior_ is exact.best_prior_


def test_each_label_chooses_for_itself():
    X, y = problem(5, n=150, classes=3)
    Y = np.eye(3, dtype=int)[y]
    priors = Laplace().grid([0.02, 0.3, 5.0])
    search = PriorSearch(LogisticRegression(), grid=priors, folds=5).fit(sp.csr_matrix(X), Y)
    assert len(search.best_prior_) == 3
    for k in range(3):
        alone = PriorSearch(LogisticRegression(), grid=priors, folds=5).fit(X, Y[:, k])
        assert search.best_prior_[k] is alone.best_prior_
        assert search.best_estimator_.coef_[k] == pytest.approx(alone.best_estimator_.coef_[0], abs=1e-3)
    together = PriorSearch(LogisticRegression(), grid=priors, folds=5, per_label=False).fit(X, Y)
    assert together.best_prior_ in priors


def test_the_usual_grids_are_the_papers():
    assert [prior.variance for prior in Laplace(mode=2.0).grid()] == list(PAPER_VARIANCES)
    known = sp.csr_matrix([[0.0, 1.0]])
    for moves, strengths in (("mode", MODE_STRENGTHS), ("variance", VARIANCE_STRENGTHS)):
        grid = Informed(Laplace, known, moves).grid()
        assert {prior.numbers for prior in grid} == {(c, v) for c in strengths for v in PAPER_VARIANCES}
        assert len(grid) == len(strengths) * 20


def test_strength_and_variance_together():
    X, y = problem(7, n=40)
    known = sp.csr_matrix([[1.0, -1.0, 0, 0, 0, 0]])
    model = LogisticRegression(Informed(Laplace, known, "mode"))
    search = PriorSearch(model, folds=5).fit(X, y)
    assert len(search.trials_["score"]) == 220
    assert np.isfinite(search.trials_["score"]).all()  # strengths of 10,000 too
    trial = int(np.argmax(search.trials_["score"]))
    assert search.best_prior_.numbers == search.trials_["prior"][trial].numbers
    written_out = LogisticRegression(search.best_prior_.prior()).fit(X, y)
    np.testing.assert_array_equal(search.best_estimator_.coef_, written_out.coef_)


def test_other_targets():
    X, y = problem(9)
    priors = Gaussian().grid([0.1, 1.0])
    for target in (FBeta(1.0), AveragePrecision(), lambda truth, scores: float(np.mean(scores[truth]))):
        search = PriorSearch(LogisticRegression(), grid=priors, target=target).fit(X, y)
        assert np.isfinite(search.trials_["score"]).all()


def test_probit_is_judged_by_its_own_probabilities():
    X, y = problem(11)
    priors = Gaussian().grid([0.1, 1.0])
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    search = PriorSearch(ProbitRegression(), grid=priors, folds=folds).fit(X, y)
    wanted = [found[np.arange(len(y)), y].mean() for found in one_by_one(ProbitRegression(), X, y, priors, folds)]
    assert search.trials_["score"] == pytest.approx(wanted, abs=1e-4)
    Y = np.eye(2, dtype=int)[y]
    each = PriorSearch(ProbitRegression(), grid=priors, folds=3).fit(X, Y)
    assert len(each.best_prior_) == 2
    assert each.best_estimator_.coef_[0] == pytest.approx(-each.best_estimator_.coef_[1], abs=1e-3)


def test_an_informed_probit_is_the_same_written_out():
    X, y = problem(12)
    for moves in ("mode", "variance"):
        for kind in (Gaussian, Laplace):
            known = Informed(kind, sp.csr_matrix([[1.0, 0, -2.0, 0, 0, 0]]), moves, strength=3.0)
            ours, same = (ProbitRegression(prior).fit(X, y) for prior in (known, known.prior()))
            np.testing.assert_array_equal(ours.coef_, same.coef_)


def test_weights_of_nothing_take_no_part():
    X, y = problem(13)
    weight = np.ones(len(y))
    weight[::4] = 0.0
    folds = np.arange(len(y)) % 4 // 2
    kept = weight > 0
    masks = Given(folds)
    some = PriorSearch(LogisticRegression(), grid=Gaussian().grid([1.0]), folds=masks).fit(X, y, sample_weight=weight)
    rest = PriorSearch(LogisticRegression(), grid=Gaussian().grid([1.0]), folds=Given(folds[kept])).fit(
        X[kept], y[kept]
    )
    assert some.best_score_ == pytest.approx(rest.best_score_, abs=2e-4)


class Given:
    """A splitter by the number of each case's fold."""

    def __init__(self, folds):
        self.folds = folds

    def split(self, X, y=None):
        for fold in np.unique(self.folds):
            yield np.flatnonzero(self.folds != fold), np.flatnonzero(self.folds == fold)


def test_folds_follow_the_seed():
    X, y = problem(14)
    grid = Gaussian().grid([1.0])
    values = [
        PriorSearch(LogisticRegression(), grid=grid, folds=StratifiedFolds(4, seed)).fit(X, y).best_score_
        for seed in (0, 1)
    ]
    assert values[0] != values[1]
    assert PriorSearch(LogisticRegression(), grid=grid, folds=4).fit(X, y).best_score_ == values[0]


def test_bad_input_is_a_sentence():
    X, y = problem(15, n=20)
    grid = Gaussian().grid([1.0])
    with pytest.raises(InputError, match="folds is a number, a splitter or 'approximate', not 'exact'"):
        PriorSearch(LogisticRegression(), grid=grid, folds="exact").fit(X, y)
    with pytest.raises(InputError, match="at least 2 folds, not 1"):
        PriorSearch(LogisticRegression(), grid=grid, folds=1).fit(X, y)
    with pytest.raises(InputError, match="hold out each document once"):
        PriorSearch(LogisticRegression(), grid=grid, folds=ShuffleSplit(2, random_state=0)).fit(X, y)
    with pytest.raises(InputError, match="the grid is empty"):
        PriorSearch(LogisticRegression(), grid=[]).fit(X, y)
    one = np.zeros(20, dtype=int)
    one[0] = 1
    with pytest.raises(NotEnoughData, match="class 1 has fewer than 2 cases in one"):
        PriorSearch(LogisticRegression(), grid=grid).fit(X, one)
    with pytest.raises(NotEnoughData, match="no example with class 1"):
        PriorSearch(LogisticRegression(), grid=grid, folds=KFold(20)).fit(X, one)
    with pytest.raises(InputError, match="one prior for each of the 1 rows of coef_, not 2"):
        LogisticRegression([Gaussian(), Gaussian()]).fit(X, y)
    known = sp.csr_matrix(np.ones((3, 6)))
    with pytest.raises(InputError, match="has 3 rows, but the model has 1"):
        LogisticRegression(Informed(Laplace, known, "mode")).fit(X, y)
    with pytest.raises(InputError, match="is about 6 features, but there are 5"):
        LogisticRegression(Informed(Laplace, known, "mode")).fit(X[:, :5], y)
    for wrong in ({"moves": "odds"}, {"strength": 0.0}, {"variance": np.inf}, {"known": sp.csr_matrix([[np.nan]])}):
        with pytest.raises(InputError):
            Informed(**{"kind": Laplace, "known": known, "moves": "mode", **wrong})


def test_no_more_folds_than_a_class_has_documents():
    X, y = np.random.default_rng(0).normal(size=(10, 3)), np.array([0, 1] * 5)
    priors = [Gaussian(0.1), Gaussian(1.0)]
    few = PriorSearch(ProbitRegression(), grid=priors, folds=10).fit(X, y)
    np.testing.assert_array_equal(
        few.trials_["score"], PriorSearch(ProbitRegression(), grid=priors, folds=5).fit(X, y).trials_["score"]
    )
    with pytest.raises(NotEnoughData, match="no class has two documents"):
        PriorSearch(ProbitRegression(), grid=priors).fit(X[:3], [0, 1, 2])
    with pytest.raises(InputError, match="at least 2 folds, not 1"):
        PriorSearch(ProbitRegression(), grid=priors, folds=1).fit(X, y)
