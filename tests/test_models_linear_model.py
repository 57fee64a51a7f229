"""A model's folder: what is written is what is read, and nothing else is read at all."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_matrix, csr_matrix
from scipy.stats import norm

from conftest import contents
from priorwise.corpus import Corpus
from priorwise.errors import AlreadyExists, BrokenFile
from priorwise.features.recipe import Recipe
from priorwise.models import linear_model as tables_of_model
from priorwise.models.linear_model import GroupWeights, LinearModel, Origins
from priorwise.models.naive_bayes.estimators import MultinomialNB
from priorwise.models.training import examples_of, train
from priorwise.models.weights import Background, Calibration, Weights, label_scores, log_probabilities
from priorwise.ranking.classifier import Bags, Classifier

DETAILS: dict[str, Any] = {
    "labels": ["x", "y", "ż"],
    "multilabel": False,
    "features": "counts",
    "link": "softmax",
    "tokenizer": {"rule": 1},
    "members": np.array([3.0, 2.0, 5.0]),
    "about": {"model": "test", "prior": "Dirichlet(1)"},
}
WORDS = ["to", "be", "or", "ñot", "Be"]


def sparse_weights() -> Weights:
    values = csc_matrix(np.array([[0.5, 0, 0, 0, 1], [0, 0, 4, 0, -1], [0, 0, 0, 0, 2]]))
    background = Background(
        np.array([[-1.0, -2.0], [-3.0, -4.0], [0.0, 0.5]]), np.array([0, 1, 1, 0, 0], dtype=np.int32)
    )
    return Weights(np.arange(5), values, np.array([0.1, -0.2, 0.3]), background)


def small_model() -> LinearModel:
    return LinearModel.of(sparse_weights(), WORDS, **DETAILS)


def ranking_model() -> LinearModel:
    """A model with everything that a ranking needs."""
    weights = Weights(np.arange(5), np.array([[0.5, -2.0, 0.0, 1.0, 3.0]]), np.array([-0.25]))
    number = np.arange(5.0)
    return LinearModel.of(
        weights,
        WORDS,
        labels=["<Drama>"],
        multilabel=True,
        features="counts",
        link="logistic",
        tokenizer={"rule": 1},
        members=np.array([7.0]),
        about={"model": "members", "prior": "StructuredGaussian(variance=1)"},
        recipe=Recipe("log", 1 + number, cosine=True, unknown=2.5),
        calibration=Calibration(3.0, -1.5),
        length_power=0.25,
        groups={"labels": GroupWeights(["ż", "a b"], np.array([0.75, -1.0]))},
        origins=Origins(number, 2 * number, number / 8, 7.0, 90.5, -0.125),
    )


def rows_by_token(model: LinearModel) -> dict[str, list[float]]:
    rows = [model.weights.lookup(len(model.tokens), output) for output in range(model.n_outputs)]
    return {token.as_py(): [float(row[i]) for row in rows] for i, token in enumerate(model.tokens)}


def test_saved_and_loaded_is_the_same(tmp_path: Path) -> None:
    model = small_model()
    model.save(tmp_path / "x.model")
    loaded = LinearModel.load(tmp_path / "x.model")
    assert [each.name for each in tmp_path.iterdir()] == ["x.model"]
    assert rows_by_token(loaded) == rows_by_token(model)
    assert rows_by_token(loaded)["or"] == [-2.0, 0.0 + np.finfo(float).tiny, 0.5]
    assert loaded.tokens.to_pylist() == sorted(WORDS, key=str.encode)
    assert loaded.weights.bias.tolist() == [0.1, -0.2, 0.3]
    for name in ("labels", "multilabel", "features", "link", "tokenizer", "about"):
        assert getattr(loaded, name) == DETAILS[name]
    assert loaded.members.tolist() == [3, 2, 5]


def test_a_model_that_ranks_is_saved_with_all_its_parts(tmp_path: Path) -> None:
    model = ranking_model()
    model.save(tmp_path / "x.model")
    loaded = LinearModel.load(tmp_path / "x.model")
    assert rows_by_token(loaded) == rows_by_token(model)
    order = [sorted(WORDS, key=str.encode).index(word) for word in WORDS]
    for name in ("calibration", "length_power", "about", "tokenizer"):
        assert getattr(loaded, name) == getattr(model, name)
    assert loaded.recipe is not None
    assert loaded.origins is not None
    assert (loaded.recipe.frequency, loaded.recipe.cosine, loaded.recipe.unknown) == ("log", True, 2.5)
    assert loaded.recipe.factors is not None
    assert loaded.recipe.factors[order].tolist() == [1, 2, 3, 4, 5]
    assert loaded.origins.in_members[order].tolist() == [0, 1, 2, 3, 4]
    assert loaded.origins.in_others[order].tolist() == [0, 2, 4, 6, 8]
    assert loaded.origins.from_prior[order].tolist() == [0, 0.125, 0.25, 0.375, 0.5]
    assert (loaded.origins.n_members, loaded.origins.n_others, loaded.origins.bias_from_prior) == (7.0, 90.5, -0.125)
    assert {name: each.by_name for name, each in loaded.groups.items()} == {"labels": {"ż": 0.75, "a b": -1.0}}
    again = tmp_path / "again.model"
    loaded.save(again)
    assert contents(again) == contents(tmp_path / "x.model")


def test_a_model_is_written_in_the_oldest_form_that_holds_it(tmp_path: Path) -> None:
    """So that an older priorwise reads what it can."""
    with_recipe = replace(small_model(), recipe=Recipe("log", np.ones(5), cosine=True))
    for version, model in ((1, small_model()), (2, with_recipe), (3, ranking_model())):
        model.save(tmp_path / str(version))
        assert json.loads((tmp_path / str(version) / "model.json").read_bytes())["version"] == version


def test_the_same_model_is_the_same_to_the_byte(tmp_path: Path) -> None:
    for name in ("a", "b"):
        small_model().save(tmp_path / name)
    files = [contents(tmp_path / name) for name in ("a", "b")]
    assert files[0] == files[1]


def test_dense_weights_of_some_features_can_be_saved(tmp_path: Path) -> None:
    weights = Weights(np.array([1, 3]), np.array([[0.5, -2.0]]), np.array([0.1]))
    details = {**DETAILS, "labels": ["no", "yes"], "link": "logistic", "members": np.ones(2)}
    LinearModel.of(weights, WORDS, **details).save(tmp_path / "x")
    loaded = LinearModel.load(tmp_path / "x")
    assert rows_by_token(loaded) == {"be": [0.5], "ñot": [-2.0]}
    none = np.zeros(2, np.int64)
    verdict = Classifier(loaded).judge(Bags(csr_matrix(np.eye(2)), none + 1, none, none + 1, np.zeros(2)))
    assert np.exp(verdict.log_probability[:, 1]) == pytest.approx(1 / (1 + np.exp([-0.6, 1.9])))
    assert verdict.decided.tolist() == [[False, True], [True, False]]


def test_only_a_model_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x.model"
    small_model().save(path)
    with pytest.raises(AlreadyExists, match="is there already; choose another name"):
        small_model().save(path)
    small_model().save(path, overwrite=True)
    assert LinearModel.load(path).labels == DETAILS["labels"]
    corpus = Corpus.from_texts(["a"], path=tmp_path / "x.corpus")
    with pytest.raises(AlreadyExists, match="is not a model, so it is not replaced"):
        small_model().save(tmp_path / "x.corpus", overwrite=True)
    corpus.verify()


def test_a_failed_write_leaves_the_older_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.model"
    small_model().save(path)

    def fail(*arguments: object) -> None:
        raise RuntimeError("cut off")

    monkeypatch.setattr("priorwise.models.linear_model.write_bytes", fail)
    with pytest.raises(RuntimeError):
        small_model().save(path, overwrite=True)
    assert [each.name for each in tmp_path.iterdir()] == ["x.model"]
    LinearModel.load(path)


def test_a_model_set_aside_by_a_kill_comes_back(tmp_path: Path) -> None:
    small_model().save(tmp_path / "x.model")
    (tmp_path / "x.model").rename(tmp_path / "x.model.replaced")
    with pytest.raises(AlreadyExists):
        small_model().save(tmp_path / "x.model")
    assert [each.name for each in tmp_path.iterdir()] == ["x.model"]
    LinearModel.load(tmp_path / "x.model")


# Damage and hostility


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    small_model().save(tmp_path / "x.model")
    return tmp_path / "x.model"


def refusal(folder: Path) -> str:
    with pytest.raises(BrokenFile) as caught:
        LinearModel.load(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def describe(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the description, and make its checksum right again, as an attacker would."""
    path = folder / "model.json"
    content = json.loads(path.read_bytes())
    del content["checksum"]
    change(content)
    checksum = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    path.write_text(json.dumps({**content, "checksum": checksum}), encoding="utf-8")


