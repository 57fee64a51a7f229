"""Flags: one meaning each, old names that still work, examples, quiet, JSON, and runs that are kept."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from conftest import Cli
from priorwise.cli import main
from priorwise.cli.options import Command, Option
from priorwise.corpus import Corpus
from processes import Shell


def all_commands(group: click.Group = main, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Command]]:
    with click.Context(group) as ctx:
        for name in group.list_commands(ctx):
            command = group.get_command(ctx, name)
            if isinstance(command, click.Group):
                yield from all_commands(command, (*path, name))
            else:
                assert isinstance(command, Command), f"{name} has no example, and no --quiet"
                yield (*path, name), command


COMMANDS = dict(all_commands())
RENAMED = [
    (path, option, old)
    for path, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, Option)
    for old in option.old
]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_has_an_example_that_it_understands(path: tuple[str, ...]) -> None:
    examples = COMMANDS[path].examples
    assert examples
    for line in examples:
        words = shlex.split(line)[1:]
        words = words[len(path) :] if words[: len(path)] == list(path) else words[len(path) - 1 :]
        known = {name for option in COMMANDS[path].params for name in (*option.opts, *option.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= known, line
        assert not {word for option in COMMANDS[path].params for word in getattr(option, "old", ())} & set(words)


@pytest.mark.parametrize(("path", "option", "old"), RENAMED, ids=lambda each: each if isinstance(each, str) else "")
def test_an_old_name_is_understood_and_hidden(path: tuple[str, ...], option: Option, old: str) -> None:
    command = COMMANDS[path]
    value = [] if option.is_flag else ["7"]
    read = [
        command.make_context(path[-1], [name, *value], resilient_parsing=True, **main.context_settings).params.get(
            str(option.name)
        )
        for name in (option.opts[-1], old)
    ]
    assert read[0] == read[1]
    assert old not in command.get_help(click.Context(command, **main.context_settings)).split()


def test_names_with_several_meanings_are_gone() -> None:
    gone = {"--top", "--seeds", "--workers", "--subcategory-depth", "--target", "--anew", "--data", "--knowledge"}
    shown = {name for command in COMMANDS.values() for option in command.params for name in option.opts}
    assert not gone & shown
    # A name that several commands share is of one type.
    types: dict[str, set[str]] = {}
    for command in COMMANDS.values():
        for option in command.params:
            if isinstance(option, Option):
                kind = "choice" if isinstance(option.type, click.Choice) else option.type.name.removesuffix(" range")
                types.setdefault(option.opts[-1], set()).add("flag" if option.is_flag else kind)
    # One meaning, but named, chosen or listed: a column or field, a model, how many are known, where to write.
    assert {name for name, kinds in types.items() if len(kinds) > 1} == {"--labels", "--known", "--model", "--output"}


def test_the_note_on_an_old_name(cli: Cli, corpus: Corpus) -> None:
    done = cli("corpus", corpus.path, "--top", 1)
    assert done.exit_code == 0
    assert done.stderr == "Note: --top is now called --show. The old name works for one more release.\n"


def test_the_page_of_commands_names_those_with_json() -> None:
    page = (Path(__file__).parent.parent / "docs" / "reference" / "cli.md").read_text("utf-8")
    named = page.partition("JSON instead of tables:")[2].partition("have it")[0]
    have = {
        " ".join(path) for path, command in COMMANDS.items() if any("--json" in each.opts for each in command.params)
    }
    assert set(re.findall("`(.*?)`", named)) == have


def test_discover_shows_first_what_people_use_first(cli: Cli) -> None:
    text = cli("discover", "--help").stdout
    first = text[text.index("\nOptions:") : text.index("\nOutput:")]
    named = [line.split()[0].strip(",") for line in first.splitlines() if line.startswith("  -")]
    assert named == ["-o", "--words", "--description", "--members", "--verdicts", "--show"]


@pytest.fixture
def own_corpus(corpus: Corpus, tmp_path: Path) -> Path:
    """A corpus whose folder no other test writes next to."""
    path = tmp_path / "own.corpus"
    path.symlink_to(Path(str(corpus.path)).resolve(), target_is_directory=True)
    return path


def test_a_run_is_kept_and_up_to_date(cli: Cli, own_corpus: Path) -> None:
    words = ["discover", own_corpus, "Chess", "--model", "presence", "--show", 2]
    kept = own_corpus.with_name("own.runs") / "chess.run"
    first = cli(*words)
    assert first.exit_code == 0, first.stderr
    assert f"Kept in {kept}." in first.stdout
    before = (kept / "run.json").stat().st_mtime_ns
    again = cli(*words)
    assert again.stdout.startswith(f"{kept} is up to date.\n")
    assert again.stdout.splitlines()[2:] == first.stdout.splitlines()
    assert (kept / "run.json").stat().st_mtime_ns == before

    other = cli(*words, "--seed", 1)
    assert f"Kept in {kept.with_name('chess-2.run')}. Compared with {kept}, this changed: --seed." in other.stdout
    assert "chess-2.run is up to date." in cli(*words, "--seed", 1).stdout

    same_name = cli(*words, "--text-only", "-o", kept)
    assert same_name.exit_code == 2
    assert same_name.stderr == (
        f"Error: {kept} is there already and was made differently: --text-only changed; "
        "choose another name, or replace it with --overwrite\n"
    )
    assert cli(*words, "-o", kept).exit_code == 0


def test_a_file_that_changes_is_another_input(cli: Cli, own_corpus: Path, tmp_path: Path) -> None:
    said = tmp_path / "words.txt"
    words = ["discover", own_corpus, "Chess", "--words", f"@{said}", "--show", 0, "-o", tmp_path / "x.run"]
    said.write_text("+king", "utf-8")
    assert cli(*words).exit_code == 0
    assert "up to date" in cli(*words).stdout
    said.write_text("+king:2", "utf-8")
    assert "--words changed" in cli(*words).stderr


def test_quiet_prints_nothing_and_json_is_json(cli: Cli, own_corpus: Path, run_path: Path) -> None:
    quiet = cli("discover", own_corpus, "Chess", "--model", "presence", "-q")
    assert (quiet.exit_code, quiet.output) == (0, "")
    assert cli("discover", own_corpus, "Chses", "-q").stderr.startswith("Error: no ")
    found = json.loads(cli("discover", own_corpus, "Chess", "--model", "presence", "--show", 3, "--json").stdout)
    assert [row["rank"] for row in found["candidates"]] == [1, 2, 3]
    assert found["category"] == "Chess"
    sizes = json.loads(cli("corpus", own_corpus, "--json", "-q").stdout)
    assert sizes["corpus"]["documents"] == len(Corpus.open(own_corpus))
    assert json.loads(cli("corpus", own_corpus, "--search", "ches", "--json").stdout)["labels"][0]["label"] == "Chess"
    assert json.loads(cli("corpus", own_corpus, "--category", "Chess", "--json").stdout)["category"] == "Chess"
    parts = json.loads(cli("explain", run_path, 1, "--json").stdout)
    assert parts["score"] == pytest.approx(parts["start"] + sum(word["adds"] for word in parts["words"]))
    assert "rankings" in json.loads(cli("review", "results", run_path, "--json").stdout)
    trained = json.loads(cli("train", own_corpus, "-o", own_corpus.with_suffix(".model"), "--json").stdout)
    assert trained["labels"] == sizes["corpus"]["labels"]


@pytest.mark.parametrize(
    "words",
    [
        ["discover"],
        ["discover", "nowhere.corpus", "X"],
        ["review", "export"],
        ["corpus", "x", "--shwo", "3"],
        ["nothing"],
    ],
    ids=" ".join,
)
def test_a_mistake_takes_at_most_three_lines(cli: Cli, words: list[str]) -> None:
    done = cli(*words)
    assert done.exit_code == 2
    assert 1 <= len(done.stderr.splitlines()) <= 3
    assert done.stderr.startswith("Error: ")


def test_review_has_commands_and_a_default(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    text = cli("review", "--help").stdout
    assert "--terminal" in text
    assert all(f"\n  {name} " in text for name in ("export", "import", "judge", "results"))
    sheet, old = tmp_path / "a.csv", tmp_path / "b.csv"
    assert cli("review", "export", run_path, sheet, "--blind", "--limit", 3).exit_code == 0
    assert cli("review", run_path, "--blind", "--export", old, "--limit", 3).exit_code == 0
    assert sheet.read_bytes() == old.read_bytes()
    assert cli("review", "results", run_path).stdout == cli("review", run_path, "--results").stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("priorwise di", "discover"),
        ("priorwise discover --de", "--description"),
        ("priorwise ingest rec", "records"),
        ("priorwise review exp", "export"),
        ("priorwise review x.run --ter", "--terminal"),
        ("priorwise discover --model pre", "presence"),
    ],
)
def test_completion(shell: Shell, typed: str, offered: str) -> None:
    words = typed.split(" ")
    asks = {"_PRIORWISE_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    script = f"import os, sys; os.environ.update({asks!r}); from priorwise.cli import main; main(prog_name='priorwise')"
    assert offered in [line.partition(",")[2] for line in shell("-c", script).stdout.splitlines()], os.linesep
