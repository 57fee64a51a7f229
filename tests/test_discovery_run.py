"""The run folder: what is in it, that the same run is the same bytes, and that it can be read again."""

from __future__ import annotations

import csv
import errno
import json
import os
import re
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import priorwise as pw
from conftest import FAST, Cli, Refused, contents
from markup import Elements, parsed
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument
from priorwise.discovery.presence_stage import Procedure, learn
from priorwise.durable import draft_of, drafts_of
from priorwise.errors import AlreadyExists, BrokenFile, CorpusError, DamagedCorpus, DiskFull, InputError
from priorwise.models.linear_model import LinearModel
from priorwise.ranking.scorer import Scorer
from processes import Shell, Start
from slow_discovery import facts_of, presence_of
from test_discovery_presence_stage import trials_of

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


def test_the_ways_that_are_drawn_are_those_of_the_search(corpus: Corpus) -> None:
    run = discover(corpus, "Chess", paper=True)
    learned = learn(corpus, corpus.members("Chess"), np.empty(0, np.int64), Procedure.paper())
    assert presence_of(run).climbs() == [path for sample in learned.choice.paths for path in sample]
    assert len(presence_of(run).climbs()) == 45
    assert "climb" in run.plot_terrain().svg


def test_a_search_that_looked_everywhere_has_no_way(run: Run) -> None:
    assert presence_of(run).climbs() == []
    assert "polyline" not in run.plot_terrain().svg


def test_pictures_for_a_notebook(run: Run, documents: list[DemoDocument]) -> None:
    belong = [document.id for document in documents if "Chess" in document.truth]
    picture = run.plot_precision(belong)
    last = np.mean([id in belong for id in run.ranking.ids])
    assert f"The presence model ends at {last:.3f}" in picture.summary
    assert isinstance(parsed(run._repr_html_()), Elements)
    assert run.ranking.rows(1)[0]["title"] in parsed(run._repr_html_()).text


def test_the_settings_of_the_default_model_are_drawn(auto_run: Run, corpus: Corpus) -> None:
    picture = auto_run.plot_terrain()
    most = max(auto_run.ranker.facts()["tried"], key=lambda each: each["share"])
    assert f"{most['share']:.3f}" in picture.summary
    given = discover(corpus, "Chess", prior=pw.PseudoCounts(2, 1), seeds=1)
    assert "the given prior is at λ− 2, λ+ 1" in given.plot_terrain().summary
    with pytest.raises(InputError, match="the default model has no objective map"):
        _ = auto_run.ranker.terrain
    with pytest.raises(InputError, match="this run has no presence model, only baseline, members"):
        _ = auto_run.terrain


