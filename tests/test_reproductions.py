"""Experiments from end to end: run, interrupted, run again, and asked for by a wrong name."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import priorwise as pw
from paper_collections import GROUPS, session_of
from priorwise.errors import UnknownName
from reproductions.data import COLLECTIONS
from reproductions.experiment import NAMES, find_experiment
from reproductions.table import escaped

OURS = ("bernoulli", "webscale")


@pytest.mark.parametrize("name", OURS)
def test_experiment_from_end_to_end_and_again(name, collections, corpora, tmp_path, reproduce):
    output = tmp_path / "out"
    output.mkdir()
    (output / "corpora").symlink_to(corpora)
    command = (name, "--data", collections, "-o", output, "--quick")
    first = reproduce(*command)
    assert first.exit_code == 0, first.output
    written = (output / f"{name}.md").read_text(encoding="utf-8")
    assert f"    python -m reproductions {name} --data DIR --quick\n" in written
    assert f"priorwise {pw.__version__}" in written
    assert "20 Newsgroups: " in written
    assert f"{len(GROUPS)} classes" in written
    found = json.loads((output / f"{name}.json").read_text(encoding="utf-8"))
    assert found["versions"]["priorwise"] == pw.__version__
    tables = [part["table"] for part in found["parts"] if "table" in part]
    assert tables
    assert [table["title"] for table in tables if f"**{escaped(table['title'])}**" not in written] == []
    assert [row for table in tables for row in table["rows"] if f"\n| {escaped(row['name'])} | " not in written] == []
    again = reproduce(*command)
    assert ", 0 from an earlier run;" in first.stdout
    assert "\n0 cells computed, " in again.stdout
    assert (output / f"{name}.md").read_text(encoding="utf-8") == written
    assert again.stdout.splitlines()[:-1] == first.stdout.splitlines()[:-1]


@pytest.mark.parametrize(
    ("name", "part", "where"),
    [
        ("bernoulli", "ohsumed", "reproductions.bernoulli.judge"),
        ("webscale", "onet", "reproductions.webscale.accuracy"),
    ],
)
def test_interrupted_experiment_goes_on_where_it_was(name, part, where, collections, corpora, tmp_path, monkeypatch):
    experiment = find_experiment(name)
    whole = session_of(collections, corpora, tmp_path / "whole", name, part)
    expected = experiment.run(whole)
    module, function = where.rsplit(".", 1)
    original, calls = getattr(sys.modules[module], function), []

    def third_time_unlucky(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(where, third_time_unlucky)
    with pytest.raises(KeyboardInterrupt):
        experiment.run(session_of(collections, corpora, tmp_path / "cut", name, part))
    monkeypatch.setattr(where, original)
    resumed = session_of(collections, corpora, tmp_path / "cut", name, part)
    assert experiment.run(resumed).to_json() == expected.to_json()
    assert resumed.results.reused >= 2
    assert resumed.results.computed < whole.results.computed


def test_anew_forgets_what_was_finished(collections, corpora, tmp_path, reproduce):
    (tmp_path / "corpora").symlink_to(corpora)
    command = ("bernoulli", "--data", collections, "-o", tmp_path, "--quick", "--only", "ohsumed")
    reproduce(*command)
    assert ", 0 from an earlier run;" in reproduce(*command, "--anew").stdout


def test_experiments_are_found_by_name():
    for name in OURS:
        assert find_experiment(name).name == name
    with pytest.raises(UnknownName, match="did you mean 'ohsumed'"):
        find_experiment("bernoulli").chosen(("ohsumd",))
    assert find_experiment("webscale").chosen(("onet", "newsgroups")) == ("newsgroups", "onet")


def test_mistakes_are_answered_in_one_sentence(tmp_path, collections, reproduce, monkeypatch):
    def refused(*arguments):
        result = reproduce(*arguments)
        assert result.exit_code == 2
        assert result.stdout == ""
        (sentence,) = result.stderr.splitlines()
        return sentence.removeprefix("Error: ")

    monkeypatch.delenv("PRIORWISE_DATA", raising=False)
    assert refused("webscal") == "no experiment 'webscal'; did you mean 'webscale'?"
    assert refused("al") == "no experiment 'al'; did you mean 'all'?"
    assert "say where the collections are" in refused("webscale")
    assert "there is no folder" in refused("webscale", "--data", tmp_path / "none")
    assert "20 Newsgroups is not in" in refused("webscale", "--data", tmp_path, "-o", tmp_path / "out")
    assert "no part of 'webscale' 'medlin'; did you mean 'medline'?" in refused(
        "webscale", "--data", collections, "--only", "medlin"
    )
    assert not (tmp_path / "out").exists()


def test_the_documentation_says_where_each_collection_is_looked_for():
    said = (Path(__file__).parent.parent / "docs" / "results" / "index.md").read_text(encoding="utf-8")
    assert [place for kept in COLLECTIONS.values() for place in kept.places if f"`{place}`" not in said] == []
    assert [name for name in NAMES if f"-m reproductions {name} " not in said] == []
