"""The results of a review, also where nothing can be written."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from priorwise.discovery import Run
from priorwise.review import Choices, Verdict, Verdicts, decisions, items_of, results
from processes import Shell
from reviews import judge


def test_the_majority_decides() -> None:
    said = [("a", "yes yes no"), ("b", "yes no"), ("c", "unsure"), ("d", "skip"), ("e", "no unsure")]
    listed = [
        Verdict(f"{item}{number}", f"r{number}", item, word)
        for item, words in said
        for number, word in enumerate(words.split())
    ]
    assert decisions(listed) == {"a": "yes", "b": "unsure", "c": "unsure", "e": "no"}


def test_results_of_a_run(run: Run, run_path: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run_path, tmp_path / "a.run"))
    nothing = results(folder, k=10)
    assert nothing["reviewers"] == []
    assert nothing["rankings"]["learned"]["at_k"]["value"] == 0.0
    assert not (folder / "verdicts.sqlite").exists()
    verdicts = Verdicts.of_run(folder)
    good = set(run.ranking.ids[:8])
    for number, item in enumerate(items_of(run, Choices(top=None))):
        verdicts.add(
            Verdict(f"{number}", "Ada", item.id, "yes" if item.id in good else "no", seconds=float(number % 3))
        )
    verdicts.close()
    found = results(folder, k=10)
    learned, laplace = found["rankings"]["learned"], found["rankings"]["laplace"]
    assert learned["at_k"]["value"] == 0.8
    assert laplace["at_k"]["value"] == len(good & set(run.baseline.ids[:10])) / 10
    assert found["difference"]["spread"]["value"] == pytest.approx(0.8 - laplace["at_k"]["value"])
    assert learned["counts"]["unjudged"] == 0
    assert found["accepted"] == sorted(good)
    [ada] = found["reviewers"]
    assert (ada["name"], ada["yes"], ada["seconds"]) == ("Ada", 8, 1.0)
    ranks = {each["id"]: each["rank"] for each in found["documents"]}
    assert [ranks[id] for id in run.ranking.ids[:3]] == [1, 2, 3]


def accept(folder: Path, run: Run, top: int | None) -> None:
    """Say yes to each document that is among the first of a ranking."""
    judge(folder, {item.id: "yes" for item in items_of(run, Choices(top=top))})


def test_curves_go_as_far_as_people_have_read(run: Run, run_path: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run_path, tmp_path / "a.run"))
    accept(folder, run, top=30)
    first = {*run.ranking.ids[:30], *run.baseline.ids[:30]}
    unread = (next(i for i, id in enumerate(ids) if id not in first) for ids in (run.ranking.ids, run.baseline.ids))
    depth = min(unread)
    assert depth >= 30
    found = results(folder, k=10)
    assert found["depth"] == depth
    for ranking in found["rankings"].values():
        assert ranking["ppv"] == [1.0] * depth
    assert found["area_between"] == 0.0
    beyond = results(folder, k=depth + 5)
    assert beyond["depth"] == depth + 5
    assert min(ranking["ppv"][-1] for ranking in beyond["rankings"].values()) < 1.0
    judged_all = Path(shutil.copytree(run_path, tmp_path / "b.run"))
    accept(judged_all, run, top=None)
    assert results(judged_all, k=10)["depth"] == min(len(run.ranking), len(run.baseline))


@pytest.fixture
def somebody_elses(run_path: Path) -> Iterator[Path]:
    """A copy of a run that can be read and not written to, also by one who may write everywhere."""
    with tempfile.TemporaryDirectory() as top:
        folder = Path(shutil.copytree(run_path, Path(top) / "a.run"))
        Path(top).chmod(0o755)
        yield folder
        os.seteuid(os.getuid())
        for each in (folder, *folder.glob("*.model")):
            each.chmod(0o755)


def close(folder: Path) -> None:
    for each in folder.rglob("*"):
        each.chmod(0o555 if each.is_dir() else 0o444)
    folder.chmod(0o555)
    if os.geteuid() == 0:
        os.seteuid(65534)
    assert not os.access(folder, os.W_OK, effective_ids=True)


def test_results_are_read_where_nothing_can_be_written(somebody_elses: Path, run: Run) -> None:
    accept(somebody_elses, run, top=20)
    before = results(somebody_elses)
    close(somebody_elses)
    assert results(somebody_elses) == before
    assert len(before["accepted"]) > 0


def test_what_is_only_in_the_log_is_read_there_too(somebody_elses: Path, run: Run, shell: Shell) -> None:
    """A server that was killed leaves its last verdicts in the write-ahead log."""
    path = somebody_elses / "verdicts.sqlite"
    code = (
        "import os, sys; from pathlib import Path; from priorwise.review import Verdict, Verdicts;"
        "Verdicts(Path(sys.argv[1])).add(Verdict('1', 'Ada', sys.argv[2], 'yes')); os.kill(os.getpid(), 9)"
    )
    assert shell("-c", code, path, run.ranking.ids[0]).returncode == -signal.SIGKILL
    assert path.with_name("verdicts.sqlite-wal").stat().st_size > 0
    path.with_name("verdicts.sqlite-shm").unlink()
    close(somebody_elses)
    assert results(somebody_elses)["accepted"] == [run.ranking.ids[0]]
