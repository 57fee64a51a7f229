"""The run folder: what is in it, that the same run is the same bytes, and that it can be read again."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import priorwise as pw
from conftest import Cli, contents
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.errors import CorpusError, DamagedCorpus, InputError
from priorwise.ranking.scorer import Scorer
from processes import Shell
from slow_discovery import facts_of, presence_of
from test_discovery_procedure import trials_of

COLUMNS = ["rank", "id", "title", "score", "probability", "baseline_rank", "evidence", "status", "path"]
FILES = {
    "run.json",
    "ranking.csv",
    "ranking.parquet",
    "baseline.csv",
    "baseline.parquet",
    "terrain.parquet",
    "trials.csv",
    *(f"presence.model/{name}" for name in ("card.md", "labels.arrow", "model.json", "origins.arrow")),
    *(f"presence.model/{name}" for name in ("outputs.arrow", "tokens.arrow")),
}


def rows_of(file: Path) -> list[dict[str, str]]:
    # With the mark by which spreadsheet programs know UTF-8.
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines))


def test_the_files(run_path: Path) -> None:
    assert contents(run_path).keys() == FILES


def test_the_files_of_the_default_model(auto_path: Path) -> None:
    model = ["card.md", "factors.arrow", "labels.arrow", "model.json", "origins.arrow", "outputs.arrow", "tokens.arrow"]
    rankings = ["ranking.csv", "ranking.parquet", "baseline.csv", "baseline.parquet"]
    assert contents(auto_path).keys() - {"members.model/groups.arrow"} == {
        "run.json",
        *rankings,
        *(f"members.model/{name}" for name in model),
    }


@pytest.mark.parametrize("name", ["ranking", "baseline"])
def test_rankings_have_the_same_columns_in_both_formats(run: Run, run_path: Path, name: str) -> None:
    table = pq.read_table(run_path / f"{name}.parquet")
    assert table.column_names == COLUMNS
    rows = rows_of(run_path / f"{name}.csv")
    assert list(rows[0]) == COLUMNS
    assert len(rows) == table.num_rows == 400 - run.about.members
    for written, stored in zip(rows, table.to_pylist(), strict=True):
        assert {**written, **{key: float(written[key]) for key in ("score", "probability")}} == {
            **stored,
            "rank": str(stored["rank"]),
            "baseline_rank": str(stored["baseline_rank"]),
            "status": "",
            "path": "",
        }
        assert stored["status"] is stored["path"] is None
    scores = table["score"].to_pylist()
    assert scores == sorted(scores, reverse=True)
    assert table["rank"].to_pylist() == list(range(1, len(scores) + 1))


def test_the_terrain_has_every_cell_of_every_seed(run: Run, run_path: Path) -> None:
    table = pq.read_table(run_path / "terrain.parquet")
    assert {"seed", "lambda_negative", "lambda_positive", "target", "tp", "fp", "sensitivity"} == set(
        table.column_names
    )
    assert table.num_rows == 57 * 57 * len(facts_of(run).seeds)
    grid = run.terrain.grid.tolist()
    assert (grid[0], grid[-1], len(grid)) == (0.1, 1e6, 57)
    cells = {(n, p) for n in grid for p in grid}
    columns = {name: np.array(table[name].to_pylist()) for name in table.column_names}
    for seed in facts_of(run).seeds:
        mine = columns["seed"] == seed
        of_seed = zip(columns["lambda_negative"][mine], columns["lambda_positive"][mine], strict=True)
        assert set(of_seed) == cells
    np.testing.assert_allclose(columns["sensitivity"], columns["tp"] / run.about.members)
    assert columns["fp"].max() <= facts_of(run).negatives_per_sample


def test_the_target_in_the_terrain_is_a_function_of_the_counts(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "ppv.run"
    discover(corpus, "Chess", target=pw.PPV(floor=0.5), seeds=2).save(path)
    table = pq.read_table(path / "terrain.parquet")
    target, tp, fp, found = (np.array(table[name].to_pylist()) for name in ("target", "tp", "fp", "sensitivity"))
    ppv = np.divide(tp, tp + fp, out=np.zeros_like(tp), where=tp + fp > 0)
    np.testing.assert_allclose(target, np.where(found >= 0.5, ppv, 0.0))


def test_cells_that_a_search_passed_by_have_no_target(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "radial.run"
    run = discover(corpus, "Chess", search="radial", seeds=2, centre="uniform")
    run.save(path)
    table = pq.read_table(path / "terrain.parquet")
    assert table.num_rows == 2 * 41_209
    assert table["target"].null_count == 2 * (41_209 - trials_of(run))
    assert table["tp"].null_count == 0
    loaded = Run.load(path)
    for before, after in zip(presence_of(run).terrains, presence_of(loaded).terrains, strict=True):
        np.testing.assert_array_equal(before.score, after.score)


def test_the_trials_hold_the_winner(run: Run, run_path: Path) -> None:
    rows = rows_of(run_path / "trials.csv")
    assert list(rows[0]) == ["trial", "lambda_negative", "lambda_positive", "score", "sensitivity"]
    assert [int(row["trial"]) for row in rows] == list(range(1, 57 * 57 + 1))
    best = max(float(row["score"]) for row in rows)
    winners = [
        (float(row["lambda_negative"]), float(row["lambda_positive"])) for row in rows if float(row["score"]) == best
    ]
    assert (run.prior.negative, run.prior.positive) in winners


def test_run_json_says_every_choice_and_nothing_that_changes(run_path: Path, corpus: Corpus) -> None:
    text = (run_path / "run.json").read_text("utf-8")
    about = json.loads(text)
    assert about["label"] == "Chess"
    assert about["corpus"] == {"path": str(corpus.path), "checksum": corpus.checksum, "documents": 400}
    assert {"model", "seed", "top", "text_only", "description"} <= set(about)
    baseline, presence = about["stages"]
    assert (baseline["stage"], baseline["role"]) == ("baseline", "compares")
    assert (presence["stage"], presence["role"]) == ("presence", "ranks")
    assert presence["seeds"] == [0, 1, 2, 3, 4]
    assert {"paper", "target", "search", "negatives_per_sample", "counts"} <= set(presence)
    assert about["versions"]["priorwise"] == pw.__version__
    assert about["versions"]["numpy"] == np.__version__
    assert not re.search(r"time|date|second|host|user|20\d\d-\d\d", text.replace(str(corpus.path), ""))


@pytest.mark.parametrize("choices", [[], ["--paper"], ["--target", "ppv@50"]])
def test_the_same_run_is_the_same_bytes(corpus: Corpus, cli: Cli, tmp_path: Path, choices: list[str]) -> None:
    for name, threads in (("a.run", "1"), ("b.run", "2")):
        arguments = ["Railways", "-o", tmp_path / name, "--threads", threads, *choices]
        assert cli("discover", corpus.path, *arguments).exit_code == 0
    assert contents(tmp_path / "a.run") == contents(tmp_path / "b.run")


def test_a_process_of_its_own_writes_the_same_bytes(corpus: Corpus, shell: Shell, tmp_path: Path) -> None:
    """And without a terminal it shows no bar, whatever the environment says about colours."""
    variables = {"PYTHONHASHSEED": "7", "TERM": "xterm", "FORCE_COLOR": "1"}
    done = shell("-m", "priorwise", "discover", corpus.path, "Chess", "-o", "x.run", cwd=tmp_path, **variables)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    run = discover(corpus, "Chess")
    # The command also keeps what it was asked.
    asked = {"the version": pw.__version__, "the category": "Chess", "the corpus": corpus.checksum}
    replace(run, about=replace(run.about, asked=asked)).save(tmp_path / "here.run")
    assert contents(tmp_path / "x.run") == contents(tmp_path / "here.run")


def test_loading_gives_back_what_was_saved(run: Run, run_path: Path, tmp_path: Path) -> None:
    loaded = Run.load(run_path)
    assert loaded.about == run.about
    assert loaded.ranking.table.equals(run.ranking.table)
    assert loaded.baseline.table.equals(run.baseline.table)
    own, other = presence_of(run), presence_of(loaded)
    assert other.about == own.about
    assert own.trials is not None
    assert other.trials is not None
    for name in ("rows", "columns", "score", "sensitivity"):
        np.testing.assert_array_equal(getattr(other.trials, name), getattr(own.trials, name))
    assert loaded.prior == run.prior
    assert repr(loaded) == repr(run)
    for before, after in zip(presence_of(run).terrains, presence_of(loaded).terrains, strict=True):
        assert (before.positives, before.negatives) == (after.positives, after.negatives)
        for name in ("grid", "tp", "fp", "score", "sensitivity"):
            np.testing.assert_array_equal(getattr(before, name), getattr(after, name))
    assert loaded.model.tokens.equals(run.model.tokens)
    assert loaded.model.calibration == run.model.calibration
    np.testing.assert_array_equal(loaded.model.weights.row(0), run.model.weights.row(0))
    assert loaded.model.origins is not None
    assert run.model.origins is not None
    for name in ("in_members", "in_others", "from_prior"):
        np.testing.assert_array_equal(getattr(loaded.model.origins, name), getattr(run.model.origins, name))
    loaded.save(tmp_path / "again.run")
    assert contents(tmp_path / "again.run") == contents(run_path)


def test_a_loaded_model_ranks_another_corpus(run: Run, run_path: Path) -> None:
    """Token numbers differ there; the tokens decide."""
    other = Corpus.from_texts(["knight pawn rook", "unheard of words", "zzz checkmate gambit the king"])
    scorer = Scorer.of(Run.load(run_path).model, other)
    place = {token: number for number, token in enumerate(run.model.tokens.to_pylist())}
    values = run.model.weights.row(0)
    table = scorer.table(other.n_vocabulary)
    for number in range(other.n_vocabulary):
        token = other.token_names([number])[0]
        assert table[number] == (values[place[token]] if token in place else 0.0)


def test_a_run_from_memory_needs_its_corpus_named(documents: list[object], tmp_path: Path) -> None:
    texts = ["goal team", "goal match", "match goal", "law vote"]
    made = Corpus.from_texts(texts, labels=["a", "a", None, None])
    discover(made, "a").save(tmp_path / "a.run")
    loaded = Run.load(tmp_path / "a.run")
    with pytest.raises(InputError, match="corpus in memory"):
        loaded.open_corpus()
    saved = made.save(tmp_path / "a.corpus")
    assert loaded.open_corpus(tmp_path / "a.corpus").checksum == saved.checksum


def test_another_corpus_is_refused(run_path: Path, tmp_path: Path) -> None:
    Corpus.from_texts(["a"], path=tmp_path / "other.corpus")
    loaded = Run.load(run_path)
    with pytest.raises(DamagedCorpus, match=r"is not the corpus that this run ranked: its checksum differs"):
        loaded.open_corpus(tmp_path / "other.corpus")
    gone = replace(loaded.about.corpus, path=str(tmp_path / "gone.corpus"))
    moved = Run(replace(loaded.about, corpus=gone), loaded.stages)
    with pytest.raises(CorpusError, match=r"gone.corpus does not exist; if the corpus was moved, say where"):
        moved.open_corpus()
