"""Regressions from the command line: features, knowledge, thresholds; and what a saved model keeps of them."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from conftest import Cli, Refused
from priorwise.cli import main
from priorwise.corpus import Corpus
from priorwise.errors import BrokenFile, InputError, NotEnoughData, UnknownName
from priorwise.features import InverseDocumentFrequency, TermFrequency
from priorwise.features.recipe import Recipe
from priorwise.models.linear_model import LinearModel
from priorwise.models.regression.logistic import LogisticRegression
from priorwise.models.training import examples_of, prepare, prior_of_knowledge
from priorwise.priors import Gaussian, Laplace
from priorwise.priors.keywords import LabelTexts, as_knowledge, read_knowledge
from priorwise.ranking.classifier import Classifier

SUBJECTS = {
    "grain": ["wheat", "corn", "harvest", "farm", "crop"],
    "oil": ["crude", "barrel", "opec", "well", "petroleum"],
    "ship": ["port", "cargo", "vessel", "dock", "sea"],
}


def made_up(n: int, seed: int) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(seed)
    common = ["the", "price", "market", "week", "said"]
    labels = [list(SUBJECTS)[i] for i in rng.integers(0, 3, n)]
    return [" ".join([*rng.choice(SUBJECTS[label], 3), *rng.choice(common, 6)]) for label in labels], labels


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    texts, labels = made_up(60, 0)
    return Corpus.from_texts(texts, labels=labels, path=tmp_path_factory.mktemp("c") / "classes.corpus")


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Ten labelled documents among many that are not."""
    texts, labels = made_up(80, 1)
    given: list[Any] = [label if i < 10 else None for i, label in enumerate(labels)]
    return Corpus.from_texts(texts, labels=given, path=tmp_path_factory.mktemp("c") / "few.corpus")


@pytest.fixture
def knowledge(tmp_path: Path) -> Path:
    folder = tmp_path / "knowledge"
    folder.mkdir()
    (folder / "grain.txt").write_text("+wheat:2 corn silo\n-crude # not this one\n", encoding="utf-8")
    (folder / "Oil.txt").write_text("Crude is sold by the barrel. Petroleum!", encoding="utf-8")
    (folder / "gold.txt").write_text("A metal. Barrel.", encoding="utf-8")
    return folder


@pytest.fixture
def refused(cli: Cli, tmp_path: Path) -> Refused:
    def call(*arguments: str) -> str:
        result = cli("train", *arguments, "-o", str(tmp_path / "refused.model"))
        assert result.exit_code == 2, result.output
        assert not (tmp_path / "refused.model").exists()
        return str(result.stderr)

    return call


def trained(corpus: Corpus, path: Path, *options: str) -> tuple[LinearModel, str]:
    result = CliRunner().invoke(main, ["train", str(corpus.path), "-o", str(path), *options])
    assert result.exit_code == 0, result.output + result.stderr
    return LinearModel.load(path), result.output


FEATURE_STEPS = {
    "tfidf": lambda: [TermFrequency("log"), InverseDocumentFrequency(), Normalizer()],
    "log": lambda: [TermFrequency("log")],
    "counts": lambda: [TermFrequency("raw")],
    "presence": lambda: [TermFrequency("boolean")],
}


@pytest.mark.parametrize("features", FEATURE_STEPS)
@pytest.mark.parametrize("prior", ["gaussian:4", "laplace:9"])
def test_a_saved_model_predicts_as_a_pipeline_of_scikit_learn(
    classes: Corpus, tmp_path: Path, features: str, prior: str
) -> None:
    model, _ = trained(classes, tmp_path / "x", "--model", "logistic", "--prior", prior, "--features", features)
    texts, labels = made_up(60, 0)
    name, variance = prior.split(":")
    kind = {"gaussian": Gaussian, "laplace": Laplace}[name]
    pipeline = make_pipeline(CountVectorizer(), *FEATURE_STEPS[features](), LogisticRegression(kind(float(variance))))
    pipeline.fit(texts, labels)
    new = [*made_up(20, 5)[0], "nothing that is known", ""]
    verdict = Classifier(model).judge(Classifier(model).read(new))
    assert list(model.labels) == pipeline.classes_.tolist()
    assert verdict.scores == pytest.approx(pipeline.decision_function(new), abs=3e-3)
    assert np.exp(verdict.log_probability) == pytest.approx(pipeline.predict_proba(new), abs=1e-3)


