"""Help and start-up: every command explains itself, and loads no more than it needs."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

import pytest

from conftest import Cli
from priorwise import __version__
from priorwise.cli.main import COMMANDS
from priorwise.corpus import Corpus
from priorwise.discovery import Run
from processes import Shell

ALL_COMMANDS = [[name] for name in COMMANDS] + [
    ["ingest", "records"],
    ["ingest", "folder"],
    ["ingest", "table"],
    ["benchmark", "hidden"],
]


@pytest.mark.parametrize("command", [[], *ALL_COMMANDS], ids=" ".join)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(cli: Cli, command: list[str], option: str) -> None:
    result = cli(*command, option)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: {' '.join(['priorwise', *command])} ")
    options = re.findall(r"^  (?:-\w, )?(--[\w-]+)(.*)", result.stdout, flags=re.MULTILINE)
    assert "--help" in [name for name, _ in options]


def test_help_lists_every_command(cli: Cli) -> None:
    text = cli("--help").stdout
    for name, (_, _, sentence) in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(sentence)}$", text, flags=re.MULTILINE)


def test_examples_of_the_help_keep_their_lines(cli: Cli) -> None:
    lines = cli("--help").stdout.splitlines()
    assert len([line for line in lines if line.startswith("    priorwise ")]) == 3


def test_version(cli: Cli) -> None:
    assert cli("--version").stdout == f"priorwise {__version__}\n"


def loaded_after(shell: Shell, *arguments: object) -> set[str]:
    """The modules that are loaded after a command."""
    script = """
import json, sys
from priorwise.cli import main
try:
    main(sys.argv[2:], standalone_mode=False)
finally:
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(sorted(sys.modules), file)
"""
    with tempfile.TemporaryDirectory() as folder:
        done = shell("-c", script, f"{folder}/modules", *arguments)
        assert done.returncode == 0, done.stderr
        return set(json.loads(Path(folder, "modules").read_text("utf-8")))


@pytest.mark.parametrize(
    "command", [[], ["discover"], ["ingest", "records"], ["train"], ["classify"], ["evaluate"]], ids=" ".join
)
def test_help_loads_nothing_heavy(shell: Shell, command: list[str]) -> None:
    heavy = {"numpy", "numba", "pyarrow", "sklearn", "scipy", "pandas", "polars", "rich"}
    assert not heavy & loaded_after(shell, *command, "--help")


def test_discovery_loads_no_more_than_it_needs(shell: Shell, corpus: Corpus, auto_path: Path, tmp_path: Path) -> None:
    # A model keeps its weights in a sparse matrix of scipy's.
    heavy = {"sklearn", "scipy.stats", "pandas", "polars"}
    path = tmp_path / "x.run"
    loaded = loaded_after(shell, "discover", corpus.path, "Chess", "--seeds", "1", "-o", path)
    assert not heavy & loaded
    assert "numba" in loaded
    for each in (path, auto_path):
        first = Run.load(each).ranking.ids[0]
        assert not (heavy | {"numba"}) & loaded_after(shell, "explain", each, first)


def test_pandas_is_hidden_only_while_a_command_runs(shell: Shell, corpus: Corpus, run_path: Path) -> None:
    script = f"""
from priorwise.cli import main
main(["corpus", {str(corpus.path)!r}], standalone_mode=False)
from priorwise.discovery import Run
assert list(Run.load({str(run_path)!r}).ranking.to_pandas()["rank"][:2]) == [1, 2]
"""
    done = shell("-c", script)
    assert done.returncode == 0, done.stderr
