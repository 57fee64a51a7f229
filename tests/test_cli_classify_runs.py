"""A run is a model: its ranking applied to new documents, and judged where the labels are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Cli
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument, make_documents
from priorwise.discovery.run import load_model
from priorwise.ranking.classifier import Classifier


def said_of(cli: Cli, *arguments: object) -> list[dict[str, Any]]:
    result = cli("classify", *arguments)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def probabilities(records: list[dict[str, Any]]) -> dict[str, float]:
    return {record["id"]: record["top"][0]["probability"] for record in records}


def write_texts(path: Path, documents: list[DemoDocument]) -> Path:
    lines = [json.dumps({"id": each.id, "title": each.title, "text": each.text}) for each in documents]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(params=["default", "presence"])
def folder(request: pytest.FixtureRequest) -> Path:
    """The run of each model."""
    return Path(request.getfixturevalue("auto_path" if request.param == "default" else "run_path"))


def test_the_documents_of_the_corpus_have_the_probabilities_of_the_run(cli: Cli, folder: Path, corpus: Corpus) -> None:
    run = Run.load(folder)
    records = said_of(cli, folder, corpus.path, "--top", 1)
    found = probabilities(records)
    assert len(records) == corpus.n_documents
    expected = dict(zip(run.ranking.ids, run.ranking.table["probability"].to_pylist(), strict=True))
    assert {id: found[id] for id in expected} == pytest.approx(expected, rel=1e-9)
    assert {record["id"] for record in records if record["labels"]} & expected.keys() == {
        id for id, probability in expected.items() if probability > 0.5
    }
    assert {entry["label"] for record in records for entry in record["top"]} == {"Chess"}


def test_their_texts_have_the_same_probabilities_but_for_other_labels(
    cli: Cli, folder: Path, corpus: Corpus, documents: list[DemoDocument], tmp_path: Path
) -> None:
    by_text = probabilities(said_of(cli, folder, write_texts(tmp_path / "new.jsonl", documents), "--top", 1))
    by_corpus = probabilities(said_of(cli, folder, corpus.path, "--top", 1))
    groups = load_model(folder).groups
    carries_evidence = {
        document.id
        for document in documents
        if any(label in own.by_name for own in groups.values() for label in document.labels)
    }
    assert by_text.keys() - carries_evidence
    for id in by_text.keys() - carries_evidence:
        assert by_text[id] == pytest.approx(by_corpus[id], rel=1e-9)


def test_another_corpus(cli: Cli, folder: Path, tmp_path: Path) -> None:
    new = make_documents(900)[400:]
    columns: dict[str, Any] = {"ids": [each.id for each in new], "labels": [each.truth for each in new]}
    other = Corpus.from_texts([each.text for each in new], path=tmp_path / "other.corpus", **columns)
    found = probabilities(said_of(cli, folder, other.path, "--top", 1))
    best = sorted(found, key=lambda id: -found[id])[:20]
    truth = {each.id: "Chess" in each.truth for each in new}
    assert sum(truth[id] for id in best) > 4 * 20 * np.mean([*truth.values()])
    figures = tmp_path / "figures.json"
    result = cli("evaluate", folder, other.path, "-o", figures)
    assert result.exit_code == 0, result.output
    assert "500 documents, 1 label known to the model" in result.stdout
    (label,) = json.loads(figures.read_text("utf-8"))["labels"]
    assert label["label"] == "Chess"
    assert label["true"] == sum(truth.values())
    assert label["decided"] == sum(probability > 0.5 for probability in found.values())


def test_a_list_of_members_is_a_label_of_its_own(cli: Cli, corpus: Corpus, tmp_path: Path) -> None:
    discover(corpus, members=corpus.ids(corpus.members("Chess"))).save(tmp_path / "list.run")
    records = said_of(cli, tmp_path / "list.run", corpus.path, "--top", 1)
    assert {entry["label"] for record in records for entry in record["top"]} == {"members"}


def test_evidence_adds_up_to_the_log_odds(folder: Path, corpus: Corpus) -> None:
    classifier = Classifier(load_model(folder))
    for rows, bags in classifier.read_corpus(corpus, np.arange(0, 400, 7)):
        scores = classifier.judge(bags).scores[:, 0]
        for place in range(len(rows)):
            adds = sum(number for _, number in classifier.evidence(bags, place, 0, None))
            assert classifier.start(bags, place, 0) + adds == pytest.approx(scores[place], abs=1e-9)


def test_a_run_is_as_good_as_the_model_in_it(folder: Path, corpus: Corpus) -> None:
    run = Run.load(folder)
    for path in (folder, folder / f"{run.ranker.name}.model"):
        assert load_model(path).tokens.equals(run.model.tokens)