def test_explanations_add_up(classes: Corpus, tmp_path: Path, cli: Cli) -> None:
    model, _ = trained(classes, tmp_path / "x", "--model", "logistic", "--prior", "laplace:25")
    classifier = Classifier(model)
    _, bags = next(classifier.read_corpus(classes, np.arange(5)))
    scores = classifier.judge(bags).scores
    for row in range(5):
        for label in range(3):
            total = classifier.start(bags, row, label) + sum(
                adds for _, adds in classifier.evidence(bags, row, label, None)
            )
            assert total == pytest.approx(scores[row, label] - scores[row].mean())
    id = classes.ids([3])[0]
    result = cli("explain", str(tmp_path / "x"), id, "--corpus", str(classes.path), "--label", "oil", "--top", "1")
    assert result.exit_code == 0, result.stderr
    numbers = [float(each) for each in re.findall(r"([+-]\d+\.\d{4})", result.output)]
    assert numbers[-1] == pytest.approx(sum(numbers[:-1]), abs=3e-4)
    assert numbers[-1] == pytest.approx(scores[3, 1] - scores[3].mean(), abs=1e-4)
    assert "more word" in result.output
    assert "words of weight 0." in result.output
    assert "say in which corpus" in cli("explain", str(tmp_path / "x"), id).stderr
    wrong = cli("explain", str(tmp_path / "x"), id, "--corpus", str(classes.path), "--label", "oli")
    assert wrong.exit_code == 2
    assert "did you mean 'oil'" in wrong.stderr


def test_probit_and_jeffreys(classes: Corpus, tmp_path: Path) -> None:
    model, said = trained(classes, tmp_path / "x", "--model", "probit", "--prior", "jeffreys")
    assert model.link == "probit"
    assert "there is no number to choose" in said
    assert "Probit, Jeffreys()" in said


def test_knowledge_speaks_where_no_example_does(few: Corpus, knowledge: Path, tmp_path: Path) -> None:
    options = ("--model", "logistic", "--prior", "laplace", "--decide", "each", "--labelled")
    known = ("--knowledge", str(knowledge), "--method", "mode", "--strength", "3")
    without, _ = trained(few, tmp_path / "without", *options)
    model, said = trained(few, tmp_path / "with", *options, *known)
    silo = model.tokens.to_pylist().index("silo")
    assert "silo" not in without.tokens.to_pylist()
    assert model.weights.lookup(len(model.tokens), 0)[silo] == 3.0
    assert model.recipe is not None
    assert model.recipe.factors is not None
    assert model.recipe.factors[silo] == pytest.approx(math.log(81 / 1))
    assert "'wheat' multiplies the odds by 4e+02" in said
    assert "'crude' divides the odds by 20" in said
    assert "The prior of 'oil':" in said
    assert "of 'ship'" not in said


def test_frequencies_are_those_of_the_whole_corpus(few: Corpus) -> None:
    prepared = prepare(few, examples_of(few))
    counts = few.matrix()
    holding = np.bincount(counts.indices, minlength=counts.shape[1])
    assert prepared.X.shape == (10, few.n_vocabulary)
    assert prepared.recipe.factors == pytest.approx(np.log(81 / (holding + 1)))
    lengths = np.sqrt(np.asarray(prepared.X.multiply(prepared.X).sum(axis=1)).ravel())
    assert lengths == pytest.approx(np.ones(10))


def test_the_first_of_two_classes_speaks_against_the_second() -> None:
    corpus = Corpus.from_texts(["wheat up", "crude up", "corn", "well"], labels=["grain", "oil", "grain", "oil"])
    examples = examples_of(corpus)
    texts = LabelTexts({"grain": {"wheat": 2.0}, "oil": "crude crude up"})
    prepared = prepare(corpus, examples, "counts", texts)
    words = list(prepared.vocabulary.words)
    mode = prior_of_knowledge(texts, examples, prepared.vocabulary, Laplace(4.0), "mode", 3.0)
    assert mode.prior() == Laplace(4.0, [{"wheat": -6.0, "crude": 3.0, "up": 3.0}.get(word, 0.0) for word in words])
    variance = prior_of_knowledge(texts, examples, prepared.vocabulary, Gaussian(4.0), "var", 3.0)
    assert variance.prior() == Gaussian([{"wheat": 24.0, "crude": 12.0, "up": 12.0}.get(word, 4.0) for word in words])
    with pytest.raises(InputError, match="give a prior of one variance"):
        prior_of_knowledge(texts, examples, prepared.vocabulary, Laplace(4.0, 1.0), "var", 3.0)


