"""A run folder is whole or not there, whatever happens while it is saved."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from conftest import FAST, Refused, contents
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.durable import draft_of, drafts_of
from priorwise.errors import AlreadyExists, CorpusError, DiskFull
from priorwise.models.linear_model import LinearModel
from processes import Start
from test_discovery_run import FILES


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
