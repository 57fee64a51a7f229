"""Small corpora of labelled texts, and models that were trained on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Cli
from priorwise.corpus import Corpus

SUBJECTS = {
    "sport": ["goal", "match", "team", "win", "ball"],
    "law": ["court", "vote", "judge", "law", "appeal"],
    "food": ["bread", "salt", "oven", "taste", "soup"],
}


def texts_of(n: int, seed: int = 0, subjects: dict[str, list[str]] | None = None) -> tuple[list[str], list[str]]:
    """Texts of eight words, six of their subject and two of any."""
    rng = np.random.default_rng(seed)
    known = subjects or SUBJECTS
    labels = [list(known)[i] for i in rng.integers(0, len(known), n)]
    everything = [word for words in known.values() for word in words]
    return [" ".join([*rng.choice(known[label], 6), *rng.choice(everything, 2)]) for label in labels], labels


def records(output: str) -> list[dict[str, Any]]:
    """What a command printed as JSON lines."""
    return [json.loads(line) for line in output.splitlines()]


@pytest.fixture(scope="session")
def single(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Texts with one label each."""
    texts, labels = texts_of(60)
    return Corpus.from_texts(texts, labels=labels, path=tmp_path_factory.mktemp("classes") / "single.corpus")


@pytest.fixture(scope="session")
def several(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Texts with one label, with two, and with none."""
    first, second = texts_of(80, seed=1), texts_of(80, seed=2)
    texts = [f"{a} {b}" for a, b in zip(first[0], second[0], strict=True)]
    labels: list[Any] = [sorted({a, b}) for a, b in zip(first[1], second[1], strict=True)]
    return Corpus.from_texts(
        [*texts, *["weather report"] * 5],
        labels=[*labels, *[None] * 5],
        path=tmp_path_factory.mktemp("classes") / "several.corpus",
    )


@pytest.fixture(scope="session")
def single_model(single: Corpus, cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "single.model"
    assert cli("train", single.path, "-o", path, "--prior", "dirichlet:1").exit_code == 0
    return path


@pytest.fixture(scope="session")
def several_model(several: Corpus, cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "several.model"
    assert cli("train", several.path, "-o", path).exit_code == 0
    return path
