"""Presence naive Bayes with a Beta per token: strengths from the data, a scale for each class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_bayes import presence_score_by_term, presence_scores_by_term

import priorwise as pw
from priorwise.models.naive_bayes._kernels.leave_one_out import TIE
from priorwise.models.naive_bayes.presence_leave_one_out import LeaveOneOut, PresenceCounts
from priorwise.models.naive_bayes.terrain import choose_prior, score_of
from priorwise.priors.counts import likeliest_strength
from test_models_presence import dense
from test_models_presence_leave_one_out import as_cases, random_cases, training_sets

scales = st.sampled_from([1e-4, 0.1, 1.0, 30.0, 3000.0])
CLOSE = {"abs": 1e-5, "rel": 1e-5}
"""The slow twin finds each strength on a grid, to a few parts in a million."""


def of_class(documents, labels, label):
    return [document for document, own in zip(documents, labels, strict=True) if own == label]


@given(training_sets(), scales, scales)
@settings(max_examples=50, deadline=None)
def test_decision_function_is_the_formula(training, negative, positive):
    documents, labels, n_tokens = training
    X = dense(documents, n_tokens)
    model = pw.PresenceNB([pw.TermBeta(negative), pw.TermBeta(positive)]).fit(X, labels)
    both = of_class(documents, labels, True), of_class(documents, labels, False)
    slow = [presence_score_by_term(document, *both, negative, positive) for document in documents]
    assert model.decision_function(X) == pytest.approx(slow, **CLOSE)


def test_one_scale_is_the_same_for_each_class():
    documents, labels, n_tokens = random_cases(3, n=40, n_tokens=15)
    X = dense(documents, n_tokens)
    one = pw.PresenceNB(pw.TermBeta(2)).fit(X, labels).decision_function(X)
    np.testing.assert_array_equal(one, pw.PresenceNB([pw.TermBeta(2)] * 2).fit(X, labels).decision_function(X))
    with pytest.raises(pw.PriorwiseError, match="one prior for each of the 2 classes, not 3"):
        pw.PresenceNB([pw.TermBeta(2)] * 3).fit(X, labels)
    with pytest.raises(pw.PriorwiseError, match=r"PresenceNB is PseudoCounts.* or TermBeta"):
        pw.PresenceNB(pw.Dirichlet()).fit(X, labels)


@given(training_sets(), scales, scales)
@settings(max_examples=50, deadline=None)
def test_leave_one_out_equals_refits(training, negative, positive):
    documents, labels, n_tokens = training
    cases = as_cases(documents, labels)
    loo = LeaveOneOut(cases, cases.count(n_tokens), kind=pw.TermBeta())
    slow = []
    for i, document in enumerate(documents):
        rest, of_rest = documents[:i] + documents[i + 1 :], labels[:i] + labels[i + 1 :]
        both = of_class(rest, of_rest, True), of_class(rest, of_rest, False)
        slow.append(presence_score_by_term(document, *both, negative, positive))
    assert loo.scores((pw.TermBeta(negative), pw.TermBeta(positive))) == pytest.approx(slow, **CLOSE)


def test_every_cell_of_the_terrain_is_by_refits():
    random = np.random.default_rng(0)
    y = random.random(50) < 0.4
    X = random.random((50, 25)) < np.where(y[:, np.newaxis], random.random(25), random.random(25)) ** 2
    search = pw.PriorSearch(pw.PresenceNB(pw.TermBeta()), target=pw.FBeta(1)).fit(X, y)
    grid = search.terrain_.grid
    assert search.terrain_.score.shape == (41, 41)
    best = np.unravel_index(search.terrain_.score.argmax(), (41, 41))
    for row, column in [*random.integers(0, 41, size=(8, 2)), best]:
        prior = [pw.TermBeta(grid[row]), pw.TermBeta(grid[column])]
        scores = np.empty(50)
        for i in range(50):
            rest = np.arange(50) != i
            scores[i] = pw.PresenceNB(prior).fit(X[rest], y[rest]).decision_function(X[i : i + 1])[0]
        assert search.terrain_.tp[row, column] == np.count_nonzero(scores[y] > TIE)
        assert search.terrain_.fp[row, column] == np.count_nonzero(scores[~y] > TIE)
    assert search.best_score_ == search.terrain_.score.max()
    assert all(isinstance(each, pw.TermBeta) for each in search.best_prior_)
    assert search.predict(X).shape == (50,)


def test_a_collection_larger_than_the_training_cases_gives_centres_and_strengths():
    documents, labels, n_tokens = random_cases(1, n=30, n_tokens=12)
    cases = as_cases(documents, labels)
    counts = cases.count(n_tokens)
    collection = 3 * (counts.positive + counts.negative) + 2
    larger = PresenceCounts(counts.positive, counts.negative, counts.n_positive, counts.n_negative, collection, 1000.0)
    scores = LeaveOneOut(cases, larger, kind=pw.TermBeta()).scores((pw.TermBeta(2), pw.TermBeta(5)))
    for i, document in enumerate(documents):
        member = bool(labels[i])
        n_positive, n_negative = counts.n_positive - member, counts.n_negative - (not member)
        expected = np.log(n_positive / n_negative)
        for token in document:
            in_positive, in_negative = counts.positive[token] - member, counts.negative[token] - (not member)
            in_all = collection[token] - 1
            strength = float(likeliest_strength(in_positive, n_positive, in_all - in_positive, 999 - n_positive))
            if in_positive > 0 and np.isfinite(strength):
                share = in_all / 999
                expected += np.log((5 * strength * share + in_positive) / (5 * strength + n_positive))
                expected -= np.log((2 * strength * share + in_negative) / (2 * strength + n_negative))
        assert scores[i] == pytest.approx(expected, abs=1e-9)


def test_several_classes_are_their_formula_and_choose_a_scale_each():
    random = np.random.default_rng(4)
    X, y = (random.random((24, 8)) < 0.4).astype(float), np.tile([0, 1, 2], 8)
    documents = [frozenset(np.flatnonzero(row).tolist()) for row in X]
    scales = [0.1, 1.0, 50.0]
    model = pw.PresenceNB([pw.TermBeta(scale) for scale in scales]).fit(X, y)
    slow = np.array([presence_scores_by_term(d, documents, y.tolist(), scales, set(range(8))) for d in documents])
    assert model.decision_function(X) == pytest.approx(slow - np.log(24), **CLOSE)
    search = pw.PriorSearch(pw.PresenceNB(pw.TermBeta()), target=pw.FBeta(1), grid=[0.01, 1.0, 100.0]).fit(X, y)
    predicted = np.empty(24, dtype=int)
    for i in range(24):
        rest = np.arange(24) != i
        predicted[i] = pw.PresenceNB(search.best_prior_).fit(X[rest], y[rest]).predict(X[i : i + 1])[0]
    f1 = [2 * np.sum((predicted == c) & (y == c)) / (np.sum(predicted == c) + np.sum(y == c)) for c in range(3)]
    assert search.best_score_ == pytest.approx(np.mean(f1))


@pytest.mark.parametrize("target", [pw.AveragePrecision(), pw.LogLoss()], ids=["average precision", "log loss"])
def test_the_choice_is_valued_at_what_it_says(target):
    random = np.random.default_rng(2)
    labels = random.random(80) < 0.4
    X = random.random((80, 60)) < np.where(labels[:, np.newaxis], random.random(60), random.random(60)) ** 2
    cases = as_cases([frozenset(np.flatnonzero(row).tolist()) for row in X], labels)
    kind = pw.TermBeta()
    loo = LeaveOneOut(cases, cases.count(60), kind=kind)
    choice = choose_prior([loo], target, grid=kind.strength_grid, length_powers=(0.0, 0.5))
    value = score_of([loo], target, choice.prior, length_power=choice.length_power)[0]
    assert value == pytest.approx(choice.score, abs=5e-3 if isinstance(target, pw.AveragePrecision) else 1e-9)
