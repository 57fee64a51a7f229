"""What goes with a model to people and to other programs: its card, and plain arrays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Cli, words_of
from priorwise.corpus import Corpus
from priorwise.discovery import discover
from priorwise.discovery.demo import DemoDocument
from priorwise.errors import AlreadyExists
from priorwise.models.linear_model import LinearModel
from priorwise.ranking.classifier import Classifier
from test_models_linear_model import small_model

TEXTS = ["tea milk tea", "cup", "hay barn hay hay cow", "never-seen tea", ""]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    texts = ["tea milk", "tea cup", "milk cup tea", "cow hay", "hay barn", "barn cow", "owl", "owl barn owl"]
    labels = ["tea", "tea", "tea", "farm", "farm", "farm", "owl", "owl"]
    return Corpus.from_texts(texts, labels=labels, path=tmp_path_factory.mktemp("made") / "a.corpus")


def scores_by_hand(arrays: dict[str, np.ndarray], counts: dict[str, int]) -> list[float]:
    """As somebody would who has nothing but the file."""
    place = {token: t for t, token in enumerate(arrays["tokens"].tolist())}
    scores = arrays["bias"].astype(float).tolist()
    for token, count in counts.items():
        if token not in place:
            continue
        t = place[token]
        value = 1 if arrays["features"] == "presence" else count
        for k in range(len(scores)):
            scores[k] += value * arrays["background"][k, arrays["group"][t]]
        for entry in range(arrays["indptr"][t], arrays["indptr"][t + 1]):
            scores[arrays["indices"][entry]] += value * arrays["data"][entry]
    return scores


@pytest.mark.parametrize("model", ["multinomial", "bernoulli"])
def test_the_arrays_give_the_scores(model: str, trained: Corpus, cli: Cli, tmp_path: Path) -> None:
    assert cli("train", trained.path, "--model", model, "-o", tmp_path / "x.model").exit_code == 0
    saved = LinearModel.load(tmp_path / "x.model")
    saved.export(tmp_path / "x.npz")
    with np.load(tmp_path / "x.npz", allow_pickle=False) as file:
        arrays = dict(file)
    classifier = Classifier(saved)
    found = classifier.judge(classifier.read(TEXTS)).log_probability
    for text, log_probability in zip(TEXTS, found, strict=True):
        words = text.replace("-", " ").split()
        scores = np.array(scores_by_hand(arrays, {word: words.count(word) for word in words}))
        if arrays["link"] == "softmax":
            assert log_probability == pytest.approx(scores - np.log(np.exp(scores).sum()), abs=1e-9)
    assert arrays["labels"].tolist() == ["farm", "owl", "tea"]


@pytest.mark.parametrize("model", ["default", "presence"])
def test_the_arrays_of_a_run_give_its_scores(model: str, corpus: Corpus, documents: list[DemoDocument]) -> None:
    run = discover(corpus, "Geology", model=model, top=400)
    arrays = run.model.to_arrays()
    assert all(array.dtype != object for array in arrays.values())
    adds = dict(zip(arrays.get("carried", np.empty(0)).tolist(), arrays.get("carried_adds", []), strict=True))
    factor = dict(zip(arrays["tokens"].tolist(), arrays.get("factors", np.empty(0)).tolist(), strict=False))
    for row, document in zip(run.ranking.rows(), (documents[corpus.row(id)] for id in run.ranking.ids), strict=True):
        words = words_of(document)
        amounts: dict[str, Any] = {word: words.count(word) for word in words}
        if "frequency" in arrays:
            amounts = {
                word: (1 + np.log(count)) * factor.get(word, float(arrays["unknown"]))
                for word, count in amounts.items()
            }
            length = np.sqrt(sum(amount**2 for amount in amounts.values()))
            amounts = {word: amount / length for word, amount in amounts.items()}
        (score,) = scores_by_hand(arrays, amounts)
        score += sum(adds.get(label, 0.0) for label in document.labels)
        score /= len(set(words)) ** float(arrays.get("length_power", 0.0))
        # A word of one document has no weight, and the model knows of it only that it is rare.
        assert score == pytest.approx(row["score"], rel=1e-9, abs=1e-9)
        log_odds = float(arrays["slope"]) * score + float(arrays["intercept"])
        assert 1 / (1 + np.exp(-log_odds)) == pytest.approx(row["probability"], rel=1e-6)


def test_an_export_is_whole_and_replaced_only_on_request(tmp_path: Path) -> None:
    model = small_model()
    model.export(tmp_path / "x.npz")
    with pytest.raises(AlreadyExists):
        model.export(tmp_path / "x.npz")
    model.export(tmp_path / "x.npz", overwrite=True)
    with pytest.raises(AlreadyExists):
        model.export(tmp_path, overwrite=True)
    assert [each.name for each in tmp_path.iterdir()] == ["x.npz"]


def test_a_recipe_is_exported_too(trained: Corpus, cli: Cli, tmp_path: Path) -> None:
    assert cli("train", trained.path, "--model", "logistic", "-o", tmp_path / "x.model").exit_code == 0
    arrays = LinearModel.load(tmp_path / "x.model").to_arrays()
    assert {str(arrays["frequency"]), bool(arrays["cosine"])} == {"log", True}
    assert arrays["factors"].shape == arrays["tokens"].shape
    assert all(array.dtype != object for array in arrays.values())


def test_the_card_says_what_was_learned(trained: Corpus, cli: Cli, tmp_path: Path) -> None:
    for name, options in {"learned": [], "chosen": ["--prior", "laplace"]}.items():
        assert cli("train", trained.path, *options, "-o", tmp_path / name).exit_code == 0
    learned, chosen = ((tmp_path / name / "card.md").read_text("utf-8") for name in ("learned", "chosen"))
    assert "8 documents" in learned
    assert "| tea | 3 |" in learned
    assert "Learned by leave-one-out" in learned
    assert "so expect a little less on new texts" in learned
    assert "`Dirichlet(1)`. Chosen by whoever trained it" in chosen
    assert "Nothing was measured in training" in chosen
    assert "3 of 3 labels have fewer than 10 documents" in chosen
    assert LinearModel.load(tmp_path / "chosen").card() == chosen


def test_labels_cannot_speak_in_the_card() -> None:
    model = replace(small_model(), about={"prior": "`x`\n# Ha", "model": "<b>"})
    model = replace(model, labels=["<script>alert(1)</script>|x\n# Title", *list(model.labels)[1:]])
    card = model.card()
    assert "<script>" not in card
    assert "<b>" not in card
    assert "\n# Title" not in card
    assert "\n# Ha" not in card
    assert "<script>" not in model._repr_html_()


def test_a_model_in_a_line() -> None:
    assert repr(small_model()).startswith("<LinearModel ")
