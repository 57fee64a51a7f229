"""On terminals of every kind, what documents contain is shown, never obeyed."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conftest import FAST, Cli, Refused
from priorwise.cli import main
from priorwise.cli.output import safe
from priorwise.corpus import Corpus
from priorwise.discovery import Run
from processes import Shell, Start

NASTY = ["\x1b[31mred\x1b[0m", "[bold]loud[/bold]", "[/]", "bell\x07\rback", "two\nlines", "\u202ereversed", "x" * 5000]


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nasty") / "nasty.corpus"
    texts = [f"goal match team{number % 3}" for number in range(len(NASTY))] + ["law vote"] * 20 + ["goal team1"] * 4
    Corpus.from_texts(
        texts,
        titles=[*NASTY, *(["Law"] * 20), *(["Member"] * 4)],
        labels=[[title] for title in NASTY] + [[]] * 20 + [["[red]sport\x1b[5m"]] * 4,
        path=path,
    )
    return path


def test_titles_and_labels_are_printed_safely(nasty: Path, cli: Cli, tmp_path: Path) -> None:
    label = "[red]sport\x1b[5m"
    result = cli("discover", nasty, label, *FAST, "-o", tmp_path / "x.run")
    assert result.exit_code == 0, result.output
    shown = cli("explain", tmp_path / "x.run", "0")
    long = cli("explain", tmp_path / "x.run", str(NASTY.index("x" * 5000)))
    corpus = cli("corpus", nasty)
    search = cli("corpus", nasty, "--search", "\x1b[31mred")
    for text in (result.stdout, shown.stdout, long.stdout, corpus.stdout, search.stdout):
        assert all(character.isprintable() for line in text.splitlines() for character in line)
        assert max(len(line.replace(str(tmp_path), "")) for line in text.splitlines()) < 200
    assert "'[red]sport�[5m'" in result.stdout
    assert "[bold]loud[/bold]" in result.stdout
    assert "�[31mred" in shown.stdout
    titles = [row["title"] for row in Run.load(tmp_path / "x.run").ranking.rows()]
    assert set(NASTY) <= set(titles), "the files keep every title as it is"


def test_suggestions_are_printed_safely(nasty: Path, refused: Refused) -> None:
    assert refused("discover", nasty, "[red]sport").startswith(
        "no category '[red]sport'; did you mean '[red]sport�[5m'"
    )


def test_safe() -> None:
    assert safe("a\tb\u00a0c\u3000d") == "a b c d"
    assert safe("\x00\x1b\x9b\u200b\ud800") == "�����"
    assert safe("abc", 3) == "abc"
    assert safe("abcd", 3) == "ab…"


def on_terminal(arguments: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Run a command with a terminal for its output, and return its status and all that it wrote."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "priorwise", *arguments],
        env={**environment, "TERM": "xterm", "COLUMNS": "120"},
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    written = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not part:
            break
        written += part
    os.close(master)
    return process.wait(timeout=60), written.decode("utf-8", "replace")


def test_bars_show_markup_as_text(nasty: Path, environment: dict[str, str]) -> None:
    """On a terminal, with labels that look like markup to the library that draws the bars."""
    arguments = ["benchmark", "hidden", str(nasty), "--labels", "[red]sport\x1b[5m", "--methods", "Laplace"]
    status, text = on_terminal([*arguments], environment)
    assert status == 0, text
    assert "Traceback" not in text
    assert "\x1b[5m" not in text
    assert "1 category" in text


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_terminals_that_lack_our_signs(nasty: Path, encoding: str) -> None:
    result = CliRunner(charset=encoding).invoke(main, ["discover", str(nasty), "[red]sport\x1b[5m", *FAST])
    assert result.exit_code == 0, result.output
    text = result.stdout_bytes.decode("utf-8")
    # Click takes ASCII for a mistake and writes UTF-8 instead.
    assert ("Learned prior: lambda- = " if encoding == "latin-1" else "Learned prior: λ− = ") in text


def test_errors_on_a_terminal_that_lacks_our_signs(shell: Shell) -> None:
    failed = shell("-m", "priorwise", "corpus", "λ…漢", LC_ALL="C.UTF-8", PYTHONIOENCODING="latin-1")
    assert (failed.returncode, failed.stderr) == (2, "Error: lambda...? does not exist\n")


def test_whoever_stops_reading_still_gets_the_run(corpus: Corpus, start: Start, tmp_path: Path) -> None:
    process = start("-m", "priorwise", "discover", corpus.path, "Chess", *FAST, "-o", "x.run", cwd=tmp_path)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)
    assert "Traceback" not in errors
    assert len(Run.load(tmp_path / "x.run").ranking) > 0
