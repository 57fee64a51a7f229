"""`priorwise review` in rank order: in the terminal, and what it prints."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conftest import Cli, Refused
from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.review.session import Session


@pytest.fixture
def folder(auto_path: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(auto_path, tmp_path / "auto.run"))


def test_the_terminal_learns_as_it_goes(cli: Cli, folder: Path, corpus: Corpus) -> None:
    session = Session(corpus, "Chess")
    titles = []
    for word in ("yes", "no", "no", "unsure", "skip", "no"):
        (document,) = session.next(1)
        titles.append(document.title)
        session.judge(document.id, word)
    titles.append(session.next(1)[0].title)
    result = cli("review", folder, "--terminal", "--reviewer", "Ada", input="y\nn too general\nN\nu\ns\nno\nq\n")
    assert result.exit_code == 0, result.output
    shown = [result.stdout.index(f"\n{title} (") for title in titles]
    assert shown == sorted(shown)
    missing = session.missing
    assert "5 judged, 1 found. Estimated missing: " in result.stdout
    assert f"(80% interval {missing.low:.0f} to " in result.stdout
    assert result.stdout.endswith(f"{session.stop.reason}\nNext:\n  priorwise report {folder}\n")
    kept = Session.of_run(folder, corpus)
    assert [(each.reviewer, each.verdict, each.note) for each in kept.log] == [
        ("Ada", "yes", None),
        ("Ada", "no", "too general"),
        ("Ada", "no", None),
        ("Ada", "unsure", None),
        ("Ada", "skip", None),
        ("Ada", "no", None),
    ]
    kept.close()


def test_undo_why_and_help(cli: Cli, folder: Path, corpus: Corpus) -> None:
    result = cli("review", folder, "--terminal", input="z\nwhat\nw\nt\ny\nz\nn\n")
    assert result.exit_code == 0, result.output
    for said in ("Nothing to undo.", "y yes   n no", "Probability of membership", "Undone: "):
        assert said in result.stdout
    session = Session.of_run(folder, corpus)
    assert [each.verdict for each in session.log] == ["yes", "withdrawn", "no"]
    assert len({each.item for each in session.log}) == 1
    session.close()


def test_a_random_sample_comes_first(cli: Cli, folder: Path, corpus: Corpus) -> None:
    result = cli("review", folder, "--terminal", "--sample", 2, input="n\nn\nn\n")
    assert "2 unread documents drawn at random. They come first." in result.stdout
    assert result.stdout.count("drawn at random") == 3
    session = Session.of_run(folder, corpus)
    assert [each.chosen for each in session.log] == ["random", "random", "rank"]
    session.close()


def test_results_of_nothing_judged(cli: Cli, folder: Path) -> None:
    assert f"precision is not known: priorwise review {folder} --blind" in cli("review", folder, "--results").stdout
    cli("review", folder, "--terminal", input="y\nn\n")
    said = cli("review", folder, "--results").stdout
    assert "Nobody has judged blindly yet" in said
    assert "2 judged, 1 found. Estimated missing: " in said
    assert "precision@" not in said


def test_options_that_do_not_go_together(refused: Refused, folder: Path) -> None:
    assert "one of them" in refused("review", folder, "--blind", "--teach")
    for wrong in (["--terminal"], ["--sample", 3], ["--ask", "unsure"]):
        assert "go without --blind" in refused("review", folder, "--blind", *wrong)


@pytest.mark.parametrize("ask", ["unsure", "mixed"])
def test_what_to_ask(ask: str, cli: Cli, folder: Path, corpus: Corpus, auto_run: Run) -> None:
    cli("review", folder, "--terminal", "--ask", ask, input="n\n" * 4)
    session = Session.of_run(folder, corpus)
    assert [each.chosen for each in session.log][-1] == "unsure"
    assert (session.log[0].item == auto_run.ranking.ids[0]) is (ask == "mixed")
    session.close()