def test_strength_and_variance_are_learned(few: Corpus, knowledge: Path, tmp_path: Path) -> None:
    options = ("--model", "logistic", "--decide", "each", "--labelled", "--knowledge", str(knowledge))
    model, said = trained(few, tmp_path / "x", *options, "--folds", "3", "--seed", "4", "--show-prior", "1")
    assert "Learned by 3 folds, seed 4: log-likelihood" in said
    assert "the best of 660 trials" in said
    assert len(model.about["prior"]) == 3
    assert all("Informed(Laplace, mode of" in each for each in model.about["prior"])
    again, _ = trained(few, tmp_path / "y", *options, "--folds", "3", "--seed", "4")
    assert again.weights.bias.tolist() == model.weights.bias.tolist()
    one, said = trained(few, tmp_path / "z", *options, "--prior", "learn", "--strength", "5", "--approximate")
    assert "Learned by approximate leave-one-out: log-likelihood" in said
    assert all("Informed(Gaussian, " in each and "strength=5," in each for each in one.about["prior"])


def test_threshold_is_where_f1_is_best(few: Corpus, tmp_path: Path) -> None:
    options = ("--model", "logistic", "--prior", "gaussian:0.01", "--decide", "each")
    plain, _ = trained(few, tmp_path / "plain", *options)
    moved, _ = trained(few, tmp_path / "moved", *options, "--threshold", "f1")
    assert moved.weights.bias == pytest.approx(plain.weights.bias - np.array(moved.about["thresholds"]))
    _, bags = next(Classifier(moved).read_corpus(few, np.arange(80)))
    truth = examples_of(few, multilabel=True).membership.toarray() > 0

    def f1(model: LinearModel) -> np.ndarray:
        found = Classifier(model).judge(bags).decided
        return 2 * (found & truth).sum(axis=0) / (found.sum(axis=0) + truth.sum(axis=0))

    assert (f1(moved) > f1(plain)).all()


def test_options_that_do_not_go_together(classes: Corpus, refused: Refused, knowledge: Path) -> None:
    corpus = str(classes.path)
    assert "--keywords is for regressions" in refused(corpus, "--knowledge", str(knowledge))
    assert "--show-prior is for regressions" in refused(corpus, "--show-prior", "3")
    logistic = (corpus, "--model", "logistic")
    assert "--method and --strength say what --keywords does" in refused(*logistic, "--method", "var")
    assert "give --strength with --keywords" in refused(*logistic, "--knowledge", str(knowledge), "--prior", "laplace")
    assert "--class-rate is for naive Bayes" in refused(*logistic, "--class-rate", "uniform")
    assert "ask for that with --prior learn" in refused(*logistic, "--approximate")
    assert "a threshold is for two classes" in refused(*logistic, "--threshold", "f1")
    by_order = ("--decide", "each", "--threshold", "average-precision")
    assert "no objective 'average-precision' for a threshold" in refused(*logistic, *by_order)
    assert "a variance must be a positive number" in refused(*logistic, "--prior", "laplace:0")
    assert "written laplace:NUMBER" in refused(*logistic, "--prior", "laplace:1,2")
    assert "written jeffreys, without a number" in refused(corpus, "--model", "probit", "--prior", "jeffreys:1")
    assert "'jeffreys' has no number to learn" in refused(corpus, "--model", "probit", "--prior", "learn:jeffreys")
    assert "no prior 'jeffreys' of logistic" in refused(*logistic, "--prior", "jeffreys")
    assert "--approximate is for --model logistic" in refused(corpus, "--model", "probit", "--approximate")


def test_a_label_with_one_document_cannot_be_held_out(refused: Refused, tmp_path: Path) -> None:
    corpus = Corpus.from_texts(["a b", "a c", "d"], labels=["x", "x", "y"], path=tmp_path / "one.corpus")
    message = refused(str(corpus.path), "--model", "logistic", "--prior", "learn")
    assert "'x' has one document, or all but one" in message
    assert "--min-members 2" in message
    empty = Corpus.from_texts(["", "", " "], labels=["x", "x", "y"], path=tmp_path / "empty.corpus")
    assert "no words to learn from" in refused(str(empty.path), "--model", "logistic")


