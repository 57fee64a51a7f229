"""How to reproduce a run: the command in its report makes the same one."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import priorwise as pw
from conftest import Cli, corpus_of
from markup import visible
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument
from priorwise.report import report_html
from priorwise.report.appendix import discover_command
from priorwise.report.subject import subjects_of


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"paper": True, "seed": 3},
        {"target": pw.FBeta(0.5, at_corpus_odds=True), "search": "radial", "seeds": 2, "top": 30},
        {"target": pw.PPV(floor=0.5), "negatives_per_positive": 1.5, "centre": "uniform", "seeds": 1},
        {"model": "presence"},
        {"description": "pawn bishop gambit opening", "seed": 2},
        {"model": "default", "target": pw.FBeta(1.0), "seeds": 1},
        {"model": "default", "seeds": 5},
        {"prior": pw.PseudoCounts(22, 0.1)},
        {"prior": pw.PseudoCounts(50, 2), "centre": "collection", "target": pw.PPVAtK(10), "seeds": 1},
    ],
    ids=[
        "default",
        "paper",
        "radial",
        "samples",
        "presence",
        "described",
        "both",
        "compared",
        "given",
        "given, collection",
    ],
)
def test_the_command_makes_the_same_run(choices: dict[str, Any], corpus: Corpus, cli: Cli, tmp_path: Path) -> None:
    run = discover(corpus, "Chess", **choices)
    program, *words = shlex.split(discover_command(run, "again.run"))
    assert program == "priorwise"
    places = {"made-up.corpus": corpus.path, "again.run": tmp_path / "again.run"}
    assert cli(*(places.get(word, word) for word in words)).exit_code == 0
    again = Run.load(tmp_path / "again.run")
    # What was asked for on the command line is noted there only.
    assert replace(again.about, asked=run.about.asked) == run.about
    assert [(stage.name, stage.role, stage.facts()) for stage in again.stages] == [
        (stage.name, stage.role, stage.facts()) for stage in run.stages
    ]
    assert again.ranking.table.equals(run.ranking.table)


def test_a_label_may_look_like_an_option(documents: list[DemoDocument], cli: Cli, tmp_path: Path) -> None:
    labels = [["--help"] if "Chess" in document.labels else [] for document in documents]
    run = discover(corpus_of(documents, labels=labels, path=tmp_path / "x.corpus"), "--help", seed=1)
    words = shlex.split(discover_command(run, "x.run"))[1:]
    places = {"x.corpus": tmp_path / "x.corpus", "x.run": tmp_path / "x.run"}
    assert cli(*(places.get(word, word) for word in words)).exit_code == 0
    assert Run.load(tmp_path / "x.run").ranking.table.equals(run.ranking.table)


def test_what_a_run_does_not_know_is_left_open(corpus: Corpus, tmp_path: Path) -> None:
    members = [corpus.ids([row])[0] for row in corpus.members("Chess").tolist()]
    discover(corpus, members=members).save(tmp_path / "mine.run")
    text = visible(report_html(subjects_of([tmp_path / "mine.run"])))
    assert "priorwise discover made-up.corpus --members '…' -o mine.run" in text
    assert "the run does not hold what it was given" in text
    assert str(tmp_path) not in text
