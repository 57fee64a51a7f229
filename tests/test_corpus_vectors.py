"""Vectors beside a corpus: read from files, refused if they are wrong, used by discovery, named by members."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import priorwise as pw
from priorwise.cli.main import main
from priorwise.corpus.vectors import ARRAY, DESCRIPTION, Vectors, read_vectors
from priorwise.errors import BrokenFile, DamagedCorpus, InputError, MissingExtra
from priorwise.features import vectors as features
from priorwise.ranking.classifier import Classifier
from priorwise.ranking.evidence import explain, further_scores
from priorwise.text.encoders import load_encoder

N = 80


def corpus_of_two_kinds() -> tuple[pw.Corpus, np.ndarray]:
    """Documents about cars, which share no word with each other, and about plants; vectors tell them apart."""
    rng = np.random.default_rng(5)
    texts = [f"w{rng.integers(300)} w{rng.integers(300)} w{rng.integers(300)}" for _ in range(N)]
    labels = [["Cars"] if row < 8 else [] for row in range(N)]
    vectors = rng.normal(size=(N, 12)) * 0.4
    vectors[:20, 0] += 3.0
    corpus = pw.Corpus.from_texts(texts, labels=labels, titles=[f"Title {row}" for row in range(N)])
    return corpus, vectors


def saved(array: np.ndarray, path: Path) -> Path:
    if path.suffix == ".npy":
        np.save(path, array)
    elif path.suffix == ".parquet":
        pq.write_table(pa.table({"vector": pa.array(list(array.astype(np.float32)))}), path)
    else:
        data = array.astype("<f4").tobytes()
        about = {"embeddings": {"dtype": "F32", "shape": list(array.shape), "data_offsets": [0, len(data)]}}
        header = json.dumps({"__metadata__": {"a": "b"}, **about}).encode()
        path.write_bytes(len(header).to_bytes(8, "little") + header + data)
    return path


@pytest.mark.parametrize("ending", ["npy", "parquet", "safetensors"])
def test_every_format_is_read(ending: str, tmp_path: Path) -> None:
    array = np.random.default_rng(0).normal(size=(5, 3))
    read = read_vectors(saved(array, tmp_path / f"v.{ending}"))
    np.testing.assert_allclose(np.asarray(read), array, atol=1e-6)
    with pytest.raises(BrokenFile, match=r"5 rows, and the corpus 2 documents"):
        read_vectors(tmp_path / f"v.{ending}", ["a", "b"])


def test_a_parquet_file_with_ids_is_put_in_the_order_of_the_documents(tmp_path: Path) -> None:
    table = pa.table({"id": ["b", "a", "c"], "vector": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]})
    pq.write_table(table, tmp_path / "v.parquet")
    assert read_vectors(tmp_path / "v.parquet", ["a", "b"]).tolist() == [[3.0, 4.0], [1.0, 2.0]]
    with pytest.raises(BrokenFile, match="no vector for 1 document, such as 'd'"):
        read_vectors(tmp_path / "v.parquet", ["a", "d"])


@pytest.mark.parametrize("ending", ["npy", "parquet", "safetensors"])
@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_file_is_refused_or_read_as_numbers(ending: str, seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    path = saved(rng.normal(size=(6, 4)), tmp_path / f"v.{ending}")
    data = bytearray(path.read_bytes())
    if seed % 3 == 0:
        data = data[: rng.integers(len(data))]
    else:
        for place in rng.integers(0, min(len(data), 200), 3):
            data[place] = rng.integers(256)
    path.write_bytes(bytes(data))
    with suppress(InputError):
        assert np.isfinite(np.asarray(read_vectors(path))).all()


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([[1.0, np.nan], [0.0, 1.0]], "row 0 has a number that is missing or infinite"),
        ([[1.0, 2.0], [np.inf, 1.0]], "row 1 has a number"),
        ([[1.0, 2.0]], "1 row of vectors and 2 documents"),
        ([1.0, 2.0], "in 1 dimensions"),
        ([["a"], ["b"]], "vectors are numbers"),
        (np.zeros((2, 0)), "1 to 8,192 numbers, not 0"),
        ([[1.0], [1.0, 2.0]], "different lengths"),
    ],
)
def test_wrong_vectors_are_refused_in_a_sentence(values: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        pw.Corpus.from_texts(["a", "b"]).add_vectors(values)


def test_directions_are_kept_whatever_the_lengths() -> None:
    vectors = Vectors.of([[3e200, 4e200], [0.0, 0.0], [3.0, 4.0], [1e190, 0.0]])
    assert vectors.take([0]).round(2).tolist() == [[np.float32(0.6).round(2), np.float32(0.8).round(2)]]
    assert not vectors.take([1]).any()
    # Compared with the longest, these have no direction of their own.
    assert not vectors.take([2, 3]).any()


def test_they_lie_beside_the_corpus_and_leave_its_identity(tmp_path: Path) -> None:
    corpus, values = corpus_of_two_kinds()
    stored = corpus.save(tmp_path / "a.corpus")
    before = stored.checksum
    stored.add_vectors(values, "wordllama")
    opened = pw.Corpus.open(tmp_path / "a.corpus")
    assert opened.checksum == before
    assert (opened.vectors.encoder, opened.vectors.n_dimensions) == ("wordllama", 12)
    opened.verify()
    np.testing.assert_array_equal(opened.vectors.take([3]), stored.vectors.take([3]))
    with pytest.raises(pw.errors.AlreadyExists):
        opened.add_vectors(values)
    opened.add_vectors(values[:, :5], overwrite=True)
    copy = opened.save(tmp_path / "b.corpus")
    assert (copy.vectors.n_dimensions, copy.vectors.encoder) == (5, None)


def test_damage_is_found(tmp_path: Path) -> None:
    corpus, values = corpus_of_two_kinds()
    folder = tmp_path / "a.corpus"
    corpus.save(folder).add_vectors(values)
    whole, about = (folder / ARRAY).read_bytes(), (folder / DESCRIPTION).read_bytes()
    (folder / ARRAY).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(DamagedCorpus, match="checksum"):
        pw.Corpus.open(folder).verify()
    for damaged in (whole[:50], b"", whole[:-4]):
        (folder / ARRAY).write_bytes(damaged)
        with pytest.raises(DamagedCorpus, match=r"vectors\.npy is damaged"):
            _ = pw.Corpus.open(folder).vectors
    (folder / ARRAY).write_bytes(whole)
    for key, value in {"documents": 7, "dimensions": 3, "corpus": "x", "encoder": 4, "format": "x"}.items():
        (folder / DESCRIPTION).write_text(json.dumps({**json.loads(about), key: value}))
        with pytest.raises(DamagedCorpus):
            _ = pw.Corpus.open(folder).vectors
    (folder / DESCRIPTION).write_bytes(b"[" * 50_000)
    with pytest.raises(DamagedCorpus):
        _ = pw.Corpus.open(folder).vectors


def test_members_that_share_no_word_are_found_by_vectors(tmp_path: Path) -> None:
    corpus, values = corpus_of_two_kinds()
    corpus.add_vectors(values)
    run = pw.discover(corpus, "Cars")
    found = run.ranking.to_pandas().head(12)
    assert len(set(found["id"].astype(int)) & set(range(8, 20))) >= 10
    assert "[like 'Title " in found["evidence"].iloc[0]
    # The parts of an explanation add up to the score, and name members.
    why = explain(run.model, corpus, int(found["id"].iloc[0]))
    assert why.score == pytest.approx(float(found["score"].iloc[0]), abs=1e-4)
    (part,) = [word for word in why.words if word.group == "vectors"]
    assert part.name.startswith("like 'Title ")
    # Saved and read again it scores alike; without the vectors it does not.
    run.save(tmp_path / "cars.run")
    model = pw.Run.load(tmp_path / "cars.run").model
    rows = np.arange(N)
    np.testing.assert_allclose(further_scores(model, corpus, rows), further_scores(run.model, corpus, rows))
    alone = pw.discover(corpus, "Cars", text_only=True)
    assert alone.model.vectors is None
    assert len(set(alone.ranking.to_pandas().head(12)["id"].astype(int)) & set(range(8, 20))) < 8


def test_a_session_learns_on_from_a_run_with_vectors(tmp_path: Path) -> None:
    corpus, values = corpus_of_two_kinds()
    corpus.add_vectors(values)
    session = pw.Session(corpus, "Cars")
    first = session.next(3)
    assert len({int(each.id) for each in first} & set(range(8, 20))) >= 2
    for each in first:
        session.judge(each.id, "yes" if int(each.id) < 20 else "no")
    assert len({int(each.id) for each in session.next(5)} & set(range(8, 20))) >= 3


def encoder_of(words: dict[str, int], width: int) -> Any:
    """Count known words: an encoder that a test can follow."""

    def encode(texts: list[str]) -> np.ndarray:
        out = np.zeros((len(texts), width), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                if word in words:
                    out[row, words[word]] += 1
        return out

    return encode


def test_embedding_and_classifying_new_texts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    meaning = {"car": 0, "automobile": 0, "motor": 0, "rose": 1, "tulip": 1, "oak": 2}
    monkeypatch.setattr(features, "load_encoder", lambda name, download=False: encoder_of(meaning, 3))
    texts = [["car", "automobile", "motor"][row % 3] + f" w{row % 17}" for row in range(30)]
    texts += [["rose", "tulip", "oak"][row % 3] + f" w{row % 17}" for row in range(60)]
    labels = [["Cars"] if row < 30 and row % 3 == 0 else [] for row in range(90)]
    corpus = pw.Corpus.from_texts(texts, labels=labels)
    pw.embed(corpus, "model2vec:made-up")
    assert corpus.vectors.encoder == "model2vec:made-up"
    with pytest.raises(InputError, match="has vectors already"):
        pw.embed(corpus, "wordllama")
    model = pw.discover(corpus, "Cars").model
    assert model.vectors is not None
    unknown = Classifier(model)
    without = unknown.judge(unknown.read(["automobile", "tulip"]))
    assert unknown.without_vectors == 2
    monkeypatch.setattr("priorwise.text.encoders.load_encoder", lambda name: encoder_of(meaning, 3))
    known = Classifier(model)
    verdict = known.judge(known.read(["automobile", "tulip"]))
    assert known.without_vectors == 0
    assert verdict.scores[0, 0] > verdict.scores[1, 0]
    assert verdict.scores[0, 0] > without.scores[0, 0]


def test_the_commands(tmp_path: Path) -> None:
    corpus, values = corpus_of_two_kinds()
    lines = [json.dumps({"id": str(row), "text": corpus.text(row)}) for row in range(N)]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines))
    vectors, wrong = saved(values, tmp_path / "v.npy"), saved(values[:7], tmp_path / "wrong.npy")
    records = ["ingest", "records", str(tmp_path / "texts.jsonl"), "-o", str(tmp_path / "a.corpus")]
    run = CliRunner().invoke(main, [*records, "--vectors", str(tmp_path / "none.npy")])
    assert (run.exit_code, "no such file" in run.output) == (2, True)
    assert not (tmp_path / "a.corpus").exists()
    run = CliRunner().invoke(main, [*records, "--vectors", str(vectors)])
    assert run.exit_code == 0, run.output
    assert "80 documents with vectors of 12 dimensions" in run.output
    told = CliRunner().invoke(main, ["corpus", str(tmp_path / "a.corpus")]).output
    assert "vectors      of 12 dimensions, made elsewhere" in told
    run = CliRunner().invoke(main, ["embed", str(tmp_path / "a.corpus"), "--vectors", str(wrong), "--overwrite"])
    assert (run.exit_code, "it has 7 rows, and the corpus 80 documents" in run.output) == (2, True)
    run = CliRunner().invoke(main, ["embed", str(tmp_path / "a.corpus")])
    assert (run.exit_code, "either --with ENCODER or --vectors FILE" in run.output) == (2, True)
    run = CliRunner().invoke(main, ["verify", str(tmp_path / "a.corpus")])
    assert run.exit_code == 0, run.output


def test_encoders_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nothing", "model2vec", "wordllama:x"):
        with pytest.raises(InputError, match="there are wordllama, model2vec:NAME and sentence-transformers:NAME"):
            load_encoder(name)
    monkeypatch.setitem(__import__("sys").modules, "wordllama", None)
    with pytest.raises(MissingExtra, match=r"pip install 'priorwise\[vectors\]'"):
        load_encoder("wordllama")
    monkeypatch.setitem(__import__("sys").modules, "model2vec", None)
    with pytest.raises(InputError, match="pip install model2vec"):
        load_encoder("model2vec:potion")


def test_the_network_is_asked_only_if_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    asked = []

    def from_pretrained(name: str) -> Any:
        asked.append(os.environ.get("HF_HUB_OFFLINE"))
        raise OSError("not on this machine")

    fake = SimpleNamespace(StaticModel=SimpleNamespace(from_pretrained=from_pretrained))
    monkeypatch.setitem(__import__("sys").modules, "model2vec", fake)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with pytest.raises(InputError, match="--download fetches"):
        load_encoder("model2vec:potion")
    with pytest.raises(InputError, match="not on this machine"):
        load_encoder("model2vec:potion", download=True)
    assert asked == ["1", None]
    assert "HF_HUB_OFFLINE" not in os.environ
