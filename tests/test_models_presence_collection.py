"""Presence naive Bayes with a prior per class and token: the collection as the centre."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_bayes import presence_score_around_collection, presence_scores_around_collection

import priorwise as pw
from priorwise.models.naive_bayes._kernels.leave_one_out import TIE
from priorwise.models.naive_bayes.presence import presence
from priorwise.models.naive_bayes.presence_leave_one_out import (
    ClassesLeftOut,
    LeaveOneOut,
    PresenceCounts,
)
from priorwise.models.naive_bayes.terrain import choose_prior, score_of
from priorwise.priors.presence import COLLECTION_GRID
from test_models_presence import dense
from test_models_presence_leave_one_out import as_cases, random_cases, training_sets

COLLECTION = pw.PseudoCounts(centre="collection")

strengths = st.sampled_from([0.1, 1.0, 30.0, 3000.0])


def around(negative, positive):
    return pw.PseudoCounts(negative, positive, centre="collection")


@given(training_sets(), strengths, strengths)
@settings(max_examples=80, deadline=None)
def test_decision_function_is_the_formula(training, negative, positive):
    documents, labels, n_tokens = training
    X = dense(documents, n_tokens)
    model = pw.PresenceNB(around(negative, positive)).fit(X, labels)
    positives = [document for document, label in zip(documents, labels, strict=True) if label]
    negatives = [document for document, label in zip(documents, labels, strict=True) if not label]
    slow = [presence_score_around_collection(d, positives, negatives, negative, positive) for d in documents]
    assert model.decision_function(X) == pytest.approx(slow, abs=1e-10)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_several_classes_are_their_formula(seed):
    random = np.random.default_rng(seed)
    documents = [frozenset(np.flatnonzero(row).tolist()) for row in random.random((12, 5)) < 0.4]
    labels = [0, 1, 2, *random.integers(0, 3, size=9).tolist()]
    lambdas = [0.5, 10.0, 200.0]
    X = dense(documents, 5)
    model = pw.PresenceNB(pw.PseudoCounts(classes=lambdas, centre="collection")).fit(X, labels)
    slow = np.array([presence_scores_around_collection(d, documents, labels, lambdas) for d in documents])
    assert model.decision_function(X) == pytest.approx(slow, abs=1e-10)


def refits(documents, labels, negative, positive):
    scores = []
    for i, document in enumerate(documents):
        rest = [(d, label) for j, (d, label) in enumerate(zip(documents, labels, strict=True)) if j != i]
        positives, negatives = [d for d, label in rest if label], [d for d, label in rest if not label]
        scores.append(presence_score_around_collection(document, positives, negatives, negative, positive))
    return scores


@given(training_sets(), strengths, strengths)
@settings(max_examples=120, deadline=None)
def test_leave_one_out_equals_refits(training, negative, positive):
    documents, labels, n_tokens = training
    cases = as_cases(documents, labels)
    loo = LeaveOneOut(cases, cases.count(n_tokens), kind=COLLECTION)
    fast = loo.scores(around(negative, positive))
    assert fast == pytest.approx(refits(documents, labels, negative, positive), abs=1e-9)


def test_every_cell_is_counted_though_scores_rise_and_fall_with_the_strength():
    random = np.random.default_rng(0)
    labels = random.random(100) < 0.3
    X = random.random((100, 60)) < np.where(labels[:, np.newaxis], random.random(60), random.random(60)) ** 2
    cases = as_cases([frozenset(np.flatnonzero(row).tolist()) for row in X], labels)
    loo = LeaveOneOut(cases, cases.count(60), kind=COLLECTION)
    terms = loo.terms(COLLECTION_GRID)
    assert not np.all(np.diff(terms.positive, axis=1) > 0)
    predicted = terms.positive[:, np.newaxis, :] > terms.negative[:, :, np.newaxis] + TIE
    tp, fp = loo.predicted_positive(COLLECTION_GRID)
    np.testing.assert_array_equal(tp, predicted[cases.positive].sum(axis=0))
    np.testing.assert_array_equal(fp, predicted[~cases.positive].sum(axis=0))


def test_the_collection_may_be_larger_than_the_training_cases():
    """Then a case is one document of that collection, and is taken out of it too."""
    documents, labels, n_tokens = random_cases(1, n=30, n_tokens=12)
    cases = as_cases(documents, labels)
    counts = cases.count(n_tokens)
    collection = 3 * (counts.positive + counts.negative) + 2
    larger = PresenceCounts(counts.positive, counts.negative, counts.n_positive, counts.n_negative, collection, 1000.0)
    scores = LeaveOneOut(cases, larger, kind=COLLECTION).scores(around(50, 70))
    for i, document in enumerate(documents):
        member = bool(labels[i])
        n_positive, n_negative = counts.n_positive - member, counts.n_negative - (not member)
        expected = np.log((70 + n_positive) / (50 + n_negative))
        for token in document:
            in_positive, in_negative = counts.positive[token] - member, counts.negative[token] - (not member)
            if in_positive > 0:
                share = (collection[token] - 1) / 999
                expected += np.log((70 * share + in_positive) / (70 + n_positive))
                expected -= np.log((50 * share + in_negative) / (50 + n_negative))
        assert scores[i] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("target", [pw.FBeta(0.5), pw.AveragePrecision(), pw.LogLoss()])
@pytest.mark.parametrize("search", ["exhaustive", "radial"])
def test_the_choice_is_valued_at_what_it_says(target, search):
    documents, labels, n_tokens = random_cases(2, n=80)
    cases = as_cases(documents, labels)
    loo = LeaveOneOut(cases, cases.count(n_tokens), kind=COLLECTION)
    choice = choose_prior([loo], target, grid=COLLECTION_GRID, search=search, length_powers=(0.0, 0.5))
    assert choice.prior.centre == "collection"
    value = score_of([loo], target, choice.prior, length_power=choice.length_power)[0]
    assert value == pytest.approx(choice.score, abs=5e-3 if isinstance(target, pw.AveragePrecision) else 1e-9)
    laplace = LeaveOneOut(cases, cases.count(n_tokens)).scores(pw.PseudoCounts(1, 1))
    np.testing.assert_array_equal(loo.scores(pw.PseudoCounts(1, 1)), laplace)


def test_prior_search_keeps_the_centre_of_the_estimators_prior():
    random = np.random.default_rng(3)
    X, y = random.random((60, 30)) < random.random(30) ** 2, random.random(60) < 0.5
    own = pw.PresenceNB(around(1, 1))
    search = pw.PriorSearch(own).fit(X, y)
    assert search.best_prior_.centre == "collection"
    assert search.terrain_.score.shape == (57, 57)
    documents = [frozenset(np.flatnonzero(row).tolist()) for row in X]
    negative, positive = search.best_prior_.strengths(2)
    found = np.array(refits(documents, y.tolist(), negative, positive)) > TIE
    tp, fp = np.sum(found & y), np.sum(found & ~y)
    assert search.best_score_ == pytest.approx(1.25 * tp / (1.25 * tp + 0.25 * (y.sum() - tp) + fp))
    three = pw.PriorSearch(own, grid=[1.0, 30.0, 1000.0]).fit(X, random.integers(0, 3, size=60))
    assert three.best_prior_.centre == "collection"
    with pytest.raises(pw.PriorwiseError, match="the centre is 'uniform' or 'collection', not 'two'"):
        pw.PseudoCounts(centre="two")


def test_one_strength_per_class_is_by_refits():
    random = np.random.default_rng(4)
    X, y = (random.random((40, 12)) < 0.4).astype(float), random.integers(0, 3, size=40)
    grid = np.array([1.0, 50.0])
    choice = ClassesLeftOut(presence(X), y, np.ones(40), 3, grid, COLLECTION).choose(pw.FBeta(1))
    predicted = np.empty(40, dtype=int)
    for i in range(40):
        rest = np.arange(40) != i
        predicted[i] = pw.PresenceNB(choice.prior).fit(X[rest], y[rest]).predict(X[i : i + 1])[0]
    f1 = [2 * np.sum((predicted == c) & (y == c)) / (np.sum(predicted == c) + np.sum(y == c)) for c in range(3)]
    assert choice.score == pytest.approx(np.mean(f1))
