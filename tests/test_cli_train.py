"""Train from the command line, as somebody with labelled texts would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Refused
from labelled_texts import records
from priorwise.cli.names import parse_prior, trained_models
from priorwise.corpus import Corpus
from priorwise.models.linear_model import LinearModel
from priorwise.models.naive_bayes.estimators import MultinomialNB
from priorwise.models.training import examples_of
from priorwise.priors import Beta, Dirichlet, JelinekMercer, TermBeta, WeightManipulation, WittenBell

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


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, model in trained_models().items() for name in model.priors()]
)
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
        (["--prior", "wittenbell"], "no prior 'wittenbell' of multinomial; there are dirichlet, "),
        (["--prior", "beta"], "no prior 'beta' of multinomial"),
        (["--prior", "laplace", "--model", "weighted"], "no prior 'laplace' of weighted"),
        (["--prior", "eyheramendy"], "no prior 'eyheramendy' of multinomial"),
        (["--prior", "dirichlet:a"], "it is written dirichlet:NUMBER, or without numbers"),
        (["--prior", "dirichlet:"], "it is written dirichlet:NUMBER"),
        (["--prior", "beta:1", "--model", "bernoulli"], "it is written beta:NUMBER,NUMBER"),
        (["--prior", "dirichlet:-1"], "α must be a number of at least 0"),
        (["--prior", "dirichlet:nan"], "α must be a number of at least 0"),
        (["--prior", "learn:beta"], "no prior 'beta' of multinomial to learn"),
        (["--prior", "laplace", "--objective", "accuracy"], "ask for that with --prior learn"),
        (["--model", "bernoulli", "--folds", "3"], "ask for that with --prior learn"),
        (
            ["--prior", "learn", "--objective", "best"],
            "no objective 'best'; there are precision, precision:FLOOR, fBETA",
        ),
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
        "Multinomial, Dirichlet(0.2): centre: each of the 15 words is equally likely; "
        "strength: 3 imagined words, where a class has 160 on average.",
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
    about = LinearModel.load(tmp_path / "m").about
    assert about["prior"] == repr(search.best_prior_)
    assert about["learned"]["score"] == pytest.approx(search.best_score_)


def test_without_a_prior_one_is_learned_if_documents_have_one_label(
    cli: Cli, single: Corpus, several: Corpus, tmp_path: Path
) -> None:
    assert "Learned by leave-one-out: accuracy" in cli("train", single.path, "-o", tmp_path / "one").stdout
    about = LinearModel.load(tmp_path / "one").about
    assert about["prior"].startswith(("JelinekMercer", "WittenBell"))
    assert about["learned"]["trials"] < len(MultinomialNB.learned_priors())
    assert "Learned" not in cli("train", several.path, "-o", tmp_path / "several").stdout
    told = cli("train", several.path, "--objective", "f2", "-o", tmp_path / "told").stdout
    assert "Learned by leave-one-out: f2" in told


def test_folds_follow_the_seed(cli: Cli, several: Corpus, single: Corpus, tmp_path: Path) -> None:
    for corpus in (single, several):
        scores = []
        for seed in (1, 1, 2):
            options = ("--prior", "learn", "--folds", "3", "--seed", seed, "--target", "log-likelihood", "--overwrite")
            assert cli("train", corpus.path, *options, "-o", tmp_path / "m").exit_code == 0
            scores.append(LinearModel.load(tmp_path / "m").about["learned"]["score"])
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
    assert len(LinearModel.load(tmp_path / "m").about["prior"]) == 3


def test_small_labels_and_documents_of_several_are_left_out(cli: Cli, tmp_path: Path) -> None:
    texts = ["a b", "a c", "d e", "d f", "g", "a d", "q"]
    labels: list[Any] = ["x", "x", "y", "y", "rare", ["x", "y"], None]
    path = tmp_path / "c.corpus"
    Corpus.from_texts(texts, labels=labels, path=path)
    out = cli("train", path, "--min-members", 2, "--decide", "one", "-o", tmp_path / "m").stdout
    for line in (
        "Left out: labels with fewer than 2 documents (1)",
        "Left out: documents with several labels (1)",
        "Left out: documents without a label (1)",
        "Left out: documents whose labels are all left out (1)",
    ):
        assert line in out
    loaded = LinearModel.load(tmp_path / "m")
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
    assert "'x' is the only class: add another one" in refused("train", path, "-o", tmp_path / "m")
    assert cli("train", path, "--decide", "each", "-o", tmp_path / "m").exit_code == 0
    loaded = LinearModel.load(tmp_path / "m")
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
    assert "is not a model" in refused("train", single.path, "-o", single.path, "--overwrite")
    single.verify()
