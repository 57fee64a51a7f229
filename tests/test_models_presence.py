"""PresenceNB and PriorSearch: the formulas, and what scikit-learn expects."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import many_class_score, presence_score
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import priorwise as pw
from priorwise.models.naive_bayes.presence_leave_one_out import ClassesLeftOut
from priorwise.search import FBeta, FromScores
from test_models_presence_leave_one_out import strengths, training_sets


@parametrize_with_checks([pw.PresenceNB(), pw.PriorSearch(pw.PresenceNB(), grid=[0.1, 1.0, 10.0])])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def dense(documents, n_tokens):
    return np.array([[token in document for token in range(n_tokens)] for document in documents], dtype=float)


@given(training_sets(), strengths, strengths)
@settings(max_examples=80, deadline=None)
def test_decision_function_is_s_of_d(training, negative, positive):
    documents, labels, n_tokens = training
    X = dense(documents, n_tokens)
    model = pw.PresenceNB(pw.PseudoCounts(negative, positive)).fit(X, labels)
    positives = [document for document, label in zip(documents, labels, strict=True) if label]
    negatives = [document for document, label in zip(documents, labels, strict=True) if not label]
    slow = [presence_score(document, positives, negatives, negative, positive) for document in documents]
    assert model.decision_function(X) == pytest.approx(slow, abs=1e-10)
    assert model.decision_function(sp.csr_matrix(X) * 3) == pytest.approx(slow, abs=1e-10)
    assert model.predict_proba(X)[:, 1] == pytest.approx(1 / (1 + np.exp(-np.array(slow))))
    weights = model.weights_
    assert X @ weights.lookup(n_tokens) + weights.bias[0] == pytest.approx(slow, abs=1e-10)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_more_classes_are_their_formula(seed):
    random = np.random.default_rng(seed)
    documents = [frozenset(np.flatnonzero(row).tolist()) for row in random.random((12, 5)) < 0.4]
    labels = [0, 1, 2, *random.integers(0, 3, size=9).tolist()]
    lambdas = [0.5, 1.0, 20.0]
    X = dense(documents, 5)
    model = pw.PresenceNB(pw.PseudoCounts(classes=lambdas)).fit(X, np.array(["a", "b", "c"])[labels])
    slow = np.array([many_class_score(document, documents, labels, lambdas) for document in documents])
    assert model.decision_function(X) == pytest.approx(slow, abs=1e-10)
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(12))
    assert model.predict(X).tolist() == np.array(["a", "b", "c"])[slow.argmax(axis=1)].tolist()


def test_partial_fit_adds_up():
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, size=(40, 9)), random.integers(0, 3, size=40)
    weight = random.integers(0, 4, size=40)
    whole = pw.PresenceNB().fit(X, y, sample_weight=weight)
    parts = pw.PresenceNB()
    for start in range(0, 40, 7):
        part = slice(start, start + 7)
        parts.partial_fit(X[part], y[part], classes=[0, 1, 2], sample_weight=weight[part])
    np.testing.assert_allclose(whole.decision_function(X), parts.decision_function(X))
    with pytest.raises(ValueError, match="classes must be given at the first call"):
        pw.PresenceNB().partial_fit(X, y)
    with pytest.raises(ValueError, match="was not among the classes"):
        parts.partial_fit(X[:1], [7])


def test_a_pipeline_of_texts_with_string_labels():
    texts = ["goal team win", "team match goal", "vote law", "law court"] * 5
    labels = ["sport", "sport", "politics", "politics"] * 5
    model = make_pipeline(CountVectorizer(), pw.PriorSearch(pw.PresenceNB(), target=pw.FBeta(0.5)))
    assert model.fit(texts, labels).predict(["the team", "a court"]).tolist() == ["sport", "politics"]
    assert cross_val_score(model, texts, labels, cv=2).mean() == 1.0


def test_prior_search_leaves_what_it_found():
    random = np.random.default_rng(0)
    X, y = random.random((60, 30)) < random.random(30) ** 2, random.random(60) < 0.5
    search = pw.PriorSearch(pw.PresenceNB(), target=pw.FBeta(1.0)).fit(X, y)
    terrain = search.terrain_
    assert terrain.tp.shape == terrain.fp.shape == terrain.score.shape == (203, 203)
    assert terrain.grid[0] == 0.01
    negative, positive = search.best_prior_.strengths(2)
    row, column = np.searchsorted(terrain.grid, [negative, positive])
    assert search.best_score_ == terrain.score[row, column] == terrain.score.max()
    assert search.best_estimator_.prior == search.best_prior_
    assert len(search.trials_["score"]) == 41209
    np.testing.assert_array_equal(search.predict(X), search.best_estimator_.predict(X))
    radial = pw.PriorSearch(pw.PresenceNB(), target=pw.PPV(), search="radial").fit(X, y)
    assert 25 <= len(radial.trials_["score"]) < 41209
    assert "λ" in repr(search.terrain_) or "cells" in repr(search.terrain_)


def test_one_strength_per_class_is_a_coordinate_optimum():
    random = np.random.default_rng(1)
    rates = random.random((3, 40)) ** 3
    y = random.integers(0, 3, size=90)
    X = random.random((90, 40)) < rates[y]
    grid = [0.1, 1.0, 5.0, 25.0]
    search = pw.PriorSearch(pw.PresenceNB(), target=pw.FBeta(1.0), grid=grid).fit(X, y)
    assert len(search.best_prior_.classes) == 3

    def leave_one_out(classes):
        """Refit without each case, then the mean F1 over the classes."""
        predicted = np.empty(90, dtype=int)
        for i in range(90):
            rest = np.arange(90) != i
            model = pw.PresenceNB(pw.PseudoCounts(classes=classes)).fit(X[rest], y[rest])
            predicted[i] = model.predict(X[i : i + 1])[0]
        values = []
        for c in range(3):
            tp = np.count_nonzero((predicted == c) & (y == c))
            fp, fn = np.count_nonzero((predicted == c) & (y != c)), np.count_nonzero((predicted != c) & (y == c))
            values.append(2 * tp / (2 * tp + fp + fn))
        return np.mean(values)

    best = list(search.best_prior_.classes)
    assert leave_one_out(best) == pytest.approx(search.best_score_)
    for c in range(3):
        for strength in grid:
            assert leave_one_out([*best[:c], strength, *best[c + 1 :]]) <= search.best_score_ + 1e-12


def test_more_classes_take_targets_of_scores():
    random = np.random.default_rng(2)
    X, y = sp.csr_matrix((random.random((30, 8)) < 0.4).astype(float)), random.integers(0, 3, size=30)
    target = FromScores(lambda y, scores: float(np.mean(scores[y]) - np.mean(scores[~y])))
    choice = ClassesLeftOut(X, y, np.ones(30), 3, np.array([0.5, 1.0, 2.0])).choose(target)
    assert choice.score == choice.trials["score"].max()
    assert len(choice.prior.classes) == 3
    alone = ClassesLeftOut(X, y, np.ones(30), 3, np.array([1.0])).choose(FBeta(1.0))
    assert alone.prior.classes == (1.0, 1.0, 1.0)


def test_models_pickle_and_show_their_prior():
    model = pw.PresenceNB(pw.PseudoCounts(22, 4)).fit([[1, 0], [0, 1]], [0, 1])
    assert "PseudoCounts(negative=22, positive=4)" in repr(model)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function([[1, 1]]), model.decision_function([[1, 1]]))


def test_bad_input_is_a_sentence():
    X, y = [[1, 0], [0, 1], [1, 1]], [0, 1, 1]
    with pytest.raises(ValueError, match=r"PresenceNB is PseudoCounts.*TermBeta.*, not 3"):
        pw.PresenceNB(prior=3).fit(X, y)
    with pytest.raises(ValueError, match="tells two classes apart, but there are 3"):
        pw.PresenceNB(pw.PseudoCounts(1, 2)).fit(X, [0, 1, 2])
    with pytest.raises(ValueError, match="2 strengths, but there are 3"):
        pw.PresenceNB(pw.PseudoCounts(classes=[1, 2])).fit(X, [0, 1, 2])
    with pytest.raises(ValueError, match="ascending"):
        pw.PriorSearch(pw.PresenceNB(), grid=[2.0, 1.0]).fit(X, y)
    with pytest.raises(ValueError, match="needs an estimator with a parameter"):
        pw.PriorSearch(CountVectorizer()).fit(X, y)
    with pytest.raises(ValueError, match="no search"):
        pw.PriorSearch(pw.PresenceNB(), search="annealing").fit(X, y)
