from __future__ import annotations

import csv
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
import reference_ranking as reference

from conftest import FAST, Cli, Refused, words_of
from priorwise.corpus import Corpus
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument
from priorwise.discovery.presence_stage import Procedure


def written_scores(run_path: Path) -> dict[str, float]:
    with (run_path / "ranking.csv").open(encoding="utf-8", newline="") as lines:
        return {row["id"]: float(row["score"]) for row in csv.DictReader(lines)}


@pytest.mark.parametrize("which", ["run_path", "auto_path"])
def test_every_explanation_adds_up_to_the_score(which: str, request: pytest.FixtureRequest, corpus: Corpus) -> None:
    path = request.getfixturevalue(which)
    loaded = Run.load(path)
    for id, score in written_scores(path).items():
        explanation = loaded.explain(corpus, id)
        for word in explanation.words:
            assert word.adds == pytest.approx(word.weight * word.amount, abs=1e-12)
            assert word.weight == pytest.approx(word.from_prior + word.from_documents, abs=1e-12)
        total = explanation.start + sum(word.adds for word in explanation.words)
        assert total == pytest.approx(score, abs=1e-6 if which == "auto_path" else 1e-9)
        assert explanation.score == pytest.approx(total, abs=1e-12)
        strengths = [abs(word.adds) for word in explanation.words]
        assert strengths == sorted(strengths, reverse=True)


def test_every_number_is_that_of_the_formula(
    run: Run, corpus: Corpus, documents: list[DemoDocument], token_sets: list[set[str]]
) -> None:
    members = [row for row, document in enumerate(documents) if "Chess" in document.labels]
    others = [tokens for row, tokens in enumerate(token_sets) if row not in members]
    counted = reference.count([token_sets[row] for row in members], others, collection=token_sets)
    origins = run.model.origins
    assert origins is not None
    start = np.log((run.prior.positive + len(members)) / (run.prior.negative + len(others)))
    assert start - origins.bias_from_prior == pytest.approx(np.log(len(members) / len(others)))
    for row in (members[0], 5, 123):
        explanation = run.explain(corpus, documents[row].id)
        tokens = token_sets[row]
        divisor = len(tokens) ** run.model.length_power
        assert (explanation.id, explanation.title) == (documents[row].id, documents[row].title)
        assert (explanation.n_members, explanation.n_others) == (len(members), len(others))
        assert {word.name for word in explanation.words} == tokens & set(counted.positive)
        assert set(explanation.unknown) == tokens - set(counted.positive)
        for word in explanation.words:
            assert (word.in_members, word.in_others) == (counted.positive[word.name], counted.negative[word.name])
            assert word.times == words_of(documents[row]).count(word.name)
            weight = reference.weight(counted, word.name, run.prior.negative, run.prior.positive)
            assert word.weight == pytest.approx(weight, abs=1e-12)
            assert word.amount == pytest.approx(1 / divisor)
            rates = (word.in_members + 0.5) / (len(members) + 1), (word.in_others + 0.5) / (len(others) + 1)
            assert word.from_documents == pytest.approx(np.log(rates[0] / rates[1]))
        s = reference.s(counted, tokens, run.prior.negative, run.prior.positive)
        assert explanation.score == pytest.approx(s / divisor, abs=1e-9)
        assert explanation.start == pytest.approx(start / divisor)


def test_counts_of_the_default_model_are_those_of_the_documents(
    auto_run: Run, corpus: Corpus, documents: list[DemoDocument], token_sets: list[set[str]]
) -> None:
    members = [tokens for document, tokens in zip(documents, token_sets, strict=True) if "Chess" in document.labels]
    explanation = auto_run.explain(corpus, auto_run.ranking.ids[0])
    assert (explanation.n_members, explanation.n_others) == (len(members), len(documents) - len(members))
    words = [word for word in explanation.words if word.group == "words"]
    assert words
    for word in words:
        assert word.in_members == sum(word.name in tokens for tokens in members)
        assert word.in_members + word.in_others == sum(word.name in tokens for tokens in token_sets)


def test_a_document_without_tokens() -> None:
    corpus = Corpus.from_texts(["goal team", "goal match", "", "law"], labels=["a", "a", None, None])
    run = discover(corpus, "a", model="presence")
    explanation = run.explain(corpus, "2")
    assert explanation.words == explanation.unknown == []
    (score,) = (row["score"] for row in run.ranking.rows() if row["id"] == "2")
    assert explanation.score == pytest.approx(score)


def numbers_below(text: str, heading: str, n: int) -> list[list[float]]:
    """The last `n` numbers of each row, or as many as it has, of the table below a heading."""
    lines = text.splitlines()
    begin = next(place for place, line in enumerate(lines) if heading in line) + 1
    rows = []
    for line in lines[begin:]:
        if not line.startswith("  "):
            break
        signed = [float(each) for each in re.findall(r" ([+-][\d.]+)(?= |$)", line)]
        rows.append(signed[-n:])
    return rows


