from __future__ import annotations

import gzip
import lzma
import re
import shlex
import shutil
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from conftest import Cli
from priorwise.cli import main
from priorwise.corpus import Corpus
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.discovery import Run
from priorwise.discovery.demo import (
    TOPICS,
    category_graph,
    category_to_show,
    corpus_made_before,
    find_again,
    make_documents,
    subcategory,
    wiki_articles,
    write_wiki,
)
from priorwise.discovery.hidden import NONE, split_members
from priorwise.discovery.presence_stage import Baseline, Procedure, learn
from priorwise.engines.engine import Local
from priorwise.errors import DownloadFailed, NotEnoughData

N = 800


# Of two processes, each would give the demo for its part of these tests.
uses_shown = pytest.mark.xdist_group("demo")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("demo") / "here"
    result = CliRunner().invoke(main, ["demo", "--made-up", str(N), "--folder", str(folder)])
    assert result.exit_code == 0, result.output
    return folder, result.stdout


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No data of this machine's, and no network."""
    monkeypatch.delenv("PRIORWISE_DATA", raising=False)
    monkeypatch.setenv("PRIORWISE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("priorwise.readers.download._fetched", _no_network)


def _no_network(*arguments: object) -> Path:
    raise DownloadFailed("example.org: the host is not known; is there a network?")


@pytest.fixture
def split_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Members are hidden once instead of five times over."""
    monkeypatch.setattr("priorwise.discovery.demo.find_again", partial(find_again, splits=1))


@uses_shown
def test_it_finds_more_of_the_hidden_than_the_baseline(shown: tuple[Path, str]) -> None:
    folder, text = shown
    table = re.findall(r"^  (default|presence|baseline) +(\d+) +(\d+) +(\d+) +(\d+)$", text, flags=re.MULTILINE)
    figures = {name: [int(number) for number in numbers] for name, *numbers in table}
    again = find_again(Corpus.open(folder / "made-up.corpus"), "Astronomy")
    assert figures == again.found
    assert f"5 times over: {again.hidden} in all" in text
    assert figures["presence"][2] > 2 * figures["baseline"][2]
    assert figures["default"][2] > 2 * figures["baseline"][2]


@uses_shown
def test_hidden_members_are_counted_as_by_hand(shown: tuple[Path, str]) -> None:
    corpus = Corpus.open(shown[0] / "made-up.corpus")
    depths, expected, n_hidden = (5, 30), {"presence": [0, 0], "baseline": [0, 0]}, 0
    for split in range(2):
        known, hidden = split_members(corpus, "Castles", hide=0.5, seed=split)
        n_hidden += len(hidden)
        learned = learn(corpus, known, NONE, Procedure.ours())
        scorers = {"presence": learned.scorer, "baseline": Baseline.of(corpus, known, NONE).scorer}
        for name, scorer in scorers.items():
            scores = Local().score_corpus(corpus, scorer)
            order = [row for row in np.argsort(-scores, kind="stable") if row not in known]
            for place, depth in enumerate(depths):
                expected[name][place] += len(set(order[:depth]) & set(hidden.tolist()))
    shares: list[float] = []
    again = find_again(corpus, "Castles", splits=2, depths=depths, progress=shares.append)
    assert {name: again.found[name] for name in expected} == expected
    assert (again.splits, again.hidden, shares) == (2, n_hidden, [0.5, 1.0])


@uses_shown
def test_its_commands_do_what_it_did(shown: tuple[Path, str], cli: Cli) -> None:
    folder, text = shown
    commands = [shlex.split(line) for line in re.findall(r"^\$ priorwise (.*)$", text, flags=re.MULTILINE)]
    assert [command[0] for command in commands] == ["ingest", "discover", "explain"]
    before = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    for command in commands:
        result = cli(*command, *([] if command[0] == "explain" else ["--overwrite"]))
        assert result.exit_code == 0, result.output
        if command[0] == "explain":
            assert result.stdout in text
        elif command[0] == "discover":
            assert result.stdout[: result.stdout.index("\nKept in")] in text
    assert {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()} == before


@uses_shown
def test_it_says_what_the_baseline_would_have_found(shown: tuple[Path, str]) -> None:
    folder, text = shown
    run = Run.load(folder / "astronomy.run")
    assert f"The baseline would start with: {'; '.join(row['title'] for row in run.baseline.rows(5))}." in text
    for sentence in run.ranker.describe():
        assert f"\n{sentence}\n" in text


@uses_shown
def test_it_can_be_given_again(shown: tuple[Path, str], cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(shown[0], folder)
    assert cli("demo", "--made-up", "500", "--folder", folder).exit_code == 0
    assert Corpus.open(folder / "made-up.corpus").n_documents == 500
    assert Run.load(folder / "astronomy.run").about.corpus.documents == 500


@uses_shown
def test_it_says_where_to_look_next(shown: tuple[Path, str], cli: Cli) -> None:
    folder, text = shown
    after = text[text.index("Where to look next") :]
    commands = re.findall(r"^  priorwise (.*?)(?:  .*)$", after, flags=re.MULTILINE)
    assert len(commands) == 6
    for command in commands:
        assert cli(*shlex.split(command)).exit_code == 0, command
    named = [Path(word) for word in after.split() if word.startswith(str(folder))]
    assert len(named) >= 6
    assert [path for path in named if not path.exists()] == []


@pytest.mark.usefixtures("split_once")
def test_without_a_network_one_sentence_says_why(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorwise.cli.demo.ARTICLES", 600)
    for options, reason in [
        (["--offline"], "the network is switched off, and the file is neither in the cache nor in PRIORWISE_DATA"),
        ([], "example.org: the host is not known; is there a network?"),
    ]:
        result = cli("demo", "--folder", tmp_path / "here", *options)
        assert result.exit_code == 0
        assert result.stdout.startswith(f"enwik8 cannot be had, so a made-up wiki takes its place: {reason}.\n\n600 ")
        assert "History of astronomy" in result.stdout


@pytest.mark.usefixtures("split_once")
def test_enwik8_is_read_once(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data" / "wikipedia" / "enwik8.xz"
    data.parent.mkdir(parents=True)
    write_wiki(tmp_path / "wiki.xml", N)
    data.write_bytes(lzma.compress((tmp_path / "wiki.xml").read_bytes()))
    monkeypatch.setenv("PRIORWISE_DATA", str(tmp_path / "data"))
    first = cli("demo", "--folder", tmp_path / "here", "--category", "Castles")
    assert first.exit_code == 0, first.output
    assert first.stdout.startswith(f"enwik8, the first 100 MB of the English Wikipedia of 2006, is {data}\n")
    assert f"enwik8.corpus: {N} documents in" in first.stdout
    assert Run.load(tmp_path / "here" / "castles.run").about.label == "Castles"
    second = cli("demo", "--folder", tmp_path / "here", "--category", "Castles")
    assert f"Reusing the existing corpus: {N} documents." in second.stdout
    after = "$ priorwise discover"
    assert second.stdout[second.stdout.index(after) :] == first.stdout[first.stdout.index(after) :]


def test_a_corpus_made_by_other_rules_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_wiki(tmp_path / "wiki.xml", 500)
    path = tmp_path / "wiki.corpus"
    assert corpus_made_before(path) is None
    ingest_wikipedia([tmp_path / "wiki.xml"], path)
    made = corpus_made_before(path)
    assert made is not None
    assert made.n_documents == 500
    monkeypatch.setattr("priorwise.corpus.build.wikipedia.RULE_VERSION", -1)
    assert corpus_made_before(path) is None


@pytest.mark.usefixtures("split_once")
def test_a_dump_of_your_own(cli: Cli, refused: Cli, tmp_path: Path) -> None:
    articles = write_wiki(tmp_path / "wiki.xml", N)
    given = tmp_path / "some.wiki.xml.gz"
    given.write_bytes(gzip.compress((tmp_path / "wiki.xml").read_bytes()))
    result = cli("demo", "--data", given, "--folder", tmp_path / "here")
    assert result.exit_code == 0, result.output
    sizes = Counter(label for article in articles for label in article.labels)
    largest = min((-size, label) for label, size in sizes.items() if 10 <= size <= 200)[1]
    assert f"'{largest}': {sizes[largest]} members" in result.stdout
    assert Corpus.open(tmp_path / "here" / "some.corpus").n_documents == N
    assert "exclude each other" in cli("demo", "--data", given, "--made-up").stderr
    assert "there is no such file" in refused_after(cli, "demo", "--data", tmp_path / "none", "--folder", tmp_path)
    said = refused_after(cli, "demo", "--data", given, "--category", "Casles", "--folder", tmp_path / "here")
    assert "did you mean 'Castles'" in said


def refused_after(cli: Cli, *arguments: object) -> str:
    """Expect a refusal in one sentence, whatever was shown before."""
    result = cli(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
    return result.stderr


def test_the_category_to_show() -> None:
    labels = [["most", "favourite"]] * 15 + [["most", "many"]] * 60 + [["most"]] * 150 + [["few"]] * 9
    corpus = Corpus.from_texts(["a b c"] * len(labels), labels=labels)
    assert category_to_show(corpus, "favourite") == "favourite"
    assert category_to_show(corpus, "few") == category_to_show(corpus, "none") == category_to_show(corpus) == "many"
    with pytest.raises(NotEnoughData, match="name one with --category"):
        category_to_show(Corpus.from_texts(["a", "b"], labels=["x", "y"]))


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


def test_the_made_up_wiki_is_read_as_it_was_made(tmp_path: Path) -> None:
    articles = write_wiki(tmp_path / "wiki.xml", 300, seed=3)
    assert articles == wiki_articles(300, seed=3) != wiki_articles(300, seed=4)
    summary = ingest_wikipedia([tmp_path / "wiki.xml"], tmp_path / "wiki.corpus")
    assert summary.remarks == {"redirects left out": 30}
    corpus = Corpus.open(tmp_path / "wiki.corpus")
    assert corpus.ids(range(300)) == [article.title for article in articles]
    for row, (article, made) in enumerate(zip(articles, make_documents(300, seed=3), strict=True)):
        assert article.title.startswith(made.title)
        assert sorted(corpus.labels_of(row)) == sorted(article.labels)
        below = {subcategory(topic) for topic in set(article.truth) - set(made.labels)}
        assert set(made.labels) <= set(article.labels) <= set(made.labels) | below
        tokens = set(corpus.token_names(corpus.take([row])[1]))
        assert set(article.text.split()) <= tokens
        around = f"{article.title} is an article of a made-up wiki".lower()
        assert tokens <= {*article.text.split(), *around.split(), *re.findall(r"\w+", around)}
    assert any(set(article.labels) - set(article.truth) for article in articles)
    for name, parents in category_graph().items():
        assert sorted(corpus.graph.parents(name)) == sorted(parents)
