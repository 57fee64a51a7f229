from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from conftest import Cli
from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.discovery.demo import TOPICS, make_documents


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    from click.testing import CliRunner

    from priorwise.cli import main

    folder = tmp_path_factory.mktemp("demo") / "here"
    result = CliRunner().invoke(main, ["demo", "--documents", "800", "--folder", str(folder)])
    assert result.exit_code == 0, result.output
    return folder, result.stdout


def test_it_finds_more_of_the_missing_than_laplace(shown: tuple[Path, str]) -> None:
    folder, text = shown
    written = [json.loads(line) for line in (folder / "articles.jsonl").read_text("utf-8").splitlines()]
    made = make_documents(800)
    assert [each["id"] for each in written] == [each.id for each in made]
    missing = {each.id for each in made if "Astronomy" in each.truth and "Astronomy" not in each.labels}
    run = Run.load(folder / "astronomy.run")
    table = re.findall(r"^  (learned|Laplace) +(\d+) +(\d+) +(\d+) +(\d+)$", text, flags=re.MULTILINE)
    figures = {name: [int(number) for number in numbers] for name, *numbers in table}
    for name, ranking in (("learned", run.ranking), ("Laplace", run.baseline)):
        expected = [len(missing & set(ranking.ids[:depth])) for depth in sorted({50, 100, 250, len(missing)})]
        assert figures[name] == expected
    assert figures["learned"][0] > 2 * figures["Laplace"][0]
    assert f"{len(missing)} of them are about Astronomy but do not say so" in text


def test_its_commands_do_what_it_did(shown: tuple[Path, str], cli: Cli) -> None:
    folder, text = shown
    commands = re.findall(r"^\$ priorwise (.*)$", text, flags=re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["ingest", "discover", "explain"]
    before = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    for command in commands:
        overwrite = [] if command.startswith("explain") else ["--overwrite"]
        result = cli(*command.split(), *overwrite)
        assert result.exit_code == 0, result.output
        if command.startswith("explain"):
            assert result.stdout in text
    assert {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()} == before


def test_it_can_be_given_again(shown: tuple[Path, str], cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(shown[0], folder)
    assert cli("demo", "--documents", "500", "--folder", folder).exit_code == 0
    assert Corpus.open(folder / "articles.corpus").n_documents == 500
    assert Run.load(folder / "astronomy.run").about["corpus"]["documents"] == 500


def test_it_says_where_to_look_next(shown: tuple[Path, str]) -> None:
    folder, text = shown
    after = text[text.index("Where to look next") :]
    named = [Path(word) for word in after.split() if word.startswith(str(folder))]
    assert len(named) >= 4
    assert [path for path in named if not path.exists()] == []
    assert Corpus.open(folder / "articles.corpus").n_documents == 800


def test_made_up_documents() -> None:
    documents = make_documents(100, seed=4)
    assert documents == make_documents(100, seed=4) != make_documents(100, seed=5)
    assert len({each.id for each in documents}) == 100
    for each in documents:
        assert set(each.labels) <= set(each.truth) <= set(TOPICS)
        for topic in each.truth:
            assert set(TOPICS[topic].split()) & set(each.text.split())
    of_topic = Counter(topic for each in documents for topic in each.truth)
    kept = Counter(topic for each in documents for topic in each.labels)
    assert 0.3 < kept.total() / of_topic.total() < 0.7
    assert all(each.labels == each.truth for each in make_documents(20, left_out=0.0))