def replace_table(folder: Path, name: str, table: pa.Table) -> None:
    """Put another table in place, with its length and checksum right."""
    with pa.ipc.new_file(str(folder / name), table.schema) as writer:
        batches = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]
        writer.write_batch(batches[0])
    data = (folder / name).read_bytes()
    record = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    describe(folder, lambda content: content["files"].update({name: record}))


def table_of(folder: Path, name: str) -> pa.Table:
    return pa.ipc.open_file(pa.BufferReader((folder / name).read_bytes())).read_all()


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none").endswith("there is no such model")
    assert refusal(tmp_path).endswith("not a model folder: it has no model.json")
    (tmp_path / "model.json").write_text("[]")
    assert "damaged" in refusal(tmp_path)
    (tmp_path / "model.json").write_text("[" * 100_000)
    assert "damaged" in refusal(tmp_path)
    (tmp_path / "model.json").write_bytes(b"\xff\xfe\x00")
    assert "damaged" in refusal(tmp_path)
    (tmp_path / "model.json").write_text('{"format": "another"}')
    assert refusal(tmp_path).endswith("its model.json is of another program")


def test_a_pickle_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_bytes(b"\x80\x04cos\nsystem\n(S'true'\ntR.")
    assert "damaged" in refusal(tmp_path)