# Files of knowledge


def test_what_is_a_list_and_what_a_text() -> None:
    assert as_knowledge("wheat corn") == "wheat corn"
    assert as_knowledge("+wheat corn") == {"wheat": 1.0, "corn": 1.0}
    assert as_knowledge("wheat:2, corn") == {"wheat": 2.0, "corn": 1.0}
    assert as_knowledge("Scored 3:2. A -very- good match!") == "Scored 3:2. A -very- good match!"
    with pytest.raises(InputError, match="line 2: '-' is not a keyword"):
        as_knowledge("+wheat\n- oil")


def test_where_knowledge_may_be(knowledge: Path, tmp_path: Path) -> None:
    labels = ["grain", "oil", "a=b"]
    found = read_knowledge([str(knowledge)], labels)
    assert found.of_labels["grain"] == {"wheat": 2.0, "corn": 1.0, "silo": 1.0, "crude": -1.0}
    assert found.of_labels["oil"] == "Crude is sold by the barrel. Petroleum!"
    assert found.others == ["A metal. Barrel."]
    assert set(read_knowledge([f"a=b={knowledge / 'gold.txt'}"], labels).of_labels) == {"a=b"}
    assert set(read_knowledge([str(knowledge / "gold.txt")], ["any"]).of_labels) == {"any"}
    with pytest.raises(InputError, match="is not named as a label is"):
        read_knowledge([str(knowledge / "gold.txt")], labels)
    with pytest.raises(UnknownName, match="no label 'grian'; did you mean 'grain'"):
        read_knowledge([f"grian={knowledge / 'gold.txt'}"], labels)
    with pytest.raises(InputError, match="the second text about 'grain'"):
        read_knowledge([str(knowledge), f"grain={knowledge / 'gold.txt'}"], labels)
    with pytest.raises(InputError, match="no file is named as a label"):
        read_knowledge([str(knowledge)], ["silver", "iron"])


def test_hostile_knowledge(tmp_path: Path) -> None:
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00 wheat")
    (tmp_path / "empty.txt").write_text(" \n", encoding="utf-8")
    (tmp_path / "list.txt").write_text("+wheat\n+", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    for name, reason in {
        "binary.txt": "not valid UTF-8 (byte 0)",
        "empty.txt": "empty: write keywords",
        "list.txt": "line 2: '+' is not a keyword",
        "folder": "the folder has no files",
        "nowhere.txt": "there is no such file",
    }.items():
        with pytest.raises(BrokenFile, match=re.escape(reason)):
            read_knowledge([str(tmp_path / name)], ["x"])
    with pytest.raises(BrokenFile, match="there is no such file"):
        read_knowledge(["x=nowhere.txt"], ["x"])


# The recipe of a saved model


def test_a_recipe_is_kept_and_a_wrong_one_refused(classes: Corpus, tmp_path: Path) -> None:
    model, _ = trained(classes, tmp_path / "x", "--model", "logistic", "--prior", "laplace:0.01")
    assert model.recipe is not None
    assert len(model.tokens) == classes.n_vocabulary  # words of weight 0 are part of a document's length
    described = json.loads((tmp_path / "x" / "model.json").read_bytes())
    assert described["recipe"] == {"frequency": "log", "cosine": True}
    assert described["version"] == 2
    (tmp_path / "x" / "factors.arrow").unlink()
    with pytest.raises(BrokenFile, match=r"factors\.arrow is missing"):
        LinearModel.load(tmp_path / "x")


def test_a_recipe_leaves_empty_documents_alone() -> None:
    X = csr_matrix(np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 2.0]]))
    made = Recipe("log", np.array([0.0, 1.0]), cosine=True).apply(X).toarray()
    np.testing.assert_array_equal(made, [[0, 0], [0, 0], [0, 1]])
    with pytest.raises(InputError, match="no term frequency 'sqrt'"):
        Recipe("sqrt")


def test_documents_without_words_are_refused() -> None:
    corpus = Corpus.from_texts(["", ""], labels=["x", "y"])
    with pytest.raises(NotEnoughData, match="no words"):
        prepare(corpus, examples_of(corpus))
