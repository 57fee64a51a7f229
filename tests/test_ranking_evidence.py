"""Why a document has its score: lines of evidence and explanations, against the literal way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priorwise.corpus import Corpus
from priorwise.corpus.lookup import FEW, Strings
from priorwise.discovery.presence_stage import LearnedFrom, presence_model
from priorwise.errors import InputError
from priorwise.features.document_vectors import document_vectors, rarity
from priorwise.features.recipe import Recipe
from priorwise.models.linear_model import GroupWeights, LinearModel
from priorwise.models.naive_bayes.presence_leave_one_out import PresenceCounts
from priorwise.models.weights import Calibration, Weights
from priorwise.priors import PseudoCounts
from priorwise.ranking._kernels import strongest_of_each
from priorwise.ranking.evidence import carried, evidence_lines, explain, further_scores
from priorwise.ranking.scorer import Scorer

# Few values, so that there are ties.
documents = st.lists(st.lists(st.sampled_from([-2.0, -1.0, 0.0, 1.0, 2.0, 2.5]), max_size=9), max_size=6)


@given(documents=documents, count=st.integers(1, 4))
def test_the_strongest_of_each_document(documents: list[list[float]], count: int) -> None:
    offsets = np.cumsum([0, *(len(each) for each in documents)])
    weights = np.array([weight for each in documents for weight in each])
    places, found = np.zeros((len(documents), count), np.int64), np.zeros(len(documents), np.int64)
    strongest_of_each(offsets, weights, places, found)
    for number, each in enumerate(documents):
        order = sorted((place for place, weight in enumerate(each) if weight), key=lambda place: -abs(each[place]))
        expected = [int(offsets[number]) + place for place in order[:count]]
        assert places[number, : found[number]].tolist() == expected


def strongest(names: Sequence[str], adds: Sequence[float]) -> str:
    """The five strongest as a line, equals in order; what adds nothing is not named."""
    pairs = [(name, number) for name, number in zip(names, adds, strict=True) if number]
    return " ".join(f"{name}:{number:+.2f}" for name, number in sorted(pairs, key=lambda pair: -abs(pair[1]))[:5])


def some_weights(corpus: Corpus) -> np.ndarray:
    random = np.random.default_rng(0)
    return np.where(random.random(corpus.n_vocabulary) < 0.5, random.normal(size=corpus.n_vocabulary).round(1), 0.0)


@pytest.mark.parametrize("power", [0.0, 0.5])
def test_lines_are_those_of_one_document_after_the_other(corpus: Corpus, power: float) -> None:
    table = some_weights(corpus)
    scorer = Scorer(Weights(np.arange(len(table)), table[None, :], np.zeros(1)), power)
    rows = np.random.default_rng(1).permutation(corpus.n_documents)
    for line, row in zip(evidence_lines(corpus, rows, scorer), rows.tolist(), strict=True):
        own = corpus.take([row])[1]
        # Words are shown before the division by length.
        assert line == strongest(corpus.token_names(own), table[own].tolist())
    assert evidence_lines(corpus, rows[:0], scorer) == []


def test_lines_of_weighted_words_and_of_labels(corpus: Corpus) -> None:
    table = some_weights(corpus)
    scorer = Scorer(Weights(np.arange(len(table)), table[None, :], np.zeros(1)), rarity=rarity(corpus))
    labels = GroupWeights(["Chess", "no such label"], np.array([0.4, 9.0]))
    model = replace(model_of(corpus, table), groups={"labels": labels})
    rows = np.random.default_rng(1).permutation(corpus.n_documents)
    X = document_vectors(corpus, rows)
    for place, (line, row) in enumerate(zip(evidence_lines(corpus, rows, scorer, model), rows.tolist(), strict=True)):
        own = corpus.take([row])[1]
        names = corpus.token_names(own)
        adds = (X[place].toarray()[0] * table)[own].tolist()
        kept = sorted(zip(names, adds, strict=True), key=lambda pair: -abs(pair[1]))[:5]
        kept += [("[Chess]", 0.4)] * ("Chess" in corpus.labels_of(row))
        expected = strongest(*zip(*kept, strict=True)) if kept else ""
        assert sorted(line.split()) == sorted(expected.split())


# Explanations


def model_of(corpus: Corpus, table: np.ndarray, **details: Any) -> LinearModel:
    """A model with a recipe that knows the rarity of every word."""
    used = np.flatnonzero(table)
    return LinearModel.of(
        Weights(np.arange(len(used)), table[used][None, :], np.array([0.0])),
        corpus.token_names(used),
        labels=["x"],
        multilabel=True,
        features="counts",
        link="logistic",
        tokenizer=corpus.tokenizer,
        members=np.ones(1),
        about={"corpus": {"checksum": corpus.checksum}},
        **{"recipe": Recipe("log", rarity(corpus)[used], cosine=True, unknown=1.0), **details},
    )


def test_an_explanation_adds_up_to_the_score_of_the_formula(corpus: Corpus) -> None:
    table = some_weights(corpus)
    labels = GroupWeights(["Chess", "Geology"], np.array([0.4, -0.7]))
    model = replace(model_of(corpus, table), groups={"labels": labels}, calibration=Calibration(2.0, -1.0))
    scores = document_vectors(corpus, np.arange(corpus.n_documents)) @ table
    scores += further_scores(model, corpus, np.arange(corpus.n_documents))
    for row in range(0, corpus.n_documents, 17):
        explained = explain(model, corpus, row)
        assert explained.score == pytest.approx(scores[row], abs=1e-9)
        assert explained.probability == pytest.approx(1 / (1 + np.exp(1 - 2 * scores[row])))
        words = [word for word in explained.words if word.group == "words"]
        names = corpus.token_names(corpus.take([row])[1])
        assert {word.name for word in words} | {*explained.unknown} == {*names}
        assert len(words) + len(explained.unknown) == len(names)
        sizes = [abs(word.adds) for word in explained.words]
        assert sizes == sorted(sizes, reverse=True)
        text = f"{corpus.titles([row])[0]} {corpus.text(row)}".lower().split()
        assert all(word.times == text.count(word.name) for word in words)
        found = {word.name: word.weight for word in explained.words if word.group == "labels"}
        assert found == {name: labels.by_name[name] for name in corpus.labels_of(row) if name in labels.by_name}


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c"]), max_size=3, unique=True), min_size=1, max_size=8))
def test_labels_add_what_the_model_says(labels: list[list[str]]) -> None:
    corpus = Corpus.from_texts(["word"] * len(labels), labels=labels)
    own = GroupWeights(["a", "elsewhere", "c"], np.array([0.5, 3.0, -1.0]))
    model = replace(model_of(corpus, np.array([1.0])), groups={"labels": own})
    rows = np.arange(len(labels))[::-1]
    expected = [sum({"a": 0.5, "c": -1.0}.get(label, 0.0) for label in labels[row]) for row in rows.tolist()]
    np.testing.assert_allclose(further_scores(model, corpus, rows), expected)
    for row, each in enumerate(labels):
        found = [("labels", name, own.by_name[name]) for name in ("c", "a") if name in each]
        assert carried(model, corpus, row) == found


def test_documents_and_prior_add_up_to_the_weight() -> None:
    counts = PresenceCounts(np.array([3.0, 0.0, 1.0]), np.array([0.0, 4.0, 10.0]), 4.0, 20.0)
    prior = PseudoCounts(negative=7.0, positive=0.5)
    source = LearnedFrom("", 24, None)
    model = presence_model(source, "x", ["a", "b", "c"], counts, prior, 0.0, Calibration(1.0, 0.0))
    corpus = Corpus.from_texts(["a b c"])
    explained = explain(model, corpus, 0)
    word = {each.name: each for each in explained.words}
    expected = {
        "a": np.log((0.5 + 3) / 4.5) - np.log(7 / 27),
        "c": np.log((0.5 + 1) / 4.5) - np.log(17 / 27),
    }
    counted = {"a": np.log(3.5 / 5) - np.log(0.5 / 21), "c": np.log(1.5 / 5) - np.log(10.5 / 21)}
    assert {name: each.weight for name, each in word.items()} == pytest.approx(expected)
    assert {name: each.from_documents for name, each in word.items()} == pytest.approx(counted)
    assert {name: each.from_prior + each.from_documents for name, each in word.items()} == pytest.approx(expected)
    assert (word["a"].in_members, word["a"].in_others, word["c"].in_others) == (3, 0, 10)
    assert (explained.n_members, explained.n_others, explained.unknown) == (4.0, 20.0, ["b"])
    # Before any word is read: the sizes of the classes, and what the prior adds to them.
    assert model.origins is not None
    assert explained.start == pytest.approx(np.log(4.5 / 27))
    assert explained.start - model.origins.bias_from_prior == pytest.approx(np.log(4 / 20))


# A model over another corpus


def test_words_that_another_corpus_lacks_or_has_besides() -> None:
    learned = Corpus.from_texts(["tea milk", "tea cup", "milk cow"])
    table = np.array([{"tea": 2.0, "milk": -1.0}.get(name, 0.0) for name in learned.token_names(np.arange(4))])
    model = model_of(learned, table)
    other = Corpus.from_texts(["zebra milk zebra", "tea"])
    scorer = Scorer.of(model, other)
    assert scorer.rarity is not None
    of_word = dict(zip(other.token_names(np.arange(3)), scorer.rarity.tolist(), strict=True))
    known = dict(zip(learned.token_names(np.arange(4)), rarity(learned).tolist(), strict=True))
    # A word that the model does not know makes a document longer.
    assert of_word == pytest.approx({"tea": known["tea"], "milk": known["milk"], "zebra": 1.0})
    zebra, milk = 1 + np.log(2), known["milk"]
    explained = explain(model, other, 0)
    assert explained.score == pytest.approx(-milk / np.hypot(zebra, milk))
    assert explained.unknown == ["zebra"]
    assert explain(model, other, 1).score == pytest.approx(2.0)


def test_a_model_that_does_not_say_how_rare_words_are_fits_its_own_corpus_only() -> None:
    learned = Corpus.from_texts(["tea milk", "tea cup", "milk cow"])
    model = model_of(learned, np.ones(4), recipe=Recipe("log", None, cosine=True, unknown=0.0))
    np.testing.assert_array_equal(Scorer.of(model, learned).rarity, rarity(learned))
    with pytest.raises(InputError, match="fits only the corpus that it was learned from"):
        Scorer.of(model, Corpus.from_texts(["tea"]))


def test_many_names_at_once(corpus: Corpus) -> None:
    random = np.random.default_rng(1)
    names = [f"name {number}" for number in range(500)]
    strings = Strings([pa.array(names[:100]), pa.array(names[100:300]), pa.array(names[300:])])
    for size in (0, FEW, FEW + 1, 400):
        rows = random.integers(0, 500, size)
        assert strings.take(rows) == [names[row] for row in rows.tolist()]
    tokens = corpus.token_names(np.arange(corpus.n_vocabulary))
    asked = random.permutation(corpus.n_vocabulary)[:300]
    assert corpus.token_ids([*(tokens[i] for i in asked), "no such token"]).tolist() == [*asked.tolist(), -1]