@pytest.mark.parametrize("name", list(tables_of_model.SCHEMAS))
def test_a_damaged_file_is_named(folder: Path, name: str) -> None:
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[:-1])
    assert re.fullmatch(rf".*{name}: damaged: [\d,]+ bytes, not [\d,]+", refusal(folder))
    (folder / name).write_bytes(data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
    assert refusal(folder).endswith(f"{name}: damaged: it does not match its checksum")
    (folder / name).unlink()
    assert refusal(folder).endswith(f"{name} is missing")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: c.update(version=99), "this priorwise reads up to 4: upgrade it"),
        (lambda c: c.update(link="pickle"), "link is 'pickle'"),
        (lambda c: c.update(link=["softmax"]), "'link' is ['softmax'], not a text"),
        (lambda c: c.update(features={}), "'features' is {}, not a text"),
        (lambda c: c.update(multilabel=1), "'multilabel' is 1, not true or false"),
        (lambda c: c.update(version="1"), "damaged"),
        (lambda c: c.update(tokenizer=[]), "'tokenizer' is [], not an object"),
        (lambda c: c.pop("about"), "'about'"),
        (lambda c: c["files"].update({"../other": c["files"]["labels.arrow"]}), "other files"),
        (lambda c: c["files"].pop("labels.arrow"), "other files"),
        (lambda c: c["files"].update({"labels.arrow": []}), "damaged"),
        (lambda c: c.update(multilabel=True, about={}, link="logistic"), None),
    ],
)
def test_a_hostile_description_is_refused(
    folder: Path, change: Callable[[dict[str, Any]], Any], said: str | None
) -> None:
    describe(folder, change)
    if said is None:
        assert LinearModel.load(folder).multilabel
    else:
        assert said in refusal(folder)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: c.update(calibration={"slope": "1", "intercept": 0}), "'calibration.slope' is '1', not a number"),
        (lambda c: c.update(calibration={"slope": 1}), "'calibration.intercept' is missing"),
        (lambda c: c.update(calibration=[]), "damaged"),
        (lambda c: c.update(length_power=True), "'length_power' is True, not a number"),
        (lambda c: c.update(length_power=float("inf")), "'length_power' is inf, not a number"),
        (lambda c: c.pop("origins"), "its origins are incomplete"),
        (lambda c: c["files"].pop("origins.arrow"), "its origins are incomplete"),
        (lambda c: c["origins"].update(n_members=None), "'origins.n_members' is None, not a number"),
        (lambda c: c["origins"].pop("n_others"), "'origins.n_others' is missing"),
        (lambda c: c["recipe"].update(unknown=float("nan")), "'recipe.unknown' is nan, not a number"),
        (lambda c: c["recipe"].update(frequency="cubic"), "no term frequency 'cubic'"),
        (lambda c: c["recipe"].update(cosine=1), "'recipe.cosine' is 1, not true or false"),
    ],
)
def test_a_hostile_description_of_a_ranking_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any], said: str
) -> None:
    ranking_model().save(tmp_path / "x.model")
    describe(tmp_path / "x.model", change)
    assert said in refusal(tmp_path / "x.model")


