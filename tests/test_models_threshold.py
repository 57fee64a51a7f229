"""Thresholds: the best of all, and the step that fits them to any classifier."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_regression import best_threshold
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.metrics import f1_score
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from priorwise.errors import InputError, NotEnoughData
from priorwise.models.regression.logistic import LogisticRegression
from priorwise.models.threshold import Thresholded, fit_threshold
from priorwise.priors.regression import Laplace
from priorwise.search import PPV, FBeta, FewestErrors, FromCounts, LogLoss

TARGETS = {
    "f1": (FBeta(1.0), lambda tp, fp, p, n: 2 * tp / (tp + fp + p) if tp else 0.0),
    "f0.5": (FBeta(0.5), lambda tp, fp, p, n: 1.25 * tp / (1.25 * tp + 0.25 * (p - tp) + fp) if tp else 0.0),
    "errors": (FewestErrors(), lambda tp, fp, p, n: -(fp + p - tp)),
    "ppv": (PPV(floor=0.5), lambda tp, fp, p, n: tp / (tp + fp) if tp >= p / 2 else 0.0),
    "own": (FromCounts(lambda tp, fp, p, n: tp - 3 * fp), lambda tp, fp, p, n: tp - 3 * fp),
}

cases = st.lists(st.tuples(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 3.0, 7.0]), st.booleans()), min_size=1, max_size=12)


@given(cases.filter(lambda c: any(y for _, y in c)), st.sampled_from(sorted(TARGETS)))
def test_no_threshold_is_better(cases, name):
    scores, positive = [s for s, _ in cases], [y for _, y in cases]
    target, value = TARGETS[name]
    found = fit_threshold(scores, positive, target)
    assert found.score == pytest.approx(best_threshold(scores, positive, value))
    tp = sum(s > found.value and y for s, y in cases)
    fp = sum(s > found.value and not y for s, y in cases)
    assert value(tp, fp, sum(positive), len(positive) - sum(positive)) == pytest.approx(found.score)


def test_weights_are_repeats():
    scores, positive, weight = [3.0, 2.0, 1.0, 0.0], [False, True, True, False], [3, 1, 2, 1]
    repeated = fit_threshold(np.repeat(scores, weight), np.repeat(positive, weight))
    assert fit_threshold(scores, positive, sample_weight=weight) == repeated


@parametrize_with_checks([Thresholded(LogisticRegression(tol=1e-13))])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def data(seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(300, 5))
    return X, np.where(X[:, 0] + random.normal(size=300) > 1.5, "yes", "no")


@pytest.mark.parametrize("model", [LogisticRegression(Laplace(1.0)), Peer(), GaussianNB()])
@pytest.mark.parametrize("cv", [None, 5])
def test_any_classifier_gets_a_better_f1(model, cv):
    X, y = data()
    step = Thresholded(model, cv=cv).fit(X, y)
    before = f1_score(y, step.estimator_.predict(X), pos_label="yes")
    after = f1_score(y, step.predict(X), pos_label="yes")
    if cv is None:
        assert after == pytest.approx(step.scores_[0])
        assert after >= before
    assert ((step.decision_function(X) > 0) == (step.predict(X) == "yes")).all()


def test_a_threshold_per_label():
    X, y = data()
    Y = np.column_stack([y == "yes", X[:, 1] > 1]).astype(int)
    step = Thresholded(LogisticRegression(), target=FewestErrors()).fit(X, Y)
    assert step.thresholds_.shape == (2,)
    assert -np.abs(step.predict(X) - Y).sum(axis=0) == pytest.approx(step.scores_)


def test_bad_input_is_a_sentence():
    with pytest.raises(InputError, match="target of counts"):
        fit_threshold([1.0], [True], LogLoss())
    with pytest.raises(NotEnoughData, match="no case is positive"):
        fit_threshold([1.0], [False])
    with pytest.raises(InputError, match="one score, one label"):
        fit_threshold([1.0, 2.0], [True])
    with pytest.raises(InputError, match="finite"):
        fit_threshold([np.nan], [True])
    with pytest.raises(InputError, match=r"Only binary classification .* indicator matrix"):
        Thresholded(LogisticRegression()).fit(np.eye(3), [0, 1, 2])
