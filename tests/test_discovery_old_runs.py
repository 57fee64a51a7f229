"""Runs and models of earlier versions still open, explain, report and classify, and are saved in today's format.

The files of `tests/old` were written by the version before runs had stages; its README says what was changed since.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import reference_ranking

from conftest import Cli, Refused, contents
from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.discovery.run import load_model
from priorwise.errors import BrokenFile, InputError
from priorwise.models.linear_model import LinearModel
from priorwise.models.missing import Missing
from priorwise.priors import PseudoCounts
from priorwise.ranking.classifier import Classifier
from slow_discovery import facts_of, member_facts, presence_of

OLD = Path(__file__).parent / "old"
RUNS = ["default", "presence"]


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with everything old, which is the current one: the runs name their corpus without a folder."""
    names = {"corpus": "tiny.corpus", "default": "default.run", "presence": "presence.run"}
    for name in ("corpus", "default", "presence", "multinomial", "logistic"):
        shutil.copytree(OLD / name, tmp_path / names.get(name, name))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def corpus(old: Path) -> Corpus:
    return Corpus.open(old / "tiny.corpus")


def test_what_the_default_model_learned(old: Path) -> None:
    run = Run.load(old / "default.run")
    written = json.loads((old / "default.run" / "run.json").read_text("utf-8"))
    assert [(stage.name, stage.role) for stage in run.stages] == [
        ("baseline", "compares"),
        ("presence", "narrows"),
        ("members", "ranks"),
    ]
    assert (run.about.label, run.about.members, run.about.others, run.about.model) == ("sport", 6, 18, "default")
    assert run.missing == Missing(**written["regression"]["missing"])
    facts = member_facts(run)
    settings = written["regression"]["settings"]
    # A variance used to be multiplied by the number of documents, and a rank was kept as log(r + 9).
    assert [each.variance * 24 for each in facts.tried] == pytest.approx([each["variance"] for each in settings])
    assert [each.share for each in facts.tried] == [each["share"] for each in settings]
    assert [np.log(each.typical_rank + 9) for each in facts.tried] == pytest.approx(
        [each["log_rank"] for each in settings]
    )
    assert [each.believed for each in facts.tried] == [each["believed"] for each in settings]
    best = max(settings, key=lambda each: each["share"])
    assert run.prior.variance == pytest.approx(best["variance"] / 24)
    assert (run.ranker.predicted, run.compared.predicted) == (0, 9)


def test_what_the_presence_model_learned(old: Path) -> None:
    run = Run.load(old / "presence.run")
    assert [(stage.name, stage.role) for stage in run.stages] == [("baseline", "compares"), ("presence", "ranks")]
    assert (run.about.model, run.about.seed, run.about.top) == ("presence", 0, 1000)
    assert run.prior == PseudoCounts(1.0, 1.0, centre="collection")
    facts = facts_of(run)
    assert (facts.target, facts.search, facts.seeds) == ("average precision", "exhaustive", (0,))
    assert facts.learned is not None
    assert (facts.learned.score, facts.learned.sensitivity) == pytest.approx((0.4, 1.0))
    assert facts.remark.startswith("the target is the same for every prior")
    assert run.terrain.score.shape == (8, 8)
    trials = presence_of(run).trials
    assert trials is not None
    assert len(trials) == 64
    assert (run.ranker.predicted, run.compared.predicted) == (9, 9)


@pytest.mark.parametrize("name", RUNS)
def test_explanations_add_up_to_the_scores_of_then(old: Path, corpus: Corpus, name: str) -> None:
    run = Run.load(old / f"{name}.run")
    assert run.open_corpus().checksum == corpus.checksum
    for row in run.ranking.rows():
        explained = run.explain(corpus, row["id"])
        assert explained.score == pytest.approx(row["score"], abs=1e-9)
        assert explained.probability == pytest.approx(row["probability"], rel=1e-9)
        if row["evidence"]:
            first, adds = row["evidence"].split()[0].split(":")
            ties = [word.name for word in explained.words if f"{word.adds:+.2f}" == adds]
            assert first in ties


