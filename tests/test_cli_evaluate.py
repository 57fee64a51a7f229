"""Evaluate a model from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from conftest import Cli, Refused
from labelled_texts import SUBJECTS, records, texts_of
from priorwise.corpus import Corpus


def test_evaluate_prints_and_writes_the_same(cli: Cli, single_model: Path, tmp_path: Path) -> None:
    texts, labels = texts_of(50, seed=4)
    corpus = Corpus.from_texts([*texts, "x y"], labels=[*labels, "unheard of"], path=tmp_path / "test.corpus")
    result = cli("evaluate", single_model, corpus.path, "--labels", 3, "-o", tmp_path / "e.json")
    assert result.exit_code == 0, result.output
    content = json.loads((tmp_path / "e.json").read_text("utf-8"))
    assert "1 label of the corpus unknown to the model ('unheard of'), in 1 document\n" in result.stdout
    assert "1 document without a label that the model knows, left out" in result.stdout
    assert f"accuracy {content['accuracy']:.4f}\n" in result.stdout
    assert f"accuracy {content['accuracy'] * 50 / 51:.4f} if those left out count as wrong" in result.stdout
    assert f"{content['macro']['f1']:.4f}" in result.stdout
    assert {each["label"] for each in content["labels"]} == set(SUBJECTS)
    predicted = [record["label"] for record in records(cli("classify", single_model, corpus.path).stdout)]
    right = [given == true for given, true in zip(predicted, labels, strict=False)]
    assert content["accuracy"] == pytest.approx(np.mean(right))


def test_evaluate_of_labels(cli: Cli, several: Corpus, several_model: Path) -> None:
    out = cli("evaluate", several_model, several.path).stdout
    assert out.startswith("85 documents, 3 labels known to the model\n")
    assert "decisions that are right" in out
    assert "documents with all labels right" in out


def test_evaluate_refuses(refused: Refused, single_model: Path, tmp_path: Path) -> None:
    corpus = Corpus.from_texts(["a"], labels=["new"], path=tmp_path / "c.corpus")
    assert "has a label that the model knows" in refused("evaluate", single_model, corpus.path)
    (tmp_path / "e.json").write_text("mine")
    assert "is there already" in refused("evaluate", single_model, corpus.path, "-o", tmp_path / "e.json")


def test_a_matrix_counted_elsewhere_can_be_trained_on_and_evaluated(cli: Cli, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (20, 6))
    X[:10, 0] += 5
    path = tmp_path / "c.corpus"
    Corpus.from_matrix(X, [f"w{i}" for i in range(6)], labels=["x"] * 10 + ["y"] * 10, path=path)
    assert cli("train", path, "-o", tmp_path / "m").exit_code == 0
    assert "accuracy" in cli("evaluate", tmp_path / "m", path).stdout
