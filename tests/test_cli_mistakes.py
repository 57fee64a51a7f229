"""Mistakes: one sentence that says what to do, exit code 2, and nothing left behind."""

from __future__ import annotations

import csv
import errno
import os
from pathlib import Path

import pytest

from conftest import Cli, Refused
from priorwise.corpus import Corpus


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["discvoer"], "no command 'discvoer'; did you mean 'discover'?"),
        (["xyzzy"], "no command 'xyzzy'"),
        (["ingest", "recrods", "x"], "No such command 'recrods'. Did you mean 'records'?"),
        (["discover", "x", "y", "--colour", "red"], "No such option '--colour'."),
        (["discover"], "Missing argument 'CORPUS'."),
        (["discover", "x", "y", "--repeats", "0"], "Invalid value for '--repeats': 0 is not in the range x>=1."),
        (["discover", "x", "y", "--others-per-member", "0"], "Invalid value for '--others-per-member'"),
        (
            ["discover", "x", "y", "--objective", "best"],
            "no objective 'best'; there are precision, precision:FLOOR, fBETA, fBETA:corpus, errors, accuracy",
        ),
        (["discover", "x", "y", "--objective", "precision@0"], "no objective 'precision@0'"),
        (["discover", "x", "y", "--objective", "f"], "no objective 'f'"),
        (
            ["discover", "x", "y", "--prior-search", "random"],
            "Invalid value for '--prior-search': 'random' is not one of",
        ),
    ],
)
def test_mistakes_in_the_command(refused: Refused, arguments: list[str], says: str) -> None:
    assert says in refused(*arguments)


def test_unknown_label(refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "x.corpus"
    Corpus.from_texts(["a b"] * 300, labels=["Machine learning"] * 199 + [None] * 101, path=path)
    sentence = refused("discover", path, "Machien learning", "-o", tmp_path / "x.run")
    assert sentence == "no category 'Machien learning'; did you mean 'Machine learning' (199 members)?"
    assert refused("discover", path, "qqqq") == "no category 'qqqq' or similar; the largest is 'Machine learning'"
    assert [each.name for each in tmp_path.iterdir()] == ["x.corpus"]


def test_too_few_members(refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "x.corpus"
    Corpus.from_texts(["a b", "b c", "c"], labels=[["one", "all"], "all", "all"], path=path)
    sentence = refused("discover", path, "one", "-o", tmp_path / "x.run", "--model", "presence")
    assert sentence == "a category needs at least 2 members to learn from, and this one has 1"
    sentence = refused("discover", path, "all", "-o", tmp_path / "x.run")
    assert sentence.startswith("every document of the corpus is a member")
    assert [each.name for each in tmp_path.iterdir()] == ["x.corpus"]


def test_an_empty_input_makes_no_corpus(refused: Refused, tmp_path: Path) -> None:
    file = tmp_path / "empty.jsonl"
    file.write_text("", "utf-8")
    assert refused("ingest", "records", file, "-o", tmp_path / "x.corpus") == f"there is no record in {file}"
    assert list(tmp_path.iterdir()) == [file]


def test_a_label_or_members_but_not_both(refused: Refused, corpus: Corpus, tmp_path: Path) -> None:
    file = tmp_path / "ids"
    file.write_text("doc-00001\ndoc-00002\n", "utf-8")
    assert refused("discover", corpus.path) == "give a category, a list of members, words or a description"
    assert refused("discover", corpus.path, "Chess", "--members", file) == "give either a category or a list of members"


@pytest.mark.parametrize(
    "choice", [["--target", "f1"], ["--search", "radial"], ["--negatives-per-positive", "3"], ["--seeds", "5"]]
)
def test_the_paper_leaves_no_choice(refused: Refused, corpus: Corpus, choice: list[str]) -> None:
    assert "paper's procedure fixes" in refused("discover", corpus.path, "Chess", "--paper", *choice)


def test_the_output_is_checked_before_the_work(refused: Refused, run_path: Path, tmp_path: Path) -> None:
    sentence = refused("discover", tmp_path / "no such corpus", "x", "-o", run_path)
    assert sentence.startswith(f"{run_path} is there already; choose another name, or replace it with --overwrite")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to this user")
def test_a_forbidden_file(refused: Refused, corpus: Corpus, tmp_path: Path) -> None:
    file = tmp_path / "ids"
    file.write_text("doc-00001", "utf-8")
    file.chmod(0)
    assert refused("discover", corpus.path, "--members", file) == f"{file}: permission denied"


def test_a_folder_where_a_file_should_be(refused: Refused, corpus: Corpus, tmp_path: Path) -> None:
    assert refused("discover", corpus.path, "--members", tmp_path) == f"{tmp_path}: is a directory"


def test_a_full_disk_under_the_figures_of_a_benchmark(
    cli: Cli, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        def writerow(self, row: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(csv, "writer", lambda file: Full())
    file = tmp_path / "x.csv"
    file.write_text("figures of last week", "utf-8")
    words = ("benchmark", "hidden", corpus.path, "--category", "Geology", "--methods", "Laplace", "-o", file)
    result = cli(*words, "--overwrite")
    assert result.exit_code == 2
    assert result.stderr == f"Error: no space left on the disk while writing {file}; free some or write elsewhere\n"
    assert {each.name: each.read_text("utf-8") for each in tmp_path.iterdir()} == {"x.csv": "figures of last week"}
