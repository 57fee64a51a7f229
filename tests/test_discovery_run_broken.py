"""Run folders that cannot be read: what is broken is named."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from priorwise.discovery import Run
from priorwise.errors import BrokenFile
from test_discovery_run import FILES


@pytest.fixture
def broken(run_path: Path, tmp_path: Path) -> Path:
    return shutil.copytree(run_path, tmp_path / "broken.run")


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(BrokenFile, match="there is no such run folder"):
        Run.load(tmp_path / "nowhere.run")
    with pytest.raises(BrokenFile, match=r"not a run folder: run.json is missing"):
        Run.load(tmp_path)


@pytest.mark.parametrize("name", sorted(FILES - {"run.json", "ranking.csv", "baseline.csv"}))
def test_a_file_that_is_missing_or_damaged_is_named(broken: Path, name: str) -> None:
    whole = (broken / name).read_bytes()
    for damage in (whole[: len(whole) // 2], b"", b"not what it was"):
        (broken / name).write_bytes(damage)
        with pytest.raises(BrokenFile) as caught:
            Run.load(broken)
        assert str(caught.value).startswith(str(broken / name))
        assert "\n" not in str(caught.value)
    (broken / name).unlink()
    with pytest.raises(BrokenFile, match=rf"broken.run: damaged: {re.escape(name)} is missing"):
        Run.load(broken)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "3", "{}", '{"format": "one"}', '{"format": 1}', '{"format": 1, "procedure": 1}']
)
def test_a_damaged_run_json(broken: Path, text: str) -> None:
    (broken / "run.json").write_text(text, "utf-8")
    with pytest.raises(BrokenFile, match=r"run\.json: damaged \("):
        Run.load(broken)


def test_a_run_of_a_newer_version(broken: Path) -> None:
    about = json.loads((broken / "run.json").read_text("utf-8"))
    (broken / "run.json").write_text(json.dumps({**about, "format": 99}), "utf-8")
    (broken / "terrain.parquet").unlink()
    with pytest.raises(BrokenFile, match="written by a newer priorwise; update this one"):
        Run.load(broken)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": 99}, "written by a newer priorwise"),
        ({"model": "telepathy"}, "written by a newer priorwise"),
        ({"lambda_negative": -1}, "not a priorwise model"),
        ({"calibration": None}, "not a priorwise model"),
    ],
)
def test_a_model_that_cannot_be_used(broken: Path, change: dict[str, object], says: str) -> None:
    table = pq.read_table(broken / "model.parquet")
    metadata = {**json.loads(table.schema.metadata[b"priorwise"]), **change}
    pq.write_table(table.replace_schema_metadata({"priorwise": json.dumps(metadata)}), broken / "model.parquet")
    with pytest.raises(BrokenFile, match=says):
        Run.load(broken)


def test_any_parquet_file_is_not_a_model(broken: Path) -> None:
    shutil.copy(broken / "ranking.parquet", broken / "model.parquet")
    with pytest.raises(BrokenFile, match="not a priorwise model"):
        Run.load(broken)
