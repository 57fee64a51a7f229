"""Train, classify and evaluate from the command line, as somebody with labelled texts would."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from conftest import Cli, Shell
from priorwise.cli import main
from priorwise.cli.model_names import KINDS, parse_prior
from priorwise.corpus import Corpus
from priorwise.corpus.manifest import this_tokenizer
from priorwise.models.bernoulli import BernoulliNB
from priorwise.models.corpus_training import examples_of
from priorwise.models.multinomial import MultinomialNB
from priorwise.models.saved import SavedModel
from priorwise.priors import Beta, Dirichlet, JelinekMercer, TermBeta, WeightManipulation, WittenBell
from priorwise.ranking.classifier import Classifier

Refused = Callable[..., str]

SUBJECTS = {
    "sport": ["goal", "match", "team", "win", "ball"],
    "law": ["court", "vote", "judge", "law", "appeal"],
    "food": ["bread", "salt", "oven", "taste", "soup"],
}


def texts_of(n: int, seed: int = 0, subjects: dict[str, list[str]] | None = None) -> tuple[list[str], list[str]]:
    """Texts of eight words, six of their subject and two of any."""
    rng = np.random.default_rng(seed)
    known = subjects or SUBJECTS
    labels = [list(known)[i] for i in rng.integers(0, len(known), n)]
    everything = [word for words in known.values() for word in words]
    return [" ".join([*rng.choice(known[label], 6), *rng.choice(everything, 2)]) for label in labels], labels


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    texts, labels = texts_of(60)
    return Corpus.from_texts(texts, labels=labels, path=tmp_path_factory.mktemp("classes") / "single.corpus")


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Texts with one label, with two, and with none."""
    first, second = texts_of(80, seed=1), texts_of(80, seed=2)
    texts = [f"{a} {b}" for a, b in zip(first[0], second[0], strict=True)]
    labels: list[Any] = [sorted({a, b}) for a, b in zip(first[1], second[1], strict=True)]
    return Corpus.from_texts(
        [*texts, *["weather report"] * 5],
        labels=[*labels, *[None] * 5],
        path=tmp_path_factory.mktemp("classes") / "several.corpus",
    )