def test_an_older_run_is_replaced_only_on_request(run: Run, corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    older = discover(corpus, "Chess", seeds=1, top=3)
    older.save(path)
    before = contents(path)
    with pytest.raises(AlreadyExists, match=r"x.run is there already; choose another name"):
        run.save(path)
    assert contents(path) == before
    run.save(path, overwrite=True)
    assert len(Run.load(path).ranking) == len(run.ranking)
    assert [each.name for each in tmp_path.iterdir()] == ["x.run"]


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_is_no_run_is_never_replaced(
    run: Run, corpus: Corpus, refused: Refused, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "papers"
    file = path / "thesis.txt" if kind == "folder" else path
    file.parent.mkdir(exist_ok=True)
    file.write_text("years of work", "utf-8")
    with pytest.raises(AlreadyExists, match="is not a run, so it is not replaced"):
        run.save(path, overwrite=True)
    sentence = refused("discover", corpus.path, "Chess", "-o", path, "--overwrite")
    assert sentence == f"{path} is there already and is not a run, so it is not replaced; choose another name"
    assert file.read_text("utf-8") == "years of work"
    assert [each.name for each in tmp_path.iterdir()] == ["papers"]


def test_an_empty_folder_may_be_filled(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.run").mkdir()
    run.save(tmp_path / "x.run", overwrite=True)
    assert contents(tmp_path / "x.run").keys() == FILES


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_full_disk_leaves_everything_as_it_was(
    run: Run,
    corpus: Corpus,
    refused: Refused,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    overwrite: bool,
) -> None:
    path = tmp_path / "x.run"
    if overwrite:
        run.save(path)
    before = contents(path) if overwrite else None

    def full(self: LinearModel, folder: Path) -> None:
        (folder / "tokens.arrow").write_bytes(b"half")
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(LinearModel, "write", full)
    with pytest.raises(DiskFull, match=r"no space left on the disk while writing .*x\.run"):
        run.save(path, overwrite=overwrite)
    sentence = refused("discover", corpus.path, "Chess", *FAST, "-o", path, "--overwrite")
    assert sentence == f"no space left on the disk while writing {path}; free some or write elsewhere"
    assert [each.name for each in tmp_path.iterdir()] == (["x.run"] if overwrite else [])
    if overwrite:
        assert contents(path) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_the_library_that_writes_says_that_a_disk_is_full(run: Run, tmp_path: Path) -> None:
    """Arrow reports a full disk as we expect it to: with the number that we look for."""
    (tmp_path / "tokens.arrow").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as caught:
        run.model.write(tmp_path)
    assert caught.value.errno == errno.ENOSPC


def test_a_place_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(CorpusError, match=r"x\.run cannot be written: .*file is a file and no folder"):
        run.save(tmp_path / "file" / "x.run")


def test_what_a_killed_save_left_is_cleared_away(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    left = draft_of(path)
    left.mkdir()
    (left / "ranking.csv").write_text("half", "utf-8")
    run.save(path)
    assert contents(path).keys() == FILES
    assert not left.exists()
    # Killed between the two renames: the older run lies aside, and comes back.
    path.rename(tmp_path / "x.run.replaced")
    with pytest.raises(AlreadyExists):
        run.save(path)
    assert contents(path).keys() == FILES
    assert [each.name for each in tmp_path.iterdir()] == ["x.run"]
    # A save that is refused touches nothing.
    left.mkdir()
    with pytest.raises(AlreadyExists):
        run.save(path)
    assert left.exists()


@pytest.mark.parametrize("can_exchange", [True, False])
def test_an_older_run_survives_a_failure_in_the_last_step(
    run: Run, run_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_exchange: bool
) -> None:
    path = shutil.copytree(run_path, tmp_path / "x.run")
    rename = Path.rename

    def no_exchange(one: Path, other: Path) -> bool:
        if can_exchange:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return False

    monkeypatch.setattr("priorwise.durable.exchange", no_exchange)

    def fail(self: Path, target: Path) -> Path:
        if self.name.endswith(".partial"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(CorpusError, match="cannot be written: input/output error"):
        run.save(path, overwrite=True)
    assert contents(path) == contents(run_path)
    assert [each.name for each in tmp_path.iterdir()] == ["x.run"]


KILLED = """
import sys, os, time
from pathlib import Path
from priorwise.models.linear_model import LinearModel
from priorwise.discovery import Run

def slow(self, folder):
    (folder / "tokens.arrow").write_bytes(b"half")
    print("saving", flush=True)
    time.sleep(60)

run = Run.load(sys.argv[1])
LinearModel.write = slow
run.save(sys.argv[2], overwrite=True)
"""


@pytest.mark.parametrize(
    ("number", "overwrite"), [(signal.SIGKILL, True), (signal.SIGKILL, False), (signal.SIGINT, True)]
)
def test_a_kill_while_saving_leaves_no_half_run(
    run: Run, run_path: Path, start: Start, tmp_path: Path, number: signal.Signals, overwrite: bool
) -> None:
    path = tmp_path / "x.run"
    if overwrite:
        shutil.copytree(run_path, path)
    process = start("-c", KILLED, run_path, path)
    assert process.stdout is not None
    assert process.stdout.readline() == "saving\n"
    process.send_signal(number)
    process.communicate(timeout=30)
    expected = {"x.run"} if overwrite else set()
    left = {"x.run.lock", *(each.name for each in drafts_of(path))} if number == signal.SIGKILL else set()
    assert len(left) in (0, 2)
    assert {each.name for each in tmp_path.iterdir()} == expected | left
    if overwrite:
        assert contents(path) == contents(run_path)
    run.save(path, overwrite=overwrite)
    assert contents(path) == contents(run_path)
    assert [each.name for each in tmp_path.iterdir()] == ["x.run"]


def test_discover_that_is_interrupted_leaves_nothing(corpus: Corpus, start: Start, tmp_path: Path) -> None:
    """Interrupted while it learns: a target that waits stands in for a long search."""
    script = """
import sys, time
import priorwise.cli.names as targets
from priorwise.search import FromScores
def wait(y, scores):
    print("learning", flush=True)
    time.sleep(60)
targets.parse_objective = lambda name, **how: FromScores(wait)
from priorwise.cli import main
main()
"""
    command = ("discover", corpus.path, "Chess", "--target", "slow", "-o", "x.run")
    process = start("-c", script, *command, cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "learning\n"
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert time.monotonic() - begun < 10
    assert process.returncode in (1, 130)
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def broken(run_path: Path, tmp_path: Path) -> Path:
    """A run without checksums, as an earlier priorwise wrote it: whatever is wrong must be found without them."""
    path = shutil.copytree(run_path, tmp_path / "broken.run")
    about = json.loads((path / "run.json").read_text("utf-8"))
    del about["files"], about["checksum"]
    (path / "run.json").write_text(json.dumps(about), "utf-8")
    return path


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(BrokenFile, match="there is no such run folder"):
        Run.load(tmp_path / "nowhere.run")
    with pytest.raises(BrokenFile, match=r"not a run folder: run.json is missing"):
        Run.load(tmp_path)


UNREAD = {"run.json", "ranking.csv", "baseline.csv", "presence.model/card.md"}
"""`run.json` has tests of its own; the others are for people."""


@pytest.mark.parametrize("name", sorted(FILES - UNREAD))
def test_a_file_that_is_missing_or_damaged_is_named(broken: Path, name: str) -> None:
    file = broken / name
    whole = file.read_bytes()
    for damage in (whole[: len(whole) // 2], b"", b"not what it was"):
        file.write_bytes(damage)
        assert str(file) in refusal(broken)
    file.unlink()
    said = refusal(broken)
    assert said.startswith(f"{file.parent}: ")
    assert re.search(rf"{re.escape(file.name)} is missing$|it has no {re.escape(file.name)}$", said)


def refusal(path: Path) -> str:
    with pytest.raises(BrokenFile) as caught:
        Run.load(path)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


def test_a_model_that_is_missing_is_named(broken: Path) -> None:
    shutil.rmtree(broken / "presence.model")
    assert refusal(broken) == f"{broken}: damaged: presence.model is missing"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "3",
        "{}",
        '{"format": "one"}',
        '{"format": 4}',
        "[" * 100_000,
        '{"format": 4, "stages": []}',
    ],
)
def test_a_damaged_run_json(broken: Path, text: str) -> None:
    (broken / "run.json").write_text(text, "utf-8")
    assert "run.json: damaged (" in refusal(broken)


def changed(broken: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    content = json.loads((broken / "run.json").read_text("utf-8"))
    content = {name: value for name, value in content.items() if name not in ("files", "checksum")}
    change(content)
    (broken / "run.json").write_text(json.dumps(content), "utf-8")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda c: c.update(members="six"), "'members' is 'six', not a whole number"),
        (lambda c: c.update(members=6.5), "'members' is 6.5, not a whole number"),
        (lambda c: c.update(label=7), "'label' is 7, not a text"),
        (lambda c: c["corpus"].pop("checksum"), "'corpus.checksum' is missing"),
        (lambda c: c.update(corpus=[]), "'corpus' is [], not an object"),
        (lambda c: c.update(stages=None), "'stages' is None, not a list"),
        (lambda c: c["stages"][1].update(role="narrows"), "no stage ranks"),
        (lambda c: c.update(stages=[]), "run.json: damaged"),
        (lambda c: c["stages"][0].update(stage="telepathy"), "telepathy"),
        (lambda c: c["stages"][0].pop("role"), "'stages[0].role' is missing"),
        (lambda c: c["stages"][1].update(negative=-1), "damaged"),
        (lambda c: c["stages"][1].update(negative=float("nan")), "'negative' is nan, not a number"),
        (lambda c: c["stages"][1].update(seeds=[0, "1"]), "'seeds[1]' is '1', not a whole number"),
        (lambda c: c["stages"][1].update(seeds=[0]), "5 samples instead of 1"),
        (lambda c: c["stages"][1].update(learned={"score": 1.0}), "'learned.sensitivity' is missing"),
        (lambda c: c["stages"][1].update(predicted="many"), "'stages[1].predicted' is 'many', not a whole number"),
    ],
)
def test_a_value_that_does_not_fit_is_named(broken: Path, change: Callable[[dict[str, Any]], Any], says: str) -> None:
    changed(broken, change)
    assert says in refusal(broken)


def test_a_run_without_a_baseline(broken: Path) -> None:
    changed(broken, lambda content: content["stages"].pop(0))
    assert "there is none to compare it with" in refusal(broken)


def test_a_default_model_that_tried_nothing(auto_path: Path, tmp_path: Path) -> None:
    broken = shutil.copytree(auto_path, tmp_path / "broken.run")
    changed(broken, lambda content: content["stages"][1].update(tried=[]))
    assert "no setting was tried" in refusal(broken)


def test_what_a_later_version_adds_is_passed_over(broken: Path, run: Run) -> None:
    changed(broken, lambda content: content.update(mood="good"))
    changed(broken, lambda content: content["stages"][1].update(mood="good"))
    assert Run.load(broken).about == run.about


def test_a_run_of_a_newer_version(broken: Path) -> None:
    changed(broken, lambda content: content.update(format=99))
    (broken / "terrain.parquet").unlink()
    assert "written by a newer priorwise; update this one" in refusal(broken)


def test_the_model_of_another_kind_is_refused_by_its_checksum(broken: Path, auto_path: Path) -> None:
    shutil.copy(auto_path / "members.model" / "tokens.arrow", broken / "presence.model" / "tokens.arrow")
    assert "tokens.arrow: damaged" in refusal(broken)


def test_any_parquet_file_is_not_a_ranking(broken: Path) -> None:
    shutil.copy(broken / "terrain.parquet", broken / "ranking.parquet")
    said = refusal(broken)
    assert "ranking.parquet: damaged" in said
