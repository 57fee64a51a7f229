"""Other categories as evidence: which count, what they add, and where it is shown."""

from __future__ import annotations

from collections import Counter
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Cli
from priorwise.corpus import Corpus
from priorwise.corpus.build.ingestion import corpus_of
from priorwise.discovery import Run, discover
from priorwise.discovery.category import Category
from priorwise.discovery.hidden import DefaultModel
from priorwise.discovery.member_stage import CategoryFeatures
from priorwise.features.other_labels import other_labels
from priorwise.readers.document import CategoryPage, Document, Stream
from priorwise.report import write_report
from slow_discovery import member_facts

HOSTILE = "<b>harbours & co: +1.00"


def harbour_towns() -> Corpus:
    """Forty towns with words drawn alike; the twenty harbours share a label, and six of them are called ports."""
    rng = np.random.default_rng(5)
    words = [f"w{number}" for number in range(60)]
    texts = [" ".join(rng.choice(words, 12)) + (" quay" if row < 20 and row % 4 == 0 else "") for row in range(120)]
    labels = [[HOSTILE] * (row < 20) + ["Ports"] * (row < 8) + ["Towns"] * (row % 2) for row in range(120)]
    return Corpus.from_texts(texts, labels=labels)


@pytest.fixture(scope="module")
def towns() -> Corpus:
    return harbour_towns()


@pytest.fixture(scope="module")
def run(towns: Corpus) -> Run:
    return discover(towns, "Ports", description="")


@given(st.lists(st.sets(st.sampled_from("abcde")), min_size=2, max_size=12), st.integers(1, 6))
def test_labels_are_evidence_if_members_carry_them_more_than_twice_as_often(labels: list[set[str]], known: int) -> None:
    corpus = Corpus.from_texts(["word"] * len(labels), labels=[sorted(each) for each in labels])
    members = np.arange(min(known, len(labels)))
    found = other_labels(corpus, members, "a")
    sizes = Counter(label for each in labels for label in each)
    among = Counter(label for row in members for label in labels[row])
    n = len(labels)
    expected = {
        label: (log((n + 1) / (sizes[label] + 1)) + 1) / (log((n + 1) / 2) + 1)
        for label in sorted(among)
        if label != "a" and sizes[label] >= 2 and among[label] / len(members) > 2 * sizes[label] / n
    }
    assert corpus.label_names(found.numbers) == list(expected)
    columns = found.columns(corpus, np.arange(n)).toarray()
    assert columns.shape == (n, len(expected))
    for row, carried in enumerate(labels):
        for place, (label, amount) in enumerate(expected.items()):
            assert columns[row, place] == pytest.approx(amount if label in carried else 0.0)


def test_neither_the_category_nor_a_subcategory_is_evidence_for_it() -> None:
    pages = [
        CategoryPage("Chess openings", ["Chess"]),
        CategoryPage("Chess", ["Games"]),
        CategoryPage("Play", ["Games"]),
    ]
    carried = [["Chess", "Chess openings", "Play"]] * 3 + [["Play"], ["Chess openings"], ["Law"], [], [], [], []]
    documents = [Document(str(row), str(row), "a", labels) for row, labels in enumerate(carried)]
    corpus = corpus_of(Corpus, Stream([*pages, *documents]), None)
    found = other_labels(corpus, np.arange(2), "Chess")
    assert corpus.label_names(found.numbers) == ["Play"]
    assert len(other_labels(corpus, np.arange(2), None)) == 0


def test_a_text_about_the_category_carries_no_label(towns: Corpus) -> None:
    read = CategoryFeatures.of(
        Category.of(towns, "Ports", None, (), None), np.arange(towns.n_documents), text="quay", use_labels=True
    )
    assert read.X.shape == (towns.n_documents, towns.n_vocabulary + 1)
    assert towns.token_names(read.about.indices) == ["quay"]
    by_words = CategoryFeatures.of(
        Category.of(towns, "Ports", None, (), None), np.arange(20), text=None, use_labels=False
    )
    assert by_words.X.shape == (20, towns.n_vocabulary)
    assert by_words.about is None


def test_documents_with_the_label_of_members_come_first(run: Run, towns: Corpus) -> None:
    def harbours_among_the_first(found: Run) -> int:
        return sum(int(id) < 20 for id in found.ranking.ids[:12])

    assert harbours_among_the_first(run) >= 9
    assert member_facts(run).labels == 1
    by_words = discover(towns, "Ports", description="", text_only=True)
    assert by_words.about.text_only
    assert harbours_among_the_first(by_words) <= 5
    by_ids = discover(towns, members=[str(row) for row in range(8)])
    assert by_ids.ranking.ids == by_words.ranking.ids
    assert not by_ids.model.groups


def test_hidden_members_are_not_found_by_the_label_that_was_hidden(towns: Corpus) -> None:
    known = np.arange(4)
    found = DefaultModel().found(towns, known, "Ports")
    assert found.model.groups["labels"].names == [HOSTILE]
    assert not DefaultModel(labels=False).found(towns, known, "Ports").model.groups
    assert [DefaultModel(named=n, labels=s).name for n, s in ((1, 1), (0, 1), (1, 0), (0, 0))] == [
        "default",
        "default, without the name",
        "default, without other labels",
        "default, without the name and other labels",
    ]


def test_one_label_each_says_nothing() -> None:
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice([f"w{number}" for number in range(40)], 9)) for _ in range(60)]
    corpus = Corpus.from_texts(texts, labels=[["x", "y", "z"][row % 3] for row in range(60)])
    known = corpus.members("x")[:8]
    np.testing.assert_array_equal(
        DefaultModel().scores(corpus, known, "x"), DefaultModel(labels=False).scores(corpus, known, "x")
    )


def test_scores_and_explanations_add_up(run: Run, towns: Corpus) -> None:
    for id, score in zip(run.ranking.ids, run.ranking.table["score"].to_pylist(), strict=True):
        explanation = run.explain(towns, id)
        assert explanation.score == pytest.approx(score, abs=1e-9)
        labels = [word.name for word in explanation.words if word.group == "labels"]
        assert labels == [HOSTILE] * (int(id) < 20)
    assert f"[{HOSTILE}]:+" in run.ranking.table["evidence"][0].as_py()


def test_saved_and_shown(run: Run, towns: Corpus, tmp_path: Path, cli: Cli) -> None:
    towns.save(tmp_path / "towns.corpus")
    made = cli("discover", tmp_path / "towns.corpus", "Ports", "--description", "", "-o", tmp_path / "ports.run")
    assert "used 1 other category as evidence" in made.stdout
    loaded = Run.load(tmp_path / "ports.run")
    assert loaded.model.groups["labels"].by_name == run.model.groups["labels"].by_name
    assert f"[{HOSTILE}]" in cli("explain", tmp_path / "ports.run", "9").stdout
    write_report([tmp_path / "ports.run"], tmp_path / "ports.html")
    page = (tmp_path / "ports.html").read_text(encoding="utf-8")
    assert "[&lt;b&gt;harbours &amp; co: +1.00] <b>+" in page
    assert "<b>harbours" not in page
    words = cli("discover", tmp_path / "towns.corpus", "Ports", "--text-only", "-o", tmp_path / "words.run")
    assert "as evidence" not in words.stdout
    write_report([tmp_path / "words.run"], tmp_path / "words.html")
    assert "--text-only" in (tmp_path / "words.html").read_text(encoding="utf-8")