@pytest.mark.parametrize(
    ("name", "column", "values", "said"),
    [
        ("origins.arrow", "in_members", [0.0, 1.0, float("nan"), 3.0, 4.0], "not finite"),
        ("groups.arrow", "adds", [0.5, float("inf")], "not finite"),
        ("groups.arrow", "name", ["a", None], "values are missing"),
        ("factors.arrow", "factor", [1.0, 1.0, 1.0, 1.0, float("nan")], "not finite"),
    ],
)
def test_hostile_numbers_of_a_ranking_are_refused(
    tmp_path: Path, name: str, column: str, values: list[Any], said: str
) -> None:
    folder = tmp_path / "x.model"
    ranking_model().save(folder)
    replace_table(folder, name, tokens_with(**{column: values})(table_of(folder, name)))
    assert said in refusal(folder)


@pytest.mark.parametrize("name", ["origins.arrow", "factors.arrow"])
def test_a_table_of_a_ranking_has_a_row_per_token(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "x.model"
    ranking_model().save(folder)
    replace_table(folder, name, table_of(folder, name).slice(0, 4))
    assert "than tokens, or fewer" in refusal(folder)


def test_a_changed_description_is_noticed(folder: Path) -> None:
    path = folder / "model.json"
    path.write_text(path.read_text("utf-8").replace("Dirichlet(1)", "Dirichlet(2)"), encoding="utf-8")
    assert refusal(folder).endswith("damaged: it does not match its own checksum")


def tokens_with(**columns: Any) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        for name, values in columns.items():
            place = table.schema.get_field_index(name)
            table = table.set_column(place, table.schema.field(name), pa.array(values, table.schema.field(name).type))
        return table

    return change


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("tokens.arrow", tokens_with(group=[0, 0, 0, 0, 2]), "group is not there"),
        ("tokens.arrow", tokens_with(group=[-1, 0, 0, 0, 0]), "group is not there"),
        (
            "tokens.arrow",
            tokens_with(outputs=[[3], [], [], [], []], values=[[1.0], [], [], [], []]),
            "output is not there",
        ),
        (
            "tokens.arrow",
            tokens_with(outputs=[[-1], [], [], [], []], values=[[1.0], [], [], [], []]),
            "output is not there",
        ),
        (
            "tokens.arrow",
            tokens_with(outputs=[[], [1, 1], [], [], []], values=[[], [1.0, 2.0], [], [], []]),
            "outputs are not in order",
        ),
        ("tokens.arrow", tokens_with(values=[[1.0], [], [], [], []]), "more outputs than values"),
        ("tokens.arrow", tokens_with(token=["b", "a", "c", "d", "e"]), "tokens are not in order"),
        ("tokens.arrow", tokens_with(token=["a", "a", "c", "d", "e"]), "tokens are not in order"),
        ("tokens.arrow", tokens_with(token=["a", None, "c", "d", "e"]), "values are missing"),
        ("tokens.arrow", tokens_with(outputs=[[None], [], [], [], []], values=[[1.0], [], [], [], []]), "missing"),
        ("outputs.arrow", tokens_with(bias=[0.0, float("nan"), 0.0]), "not finite"),
        ("outputs.arrow", tokens_with(background=[[1.0], [1.0, 2.0], [1.0]]), "not a rectangle"),
        ("outputs.arrow", tokens_with(background=[[], [], []]), "not a rectangle"),
        ("outputs.arrow", lambda table: table.slice(0, 2), "not there"),
        ("outputs.arrow", lambda table: table.slice(0, 0), "there is no output"),
        ("labels.arrow", tokens_with(label=["x", "x", "y"]), "a label is there twice"),
        ("labels.arrow", lambda table: table.slice(0, 2), "3 outputs for 2 labels"),
        ("labels.arrow", lambda table: table.rename_columns(["name", "members"]), "other columns"),
        ("labels.arrow", lambda table: table.slice(0, 0), "no label"),
    ],
)
def test_hostile_numbers_are_refused(
    folder: Path, name: str, change: Callable[[pa.Table], pa.Table], said: str
) -> None:
    replace_table(folder, name, change(table_of(folder, name)))
    assert said in refusal(folder)


