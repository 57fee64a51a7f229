"""Runs, and what people said of their candidates."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from priorwise.corpus import CategoryPage, Corpus, Document, ingest
from priorwise.discovery import Run, discover
from priorwise.discovery.demo import DemoDocument
from priorwise.ranking.table import Ranking
from priorwise.readers.document import Stream
from priorwise.review import Verdict, Verdicts

EVIL = "<script>document.title = 'hacked'</script><img src=x onerror=\"document.title='hacked'\">"


def judge(path: Path, words: Mapping[str, str], reviewer: str = "Ada", *, teaching: bool = False) -> None:
    """Store what a reviewer said of documents in a run's folder."""
    store = Verdicts.of_run(path)
    try:
        store.add_all(
            [
                Verdict(
                    f"{reviewer} {teaching} {word} {id}", reviewer, id, word, chosen="teach" if teaching else "blind"
                )
                for id, word in words.items()
            ]
        )
    finally:
        store.close()


def candidates(run: Run) -> list[str]:
    return list(dict.fromkeys([*run.ranking.ids, *run.baseline.ids]))


def with_status(run: Run, status: Mapping[str, str]) -> Run:
    """The same run, its candidates with another status; *new* where none is given."""

    def marked(ranking: Ranking) -> Ranking:
        place = ranking.table.schema.get_field_index("status")
        return Ranking(ranking.table.set_column(place, "status", [[status.get(id, "new") for id in ranking.ids]]))

    stages = [stage if stage.ranking is None else replace(stage, ranking=marked(stage.ranking)) for stage in run.stages]
    return replace(run, stages=stages)


@pytest.fixture
def verdicts(tmp_path: Path) -> Iterator[Verdicts]:
    """A database of verdicts that belongs to no run."""
    opened = Verdicts(tmp_path / "verdicts.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def fresh(run_path: Path, tmp_path: Path) -> Path:
    """A run that nobody has judged."""
    return Path(shutil.copytree(run_path, tmp_path / "chess.run"))


@pytest.fixture
def reviewed(fresh: Path, run: Run, documents: list[DemoDocument]) -> Path:
    """The same run after a review by one who knows."""
    truth = {document.id: document.truth for document in documents}
    judge(fresh, {id: "yes" if "Chess" in truth[id] else "no" for id in candidates(run)})
    return fresh


@pytest.fixture
def wiki_run(tmp_path: Path) -> Path:
    """A run over a corpus with subcategories: of 12 candidates 3 are in one."""
    rng = np.random.default_rng(0)

    def text(words: list[str]) -> str:
        return " ".join([*rng.choice(words, 8), *rng.choice(["the", "of", "and", "to"], 6)])

    chess, law = ["king", "queen", "rook", "pawn", "mate"], ["court", "judge", "law", "vote", "tax"]
    pages: list[Any] = [CategoryPage("Gambits", ["Chess"])]
    pages += [Document(f"c{i}", f"Chess {i}", text(chess), ["Chess"]) for i in range(8)]
    pages += [Document(f"g{i}", f"Gambit {i}", text(chess), ["Gambits"]) for i in range(3)]
    pages += [Document(f"n{i}", f"New {i}", text(chess)) for i in range(3)]
    pages += [Document(f"l{i}", f"Law {i}", text(law), ["Law"]) for i in range(6)]
    ingest(Stream(pages), tmp_path / "wiki.corpus")
    discover(Corpus.open(tmp_path / "wiki.corpus"), "Chess").save(tmp_path / "wiki.run")
    return tmp_path / "wiki.run"
