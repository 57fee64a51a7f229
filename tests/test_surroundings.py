"""Other processes, full disks, clocks, line ends and locales: what priorwise meets outside its own files."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from conftest import FAST, Cli, contents
from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.errors import InputError
from priorwise.review import verdicts as verdicts_module
from priorwise.review.verdicts import Verdict, Verdicts
from processes import Shell, Start
from reviews import judge

CallAll = Callable[[dict[str, list[object]], Callable[[], None]], dict[str, tuple[int, str]]]


CALL = """
import json, sys
from click.testing import CliRunner
from priorwise.cli import main
ends = [CliRunner().invoke(main, command) for command in json.loads(sys.argv[1])]
print(json.dumps([[end.exit_code, end.stderr.strip().rpartition(chr(10))[2]] for end in ends]))
"""


@pytest.fixture
def call_all(shell: Shell) -> CallAll:
    """Run commands one after the other in a process that is bound to something; the exit code and last error of each.

    It writes no bytecode: where files may not grow, Python would keep half of it, and stumble over that for ever.
    """

    def call(commands: dict[str, list[object]], bind: Callable[[], None]) -> dict[str, tuple[int, str]]:
        listed = json.dumps([[str(word) for word in words] for words in commands.values()])
        done = shell("-c", CALL, listed, bind=bind, PYTHONDONTWRITEBYTECODE="1")
        assert done.returncode == 0, done.stderr
        return {name: (code, said) for name, (code, said) in zip(commands, json.loads(done.stdout), strict=True)}

    return call


def ends(processes: Sequence[subprocess.Popen[str]]) -> list[tuple[int, str]]:
    """The exit code of each, and the last line it had to say about an error."""
    found = []
    for process in processes:
        _, said = process.communicate(timeout=120)
        assert "Traceback" not in said
        found.append((process.returncode, said.strip().rpartition("\n")[2]))
    return sorted(found)


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


# Others at the same time


def test_several_ingests_into_one_folder(start: Start, tmp_path: Path) -> None:
    records = tmp_path / "news.jsonl"
    records.write_text("".join(json.dumps({"text": f"word{n % 97} w{n}"}) + "\n" for n in range(3000)), "utf-8")
    out = tmp_path / "out"
    found = ends([start("-m", "priorwise", "ingest", "records", records, "-o", out / "a.corpus") for _ in range(3)])
    assert [code for code, _ in found] == [0, 2, 2]
    assert all("is being written by process" in said or "is there already" in said for code, said in found if code)
    assert names(out) == ["a.corpus"]
    corpus = Corpus.open(out / "a.corpus")
    corpus.verify()
    assert len(corpus) == 3000


@pytest.mark.parametrize("overwrite", [False, True])
def test_several_discoveries_into_one_folder(start: Start, corpus: Corpus, tmp_path: Path, overwrite: bool) -> None:
    options = ["--overwrite"] if overwrite else []
    out = tmp_path / "x.run"
    found = ends(
        [start("-m", "priorwise", "discover", corpus.path, "Chess", *FAST, "-o", out, *options) for _ in range(3)]
    )
    assert [code for code, _ in found] == ([0, 0, 0] if overwrite else [0, 2, 2])
    assert names(tmp_path) == ["x.run"]
    assert Run.load(out).about.label == "Chess"


SAVE = """
import sys
from priorwise.discovery import Run
run = Run.load(sys.argv[1])
for _ in range(8):
    run.save(sys.argv[2], overwrite=True)
"""


def test_a_run_is_whole_whenever_it_is_looked_at(run_path: Path, start: Start, tmp_path: Path) -> None:
    out = tmp_path / "x.run"
    writers = [start("-c", SAVE, run_path, out) for _ in range(2)]
    for writer in writers:
        _, said = writer.communicate(timeout=120)
        assert writer.returncode == 0, said
    assert contents(out) == contents(run_path)
    assert names(tmp_path) == ["x.run"]


def test_a_review_that_begins_while_the_run_is_replaced_is_not_lost(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.run"
    run.save(path)
    write = Run._write

    def slowly(self: Run, folder: Path) -> None:
        write(self, folder)
        judge(path, {"doc-00001": "yes"})

    monkeypatch.setattr(Run, "_write", slowly)
    with pytest.raises(InputError, match=r"x\.run was reviewed, and verdicts\.sqlite in it holds people's work"):
        run.save(path, overwrite=True)
    assert names(tmp_path) == ["x.run"]
    kept = Verdicts.of_run(path)
    assert [each.item for each in kept.current()] == ["doc-00001"]
    kept.close()


JUDGE = """
import sys, uuid
from pathlib import Path
from priorwise.review.verdicts import Verdict, Verdicts
verdicts = Verdicts.of_run(Path(sys.argv[1]))
for n in range(60):
    verdicts.add(Verdict(str(uuid.uuid4()), sys.argv[2], f"doc{n}", "yes"))
