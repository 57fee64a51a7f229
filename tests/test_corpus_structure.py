"""A corpus from a stranger is used or refused in a sentence, never obeyed."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Refused
from crafting import CHANGES, Change, Crafted, Tables, replaced, small_corpus, with_values, wrong_number
from priorwise.corpus import Corpus
from priorwise.corpus._kernels import first_wrong_row
from priorwise.corpus.storage import structure as memory
from priorwise.errors import CorpusError, DamagedCorpus


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "x.corpus"
    small_corpus(path)
    return path


@pytest.fixture(autouse=True)
def own_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRIORWISE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(memory, "_SETTLED", -60.0)
    return tmp_path / "cache" / "verified"


def read_all(path: Path) -> None:
    """Ask a corpus for all that it holds."""
    corpus = Corpus.open(path)
    every = np.arange(corpus.n_documents)
    corpus.matrix()
    corpus.ids(every), corpus.titles(every), corpus.take_labels(every)
    for label, _ in corpus.largest_labels(5):
        corpus.members(label), corpus.member_origins(label)
    corpus.search_labels("ches"), corpus.token_names(np.arange(corpus.n_vocabulary)), corpus.token_id("a")
    for row in every[:5]:
        corpus.text(int(row))
    corpus.verify()


def test_a_sound_corpus_is_read(sound: Path) -> None:
    read_all(sound)


@pytest.mark.parametrize("change", dict.fromkeys(CHANGES), ids=lambda change: change.__name__)
def test_a_crafted_corpus_is_used_or_refused(sound: Path, tmp_path: Path, change: Change) -> None:
    rng = np.random.default_rng(0)
    refusals = 0
    for _ in range(8):
        Crafted(sound).write(tmp_path / "crafted.corpus", change, rng)
        try:
            read_all(tmp_path / "crafted.corpus")
        except CorpusError:
            refusals += 1
    assert refusals, "nothing was refused"


def test_a_token_beyond_the_vocabulary_is_refused_before_training(
    sound: Path, tmp_path: Path, refused: Refused
) -> None:
    def beyond(tables: Tables, about: dict[str, Any], rng: np.random.Generator) -> str:
        batch = tables["tokens.arrow"][0]
        values = batch.column("tokens").values.to_numpy().copy()
        offsets = batch.column("tokens").offsets.to_numpy()
        values[offsets[1] - 1] = about["counts"]["vocabulary"]
        tables["tokens.arrow"][0] = replaced(batch, 0, with_values(batch.column("tokens"), values))
        return "beyond"

    Crafted(sound).write(tmp_path / "crafted.corpus", beyond, np.random.default_rng(0))
    said = refused("train", tmp_path / "crafted.corpus", "-o", tmp_path / "x.model")
    assert "tokens.arrow: the tokens of row 0 do not ascend, or one of them does not exist" in said


def test_a_flipped_bit_is_noticed_when_the_file_is_first_used(sound: Path, tmp_path: Path) -> None:
    for name in sorted(each.name for each in sound.iterdir()):
        folder = shutil.copytree(sound, tmp_path / "flipped.corpus")
        data = bytearray((folder / name).read_bytes())
        data[len(data) // 2] ^= 1
        (folder / name).write_bytes(data)
        with pytest.raises(DamagedCorpus, match=r"checksum|damaged"):
            read_all(folder)
        shutil.rmtree(folder)


def test_what_was_checked_is_remembered_until_the_file_changes(
    sound: Path, own_memory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(sound, tmp_path / "x.corpus")
    checked: list[str] = []
    monkeypatch.setattr("priorwise.corpus.corpus.check_file", lambda name, *rest: checked.append(name))
    Corpus.open(folder).matrix()
    assert checked == ["tokens.arrow"]
    Corpus.open(folder).matrix()
    assert checked == ["tokens.arrow"]
    os.utime(folder / "tokens.arrow")
    Corpus.open(folder).matrix()
    assert checked == ["tokens.arrow", "tokens.arrow"]
    for mark in own_memory.iterdir():
        mark.write_text("{" if mark.suffix == ".json" else "")
    Corpus.open(folder).matrix()
    assert len(checked) == 3
    Corpus.open(folder).verify()
    assert len(checked) == 3 + len(json.loads((folder / "manifest.json").read_text())["files"])


def test_a_corpus_cannot_bring_its_own_mark(sound: Path, own_memory: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(sound, tmp_path / "x.corpus")
    read_all(folder)
    before = {mark: mark.read_bytes() for mark in own_memory.iterdir()}
    rng = np.random.default_rng(1)
    Crafted(sound).write(folder, wrong_number, rng)
    for mark, content in before.items():
        (folder / mark.name).write_bytes(content)
    with pytest.raises(DamagedCorpus):
        read_all(folder)


def test_a_file_that_changed_just_now_is_not_remembered(
    sound: Path, own_memory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_SETTLED", 60.0)
    folder = shutil.copytree(sound, tmp_path / "x.corpus")
    Corpus.open(folder).matrix()
    assert not own_memory.exists()


def test_opening_reads_next_to_nothing(sound: Path) -> None:
    Corpus.open(sound)
    began = time.perf_counter()
    for _ in range(20):
        Corpus.open(sound)
    assert (time.perf_counter() - began) / 20 < 0.05


def _first_wrong_row(rows: list[list[int]], limit: int) -> int:
    """The slow twin."""
    for number, row in enumerate(rows):
        if row != sorted(set(row)) or any(value >= limit for value in row):
            return number
    return -1


def test_rows_are_found_as_by_looking_at_each_number() -> None:
    rng = np.random.default_rng(0)
    found = []
    for _ in range(3_000):
        limit = int(rng.integers(1, 6))
        rows = [sorted(set(rng.integers(0, limit, rng.integers(0, 5)).tolist())) for _ in range(rng.integers(0, 6))]
        for row in rows:
            if row and rng.random() < 0.2:
                row[int(rng.integers(len(row)))] = int(rng.integers(0, limit + 2))
        values = [value for row in rows for value in row]
        offsets = np.cumsum([0, *map(len, rows)]).astype(np.int32)
        counts = np.zeros(limit, np.uint32)
        found.append(first_wrong_row(offsets, np.array(values, np.uint32), counts))
        assert found[-1] == _first_wrong_row(rows, limit), rows
        if found[-1] < 0:
            assert counts.tolist() == np.bincount(np.array(values, int), minlength=limit).tolist()
    assert 500 < found.count(-1) < 2_500