@pytest.mark.parametrize("power", [0.0, 0.5])
def test_what_is_printed_adds_up(
    corpus: Corpus, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, power: float
) -> None:
    ours = Procedure.ours
    monkeypatch.setattr(
        Procedure, "ours", classmethod(lambda cls, *args, **kwargs: ours(*args, **kwargs, length_powers=(power,)))
    )
    path = tmp_path / "x.run"
    run = discover(corpus, "Chess", seeds=1)
    run.save(path)
    assert run.model.length_power == power
    id = run.ranking.ids[3]
    text = cli("explain", path, id, "--show", 1000).stdout
    explanation = run.explain(corpus, id)
    start, *words, score = numbers_below(text, "from prior", 4)
    assert len(words) == len(explanation.words)
    for prior, data, weight, _ in words:
        assert data + prior == pytest.approx(weight, abs=2e-4)
    divisor = (len(explanation.words) + len(explanation.unknown)) ** power
    assert [adds for *_, adds in words] == pytest.approx([weight / divisor for _, _, weight, _ in words], abs=2e-4)
    assert start[0] + sum(adds for *_, adds in words) == pytest.approx(score[0], abs=1e-4 * len(words))
    assert score[0] == pytest.approx(written_scores(path)[id], abs=1e-4)
    assert f"in members, of {explanation.n_members:.0f}" in text
    assert f"\nWords without a weight: {len(explanation.unknown)}\n" in text
    (probability,) = (row["probability"] for row in run.ranking.rows() if row["id"] == id)
    assert text.endswith(f"Probability of membership: {probability:.2f}\n")

    short = cli("explain", path, id, "--top", "4").stdout
    assert f"({len(explanation.words) - 4} more words)" in short
    rows = numbers_below(short, "from prior", 1)
    assert len(rows) == 1 + 4 + 1 + 1
    assert sum(row[0] for row in rows[:-1]) == pytest.approx(rows[-1][0], abs=1e-3)


def test_what_is_printed_of_the_default_model_adds_up(auto_run: Run, auto_path: Path, corpus: Corpus, cli: Cli) -> None:
    id = auto_run.ranking.ids[0]
    text = cli("explain", auto_path, id, "--show", 1000).stdout
    explanation = auto_run.explain(corpus, id)
    assert "from prior" not in text, "the centre of its prior is 0"
    *words, score = numbers_below(text, "in members, of 8", 2)
    assert len(words) == len(explanation.words)
    assert sum(adds for _, adds in words) == pytest.approx(score[0], abs=1e-4 * len(words))
    assert score[0] == pytest.approx(written_scores(auto_path)[id], abs=1e-4)


def test_the_command_of_the_last_line_works(corpus: Corpus, cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "with space.run"
    text = cli("discover", corpus.path, "Chess", *FAST, "-o", path).stdout
    command = shlex.split(text.splitlines()[-1].removeprefix("  priorwise "))
    assert cli(*command).exit_code == 0


def test_an_unknown_document(run_path: Path, refused: Refused) -> None:
    assert refused("explain", run_path, "doc-0001").startswith("no document 'doc-0001'; did you mean 'doc-00")


def test_a_corpus_that_moved_or_changed(corpus: Corpus, cli: Cli, refused: Refused, tmp_path: Path) -> None:
    assert corpus.path is not None
    first, second, path = tmp_path / "first.corpus", tmp_path / "second.corpus", tmp_path / "x.run"
    shutil.copytree(corpus.path, first)
    assert cli("discover", first, "Chess", *FAST, "-o", path).exit_code == 0
    shown = cli("explain", path, "doc-00001").stdout
    first.rename(second)
    assert refused("explain", path, "doc-00001") == (
        f"{first} does not exist; if the corpus was moved, say where it is now (--corpus)"
    )
    assert cli("explain", path, "doc-00001", "--corpus", second).stdout == shown
    Corpus.from_texts(["another one"], ids=["doc-00001"], path=first)
    sentence = refused("explain", path, "doc-00001")
    assert sentence.startswith(f"{first} is not the corpus that this run ranked: its checksum differs")


@pytest.mark.parametrize(
    ("name", "says"),
    [("nowhere.run", "there is no such run folder"), (".", "not a run folder: run.json is missing")],
)
def test_what_is_no_run(refused: Refused, tmp_path: Path, name: str, says: str) -> None:
    assert refused("explain", tmp_path / name, "x") == f"{tmp_path / name}: {says}"


def test_a_damaged_run(run_path: Path, refused: Refused, tmp_path: Path) -> None:
    path = shutil.copytree(run_path, tmp_path / "x.run")
    (path / "terrain.parquet").write_bytes(b"nothing")
    assert refused("explain", path, "doc-00001").startswith(f"{path / 'terrain.parquet'}: damaged: 7 bytes")


def test_a_document_by_its_id_title_or_rank(cli: Cli, refused: Refused, auto_path: Path, auto_run: Run) -> None:
    row = auto_run.ranking.rows(3)[2]
    by_id = cli("explain", auto_path, row["id"]).stdout
    assert by_id.startswith(f"{row['title']} ({row['id']})")
    assert cli("explain", auto_path, row["title"]).stdout == cli("explain", auto_path, 3).stdout == by_id
    for wrong in (0, len(auto_run.ranking) + 1, "no such title"):
        assert "no document" in refused("explain", auto_path, wrong)


def test_a_title_of_several_documents(cli: Cli, refused: Refused, tmp_path: Path) -> None:
    texts = ["tea milk", "tea leaves", "tea cup", "milk cow", "cow hay", "hay barn", "barn owl", "cup owl"]
    titles = ["A", "B", "Same", "Same", "E", "F", "G", "7"]
    corpus = Corpus.from_texts(texts, labels=["Tea"] * 2 + [None] * 6, titles=titles, path=tmp_path / "tea.corpus")
    assert corpus.rows_titled("Same").tolist() == [2, 3]
    assert corpus.rows_titled("none").tolist() == []
    discover(corpus, "Tea").save(tmp_path / "tea.run")
    assert "2 documents are called 'Same': give an id, such as 2" in refused("explain", tmp_path / "tea.run", "Same")
    # An id comes before a title.
    assert cli("explain", tmp_path / "tea.run", "7").stdout.startswith("7 (7)")
