from __future__ import annotations

import csv
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
import reference_ranking as reference

from conftest import FAST, Cli, Refused
from priorwise.corpus import Corpus
from priorwise.counting import counted
from priorwise.discovery import Run, discover
from priorwise.discovery.learning import Procedure
from priorwise.discovery.made_up import DemoDocument


def written_scores(run_path: Path) -> dict[str, float]:
    with (run_path / "ranking.csv").open(encoding="utf-8", newline="") as lines:
        return {row["id"]: float(row["score"]) for row in csv.DictReader(lines)}


def test_every_explanation_adds_up_to_the_score(run_path: Path, corpus: Corpus) -> None:
    loaded = Run.load(run_path)
    for id, score in written_scores(run_path).items():
        explanation = loaded.explain(corpus, id)
        for token in explanation.tokens:
            assert token.weight == pytest.approx(token.data + token.prior, abs=1e-12)
        total = explanation.start.weight + sum(token.weight for token in explanation.tokens)
        assert explanation.total == pytest.approx(total, abs=1e-9)
        assert total / explanation.divisor == pytest.approx(score, abs=1e-9)
        assert explanation.score == pytest.approx(score, abs=1e-9)


def test_every_number_is_that_of_the_formula(
    run: Run, corpus: Corpus, documents: list[DemoDocument], token_sets: list[set[str]]
) -> None:
    members = [row for row, document in enumerate(documents) if "Chess" in document.labels]
    others = [tokens for row, tokens in enumerate(token_sets) if row not in members]
    counted = reference.count([token_sets[row] for row in members], others, collection=token_sets)
    for row in (members[0], 5, 123):
        explanation = run.explain(corpus, documents[row].id)
        tokens = token_sets[row]
        assert (explanation.id, explanation.title) == (documents[row].id, documents[row].title)
        assert {token.token for token in explanation.tokens} == tokens & set(counted.positive)
        assert set(explanation.unknown) == tokens - set(counted.positive)
        for token in explanation.tokens:
            assert (token.in_members, token.in_others) == (counted.positive[token.token], counted.negative[token.token])
            weight = reference.weight(counted, token.token, run.prior.negative, run.prior.positive)
            assert token.weight == pytest.approx(weight, abs=1e-12)
        strengths = [abs(token.weight) for token in explanation.tokens]
        assert strengths == sorted(strengths, reverse=True)
        s = reference.s(counted, tokens, run.prior.negative, run.prior.positive)
        assert explanation.total == pytest.approx(s, abs=1e-9)
        assert explanation.divisor == pytest.approx(len(tokens) ** run.about["learned"]["length_power"])
        start = np.log((run.prior.positive + len(members)) / (run.prior.negative + len(others)))
        assert explanation.start.weight == pytest.approx(start)
        assert explanation.start.data == pytest.approx(np.log(len(members) / len(others)))


def test_a_document_without_tokens() -> None:
    corpus = Corpus.from_texts(["goal team", "goal match", "", "law"], labels=["a", "a", None, None])
    run = discover(corpus, "a", model="presence")
    explanation = run.explain(corpus, "2")
    assert explanation.tokens == explanation.unknown == []
    (score,) = (row["score"] for row in run.ranking.rows() if row["id"] == "2")
    assert explanation.score == pytest.approx(score)


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
    assert run.about["learned"]["length_power"] == power
    id = run.ranking.ids[3]
    text = cli("explain", path, id).stdout
    explanation = run.explain(corpus, id)
    numbers = r" ([+-][\d.]+) +([+-][\d.]+) +([+-][\d.]+)$"
    rows = [[float(x) for x in row] for row in re.findall(numbers, text, flags=re.MULTILINE)]
    assert len(rows) == len(explanation.tokens) + 2
    for data, prior, weight in rows:
        assert data + prior == pytest.approx(weight, abs=2e-4)
    np.testing.assert_allclose(np.sum(rows[:-1], axis=0), rows[-1], atol=1e-4 * len(rows))
    (last,) = re.findall(r"^Score: (.*)$", text, flags=re.MULTILINE)
    if power:
        total, divisor, score = (float(x) for x in re.findall(r"-?[\d.]+", last))
        assert total / divisor == pytest.approx(score, abs=1e-3)
    else:
        score = float(last)
    assert score == pytest.approx(written_scores(path)[id], abs=1e-4)

    short = cli("explain", path, id, "--top", "4").stdout
    assert f"({len(explanation.tokens) - 4} more tokens)" in short
    rows = [[float(x) for x in row] for row in re.findall(numbers, short, flags=re.MULTILINE)]
    assert len(rows) == 1 + 4 + 1 + 1
    np.testing.assert_allclose(np.sum(rows[:-1], axis=0), rows[-1], atol=1e-3)
    assert f"Without a say: {counted(len(explanation.unknown), 'token')} that no member has." in text


def test_the_command_of_the_last_line_works(corpus: Corpus, cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "with space.run"
    text = cli("discover", corpus.path, "Chess", *FAST, "-o", path).stdout
    command = shlex.split(text.splitlines()[-1].split("Why the first one: priorwise ")[1])
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
    assert refused("explain", path, "doc-00001").startswith(f"{path / 'terrain.parquet'}: damaged (")
