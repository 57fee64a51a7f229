"""What all test files share: one small made-up corpus, runs over it, and the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import settings

from priorwise.cli import main
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument, make_documents

# Importing one of these adds what it defines to the registries: only the tests of that do so.
collect_ignore_glob = ["made_up_*.py"]

# Where it says what it expects, a failure says what it found.
pytest.register_assert_rewrite("browsing")

# Fixtures, each beside what it is made of.
pytest_plugins = ["labelled_texts", "paper_collections", "processes", "regression_collections", "reviews", "web_server"]

# A first call compiles, and the machine may be busy: how long an example takes says nothing. Continuous integration
# judges the change, with the same examples each time; new ones are looked for everywhere else.
# The same cases each time in CI, and an eighth as many: it has fifteen minutes.
IN_CI = bool(os.environ.get("CI"))
settings.register_profile("untimed", deadline=None, derandomize=IN_CI, max_examples=12 if IN_CI else 100)
settings.load_profile("untimed")
# While writing: scripts/test --quick
settings.register_profile("quick", deadline=None, max_examples=12)
# For an afternoon: pytest --hypothesis-profile=fuzz tests/test_fuzz_*.py
settings.register_profile("fuzz", deadline=None, max_examples=2_000, print_blob=True)
# For the scheduled run, with a seed of its own each time.
settings.register_profile("weekly", deadline=None, max_examples=1_000, print_blob=True)

FAST = ("--objective", "f1", "--prior-search", "radial", "--repeats", "1")
"""For tests to which the prior is all the same."""

Cli = Callable[..., Result]
Refused = Callable[..., str]


def corpus_of(documents: list[DemoDocument], **columns: Any) -> Corpus:
    """Make a corpus of documents, with other labels, ids or titles than their own where they are given."""
    own: dict[str, Any] = {
        "labels": [document.labels for document in documents],
        "ids": [document.id for document in documents],
        "titles": [document.title for document in documents],
    }
    return Corpus.from_texts([document.text for document in documents], **{**own, **columns})


def words_of(document: DemoDocument) -> list[str]:
    """The words of a made-up document, its title's first; they are letters and spaces."""
    return f"{document.title} {document.text}".lower().split()


def contents(folder: Path) -> dict[str, bytes]:
    """All that is in the files of a folder, and of the folders in it."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="session")
def documents() -> list[DemoDocument]:
    return make_documents(400)


@pytest.fixture(scope="session")
def token_sets(documents: list[DemoDocument]) -> list[set[str]]:
    """Each document as a set of words, by plain Python."""
    return [set(words_of(document)) for document in documents]


@pytest.fixture(scope="session")
def corpus(documents: list[DemoDocument], tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """400 documents on disk; 'Chess' has so few members that its samples of negatives differ."""
    return corpus_of(documents, path=tmp_path_factory.mktemp("shared") / "made-up.corpus")


@pytest.fixture(scope="session")
def run(corpus: Corpus) -> Run:
    return discover(corpus, "Chess", model="presence")


@pytest.fixture(scope="session")
def run_path(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "chess.run"
    run.save(path)
    return path


@pytest.fixture(scope="session")
def auto_run(corpus: Corpus) -> Run:
    """By the default model; the other run is by the presence model alone."""
    return discover(corpus, "Chess")


@pytest.fixture(scope="session")
def auto_path(auto_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "auto.run"
    auto_run.save(path)
    return path


@pytest.fixture(scope="session")
def cli() -> Cli:
    """Call the command line in this process; anything but a clean exit is an error of the test."""

    def call(*arguments: object, input: str | None = None) -> Result:
        words = [str(argument) for argument in arguments]
        result = CliRunner().invoke(main, words, prog_name="priorwise", input=input)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        return result

    return call


@pytest.fixture(scope="session")
def refused(cli: Cli) -> Refused:
    """Call the command line, expect a refusal in one sentence, and return the sentence."""

    def call(*arguments: object) -> str:
        result = cli(*arguments)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        lines = result.stderr.splitlines()
        errors = [line for line in lines if line.startswith("Error: ")]
        assert len(errors) == 1
        assert len(lines) <= 3
        return errors[0].removeprefix("Error: ")

    return call


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A browser; see `browsing.py`."""
    from browsing import a_browser

    with a_browser() as running:
        yield running


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Spark on this machine; see `spark_session.py`."""
    from spark_session import a_spark

    with a_spark("local[2]", tmp_path_factory.mktemp("spark")) as running:
        yield running


@pytest.fixture
def running(spark: Any, monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Commands take the session of the tests, and do not stop it."""
    from priorwise.engines.spark import Spark

    masters: list[str | None] = []

    def start(master: str | None = None, **options: str) -> Any:
        masters.append(master)
        return spark

    monkeypatch.setattr(Spark, "start", start)
    monkeypatch.setattr(Spark, "stop", lambda self: None)
    return masters
