from __future__ import annotations

import csv
import errno
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from conftest import FAST, Cli, Shell
from priorwise import __version__
from priorwise.cli import main
from priorwise.cli.main import COMMANDS
from priorwise.cli.names import NAMES, parse_target
from priorwise.cli.output import safe
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.words import regression_in_words

ALL_COMMANDS = [[name] for name in COMMANDS] + [
    ["ingest", "records"],
    ["ingest", "folder"],
    ["ingest", "table"],
    ["benchmark", "hidden"],
]
Refused = Callable[..., str]


# Help and start-up


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


@pytest.mark.parametrize("command", [[], ["discover"], ["ingest", "records"]], ids=" ".join)
def test_help_loads_nothing_heavy(shell: Shell, command: list[str]) -> None:
    heavy = {"numpy", "numba", "pyarrow", "sklearn", "scipy", "pandas", "polars", "rich"}
    assert not heavy & loaded_after(shell, *command, "--help")


def test_discovery_loads_no_more_than_it_needs(shell: Shell, corpus: Corpus, tmp_path: Path) -> None:
    # Numba itself loads `scipy`, and `scipy.linalg` with the first compiled loop.
    heavy = {"sklearn", "scipy.sparse", "scipy.stats", "pandas", "polars"}
    path = tmp_path / "x.run"
    loaded = loaded_after(shell, "discover", corpus.path, "Chess", "--seeds", "1", "-o", path)
    assert not heavy & loaded
    assert "numba" in loaded
    first = Run.load(path).ranking.ids[0]
    assert not (heavy | {"numba"}) & loaded_after(shell, "explain", path, first)


def test_pandas_is_hidden_only_while_a_command_runs(shell: Shell, corpus: Corpus, run_path: Path) -> None:
    script = f"""
from priorwise.cli import main
main(["corpus", {str(corpus.path)!r}], standalone_mode=False)
from priorwise.discovery import Run
assert list(Run.load({str(run_path)!r}).ranking.to_pandas()["rank"][:2]) == [1, 2]
"""
    done = shell("-c", script)
    assert done.returncode == 0, done.stderr


# Errors: one sentence, exit code 2, nothing left behind


def test_unknown_label(refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "x.corpus"
    Corpus.from_texts(["a b"] * 300, labels=["Machine learning"] * 199 + [None] * 101, path=path)
    sentence = refused("discover", path, "Machien learning", "-o", tmp_path / "x.run")
    assert sentence == "no label 'Machien learning'; did you mean 'Machine learning' (199 members)?"
    assert refused("discover", path, "qqqq") == "no label 'qqqq'"
    assert [each.name for each in tmp_path.iterdir()] == ["x.corpus"]


def test_too_few_members(refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "x.corpus"
    Corpus.from_texts(["a b", "b c", "c"], labels=[["one", "all"], "all", "all"], path=path)
    sentence = refused("discover", path, "one", "-o", tmp_path / "x.run")
    assert sentence == "a category needs at least 2 members to learn from, and this one has 1"
    sentence = refused("discover", path, "all", "-o", tmp_path / "x.run")
    assert sentence.startswith("every document of the corpus is a member")
    assert [each.name for each in tmp_path.iterdir()] == ["x.corpus"]


def test_an_empty_input_makes_no_corpus(refused: Refused, tmp_path: Path) -> None:
    file = tmp_path / "empty.jsonl"
    file.write_text("", "utf-8")
    assert refused("ingest", "records", file, "-o", tmp_path / "x.corpus") == f"there is no record in {file}"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("command", [["corpus"], ["discover"], ["benchmark", "hidden"]], ids=" ".join)
def test_corpora_that_cannot_be_opened(refused: Refused, corpus: Corpus, tmp_path: Path, command: list[str]) -> None:
    label = ["Chess"] if command == ["discover"] else []
    missing, other, newer, damaged = (tmp_path / name for name in ("missing", "other", "newer", "damaged"))
    assert refused(*command, missing, *label) == f"{missing} does not exist"
    other.mkdir()
    assert refused(*command, other, *label) == f"{other} is not a corpus folder: it has no manifest.json"
    assert corpus.path is not None
    shutil.copytree(corpus.path, newer)
    manifest = json.loads((newer / "manifest.json").read_text("utf-8"))
    (newer / "manifest.json").write_text(json.dumps({**manifest, "version": 99}), "utf-8")
    assert refused(*command, newer, *label).startswith(f"{newer} has corpus format 99, this priorwise reads up to")
    shutil.copytree(corpus.path, damaged)
    name = sorted(manifest["files"])[0]
    (damaged / name).write_bytes((damaged / name).read_bytes()[:-8])
    assert refused(*command, damaged, *label).startswith(f"{damaged} is damaged: {name} has ")
    (damaged / name).unlink()
    assert refused(*command, damaged, *label) == f"{damaged} is damaged: {name} is missing"


def test_a_file_whose_bytes_changed_is_found_by_verify(refused: Refused, corpus: Corpus, tmp_path: Path) -> None:
    assert corpus.path is not None
    path = shutil.copytree(corpus.path, tmp_path / "changed")
    name = max((file for file in path.iterdir()), key=lambda file: file.stat().st_size).name
    changed = bytearray((path / name).read_bytes())
    changed[len(changed) // 2] ^= 255
    (path / name).write_bytes(changed)
    assert refused("corpus", path, "--verify") == f"{path} is damaged: {name} does not match its checksum"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["discvoer"], "no command 'discvoer'; did you mean 'discover'?"),
        (["xyzzy"], "no command 'xyzzy'"),
        (["ingest", "recrods", "x"], "No such command 'recrods'. Did you mean 'records'?"),
        (["discover", "x", "y", "--colour", "red"], "No such option '--colour'."),
        (["discover"], "Missing argument 'CORPUS'."),
        (["discover", "x", "y", "--seeds", "0"], "Invalid value for '--seeds': 0 is not in the range x>=1."),
        (["discover", "x", "y", "--negatives-per-positive", "0"], "Invalid value for '--negatives-per-positive'"),
        (["discover", "x", "y", "--target", "accuracy"], f"no target 'accuracy'; there are {NAMES}"),
        (["discover", "x", "y", "--target", "ppv@0"], "no target 'ppv@0'"),
        (["discover", "x", "y", "--target", "f"], "no target 'f'"),
        (["discover", "x", "y", "--search", "random"], "Invalid value for '--search': 'random' is not one of"),
    ],
)
def test_mistakes_in_the_command(refused: Refused, arguments: list[str], says: str) -> None:
    assert says in refused(*arguments)


