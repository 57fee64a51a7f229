"""Classify texts, files and corpora from the command line."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from conftest import Cli, Refused
from labelled_texts import SUBJECTS, records, texts_of
from priorwise.cli import main
from priorwise.corpus import Corpus
from priorwise.corpus.storage.manifest import this_tokenizer
from priorwise.models.linear_model import LinearModel
from priorwise.models.naive_bayes.estimators import BernoulliNB, MultinomialNB
from priorwise.models.training import examples_of
from priorwise.priors import JelinekMercer
from priorwise.ranking.classifier import Classifier
from processes import Shell


def test_lines_from_standard_input(single_model: Path) -> None:
    result = CliRunner().invoke(main, ["classify", str(single_model)], input="the team will win\n\nsalt the soup\n")
    found = records(result.stdout)
    assert [(record["id"], record["label"]) for record in found] == [("1", "sport"), ("3", "food")]
    assert [(record["known_words"], record["unknown_words"]) for record in found] == [(2, 2), (2, 1)]
    assert result.stderr == "2 texts; the model does not know 3 of 7 words (42.9%)\n"


def test_probabilities_and_order_are_those_of_the_estimator(
    cli: Cli, single: Corpus, single_model: Path, tmp_path: Path
) -> None:
    texts, _ = texts_of(20, seed=5)
    (tmp_path / "new.txt").write_text("\n".join(texts))
    fitted = MultinomialNB().fit(single.matrix(), examples_of(single).membership.indices)
    expected = fitted.predict_proba(single.vectorize(texts))
    found = records(cli("classify", single_model, "--lines", tmp_path / "new.txt", "--top", 3).stdout)
    names = ["food", "law", "sport"]
    for record, row in zip(found, expected, strict=True):
        assert [each["label"] for each in record["top"]] == [names[i] for i in np.argsort(-row)]
        assert [each["probability"] for each in record["top"]] == pytest.approx(sorted(row, reverse=True))
        assert (record["label"], record["probability"]) == (record["top"][0]["label"], record["top"][0]["probability"])


def test_files_of_every_kind_and_a_folder(cli: Cli, single_model: Path, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"id": "a", "text": "team win"}\n{"id": "b", "text": "court law"}\n')
    (tmp_path / "r.csv").write_text("key,body\n7,bread soup\n")
    (tmp_path / "letter").write_bytes("salt caf\xe9".encode("latin-1"))
    with gzip.open(tmp_path / "news.txt.gz", "wt") as file:
        file.write("goal\nball")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "one.txt").write_text("judge")
    first = records(
        cli("classify", single_model, tmp_path / "r.jsonl", tmp_path / "letter", tmp_path / "news.txt.gz").stdout
    )
    assert [record["label"] for record in first] == ["sport", "law", "food", "sport"]
    assert [record["id"] for record in first] == ["a", "b", str(tmp_path / "letter"), str(tmp_path / "news.txt.gz")]
    second = records(cli("classify", single_model, tmp_path / "r.csv", "--text", "body", "--id", "key").stdout)
    assert [(record["id"], record["label"]) for record in second] == [("7", "food")]
    (tmp_path / "r.jsonl").write_text('{"id": "a", "text": "team win", "name": "The cup"}\n')
    assert (
        records(cli("classify", single_model, tmp_path / "r.jsonl", "--title", "name").stdout)[0]["title"] == "The cup"
    )
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text('{"text": "team win"}\n')
    numbered = records(cli("classify", single_model, tmp_path / "a.jsonl", tmp_path / "b.jsonl").stdout)
    assert [record["id"] for record in numbered] == ["0", "1"]
    third = records(cli("classify", single_model, tmp_path / "folder").stdout)
    assert [(record["id"], record["label"]) for record in third] == [(str(tmp_path / "folder/one.txt"), "law")]


def test_a_corpus_is_classified_as_its_texts_are(cli: Cli, single_model: Path, tmp_path: Path) -> None:
    texts, labels = texts_of(30, seed=9)
    corpus = Corpus.from_texts([*texts, "zebra"], labels=[*labels, None], path=tmp_path / "new.corpus")
    (tmp_path / "new.txt").write_text("\n".join([*texts, "zebra"]))
    from_corpus = records(cli("classify", single_model, corpus.path).stdout)
    from_texts = records(cli("classify", single_model, "--lines", tmp_path / "new.txt").stdout)
    assert [record.pop("id") for record in from_corpus] == [str(i) for i in range(31)]
    assert all("title" not in record for record in [*from_corpus, *from_texts])
    assert [record.pop("id") for record in from_texts] == [f"{tmp_path / 'new.txt'}:{i + 1}" for i in range(31)]
    assert from_corpus == from_texts


def test_a_text_without_known_words_has_the_class_rates(
    cli: Cli, single_model: Path, single: Corpus, tmp_path: Path
) -> None:
    (tmp_path / "t").write_text("zebra")
    result = cli("classify", single_model, tmp_path / "t", "--top", 3)
    found = {each["label"]: each["probability"] for each in records(result.stdout)[0]["top"]}
    assert found == pytest.approx({label: size / 60 for label, size in single.largest_labels(3)})
    assert "1 text without a word that the model knows" in result.stderr


def test_evidence_adds_up(cli: Cli, single_model: Path, several_model: Path, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("team team court bread zebra")
    for path in (single_model, several_model):
        loaded = LinearModel.load(path)
        classifier = Classifier(loaded)
        bags = classifier.read(["team team court bread zebra"])
        scores = classifier.judge(bags).scores[0]
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


def test_labels_are_decided_by_a_probability_above_a_half(cli: Cli, several_model: Path, tmp_path: Path) -> None:
    texts, _ = texts_of(30, seed=3)
    (tmp_path / "t").write_text("\n".join([*texts, "weather report"]))
    found = records(cli("classify", several_model, "--lines", tmp_path / "t", "--top", 3).stdout)
    for record in found:
        assert record["labels"] == [each for each in record["top"] if each["probability"] > 0.5]
    assert found[-1]["labels"] == []
    assert any(len(record["labels"]) == 1 for record in found)


def test_csv_has_a_row_for_each_label_shown(cli: Cli, single_model: Path, several_model: Path, tmp_path: Path) -> None:
    (tmp_path / "t").write_text('team, "win"\nweather report\n')

    def table(*options: object) -> list[dict[str, str]]:
        out = tmp_path / "out.csv"
        assert cli("classify", *options, "--lines", tmp_path / "t", "-o", out, "--overwrite").exit_code == 0
        return list(csv.DictReader(io.StringIO(out.read_text("utf-8-sig"))))

    one = table(single_model, "--evidence", 1)
    identity = f"{tmp_path / 't'}:1"
    assert list(one[0].values())[:4] == [identity, identity, "1", "sport"]
    assert one[0]["decided"] == "yes"
    assert len(one) == 2
    assert one[0]["evidence"].startswith(("team:+", "win:+"))
    assert [(row["rank"], row["decided"]) for row in table(single_model, "--top", 2)] == [("1", "yes"), ("2", "no")] * 2
    of_labels = table(several_model)
    assert (of_labels[-1]["id"], of_labels[-1]["label"]) == (f"{tmp_path / 't'}:2", "")


def test_output_is_whole_or_not_there(cli: Cli, refused: Refused, single_model: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"text": "team"}\n{"text": \n')
    out = tmp_path / "out.jsonl"
    assert "bad.jsonl, line 2: not valid JSON" in refused("classify", single_model, tmp_path / "bad.jsonl", "-o", out)
    assert not out.exists()
    assert [each.name for each in tmp_path.iterdir()] == ["bad.jsonl"]
    out.write_text("mine")
    (tmp_path / "t").write_text("team")
    assert "is there already" in refused("classify", single_model, tmp_path / "t", "-o", out)
    assert out.read_text() == "mine"
    assert cli("classify", single_model, tmp_path / "t", "-o", out, "--overwrite").exit_code == 0
    assert records(out.read_text("utf-8"))[0]["label"] == "sport"


def test_hostile_ids_are_written(cli: Cli, single_model: Path, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"id": "\\ud800\\u001b[31m", "text": "team"}\n')
    out = tmp_path / "out.jsonl"
    assert cli("classify", single_model, tmp_path / "t.jsonl", "-o", out).exit_code == 0
    assert records(out.read_text("utf-8"))[0]["id"] == "?\x1b[31m"


def test_what_is_missing_is_said(refused: Refused, single_model: Path, tmp_path: Path) -> None:
    assert refused("classify", tmp_path / "none", tmp_path / "t").endswith("none: there is no such model")
    assert refused("classify", single_model, tmp_path / "t").endswith("t: there is no such file")


def test_another_rule_for_words_is_refused(
    refused: Refused, single: Corpus, single_model: Path, tmp_path: Path
) -> None:
    from dataclasses import replace

    loaded = LinearModel.load(single_model)
    (tmp_path / "t").write_text("team")
    replace(loaded, tokenizer={**this_tokenizer(), "rule": 99}).save(tmp_path / "newer")
    said = refused("classify", tmp_path / "newer", tmp_path / "t")
    assert "by rule 99, this priorwise knows" in said
    assert said.endswith("upgrade it")
    assert "by rule 99" in refused("evaluate", tmp_path / "newer", single.path)
    replace(loaded, tokenizer=None).save(tmp_path / "counted")
    assert "counted elsewhere" in refused("classify", tmp_path / "counted", tmp_path / "t")
    # Markup that was taken off first makes no difference to the words.
    replace(loaded, tokenizer={**this_tokenizer(), "wikitext": 1}).save(tmp_path / "wiki")
    assert Classifier(LinearModel.load(tmp_path / "wiki")).read(["team"]).known.tolist() == [1]


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


def test_classifying_does_without_scikit_learn(shell: Shell, single_model: Path, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("team")
    script = """
import sys
from priorwise.cli import main
main(sys.argv[1:], standalone_mode=False)
assert "sklearn" not in sys.modules
"""
    done = shell("-c", script, "classify", single_model, tmp_path / "t")
    assert done.returncode == 0, done.stderr