def test_outputs_that_follow_each_other_in_two_tokens_are_in_order(folder: Path) -> None:
    change = tokens_with(outputs=[[2], [0, 1], [], [1], [0]], values=[[1.0], [1.0, 2.0], [], [1.0], [1.0]])
    replace_table(folder, "tokens.arrow", change(table_of(folder, "tokens.arrow")))
    assert LinearModel.load(folder).weights.values.nnz == 5


@given(st.binary(max_size=300), st.sampled_from(list(tables_of_model.SCHEMAS)))
def test_any_bytes_are_refused_in_a_sentence(tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str) -> None:
    folder = tmp_path_factory.mktemp("hostile") / "x.model"
    small_model().save(folder)
    (folder / name).write_bytes(data)
    record = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    describe(folder, lambda content: content["files"].update({name: record}))
    refusal(folder)


# Probabilities


def test_links_are_what_they_say() -> None:
    scores = np.array([[-1.0, 0.5, 2.0], [0.0, 0.0, -40.0]])
    softmax = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    logistic = 1 / (1 + np.exp(-scores))
    found = {
        (link, multilabel): np.exp(log_probabilities(scores, link, multilabel=multilabel))
        for link in ("softmax", "logistic", "probit")
        for multilabel in (False, True)
    }
    assert found["softmax", False] == pytest.approx(softmax)
    assert found["softmax", True] == pytest.approx(logistic)
    assert found["logistic", True] == pytest.approx(logistic)
    assert found["probit", True] == pytest.approx(norm.cdf(scores))
    assert found["logistic", False] == pytest.approx(logistic / logistic.sum(axis=1, keepdims=True))
    assert found["probit", False] == pytest.approx(norm.cdf(scores) / norm.cdf(scores).sum(axis=1, keepdims=True))


def test_two_classes_share_one_output() -> None:
    both = label_scores(np.array([[0.7], [-0.2]]), 2)
    assert np.exp(log_probabilities(both, "softmax", multilabel=False)).sum(axis=1) == pytest.approx([1, 1])
    assert label_scores(np.array([[0.7]]), 1).tolist() == [[0.7]]


def test_probabilities_are_those_of_the_estimator(tmp_path: Path) -> None:
    corpus = Corpus.from_texts(["a b b", "b c", "c d d"], labels=["x", "y", "z"])
    how = {"features": "counts", "link": "softmax", "about": lambda fitted: {}}
    model, fitted = train(corpus, examples_of(corpus), lambda types: MultinomialNB(), **how)
    model.save(tmp_path / "x")
    classifier = Classifier(LinearModel.load(tmp_path / "x"))
    texts = ["a b c", "d q", ""]
    ours = np.exp(classifier.judge(classifier.read(texts)).log_probability)
    assert ours == pytest.approx(fitted.predict_proba(corpus.vectorize(texts)))
