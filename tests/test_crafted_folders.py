"""Runs and models that a stranger crafted are used or refused; scripts/attack.py tries many more."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crafted_folders import craft, seal
from priorwise.discovery import Run
from priorwise.errors import BrokenFile, PriorwiseError
from priorwise.models.linear_model import LinearModel
from test_models_linear_model import small_model


@pytest.mark.parametrize("seed", range(3))
def test_crafted_runs_and_models_are_used_or_refused(seed: int, run_path: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    small_model().save(tmp_path / "x.model")
    outcomes: set[str] = set()
    for _ in range(25):
        for source, load in ((run_path, Run.load), (tmp_path / "x.model", LinearModel.load)):
            craft(source, tmp_path / "crafted", rng)
            try:
                load(tmp_path / "crafted")
                outcomes.add("used")
            except PriorwiseError:
                outcomes.add("refused")
    assert "refused" in outcomes


@pytest.mark.parametrize(
    "about",
    [
        {"corpus": 2},
        {"corpus": {"checksum": "x", "documents": ["x"]}},
        {"corpus": {"documents": 7}},
        {"corpus": {"checksum": "x", "documents": 7, "left_out": ["a"]}},
        {"learned": {"by": "x", "target": "y", "trials": 3, "score": 10**400}},
        {"learned": 7},
    ],
)
def test_what_a_model_says_about_itself_is_checked(about: dict[str, Any], tmp_path: Path) -> None:
    small_model().save(tmp_path / "x.model")
    description = tmp_path / "x.model" / "model.json"
    content = json.loads(description.read_text("utf-8"))
    description.write_text(json.dumps({**content, "about": about}), "utf-8")
    seal(tmp_path / "x.model")
    with pytest.raises(BrokenFile, match="damaged"):
        LinearModel.load(tmp_path / "x.model")


@pytest.mark.parametrize("column", ["lambda_negative", "target", "tp", "fp"])
def test_an_objective_map_of_texts_is_refused(column: str, run_path: Path, tmp_path: Path) -> None:
    path = shutil.copytree(run_path, tmp_path / "x.run")
    table = pq.read_table(path / "terrain.parquet")
    texts = pa.array([""] * len(table))
    place = table.column_names.index(column)
    pq.write_table(table.set_column(place, column, texts), path / "terrain.parquet")
    seal(path)
    with pytest.raises(BrokenFile, match=r"terrain\.parquet"):
        Run.load(path)


def test_what_a_run_says_about_its_corpus_is_checked(run_path: Path, tmp_path: Path) -> None:
    path = shutil.copytree(run_path, tmp_path / "x.run")
    content = json.loads((path / "run.json").read_text("utf-8"))
    content["corpus"]["documents"] = "many"
    (path / "run.json").write_text(json.dumps(content), "utf-8")
    seal(path)
    with pytest.raises(BrokenFile, match="documents"):
        Run.load(path)