def test_the_presence_model_is_that_of_the_formula(old: Path, corpus: Corpus) -> None:
    run = Run.load(old / "presence.run")
    sets = [set(corpus.text(row).split()) for row in range(24)]
    members = corpus.members("sport").tolist()
    others = [sets[row] for row in range(24) if row not in members]
    counted = reference_ranking.count([sets[row] for row in members], others, collection=sets)
    for row in run.ranking.rows():
        score = reference_ranking.s(counted, sets[corpus.row(row["id"])], 1.0, 1.0)
        assert row["score"] == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize("name", RUNS)
def test_commands_take_an_old_run(old: Path, name: str, cli: Cli) -> None:
    run = Run.load(old / f"{name}.run")
    shown = cli("explain", f"{name}.run", "7")
    assert shown.exit_code == 0, shown.output
    assert f"{run.ranking.rows(1)[0]['score']:+.4f}" in shown.stdout
    assert cli("report", f"{name}.run", "-o", "x.html").exit_code == 0
    page = (old / "x.html").read_text("utf-8")
    assert all(sentence.split(".")[0] in page for sentence in run.ranker.describe()[:1])
    assert cli("review", f"{name}.run", "--export", "sheet.csv").exit_code == 0
    assert len((old / "sheet.csv").read_text("utf-8").splitlines()) > 18


@pytest.mark.parametrize("name", RUNS)
def test_an_old_run_cannot_classify_because_it_does_not_say_how_its_words_were_cut(
    old: Path, name: str, refused: Refused
) -> None:
    """An older run kept neither the tokenizer nor how rare words are; in today's format they are part of the model."""
    (old / "new.jsonl").write_text('{"id": "a", "text": "goal team"}\n', encoding="utf-8")
    sentence = refused("classify", f"{name}.run", "new.jsonl")
    assert "words that were counted elsewhere" in sentence
    assert load_model(old / f"{name}.run").tokenizer is None


@pytest.mark.parametrize("name", RUNS)
def test_saved_again_it_is_of_the_new_format(old: Path, corpus: Corpus, name: str) -> None:
    run = Run.load(old / f"{name}.run")
    run.save(old / "new.run")
    written = json.loads((old / "new.run" / "run.json").read_text("utf-8"))
    assert written["format"] == 4
    assert (old / "new.run" / f"{run.ranker.name}.model" / "model.json").is_file()
    again = Run.load(old / "new.run")
    assert again.about == run.about
    assert again.prior == run.prior
    assert again.ranking.table.equals(run.ranking.table)
    assert again.baseline.table.equals(run.baseline.table)
    assert [stage.facts() for stage in again.stages] == [stage.facts() for stage in run.stages]
    for id in run.ranking.ids:
        before, after = run.explain(corpus, id), again.explain(corpus, id)
        assert after.score == before.score
        assert [word.name for word in after.words] == [word.name for word in before.words]
    again.save(old / "third.run")
    assert contents(old / "third.run") == contents(old / "new.run")


def test_old_models_classify_as_they_did(old: Path, corpus: Corpus, cli: Cli) -> None:
    """Formats 1 (multinomial) and 2 (logistic, with a recipe)."""
    for name, version in (("multinomial", 1), ("logistic", 2)):
        model = LinearModel.load(old / name)
        assert json.loads((old / name / "model.json").read_text("utf-8"))["version"] == version
        assert (model.calibration, model.length_power, dict(model.groups), model.origins) == (None, 0.0, {}, None)
        found = cli("classify", name, "tiny.corpus", "--top", 1)
        assert found.exit_code == 0, found.output
        best = [json.loads(line)["top"][0]["label"] for line in found.stdout.splitlines()]
        carried = [corpus.labels_of(row) for row in range(24)]
        right = sum(label in own for label, own in zip(best, carried, strict=True) if own)
        assert right >= 0.7 * sum(map(bool, carried))
        # Saved again it is the same, to the byte.
        model.save(old / f"{name}.again")
        again = contents(old / f"{name}.again")
        assert {file: data for file, data in again.items() if file != "card.md"} == contents(old / name)


