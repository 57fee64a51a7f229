"""Corpora from the command line: what is said of them, and which cannot be opened."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from conftest import Cli, Refused
from priorwise.corpus import Corpus


def test_what_corpus_prints(cli: Cli, corpus: Corpus) -> None:
    text = cli("corpus", corpus.path, "--top", "2", "--verify").stdout
    assert text.startswith("Every file matches its checksum and has a sound structure.\n")
    assert f"{corpus.n_vocabulary:,} distinct tokens" in text
    assert [line.split() for line in text.splitlines()[-2:]] == [[x, str(n)] for x, n in corpus.largest_labels(2)]
    assert cli("corpus", corpus.path, "--search", "geolgy").stdout.splitlines()[1].split() == ["Geology", "44"]
    assert cli("corpus", corpus.path, "--search", "qqqqqq").stdout == "No label is like 'qqqqqq'.\n"


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
    said = refused("corpus", path, "--verify")
    assert said.startswith(f"{path} is damaged: {name}: it does not match its checksum; ")