verdicts.close()
"""


def test_reviewers_in_several_processes_lose_nothing(run_path: Path, start: Start, cli: Cli, tmp_path: Path) -> None:
    """They judge while a report of the same run is written again and again."""
    path = shutil.copytree(run_path, tmp_path / "x.run")
    reviewers = ["Ada", "Bob", "Eve"]
    judging = [start("-c", JUDGE, path, name) for name in reviewers]
    reports = 0
    while any(process.poll() is None for process in judging) or not reports:
        assert cli("report", path, "-o", tmp_path / "x.html", "--overwrite").exit_code == 0
        reports += 1
    assert [process.communicate()[1] for process in judging] == ["", "", ""]
    verdicts = Verdicts.of_run(path)
    assert sorted((each.reviewer, each.item) for each in verdicts.current()) == sorted(
        (name, f"doc{n}") for name in reviewers for n in range(60)
    )
    verdicts.close()


# A clock that is set back


def test_verdicts_are_in_the_order_of_their_saying_whatever_the_clock_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [datetime(2026, 10, 25, 3, 0, tzinfo=UTC)]

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            now[0] -= timedelta(minutes=40)
            return now[0]

    monkeypatch.setattr(verdicts_module, "datetime", Clock)
    verdicts = Verdicts(tmp_path / "v.sqlite")
    for word in ("yes", "no", "unsure"):
        verdicts.add(Verdict(str(uuid.uuid4()), "Ada", "doc1", word))
    assert [each.verdict for each in verdicts.log()] == ["yes", "no", "unsure"]
    assert [each.verdict for each in verdicts.current()] == ["unsure"]
    times = [each.at for each in verdicts.log()]
    assert times == sorted(times, reverse=True)
    verdicts.close()


def test_an_ingest_goes_on_whatever_the_clock_says(tmp_path: Path, cli: Cli) -> None:
    """An input from the future is read, and one that changed back in time is noticed."""
    records = tmp_path / "news.jsonl"
    records.write_text('{"text": "a"}\n', "utf-8")
    os.utime(records, (4e9, 4e9))
    assert cli("ingest", "records", records, "-o", tmp_path / "a.corpus").exit_code == 0
    os.utime(records, (0, 0))
    assert cli("ingest", "records", records, "-o", tmp_path / "a.corpus", "--overwrite").exit_code == 0


# Disks that are full, files that may not grow, folders that may not be written


def limited(largest: int) -> Callable[[], None]:
    """No file may grow beyond this; where a disk is full, writing fails the same way, with another number."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))


@pytest.fixture(scope="module")
def model_path(corpus: Corpus, cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "x.model"
    assert cli("train", corpus.path, "-o", path).exit_code == 0
    return path


def commands_that_write(
    out: Path, corpus: Corpus, run_path: Path, model_path: Path, tmp_path: Path
) -> dict[str, list[object]]:
    (texts := tmp_path / "texts").mkdir()
    for n in range(40):
        (texts / f"{n}.txt").write_text(" ".join(f"word{n * k}" for k in range(400)), "utf-8")
    hidden = ["benchmark", "hidden", corpus.path, "--labels", "Geology", "--methods", "Laplace"]
    return {
        "ingest": ["ingest", "folder", texts, "-o", out / "a.corpus"],
        "discover": ["discover", corpus.path, "Chess", *FAST, "-o", out / "x.run"],
        "train": ["train", corpus.path, "-o", out / "x.model"],
        "classify": ["classify", model_path, corpus.path, "-o", out / "c.csv"],
        "report": ["report", run_path, "-o", out / "x.html"],
        "export": ["review", run_path, "--export", out / "r.csv"],
        "benchmark": [*hidden, "-o", out / "b.csv"],
    }


@pytest.mark.parametrize("largest", [0, 2000])
def test_files_that_may_not_grow(
    largest: int, call_all: CallAll, corpus: Corpus, run_path: Path, model_path: Path, tmp_path: Path
) -> None:
    (out := tmp_path / "out").mkdir()
    commands = commands_that_write(out, corpus, run_path, model_path, tmp_path)
    for name, (code, said) in call_all(commands, limited(largest)).items():
        if name == "benchmark" and largest:
            continue  # so short that it fits
        assert code == 2, (name, said)
        assert said.startswith("Error: ")
        assert "too large" in said.lower()
    assert names(out) == (["b.csv"] if largest else [])


def obedient() -> None:
    """Let the administrator be bound by the permissions of files, as everybody else is."""
    if os.geteuid() == 0:
        drop, override, search = 24, 1, 2
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (override, search):
            if libc.prctl(drop, capability, 0, 0, 0):
                raise OSError(ctypes.get_errno(), "the capability cannot be dropped")


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Path]:
    """A folder in which nothing can be made."""
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


def test_a_folder_that_may_not_be_written(
    call_all: CallAll, corpus: Corpus, run_path: Path, model_path: Path, locked: Path, tmp_path: Path
) -> None:
    commands = commands_that_write(locked, corpus, run_path, model_path, tmp_path)
    for name, (code, said) in call_all(commands, obedient).items():
        assert code == 2, (name, said)
        assert said.startswith("Error: ")
        assert str(locked) in said
        assert "permission denied" in said.lower()


def test_what_may_only_be_read_is_read(call_all: CallAll, corpus: Corpus, run_path: Path, tmp_path: Path) -> None:
    """A corpus and a reviewed run on a disc of somebody else."""
    disc = tmp_path / "disc"
    shutil.copytree(corpus.path, disc / "a.corpus")
    shutil.copytree(run_path, disc / "x.run")
    judge(disc / "x.run", {"doc-00001": "yes"})
    places = [disc, *(each for each in disc.rglob("*"))]
    for place in places:
        place.chmod(0o555 if place.is_dir() else 0o444)
    try:
        commands: dict[str, list[object]] = {
            "corpus": ["corpus", disc / "a.corpus", "--verify"],
            "report": ["report", disc / "x.run", "-o", tmp_path / "x.html"],
            "results": ["review", disc / "x.run", "--results"],
        }
        ends = call_all(commands, obedient)
        assert ends == dict.fromkeys(commands, (0, ""))
    finally:
        for place in places:
            place.chmod(0o755)
