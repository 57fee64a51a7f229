"""Measures of a classifier against their slow twins, and against scikit-learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.metrics import precision_recall_fscore_support

import reference_evaluation as reference
from priorwise.corpus import Corpus
from priorwise.errors import NotEnoughData
from priorwise.models.linear_model import LinearModel
from priorwise.models.naive_bayes.estimators import MultinomialNB
from priorwise.models.training import examples_of, train
from priorwise.ranking.classifier import Classifier, best_labels
from priorwise.ranking.evaluation import Evaluation, evaluate_on

APPROX = {"rel": 1e-9, "abs": 1e-12}


@st.composite
def decisions(draw: st.DrawFn, multilabel: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores in steps that make ties, what is decided from them, and what is true."""
    n, width = draw(st.integers(1, 12)), draw(st.integers(2 if multilabel else 3, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scores = rng.integers(-3, 4, (n, width)) / 2
    truth = rng.random((n, width)) < 0.4
    if multilabel:
        return scores, scores > 0, truth
    truth[np.arange(n), rng.integers(0, width, n)] = True
    decided = np.zeros((n, width), dtype=bool)
    decided[np.arange(n), np.argmax(scores, axis=1)] = True
    return scores, decided, truth


def sets(mask: np.ndarray) -> list[set[int]]:
    return [set(np.flatnonzero(row).tolist()) for row in mask]


@pytest.mark.parametrize("multilabel", [False, True])
@given(data=st.data())
def test_figures_equal_their_definitions(multilabel: bool, data: st.DataObject) -> None:
    scores, decided, truth = data.draw(decisions(multilabel))
    n, width = scores.shape
    if multilabel:
        probability = 1 / (1 + np.exp(-scores))
    else:
        probability = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    found = Evaluation(width, multilabel)
    cut = data.draw(st.integers(0, n))
    for part in (slice(0, cut), slice(cut, n)):  # in parts, as a large corpus comes
        complement = np.log(1 - probability[part]) if multilabel else None
        found.add(decided[part], np.log(probability[part]), complement, csr_matrix(truth[part]))

    expected = reference.measures(sets(decided), sets(truth), width)
    assert found.macro == pytest.approx(expected["macro"], **APPROX)
    assert found.micro == pytest.approx(expected["micro"], **APPROX)
    assert found.exact_share == pytest.approx(expected["exact"], **APPROX)
    assert found.accuracy == pytest.approx(expected["right_decisions" if multilabel else "hits"], **APPROX)
    pairs = {(pair.true, pair.given): pair.documents for pair in found.worst_pairs(width**2)}
    assert pairs == expected["pairs"]
    if multilabel:
        cases = list(zip(probability.ravel().tolist(), truth.ravel().tolist(), strict=True))
        loss = reference.log_loss_of_each(probability.tolist(), sets(truth))
    else:
        cases = list(zip(probability[decided].tolist(), truth[decided].tolist(), strict=True))
        loss = reference.log_loss_of_one(probability.tolist(), sets(truth))
    assert found.calibration_error == pytest.approx(reference.calibration(cases), **APPROX)
    assert found.log_loss == pytest.approx(loss, **APPROX)
    assert sum(each.cases for each in found.bins) == len(cases)


@given(decisions(multilabel=True))
def test_precision_recall_and_f1_are_those_of_scikit_learn(drawn: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    scores, decided, truth = drawn
    found = Evaluation(scores.shape[1], multilabel=True)
    found.add(decided, np.log(np.full(scores.shape, 0.5)), np.log(np.full(scores.shape, 0.5)), csr_matrix(truth))
    there = np.flatnonzero(decided.any(axis=0) | truth.any(axis=0))
    for average, ours in (("macro", found.macro), ("micro", found.micro)):
        if len(there):
            theirs = precision_recall_fscore_support(
                truth.astype(int), decided.astype(int), labels=there, average=average, zero_division=0
            )
            assert ours == pytest.approx(theirs[:3], **APPROX)


def test_worst_pairs_come_first_and_ties_in_order() -> None:
    found = Evaluation(3, multilabel=False)
    decided, truth = np.eye(3, dtype=bool)[[1, 1, 2, 0, 2]], np.eye(3)[[0, 0, 0, 2, 2]]
    found.add(decided, np.log(np.full((5, 3), 1 / 3)), None, csr_matrix(truth))
    assert [tuple(pair) for pair in found.worst_pairs(2)] == [(0, 1, 2), (0, 2, 1)]


def test_nothing_is_decided_and_nothing_is_true() -> None:
    found = Evaluation(2, multilabel=True)
    assert (found.macro, found.micro, found.accuracy, found.log_loss) == ((0, 0, 0), (0, 0, 0), 0, 0)
    half = np.log(np.full((3, 2), 0.5))
    found.add(np.zeros((3, 2), dtype=bool), half, half, csr_matrix((3, 2)))
    assert (found.macro, found.accuracy, found.exact_share) == ((0, 0, 0), 1, 1)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 7))
def test_best_labels_are_those_of_a_stable_sort(seed: int, width: int, k: int) -> None:
    scores = np.random.default_rng(seed).integers(0, 4, (5, width)).astype(float)
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    assert best_labels(scores, k).tolist() == expected.tolist()


# On a corpus


def model_of(corpus: Corpus) -> LinearModel:
    how = {"features": "counts", "link": "softmax", "about": lambda fitted: {}}
    return train(corpus, examples_of(corpus), lambda types: MultinomialNB(), **how)[0]


def test_labels_that_the_model_does_not_know_are_counted() -> None:
    model = model_of(Corpus.from_texts(["a b", "c d", "e f"], labels=["x", "y", "z"]))
    other = Corpus.from_texts(["a b", "c c", "d", "q", "q"], labels=["x", "x", ["new", "y"], "new", None])
    found = evaluate_on(Classifier(model), other)
    assert (found.unknown_labels, found.with_unknown, found.left_out) == (["new"], 2, 2)
    assert (found.figures.documents, found.figures.accuracy) == (3, 2 / 3)
    assert (found.words, found.unknown_words) == (5, 0)
    assert found.to_json()["confusions"] == [{"true": "x", "given": "y", "documents": 1}]


def test_labels_each_on_their_own_are_judged_on_all_documents() -> None:
    texts = ["a b", "a b c", "c d", "e f", "g"]
    corpus = Corpus.from_texts(texts, labels=["x", ["x", "y"], "y", "z", None])
    classifier = Classifier(model_of(corpus))
    assert evaluate_on(classifier, corpus).figures.documents == 5
    labelled = evaluate_on(classifier, corpus, labelled_only=True)
    assert (labelled.figures.documents, labelled.left_out) == (4, 1)


def test_a_corpus_without_known_labels_is_refused() -> None:
    model = model_of(Corpus.from_texts(["a", "b", "c"], labels=["x", "y", "z"]))
    with pytest.raises(NotEnoughData, match="has a label that the model knows"):
        evaluate_on(Classifier(model), Corpus.from_texts(["a"], labels=["new"]))


def test_parts_of_a_corpus_add_up(corpus: Corpus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    classifier = Classifier(model_of(corpus))
    whole = evaluate_on(classifier, corpus).to_json()
    monkeypatch.setattr(Classifier, "documents_at_a_time", 7)
    in_parts = evaluate_on(classifier, corpus).to_json()
    assert in_parts["log_loss"] == pytest.approx(whole["log_loss"], rel=1e-12)
    assert in_parts["labels"] == whole["labels"]
    assert in_parts["confusions"] == whole["confusions"]
