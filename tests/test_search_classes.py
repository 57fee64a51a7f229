"""Targets of several classes and labels, against scikit-learn's metrics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

import priorwise as pw
from priorwise.search import ClassTarget, CountTarget, Outcome, ScoreTarget

TARGETS = [pw.Accuracy(), pw.MacroF1(), pw.MicroF1(), pw.LogLikelihood()]


def outcome(truth, predicted, log_likelihood, *, one_each):
    return Outcome(
        np.sum(truth & predicted, axis=0).astype(float),
        np.sum(predicted, axis=0).astype(float),
        np.sum(truth, axis=0).astype(float),
        float(len(truth)),
        log_likelihood,
        one_each,
    )


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_of_classes(pairs):
    truth, predicted = np.array(pairs).T
    made = outcome(np.eye(4, dtype=bool)[truth], np.eye(4, dtype=bool)[predicted], -0.25, one_each=True)
    classes = range(4)
    assert pw.Accuracy().from_outcome(made) == pytest.approx(accuracy_score(truth, predicted))
    assert pw.MicroF1().from_outcome(made) == pytest.approx(accuracy_score(truth, predicted))
    macro = f1_score(truth, predicted, labels=classes, average="macro", zero_division=0)
    assert pw.MacroF1().from_outcome(made) == pytest.approx(macro)
    assert pw.LogLikelihood().from_outcome(made) == -0.25


@given(st.integers(0, 2**32 - 1))
def test_of_labels(seed):
    random = np.random.default_rng(seed)
    truth, predicted = random.random((2, 12, 3)) < 0.4
    made = outcome(truth, predicted, -0.5, one_each=False)
    assert pw.Accuracy().from_outcome(made) == pytest.approx(np.mean(truth == predicted))
    for target, average in [(pw.MacroF1(), "macro"), (pw.MicroF1(), "micro")]:
        assert target.from_outcome(made) == pytest.approx(f1_score(truth, predicted, average=average, zero_division=0))
    single = pw.Accuracy().of_one_label()
    tp, fp = np.sum(truth & predicted, axis=0), np.sum(~truth & predicted, axis=0)
    positives = truth.sum(axis=0)
    each = [single.from_counts(tp[[c]], fp[[c]], positives[c], 12 - positives[c])[0] for c in range(3)]
    assert np.mean(each) == pytest.approx(pw.Accuracy().from_outcome(made))


def test_what_kind_a_target_is_can_be_asked():
    for target in TARGETS:
        assert isinstance(target, ClassTarget)
        assert not isinstance(target, CountTarget | ScoreTarget)
        assert target.name
    assert not isinstance(pw.FBeta(1), ClassTarget)
    assert pw.MicroF1().of_one_label() is None
    assert [target.reads_probabilities for target in TARGETS] == [False, False, False, True]