@pytest.mark.parametrize("name", ["multinomial", "logistic"])
def test_the_scores_of_an_old_model_are_those_of_the_formula(old: Path, name: str) -> None:
    model = LinearModel.load(old / name)
    classifier = Classifier(model)
    tokens = model.tokens.to_pylist()
    texts = ["goal team win win", "law law zebra", ""]
    found = classifier.judge(classifier.read(texts)).scores
    for text, scores in zip(texts, found, strict=True):
        words = [word for word in text.split() if word in tokens]
        amounts = {word: float(words.count(word)) for word in words}
        if model.recipe is not None:
            assert model.recipe.factors is not None
            factor = dict(zip(tokens, model.recipe.factors.tolist(), strict=True))
            amounts = {word: (1 + np.log(count)) * factor[word] for word, count in amounts.items()}
            length = np.sqrt(sum(amount**2 for amount in amounts.values()))
            amounts = {word: amount / length for word, amount in amounts.items()}
        for output, score in enumerate(scores):
            by_token = dict(zip(tokens, model.weights.lookup(len(tokens), output), strict=True))
            expected = model.weights.bias[output] + sum(amounts[word] * by_token[word] for word in amounts)
            assert score == pytest.approx(expected)


# Older still


def rewritten(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    about = json.loads((folder / "run.json").read_text("utf-8"))
    change(about)
    (folder / "run.json").write_text(json.dumps(about), "utf-8")


def with_metadata(file: Path, change: Callable[[dict[str, Any]], Any], drop: list[str] | None = None) -> None:
    table = pq.read_table(file)
    metadata = json.loads(table.schema.metadata[b"priorwise"])
    change(metadata)
    table = table.drop_columns(drop or []).replace_schema_metadata({"priorwise": json.dumps(metadata)})
    pq.write_table(table, file)


def test_a_run_of_the_first_format_has_the_uniform_centre(old: Path, corpus: Corpus) -> None:
    """Format 1 knew one centre, and did not count in how many documents of the corpus a word is."""
    folder = old / "presence.run"

    def first(about: dict[str, Any]) -> None:
        about["format"] = 1
        del about["procedure"]["centre"], about["learned"]["centre"]
        for name in ("regression", "model", "description", "text_only", "verdicts"):
            del about[name]

    def first_model(metadata: dict[str, Any]) -> None:
        metadata["format"] = 1
        del metadata["centre"], metadata["n_collection"]

    rewritten(folder, first)
    with_metadata(folder / "model.parquet", first_model, ["collection"])
    run = Run.load(folder)
    assert run.prior == PseudoCounts(1.0, 1.0, centre="uniform")
    assert facts_of(run).centre == "uniform"
    sets = [set(corpus.text(row).split()) for row in range(24)]
    members = corpus.members("sport").tolist()
    counted = reference_ranking.count(
        [sets[row] for row in members], [sets[row] for row in range(24) if row not in members]
    )
    for row in range(24):
        expected = reference_ranking.s(counted, sets[row], 1.0, 1.0)
        assert run.explain(corpus, corpus.ids([row])[0]).score == pytest.approx(expected, abs=1e-9)


def test_a_run_of_the_second_format(old: Path, corpus: Corpus) -> None:
    """Format 2 had no kinship, no description and no other labels."""
    folder = old / "default.run"

    def second(about: dict[str, Any]) -> None:
        about["format"] = 2
        del about["description"], about["text_only"], about["regression"]["labels"], about["regression"]["described"]
        for setting in about["regression"]["settings"]:
            del setting["shared"], setting["described"], setting["labels"]

    expected = {id: Run.load(folder).explain(corpus, id).score for id in Run.load(folder).ranking.ids}
    rewritten(folder, second)
    table = pq.read_table(folder / "regression.parquet")
    if "kind" in table.column_names:
        pq.write_table(table.drop_columns(["kind"]), folder / "regression.parquet")
    run = Run.load(folder)
    assert all((each.kinship, each.labels, each.described) == (0.0, 0.0, False) for each in member_facts(run).tried)
    assert {id: run.explain(corpus, id).score for id in run.ranking.ids} == pytest.approx(expected)
    run.save(old / "new.run")
    assert Run.load(old / "new.run").about == run.about


def test_other_labels_of_an_old_run(old: Path, corpus: Corpus) -> None:
    folder = old / "default.run"
    table = pq.read_table(folder / "regression.parquet")
    label = pa.table({"kind": ["label"], "name": ["game"], "weight": [0.5]}, table.schema)
    before = Run.load(folder)
    rows = pa.concat_tables([table, label]).replace_schema_metadata(table.schema.metadata)
    pq.write_table(rows, folder / "regression.parquet")
    run = Run.load(folder)
    assert run.model.groups["labels"].by_name == {"game": 0.5}
    for row in range(24):
        id = corpus.ids([row])[0]
        expected = before.explain(corpus, id).score + 0.5 * ("game" in corpus.labels_of(row))
        assert run.explain(corpus, id).score == pytest.approx(expected)


def test_subcategories_of_an_old_run(old: Path) -> None:
    counts = {
        "depth": 2,
        "categories": 3,
        "learned": {"subcategory": 1, "new": 17},
        "laplace": {"subcategory": 2, "new": 16},
    }
    rewritten(old / "default.run", lambda about: about.update(subcategories=counts))
    found = Run.load(old / "default.run").about.subcategories
    assert found is not None
    assert (found.depth, found.categories) == (2, 3)
    assert found.candidates == {"ranking": counts["learned"], "baseline": counts["laplace"]}


# Damage


@pytest.mark.parametrize(
    "name", ["model.parquet", "regression.parquet", "ranking.parquet", "terrain.parquet", "trials.csv"]
)
def test_a_damaged_file_of_an_old_run_is_named(old: Path, name: str) -> None:
    file = old / "default.run" / name
    for damage in (file.read_bytes()[:40], b"", b"not what it was"):
        file.write_bytes(damage)
        with pytest.raises(BrokenFile, match=r"default\.run") as caught:
            Run.load(old / "default.run")
        assert name in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1
    file.unlink()
    with pytest.raises(BrokenFile, match=f"{name} is missing"):
        Run.load(old / "default.run")


@pytest.mark.parametrize("text", ['{"format": 1}', '{"format": 3, "procedure": 1}', '{"format": 2, "corpus": {}}'])
def test_a_damaged_description_of_an_old_run(old: Path, text: str) -> None:
    (old / "default.run" / "run.json").write_text(text, "utf-8")
    with pytest.raises(BrokenFile, match=r"run\.json: damaged \("):
        Run.load(old / "default.run")


@pytest.mark.parametrize("change", [{"lambda_negative": -1}, {"calibration": None}, {"n_positive": "six"}])
def test_an_old_model_that_cannot_be_used(old: Path, change: dict[str, object]) -> None:
    with_metadata(old / "presence.run" / "model.parquet", lambda metadata: metadata.update(change))
    with pytest.raises(BrokenFile, match=r"model\.parquet"):
        Run.load(old / "presence.run")


def test_an_old_model_with_a_row_that_has_no_name(old: Path) -> None:
    file = old / "default.run" / "regression.parquet"
    table = pq.read_table(file)
    names = pa.array([None, *table["name"].to_pylist()[1:]], pa.string())
    broken = table.set_column(table.schema.get_field_index("name"), "name", names)
    pq.write_table(broken.replace_schema_metadata(table.schema.metadata), file)
    with pytest.raises(BrokenFile, match=r"regression\.parquet.*has no name"):
        Run.load(old / "default.run")


def test_an_old_run_fits_only_its_own_corpus(old: Path) -> None:
    other = Corpus.from_texts(["goal team", "law"])
    with pytest.raises(InputError, match="fits only the corpus that it was learned from"):
        Run.load(old / "default.run").explain(other, "0")