@pytest.fixture(scope="module")
def model(single: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "x.model"
    result = CliRunner().invoke(main, ["train", str(single.path), "-o", str(path)])
    assert result.exit_code == 0, result.output
    return path


@pytest.fixture(scope="module")
def labels_model(several: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "labels.model"
    result = CliRunner().invoke(main, ["train", str(several.path), "-o", str(path)])
    assert result.exit_code == 0, result.output
    return path


def records(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


# Names of priors


@pytest.mark.parametrize(
    ("kind", "name", "prior"),
    [
        ("multinomial", "dirichlet:0.01", Dirichlet(0.01)),
        ("multinomial", "laplace", Dirichlet(1)),
        ("multinomial", "jeffreys", Dirichlet(0.5)),
        ("multinomial", "perks", Dirichlet(1 / 500)),
        ("multinomial", "witten-bell", WittenBell(1)),
        ("bernoulli", "beta:0.1,0.3", Beta(0.1, 0.3)),
        ("bernoulli", "eyheramendy", Beta(0.1, 0.3)),
        ("bernoulli", "perks", Beta(1 / 500, 1 / 500)),
        ("bernoulli", "jelinek-mercer:0.2", JelinekMercer(0.2)),
        ("bernoulli", "term-beta:10", TermBeta(10)),
        ("weighted", "weight-manipulation:-1e5", WeightManipulation(-1e5)),
    ],
)
def test_prior_by_name(kind: str, name: str, prior: object) -> None:
    assert parse_prior(kind, name).make(500) == prior


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in KINDS[kind].priors])
@pytest.mark.parametrize("which", ["single", "several"])
def test_every_prior_trains_and_finds_its_own_texts(
    cli: Cli, request: pytest.FixtureRequest, tmp_path: Path, kind: str, name: str, which: str
) -> None:
    corpus = request.getfixturevalue(which)
    # The default γ is for vocabularies of hundreds of thousands of words.
    prior = "weight-manipulation:-20" if kind == "weighted" else name
    trained = cli("train", corpus.path, "--model", kind, "--prior", prior, "-o", tmp_path / "m")
    assert trained.exit_code == 0, trained.output
    assert "centre" in trained.stdout
    assert cli("evaluate", tmp_path / "m", corpus.path, "-o", tmp_path / "e.json").exit_code == 0
    assert json.loads((tmp_path / "e.json").read_text("utf-8"))["accuracy"] > 0.85


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--prior", "wittenbell"], "no prior 'wittenbell' of multinomial; there are dirichlet, absolute-discount, "),
        (["--prior", "beta"], "no prior 'beta' of multinomial"),
        (["--prior", "laplace", "--model", "weighted"], "no prior 'laplace' of weighted"),
        (["--prior", "eyheramendy"], "no prior 'eyheramendy' of multinomial"),
        (["--prior", "dirichlet:a"], "it is written dirichlet:NUMBER, or without numbers"),
        (["--prior", "dirichlet:"], "it is written dirichlet:NUMBER"),
        (["--prior", "beta:1", "--model", "bernoulli"], "it is written beta:NUMBER,NUMBER"),
        (["--prior", "dirichlet:-1"], "α must be a number of at least 0"),
        (["--prior", "dirichlet:nan"], "α must be a number of at least 0"),
        (["--prior", "learn:beta"], "no prior 'beta' of multinomial to learn"),
        (["--target", "accuracy"], "ask for that with --prior learn"),
        (["--folds", "3"], "ask for that with --prior learn"),
        (["--prior", "learn", "--target", "best"], "no target 'best'; there are accuracy, macro-f1"),
        (["--min-members", "1000"], "there is no label to learn: no label has enough documents"),
    ],
)
def test_train_refuses(refused: Refused, single: Corpus, tmp_path: Path, arguments: list[str], said: str) -> None:
    assert said in refused("train", single.path, *arguments, "-o", tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


# Training


def test_train_says_what_it_learned(cli: Cli, single: Corpus, tmp_path: Path) -> None:
    lines = cli("train", single.path, "--prior", "dirichlet:0.2", "-o", tmp_path / "m").stdout.splitlines()
    assert lines == [
        f"{single.path}: 60 documents, 3 classes, one for each document; 15 distinct words",
        "Multinomial, Dirichlet(0.2): centre: each of the 15 words alike; "
        "strength: 3 imagined words, beside 160 counted in a class on average.",
        f"Written to {tmp_path / 'm'}.",
    ]


def test_learned_prior_is_that_of_the_search(cli: Cli, single: Corpus, tmp_path: Path) -> None:
    from priorwise.models.prior_search import PriorSearch
    from priorwise.search import LogLikelihood

    options = ("--prior", "learn:witten-bell", "--target", "log-likelihood")
    result = cli("train", single.path, *options, "-o", tmp_path / "m")
    assert "Learned by leave-one-out: log-likelihood" in result.stdout
    examples = examples_of(single)
    search = PriorSearch(MultinomialNB(WittenBell()), target=LogLikelihood())
    search.fit(single.matrix(), examples.membership.indices)
    about = SavedModel.load(tmp_path / "m").about
    assert about["prior"] == repr(search.best_prior_)
    assert about["learned"]["score"] == pytest.approx(search.best_score_)


def test_folds_follow_the_seed(cli: Cli, several: Corpus, single: Corpus, tmp_path: Path) -> None:
    for corpus in (single, several):
        scores = []
        for seed in (1, 1, 2):
            options = ("--prior", "learn", "--folds", "3", "--seed", seed, "--target", "log-likelihood", "--overwrite")
            assert cli("train", corpus.path, *options, "-o", tmp_path / "m").exit_code == 0
            scores.append(SavedModel.load(tmp_path / "m").about["learned"]["score"])
        assert scores[0] == scores[1] != scores[2]


def test_folds_of_small_classes(cli: Cli, refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "c.corpus"
    Corpus.from_texts(["a b", "b c", "c d", "d a"], labels=["x", "x", "x", "y"], path=path)
    assert cli("train", path, "--prior", "learn", "--folds", 3, "-o", tmp_path / "m").exit_code == 0
    said = refused("train", path, "--prior", "learn", "--folds", 5, "-o", tmp_path / "n")
    assert said == "4 documents do not make 5 folds; ask for fewer"


def test_each_label_learns_its_own_prior(cli: Cli, several: Corpus, tmp_path: Path) -> None:
    result = cli("train", several.path, "--prior", "learn", "--model", "bernoulli", "-o", tmp_path / "m")
    assert result.exit_code == 0, result.output
    assert "3 labels, each decided on its own" in result.stdout
    assert "each label has its own: " in result.stdout
    assert len(SavedModel.load(tmp_path / "m").about["prior"]) == 3


def test_small_labels_and_documents_of_several_are_left_out(cli: Cli, tmp_path: Path) -> None:
    texts = ["a b", "a c", "d e", "d f", "g", "a d", "q"]
    labels: list[Any] = ["x", "x", "y", "y", "rare", ["x", "y"], None]
    path = tmp_path / "c.corpus"
    Corpus.from_texts(texts, labels=labels, path=path)
    out = cli("train", path, "--min-members", 2, "--decide", "one", "-o", tmp_path / "m").stdout
    for line in (
        "Left out: 1 labels with fewer than 2 documents",
        "Left out: 1 documents with several labels",
        "Left out: 1 documents without a label",
        "Left out: 1 documents whose labels are all left out",
    ):
        assert line in out
    loaded = SavedModel.load(tmp_path / "m")
    assert (loaded.labels, loaded.tokens.to_pylist()) == (["x", "y"], list("abcdef"))
    assert loaded.members.tolist() == [2, 2]
    out = cli("train", path, "--min-members", 2, "-o", tmp_path / "each").stdout
    assert "7 documents, 2 labels" in out
    assert "2 documents without any of them, taken as examples of none (see --labelled)" in out
    out = cli("train", path, "--min-members", 2, "--labelled", "-o", tmp_path / "labelled").stdout
    assert "5 documents, 2 labels" in out
    assert "examples of none" not in out


def test_one_label_is_told_from_the_rest(cli: Cli, refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "c.corpus"
    Corpus.from_texts(["good fine", "fine day", "bad", "bad day"], labels=["x", "x", None, None], path=path)
    assert "'x' is the only class: it takes two to tell apart" in refused("train", path, "-o", tmp_path / "m")
    assert cli("train", path, "--decide", "each", "-o", tmp_path / "m").exit_code == 0
    loaded = SavedModel.load(tmp_path / "m")
    assert (loaded.labels, loaded.multilabel, loaded.n_outputs) == (["x"], True, 1)
    (tmp_path / "t.txt").write_text("fine\nbad\n")
    found = records(cli("classify", tmp_path / "m", "--lines", tmp_path / "t.txt").stdout)
    assert [[each["label"] for each in record["labels"]] for record in found] == [["x"], []]
    everywhere = tmp_path / "all.corpus"
    Corpus.from_texts(["a", "b"], labels=["x", "x"], path=everywhere)
    said = refused("train", everywhere, "--decide", "each", "-o", tmp_path / "n")
    assert said == "every document has the label 'x': there is nothing to tell it from"


def test_nothing_to_learn_from(refused: Refused, tmp_path: Path) -> None:
    Corpus.from_texts(["a", "b"], path=tmp_path / "bare.corpus")
    assert "there is no label to learn" in refused("train", tmp_path / "bare.corpus", "-o", tmp_path / "m")
    Corpus.from_texts(["!", "?"], labels=["x", "y"], path=tmp_path / "empty.corpus")
    assert "no words to learn from" in refused("train", tmp_path / "empty.corpus", "-o", tmp_path / "m")


def test_a_corpus_is_not_overwritten(refused: Refused, single: Corpus) -> None:
    assert "is no model" in refused("train", single.path, "-o", single.path, "--overwrite")
    single.verify()


# Classifying


def test_lines_from_standard_input(model: Path) -> None:
    result = CliRunner().invoke(main, ["classify", str(model)], input="the team will win\n\nsalt the soup\n")
    found = records(result.stdout)
    assert [(record["id"], record["label"]) for record in found] == [("1", "sport"), ("3", "food")]
    assert [(record["known_words"], record["unknown_words"]) for record in found] == [(2, 2), (2, 1)]
    assert result.stderr == "2 texts; the model does not know 3 of 7 words (42.9%)\n"


def test_probabilities_and_order_are_those_of_the_estimator(
    cli: Cli, single: Corpus, model: Path, tmp_path: Path
) -> None:
    texts, _ = texts_of(20, seed=5)
    (tmp_path / "new.txt").write_text("\n".join(texts))
    fitted = MultinomialNB().fit(single.matrix(), examples_of(single).membership.indices)
    expected = fitted.predict_proba(single.vectorize(texts))
    found = records(cli("classify", model, "--lines", tmp_path / "new.txt", "--top", 3).stdout)
    names = ["food", "law", "sport"]
    for record, row in zip(found, expected, strict=True):
        assert [each["label"] for each in record["top"]] == [names[i] for i in np.argsort(-row)]
        assert [each["probability"] for each in record["top"]] == pytest.approx(sorted(row, reverse=True))
        assert (record["label"], record["probability"]) == (record["top"][0]["label"], record["top"][0]["probability"])


def test_files_of_every_kind_and_a_folder(cli: Cli, model: Path, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"id": "a", "text": "team win"}\n{"id": "b", "text": "court law"}\n')
    (tmp_path / "r.csv").write_text("key,body\n7,bread soup\n")
    (tmp_path / "letter").write_bytes("salt caf\xe9".encode("latin-1"))
    with gzip.open(tmp_path / "news.txt.gz", "wt") as file:
        file.write("goal\nball")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "one.txt").write_text("judge")
    first = records(cli("classify", model, tmp_path / "r.jsonl", tmp_path / "letter", tmp_path / "news.txt.gz").stdout)
    assert [record["label"] for record in first] == ["sport", "law", "food", "sport"]
    assert [record["id"] for record in first] == ["a", "b", str(tmp_path / "letter"), str(tmp_path / "news.txt.gz")]
    second = records(cli("classify", model, tmp_path / "r.csv", "--text", "body", "--id", "key").stdout)
    assert [(record["id"], record["label"]) for record in second] == [("7", "food")]
    (tmp_path / "r.jsonl").write_text('{"id": "a", "text": "team win", "name": "The cup"}\n')
    assert records(cli("classify", model, tmp_path / "r.jsonl", "--title", "name").stdout)[0]["title"] == "The cup"
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text('{"text": "team win"}\n')
    numbered = records(cli("classify", model, tmp_path / "a.jsonl", tmp_path / "b.jsonl").stdout)
    assert [record["id"] for record in numbered] == ["0", "1"]
    third = records(cli("classify", model, tmp_path / "folder").stdout)
    assert [(record["id"], record["label"]) for record in third] == [(str(tmp_path / "folder/one.txt"), "law")]


def test_a_corpus_is_classified_as_its_texts_are(cli: Cli, model: Path, tmp_path: Path) -> None:
    texts, labels = texts_of(30, seed=9)
    corpus = Corpus.from_texts([*texts, "zebra"], labels=[*labels, None], path=tmp_path / "new.corpus")
    (tmp_path / "new.txt").write_text("\n".join([*texts, "zebra"]))
    from_corpus = records(cli("classify", model, corpus.path).stdout)
    from_texts = records(cli("classify", model, "--lines", tmp_path / "new.txt").stdout)
    assert [record.pop("id") for record in from_corpus] == [str(i) for i in range(31)]
    assert all("title" not in record for record in [*from_corpus, *from_texts])
    assert [record.pop("id") for record in from_texts] == [f"{tmp_path / 'new.txt'}:{i + 1}" for i in range(31)]
    assert from_corpus == from_texts


def test_a_text_without_known_words_has_the_class_rates(cli: Cli, model: Path, single: Corpus, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("zebra")
    result = cli("classify", model, tmp_path / "t", "--top", 3)
    found = {each["label"]: each["probability"] for each in records(result.stdout)[0]["top"]}
    assert found == pytest.approx({label: size / 60 for label, size in single.largest_labels(3)})
    assert "1 text without a word that the model knows" in result.stderr


def test_evidence_adds_up(cli: Cli, model: Path, labels_model: Path, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("team team court bread zebra")
    for path in (model, labels_model):
        loaded = SavedModel.load(path)
        classifier = Classifier(loaded)
        bags = classifier.read(["team team court bread zebra"])
        scores = classifier.judge(bags.X).scores[0]
        bias = loaded.weights.bias
        found = records(cli("classify", path, tmp_path / "t", "--top", 3, "--evidence", 9).stdout)[0]["top"]
        parts = {each["label"]: sum(word["weight"] for word in each["evidence"]) for each in found}
        ours = np.array([parts[label] for label in loaded.labels])
        own = scores - bias
        assert ours == pytest.approx(own if loaded.multilabel else own - own.mean())
        for each in found:
            weights = [abs(word["weight"]) for word in each["evidence"]]
            assert weights == sorted(weights, reverse=True)
            assert {word["token"] for word in each["evidence"]} == {"team", "court", "bread"}


def test_evidence_of_two_classes_is_for_one_and_against_the_other(cli: Cli, tmp_path: Path) -> None:
    texts, labels = texts_of(40, subjects={name: SUBJECTS[name] for name in ("law", "sport")})
    Corpus.from_texts(texts, labels=labels, path=tmp_path / "c.corpus")
    assert cli("train", tmp_path / "c.corpus", "-o", tmp_path / "m").exit_code == 0
    (tmp_path / "t").write_text("team")
    found = records(cli("classify", tmp_path / "m", tmp_path / "t", "--top", 2, "--evidence", 1).stdout)[0]["top"]
    assert [each["label"] for each in found] == ["sport", "law"]
    weights = [each["evidence"][0]["weight"] for each in found]
    assert weights[0] == -weights[1] > 0
    assert sum(each["probability"] for each in found) == pytest.approx(1)


def test_labels_are_decided_by_a_probability_above_a_half(cli: Cli, labels_model: Path, tmp_path: Path) -> None:
    texts, _ = texts_of(30, seed=3)
    (tmp_path / "t").write_text("\n".join([*texts, "weather report"]))
    found = records(cli("classify", labels_model, "--lines", tmp_path / "t", "--top", 3).stdout)
    for record in found:
        assert record["labels"] == [each for each in record["top"] if each["probability"] > 0.5]
    assert found[-1]["labels"] == []
    assert any(len(record["labels"]) == 1 for record in found)


def test_csv_has_a_row_for_each_label_shown(cli: Cli, model: Path, labels_model: Path, tmp_path: Path) -> None:
    (tmp_path / "t").write_text('team, "win"\nweather report\n')

    def table(*options: object) -> list[dict[str, str]]:
        out = tmp_path / "out.csv"
        assert cli("classify", *options, "--lines", tmp_path / "t", "-o", out, "--overwrite").exit_code == 0
        return list(csv.DictReader(io.StringIO(out.read_text("utf-8"))))

    one = table(model, "--evidence", 1)
    identity = f"{tmp_path / 't'}:1"
    assert list(one[0].values())[:4] == [identity, identity, "1", "sport"]
    assert one[0]["decided"] == "yes"
    assert len(one) == 2
    assert one[0]["evidence"].startswith(("team:+", "win:+"))
    assert [(row["rank"], row["decided"]) for row in table(model, "--top", 2)] == [("1", "yes"), ("2", "no")] * 2
    of_labels = table(labels_model)
    assert (of_labels[-1]["id"], of_labels[-1]["label"]) == (f"{tmp_path / 't'}:2", "")


def test_output_is_whole_or_not_there(cli: Cli, refused: Refused, model: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"text": "team"}\n{"text": \n')
    out = tmp_path / "out.jsonl"
    assert "bad.jsonl, line 2: not valid JSON" in refused("classify", model, tmp_path / "bad.jsonl", "-o", out)
    assert not out.exists()
    assert [each.name for each in tmp_path.iterdir()] == ["bad.jsonl"]
    out.write_text("mine")
    (tmp_path / "t").write_text("team")
    assert "is there already" in refused("classify", model, tmp_path / "t", "-o", out)
    assert out.read_text() == "mine"
    assert cli("classify", model, tmp_path / "t", "-o", out, "--overwrite").exit_code == 0
    assert records(out.read_text("utf-8"))[0]["label"] == "sport"


def test_hostile_ids_are_written(cli: Cli, model: Path, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"id": "\\ud800\\u001b[31m", "text": "team"}\n')
    out = tmp_path / "out.jsonl"
    assert cli("classify", model, tmp_path / "t.jsonl", "-o", out).exit_code == 0
    assert records(out.read_text("utf-8"))[0]["id"] == "?\x1b[31m"


def test_what_is_missing_is_said(refused: Refused, model: Path, tmp_path: Path) -> None:
    assert refused("classify", tmp_path / "none", tmp_path / "t").endswith("none: there is no such model")
    assert refused("classify", model, tmp_path / "t").endswith("t: there is no such file")


def test_another_rule_for_words_is_refused(refused: Refused, single: Corpus, model: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    loaded = SavedModel.load(model)
    (tmp_path / "t").write_text("team")
    replace(loaded, tokenizer={**this_tokenizer(), "rule": 99}).save(tmp_path / "newer")
    said = refused("classify", tmp_path / "newer", tmp_path / "t")
    assert "the model's texts were by rule 99" in said
    assert said.endswith("ingest and train again")
    assert "by rule 99" in refused("evaluate", tmp_path / "newer", single.path)
    replace(loaded, tokenizer=None).save(tmp_path / "counted")
    assert "counted elsewhere" in refused("classify", tmp_path / "counted", tmp_path / "t")
    # Markup that was taken off first makes no difference to the words.
    replace(loaded, tokenizer={**this_tokenizer(), "wikitext": 1}).save(tmp_path / "wiki")
    assert Classifier(SavedModel.load(tmp_path / "wiki")).read(["team"]).known.tolist() == [1]


def test_a_matrix_counted_elsewhere_can_be_trained_on_and_evaluated(cli: Cli, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (20, 6))
    X[:10, 0] += 5
    path = tmp_path / "c.corpus"
    Corpus.from_matrix(X, [f"w{i}" for i in range(6)], labels=["x"] * 10 + ["y"] * 10, path=path)
    assert cli("train", path, "-o", tmp_path / "m").exit_code == 0
    assert "accuracy" in cli("evaluate", tmp_path / "m", path).stdout


# Evaluating


def test_evaluate_prints_and_writes_the_same(cli: Cli, model: Path, tmp_path: Path) -> None:
    texts, labels = texts_of(50, seed=4)
    corpus = Corpus.from_texts([*texts, "x y"], labels=[*labels, "unheard of"], path=tmp_path / "test.corpus")
    result = cli("evaluate", model, corpus.path, "--labels", 3, "-o", tmp_path / "e.json")
    assert result.exit_code == 0, result.output
    content = json.loads((tmp_path / "e.json").read_text("utf-8"))
    assert "1 label of the corpus unknown to the model ('unheard of'), in 1 document\n" in result.stdout
    assert "1 document without a label that the model knows, left out" in result.stdout
    assert f"accuracy {content['accuracy']:.4f}\n" in result.stdout
    assert f"accuracy {content['accuracy'] * 50 / 51:.4f} if those left out count as wrong" in result.stdout
    assert f"{content['macro']['f1']:.4f}" in result.stdout
    assert {each["label"] for each in content["labels"]} == set(SUBJECTS)
    predicted = [record["label"] for record in records(cli("classify", model, corpus.path).stdout)]
    right = [given == true for given, true in zip(predicted, labels, strict=False)]
    assert content["accuracy"] == pytest.approx(np.mean(right))


def test_evaluate_of_labels(cli: Cli, several: Corpus, labels_model: Path) -> None:
    out = cli("evaluate", labels_model, several.path).stdout
    assert out.startswith("85 documents, 3 labels known to the model\n")
    assert "decisions that are right" in out
    assert "documents with all labels right" in out


def test_evaluate_refuses(refused: Refused, model: Path, tmp_path: Path) -> None:
    corpus = Corpus.from_texts(["a"], labels=["new"], path=tmp_path / "c.corpus")
    assert "has a label that the model knows" in refused("evaluate", model, corpus.path)
    (tmp_path / "e.json").write_text("mine")
    assert "is there already" in refused("evaluate", model, corpus.path, "-o", tmp_path / "e.json")


# Many classes, and start-up


def test_hundreds_of_classes_agree_with_the_estimator(cli: Cli, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    n_classes = 300
    labels = np.repeat([f"c{i:03}" for i in range(n_classes)], 3)
    own = np.repeat(np.arange(n_classes), 3)
    texts = [f"own{c} " + " ".join(f"w{i}" for i in rng.integers(0, 200, 5)) for c in own]
    corpus = Corpus.from_texts(texts, labels=labels.tolist(), path=tmp_path / "c.corpus")
    options = ("--model", "bernoulli", "--prior", "jelinek-mercer:0.3")
    assert cli("train", corpus.path, *options, "-o", tmp_path / "m").exit_code == 0
    fitted = BernoulliNB(JelinekMercer(0.3)).fit(corpus.matrix(), labels)
    found = records(cli("classify", tmp_path / "m", corpus.path).stdout)
    assert [record["label"] for record in found] == fitted.predict(corpus.matrix()).tolist()
    stored = sum(each.stat().st_size for each in (tmp_path / "m").iterdir())
    assert stored < 8 * n_classes * corpus.n_vocabulary / 2


def test_classifying_does_without_scikit_learn(shell: Shell, model: Path, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("team")
    script = """
import sys
from priorwise.cli import main
main(sys.argv[1:], standalone_mode=False)
assert "sklearn" not in sys.modules
"""
    done = shell("-c", script, "classify", model, tmp_path / "t")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["train", "classify", "evaluate"])
def test_help_loads_nothing_heavy(shell: Shell, command: str) -> None:
    script = """
import sys
from priorwise.cli import main
main(sys.argv[1:], standalone_mode=False)
assert not {"numpy", "numba", "pyarrow", "sklearn", "scipy"} & set(sys.modules)
"""
    done = shell("-c", script, command, "--help")
    assert done.returncode == 0, done.stderr
