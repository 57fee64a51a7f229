"""Discover from the command line: choices by name, files of ids, and what is printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import priorwise as pw
from conftest import FAST, Cli, Refused
from priorwise.cli.names import parse_target
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.made_up import DemoDocument
from priorwise.discovery.words import regression_in_words
from priorwise.errors import InputError
from slow_discovery import rows_of

# Choices


def test_targets_by_name(corpus: Corpus, cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "one.run"
    result = cli("discover", corpus.path, "Chess", "--target", "f1:corpus", "--seeds", "2", "--seed", "3", "-o", path)
    assert result.exit_code == 0, result.output
    expected = discover(corpus, "Chess", target=pw.FBeta(1.0, at_corpus_odds=True), seeds=2, seed=3)
    assert Run.load(path).about == expected.about
    assert Run.load(path).ranking.table.equals(expected.ranking.table)


def test_a_prior_can_be_given_by_name_by_numbers_or_by_the_number_of_tokens(cli: Cli, corpus: Corpus) -> None:
    fixed = discover(corpus, "Astronomy", prior=pw.PseudoCounts(22, 4), seeds=1)
    assert fixed.prior == pw.PseudoCounts(22, 4)
    assert fixed.about["procedure"]["given"]
    perks = discover(corpus, "Astronomy", prior=pw.PseudoCounts.perks, seeds=1)
    assert perks.prior.negative == pytest.approx(1 / perks.about["learned"]["vocabulary"])
    common = ["discover", str(corpus.path), "Astronomy", "--seeds", "1", "--show", "0", "--prior"]
    assert "Given prior: λ− = 22, λ+ = 4;" in cli(*common, "22,4").stdout
    assert "Given prior: λ− = 0.5, λ+ = 0.5;" in cli(*common, "jeffreys").stdout
    assert "as often as all documents do (centre: collection)" in cli(*common, "22,4", "--centre", "collection").stdout
    around = discover(corpus, "Astronomy", prior=pw.PseudoCounts(22, 4, centre="collection"), seeds=1)
    assert around.prior == discover(corpus, "Astronomy", prior=fixed.prior, centre="collection", seeds=1).prior
    assert around.prior.centre == "collection"
    for bad in ("haldane", "1,2,3", "x,y", "0,1"):
        assert cli(*common, bad).exit_code == 2
    with pytest.raises(InputError, match="fixes prior"):
        discover(corpus, "Astronomy", prior=pw.PseudoCounts(), paper=True)


# Files of ids


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        (b"%b\n%b\n%b\n", 3),
        (b"\xef\xbb\xbf%b\r\n%b\r\n\r\n  \r\n%b", 3),
        (b"\n\n%b\n%b\n%b\n%b\n\n", 4),
        (b"  %b\t\n%b \n%b\n", 3),
    ],
    ids=["plain", "mark and CRLF", "blank lines and a duplicate", "spaces"],
)
def test_files_of_members(
    corpus: Corpus, documents: list[DemoDocument], cli: Cli, tmp_path: Path, content: bytes, ids: int
) -> None:
    members = [documents[row].id for row in rows_of(documents, "Chess")[:3]]
    file, path = tmp_path / "members.txt", tmp_path / "members.run"
    file.write_bytes(content % tuple([*members, members[0]][i].encode() for i in range(ids)))
    result = cli("discover", corpus.path, "--members", file, *FAST, "-o", path)
    assert result.exit_code == 0, result.output
    about = json.loads((path / "run.json").read_text("utf-8"))
    assert (about["label"], about["members"]) == (None, 3)
    assert not set(members) & set(Run.load(path).ranking.ids)


def test_a_file_to_exclude(corpus: Corpus, documents: list[DemoDocument], cli: Cli, tmp_path: Path) -> None:
    file, path = tmp_path / "exclude.txt", tmp_path / "some.run"
    excluded = [document.id for document in documents[:50]]
    file.write_text("\n".join(excluded), "utf-8")
    assert cli("discover", corpus.path, "Geology", "--exclude", file, *FAST, "-o", path).exit_code == 0
    expected = discover(corpus, "Geology", exclude=excluded, target=pw.FBeta(1.0), search="radial", seeds=1)
    assert Run.load(path).ranking.table.equals(expected.ranking.table)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"doc-00001\ndoc-0002\n", "no document 'doc-0002'; did you mean 'doc-00"),
        (b"nobody\nno one\nneither\n", "3 of 3 ids are not there"),
        (b"\n \n", "there is no id in it"),
        (b"doc-00001\n\xff\xfe\n", "not valid UTF-8"),
        (None, "there is no such file"),
    ],
)
@pytest.mark.parametrize("option", ["--members", "--exclude"])
def test_broken_files_of_ids(
    corpus: Corpus, refused: Refused, tmp_path: Path, option: str, content: bytes | None, says: str
) -> None:
    file = tmp_path / "ids.txt"
    if content is not None:
        file.write_bytes(content)
    label = [] if option == "--members" else ["Chess"]
    sentence = refused("discover", corpus.path, *label, option, file, "-o", tmp_path / "x.run")
    assert sentence.startswith(f"{file}: ")
    assert says in sentence
    assert sorted(tmp_path.iterdir()) == ([file] if content is not None else [])


# What is printed


def test_what_discover_prints_by_default(auto_run: Run, corpus: Corpus, cli: Cli) -> None:
    text = cli("discover", corpus.path, "Chess", "--show", "0").stdout
    assert regression_in_words(auto_run.about) in text
    positive = auto_run.about["predicted_positive"]
    assert f"Predicted positive: {positive['learned']:,} by the regression, {positive['laplace']:,} by Laplace" in text
    loo = auto_run.about["leave_one_out"]["learned"]
    (line,) = re.findall(r"^  learned .*$", text, flags=re.MULTILINE)
    assert line.split()[1:] == [f"{loo['score']:.4f}", f"{loo['sensitivity']:.1%}"]


def test_what_discover_prints(run: Run, corpus: Corpus, cli: Cli) -> None:
    text = cli("discover", corpus.path, "Chess", "--model", "presence", "--show", "3").stdout
    assert text.startswith(f"'Chess': {run.about['members']} members, ")
    assert f"Learned prior: λ− = {run.prior.negative:g}, λ+ = {run.prior.positive:g};" in text
    loo = run.about["leave_one_out"]
    for name, key in (("learned", "learned"), ("Laplace", "laplace")):
        (line,) = re.findall(rf"^  {name} .*$", text, flags=re.MULTILINE)
        assert line.split()[1:] == [
            f"{loo[key]['score']:.4f}",
            f"{loo[key]['sensitivity']:.1%}",
            f"{run.about['predicted_positive'][key]:,}",
        ]
    rows = run.ranking.rows(3)
    shown = text.splitlines()[-3:]
    for row, line in zip(rows, shown, strict=True):
        assert line.split()[0] == str(row["rank"])
        assert row["title"] in line
        assert line.endswith(row["evidence"])
    assert "The first" not in cli("discover", corpus.path, "Chess", "--show", "0").stdout


def test_a_degenerate_optimum_is_said(cli: Cli, corpus: Corpus) -> None:
    run = discover(corpus, "Geology", target=parse_target("ppv"))
    text = cli("discover", corpus.path, "Geology", "--target", "ppv").stdout
    assert ("Note: " in text) == bool(run.about["learned"]["remark"])
