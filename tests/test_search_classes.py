"""Targets of several classes and labels, against scikit-learn's metrics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, log_loss

import priorwise as pw
from priorwise.search import Outcome, Truth
from priorwise.search.targets import COUNTS

TARGETS = [pw.Accuracy(), pw.MacroF1(), pw.MicroF1(), pw.LogLikelihood()]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30), st.booleans())
def test_of_classes(pairs, by_scores):
    truth, predicted = np.array(pairs).T
    known = Truth(np.eye(4, dtype=bool)[truth], np.ones(len(truth)), exclusive=True)
    made = Outcome(known, scores=3.0 * np.eye(4)[predicted]) if by_scores else Outcome(known, predicted=predicted)
    assert pw.Accuracy().value(made) == pytest.approx(accuracy_score(truth, predicted))
    assert pw.MicroF1().value(made) == pytest.approx(accuracy_score(truth, predicted))
    macro = f1_score(truth, predicted, labels=range(4), average="macro", zero_division=0)
    assert pw.MacroF1().value(made) == pytest.approx(macro)
    if by_scores:
        probability = np.exp(made.scores) / np.exp(made.scores).sum(axis=1, keepdims=True)
        assert pw.LogLikelihood().value(made) == pytest.approx(-log_loss(truth, probability, labels=range(4)))


@given(st.integers(0, 2**32 - 1))
def test_of_labels(seed):
    random = np.random.default_rng(seed)
    truth, scores = random.random((12, 3)) < 0.4, random.normal(size=(12, 3))
    predicted = scores > 0
    made = Outcome(Truth(truth, np.ones(12)), scores)
    assert pw.Accuracy().value(made) == pytest.approx(np.mean(truth == predicted))
    for target, average in [(pw.MacroF1(), "macro"), (pw.MicroF1(), "micro")]:
        assert target.value(made) == pytest.approx(f1_score(truth, predicted, average=average, zero_division=0))
    assert pw.LogLikelihood().value(made) == pytest.approx(-log_loss(truth.ravel(), 1 / (1 + np.exp(-scores.ravel()))))
    each = [np.mean(truth[:, c] == predicted[:, c]) for c in range(3)]
    assert pw.Accuracy().values(made) == pytest.approx(each)


@given(st.integers(0, 2**32 - 1))
def test_a_weight_is_so_many_equal_cases(seed):
    random = np.random.default_rng(seed)
    truth, scores, weight = random.random((12, 3)) < 0.4, random.normal(size=(12, 3)), random.integers(1, 4, size=12)
    truth[:2] = [[True] * 3, [False] * 3]
    one_each = np.eye(3, dtype=bool)[random.integers(0, 3, size=12)]
    for members, exclusive in ((truth, False), (one_each, True)):
        weighted = Outcome(Truth(members, weight.astype(float), exclusive), scores, negative_weight=2.0)
        members, repeated = np.repeat(members, weight, axis=0), np.repeat(scores, weight, axis=0)
        repeated = Outcome(Truth(members, np.ones(len(members)), exclusive), repeated, negative_weight=2.0)
        for target in [*TARGETS, pw.FBeta(0.5, at_corpus_odds=True), pw.PPV(0.2), pw.LogLoss()]:
            assert target.values(weighted) == pytest.approx(target.values(repeated))


def test_a_target_says_what_it_needs():
    assert [target.needs == COUNTS for target in TARGETS] == [True, True, True, False]
    assert [target.is_log_probability for target in TARGETS] == [False, False, False, True]
    names = ["accuracy", "macro f1", "micro f1", "log likelihood"]
    assert [target.name for target in TARGETS] == names
