"""A byte that changed on the disk is noticed, and `priorwise verify` says where."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Cli, Refused
from crafting import small_corpus
from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.errors import BrokenFile, PriorwiseError
from priorwise.models.linear_model import LinearModel
from priorwise.review.verdicts import Verdict, Verdicts, said_in
from test_models_linear_model import small_model

READ = {"run.json", "ranking.parquet", "baseline.parquet", "terrain.parquet", "trials.csv"}


def flip(folder: Path, use: Callable[[Path], Any], names: set[str] | None = None, per_file: int = 25) -> int:
    """Flip one bit at some places of each file, and demand that each flip is noticed; return how many there were."""
    rng = np.random.default_rng(0)
    flips = 0
    for file in sorted(folder.rglob("*")):
        if not file.is_file() or (names is not None and file.name not in names):
            continue
        whole = file.read_bytes()
        for place in rng.choice(len(whole), min(per_file, len(whole)), replace=False).tolist():
            changed = bytearray(whole)
            changed[place] ^= 1 << int(rng.integers(8))
            file.write_bytes(changed)
            with pytest.raises(PriorwiseError):
                use(folder)
            flips += 1
        file.write_bytes(whole)
    use(folder)
    return flips


def test_every_flip_in_a_run_is_noticed_when_it_is_loaded(run_path: Path, tmp_path: Path) -> None:
    assert flip(shutil.copytree(run_path, tmp_path / "x.run"), Run.load, READ) == 25 * len(READ)


def test_the_copies_for_people_may_be_edited_and_verify_tells(
    run_path: Path, tmp_path: Path, cli: Cli, refused: Refused
) -> None:
    path = shutil.copytree(run_path, tmp_path / "x.run")
    assert cli("verify", path).stdout == f"{path}: a whole run\n"
    with (path / "ranking.csv").open("a") as file:
        file.write("a note\n")
    Run.load(path)
    assert f"{path / 'ranking.csv'}: damaged: " in refused("verify", path)


def test_every_flip_in_a_corpus_or_a_model_is_noticed(tmp_path: Path) -> None:
    small_corpus(tmp_path / "x.corpus")
    assert flip(tmp_path / "x.corpus", lambda folder: Corpus.open(folder).verify(), per_file=8) > 50
    small_model().save(tmp_path / "x.model")
    assert (
        flip(tmp_path / "x.model", LinearModel.load, {"model.json", "labels.arrow", "outputs.arrow", "tokens.arrow"})
        == 100
    )


def test_a_run_of_before_is_read_without_checksums(run_path: Path, tmp_path: Path, cli: Cli) -> None:
    path = shutil.copytree(run_path, tmp_path / "x.run")
    about = json.loads((path / "run.json").read_text(encoding="utf-8"))
    del about["files"], about["checksum"]
    (path / "run.json").write_text(json.dumps(about), encoding="utf-8")
    assert Run.load(path).about == Run.load(run_path).about
    assert "without checksums" in cli("verify", path).stdout


def test_what_there_is_to_verify(cli: Cli, refused: Refused, tmp_path: Path, run_path: Path, corpus: Corpus) -> None:
    small_model().save(tmp_path / "x.model")
    assert "a whole model of" in cli("verify", tmp_path / "x.model").stdout
    assert cli("verify", corpus.path).stdout == f"{corpus.path}: a whole corpus of 400 documents\n"
    runs = tmp_path / "x.runs"
    shutil.copytree(run_path, runs / "1-chess.run")
    (runs / "runs.json").write_text("{}")
    assert cli("verify", runs).stdout == f"{runs}: 1 whole run\n"
    verdicts = Verdicts.of_run(runs / "1-chess.run")
    verdicts.add(Verdict("v1", "Ada", "d1", "yes"))
    verdicts.close()
    assert "1 verdict, unchanged" in cli("verify", runs / "1-chess.run").stdout
    assert "1 verdict, unchanged" in cli("verify", runs / "1-chess.run" / "verdicts.sqlite").stdout
    assert "there is no such file" in refused("verify", tmp_path / "no")
    assert "nothing to compare it with" in refused("verify", tmp_path)


SCHEMAS = [
    "CREATE VIEW verdict AS WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n) SELECT x AS number FROM n",
    "CREATE TABLE verdict (a); CREATE TRIGGER t AFTER INSERT ON verdict BEGIN DELETE FROM verdict; END",
    "CREATE VIRTUAL TABLE verdict USING fts5(id)",
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=["view", "trigger", "virtual"])
def test_a_database_that_would_run_something_is_refused(tmp_path: Path, schema: str) -> None:
    database = sqlite3.connect(tmp_path / "verdicts.sqlite")
    database.executescript(schema)
    database.close()
    with pytest.raises(BrokenFile, match="which no review has"):
        said_in(tmp_path)


def test_a_name_in_capitals_is_the_same_column(tmp_path: Path) -> None:
    verdicts = Verdicts.of_run(tmp_path)
    verdicts.add(Verdict("v1", "Ada", "d1", "yes", chosen="rank", note="as agreed", rank=3))
    verdicts.close()
    file = tmp_path / "verdicts.sqlite"
    content = file.read_bytes()
    assert b"chosen TEXT" in content
    file.write_bytes(content.replace(b"chosen TEXT", b"chOsen TEXT"))
    (found,) = said_in(tmp_path)
    assert (found.chosen, found.note, found.rank) == ("rank", "as agreed", 3)


@pytest.mark.parametrize("column", ["reviewer", "item", "verdict", "seconds", "previous", "at"])
@pytest.mark.parametrize("value", [b"\xff", "", "perhaps"])
def test_rows_of_another_kind_are_refused(tmp_path: Path, column: str, value: Any) -> None:
    verdicts = Verdicts.of_run(tmp_path)
    verdicts.add(Verdict("v1", "Ada", "d1", "yes"))
    verdicts.close()
    database = sqlite3.connect(tmp_path / "verdicts.sqlite")
    try:
        # As in a file of an earlier version: only the rows themselves can be wrong.
        database.executescript("DROP TABLE seal; PRAGMA user_version = 4")
        database.execute(f"UPDATE verdict SET {column} = ?", (value,))
        database.commit()
    except sqlite3.IntegrityError:
        return
    finally:
        database.close()
    allowed = {"item": (str,), "previous": (str,), "at": (str,), "seconds": (float,)}.get(column, ())
    if isinstance(value, allowed) and (value or column in ("previous", "at")):
        assert len(said_in(tmp_path)) == 1
    elif column == "reviewer" and value == "perhaps":
        assert said_in(tmp_path)[0].reviewer == "perhaps"
    else:
        with pytest.raises(BrokenFile, match=r"verdicts\.sqlite"):
            said_in(tmp_path)