def test_a_label_or_members_but_not_both(refused: Refused, corpus: Corpus, tmp_path: Path) -> None:
    file = tmp_path / "ids"
    file.write_text("doc-00001\ndoc-00002\n", "utf-8")
    assert refused("discover", corpus.path) == "give either a label or a list of members"
    assert refused("discover", corpus.path, "Chess", "--members", file) == "give either a label or a list of members"


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
    assert refused("discover", corpus.path, "--members", file) == f"{file}: Permission denied"


def test_a_folder_where_a_file_should_be(refused: Refused, corpus: Corpus, tmp_path: Path) -> None:
    assert refused("discover", corpus.path, "--members", tmp_path) == f"{tmp_path}: Is a directory"


def test_a_full_disk_under_the_figures_of_a_benchmark(
    cli: Cli, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        def writerow(self, row: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(csv, "writer", lambda file: Full())
    file = tmp_path / "x.csv"
    file.write_text("figures of last week", "utf-8")
    result = cli("benchmark", "hidden", corpus.path, "--labels", "Geology", "--methods", "Laplace", "-o", file)
    assert result.exit_code == 2
    assert result.stderr == f"Error: no space left on the disk while writing {file}; free some or write elsewhere\n"
    assert {each.name: each.read_text("utf-8") for each in tmp_path.iterdir()} == {"x.csv": "figures of last week"}


# What documents contain is shown, never obeyed

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
    assert refused("discover", nasty, "[red]sport").startswith("no label '[red]sport'; did you mean '[red]sport�[5m'")


def test_safe() -> None:
    assert safe("a\tb\u00a0c\u3000d") == "a b c d"
    assert safe("\x00\x1b\x9b\u200b\ud800") == "�����"
    assert safe("abc", 3) == "abc"
    assert safe("abcd", 3) == "ab…"


def test_bars_show_markup_as_text(nasty: Path, environment: dict[str, str]) -> None:
    """On a terminal, with labels that look like markup to the library that draws the bars."""
    arguments = ["benchmark", "hidden", str(nasty), "--labels", "[red]sport\x1b[5m", "--methods", "Laplace"]
    status, text = on_terminal([*arguments], environment)
    assert status == 0, text
    assert "Traceback" not in text
    assert "\x1b[5m" not in text
    assert "1 categories" in text


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


def test_whoever_stops_reading_still_gets_the_run(corpus: Corpus, environment: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "priorwise", "discover", str(corpus.path), "Chess", *FAST, "-o", "x.run"]
    process = subprocess.Popen(
        command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)
    assert "Traceback" not in errors
    assert len(Run.load(tmp_path / "x.run").ranking) > 0


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


def test_what_corpus_prints(cli: Cli, corpus: Corpus) -> None:
    text = cli("corpus", corpus.path, "--top", "2", "--verify").stdout
    assert text.startswith("Every file matches its checksum.\n")
    assert f"{corpus.n_vocabulary:,} distinct tokens" in text
    assert [line.split() for line in text.splitlines()[-2:]] == [[x, str(n)] for x, n in corpus.largest_labels(2)]
    assert cli("corpus", corpus.path, "--search", "geolgy").stdout.splitlines()[1].split() == ["Geology", "44"]
    assert cli("corpus", corpus.path, "--search", "qqqqqq").stdout == "No label is like 'qqqqqq'.\n"


def test_ingest_prints_a_summary(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    file.write_text("id,body,tags\n1,to be or,x;y\n2,not to be,\n", "utf-8")
    arguments = ["--text", "body", "--labels", "tags", "--separator", ";", "-o", tmp_path / "x.corpus"]
    result = cli("ingest", "records", file, *arguments)
    assert result.exit_code == 0, result.output
    assert re.search(r"x.corpus: 2 documents in [\d.]+ s \([\d,]+ documents/s, [\d.]+ MB/s\)", result.stdout)
    assert "4 distinct tokens, 6 in all documents; 2 labels, 2 memberships" in result.stdout
    assert Corpus.open(tmp_path / "x.corpus").largest_labels(5) == [("x", 1), ("y", 1)]
    again = cli("ingest", "records", file, *arguments)
    assert again.exit_code == 2
    assert cli("ingest", "records", file, *arguments, "--overwrite").exit_code == 0


def test_ingest_of_a_folder(cli: Cli, tmp_path: Path) -> None:
    for label, name in (("a", "1.txt"), ("a", "2.txt"), ("b", "3.txt")):
        (tmp_path / "in" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / label / name).write_text("some words", "utf-8")
    assert cli("ingest", "folder", tmp_path / "in", "-o", tmp_path / "x.corpus").exit_code == 0
    assert Corpus.open(tmp_path / "x.corpus").largest_labels(5) == [("a", 2), ("b", 1)]


def test_an_interrupted_ingest_goes_on(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that stops in the middle and waits stands in for a long input."""
    script = """
import sys
import priorwise.corpus.ingestion as ingestion
ingestion.DOCUMENTS_PER_SHARD = 100
from priorwise.readers.records import RecordReader
whole = RecordReader.__iter__
def slow(self):
    for number, document in enumerate(whole(self)):
        if number == 450 and sys.argv[1] == "wait":
            print("half", flush=True)
            import time
            time.sleep(60)
        yield document
RecordReader.__iter__ = slow
from priorwise.cli import main
main(sys.argv[2:], prog_name="priorwise")
"""
    file = tmp_path / "in.jsonl"
    rows = [json.dumps({"id": str(n), "text": f"word{n % 7} all", "labels": ["x"]}) for n in range(600)]
    file.write_text("\n".join(rows), "utf-8")

    def start(how: str, output: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", script, how, "ingest", "records", str(file), "-o", output, "--workers", "1"],
            env=environment,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    process = start("wait", "x.corpus")
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode in (1, 130)
    assert "Traceback" not in errors
    assert "Stopped. The same command again goes on from here." in errors
    assert not (tmp_path / "x.corpus").exists()
    assert (tmp_path / "x.corpus.partial").is_dir()

    again = start("go on", "x.corpus")
    text, errors = again.communicate(timeout=60)
    assert again.returncode == 0, errors
    resumed = re.search(r"Went on after ([\d,]+) documents? done already\.", text)
    assert resumed is not None
    assert 100 <= int(resumed[1]) <= 400
    monkeypatch.setattr("priorwise.corpus.ingestion.DOCUMENTS_PER_SHARD", 100)
    assert Corpus.open(tmp_path / "x.corpus").checksum == Corpus.from_records(file).checksum
    assert not (tmp_path / "x.corpus.partial").exists()


@pytest.mark.parametrize("command", ["", "reproduce"])
def test_examples_of_the_help_keep_their_lines(cli: Cli, command: str) -> None:
    lines = cli(*command.split(), "--help").stdout.splitlines()
    assert len([line for line in lines if line.startswith(f"    priorwise {command}")]) == 3
