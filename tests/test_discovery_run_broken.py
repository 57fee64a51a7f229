"""Run folders that cannot be read: what is broken is named."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from priorwise.discovery import Run
from priorwise.errors import BrokenFile
from test_discovery_run import FILES


@pytest.fixture
def broken(run_path: Path, tmp_path: Path) -> Path:
    """A run without checksums, as an earlier priorwise wrote it: whatever is wrong must be found without them."""
    path = shutil.copytree(run_path, tmp_path / "broken.run")
    about = json.loads((path / "run.json").read_text("utf-8"))
    del about["files"], about["checksum"]
    (path / "run.json").write_text(json.dumps(about), "utf-8")
    return path


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(BrokenFile, match="there is no such run folder"):
        Run.load(tmp_path / "nowhere.run")
    with pytest.raises(BrokenFile, match=r"not a run folder: run.json is missing"):
        Run.load(tmp_path)


UNREAD = {"run.json", "ranking.csv", "baseline.csv", "presence.model/card.md"}
"""`run.json` has tests of its own; the others are for people."""


@pytest.mark.parametrize("name", sorted(FILES - UNREAD))
def test_a_file_that_is_missing_or_damaged_is_named(broken: Path, name: str) -> None:
    file = broken / name
    whole = file.read_bytes()
    for damage in (whole[: len(whole) // 2], b"", b"not what it was"):
        file.write_bytes(damage)
        assert str(file) in refusal(broken)
    file.unlink()
    said = refusal(broken)
    assert said.startswith(f"{file.parent}: ")
    assert re.search(rf"{re.escape(file.name)} is missing$|it has no {re.escape(file.name)}$", said)


def refusal(path: Path) -> str:
    with pytest.raises(BrokenFile) as caught:
        Run.load(path)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


def test_a_model_that_is_missing_is_named(broken: Path) -> None:
    shutil.rmtree(broken / "presence.model")
    assert refusal(broken) == f"{broken}: damaged: presence.model is missing"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "3",
        "{}",
        '{"format": "one"}',
        '{"format": 4}',
        "[" * 100_000,
        '{"format": 4, "stages": []}',
    ],
)
def test_a_damaged_run_json(broken: Path, text: str) -> None:
    (broken / "run.json").write_text(text, "utf-8")
    assert "run.json: damaged (" in refusal(broken)


def changed(broken: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    content = json.loads((broken / "run.json").read_text("utf-8"))
    content = {name: value for name, value in content.items() if name not in ("files", "checksum")}
    change(content)
    (broken / "run.json").write_text(json.dumps(content), "utf-8")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda c: c.update(members="six"), "'members' is 'six', not a whole number"),
        (lambda c: c.update(members=6.5), "'members' is 6.5, not a whole number"),
        (lambda c: c.update(label=7), "'label' is 7, not a text"),
        (lambda c: c["corpus"].pop("checksum"), "'corpus.checksum' is missing"),
        (lambda c: c.update(corpus=[]), "'corpus' is [], not an object"),
        (lambda c: c.update(stages=None), "'stages' is None, not a list"),
        (lambda c: c["stages"][1].update(role="narrows"), "no stage ranks"),
        (lambda c: c.update(stages=[]), "run.json: damaged"),
        (lambda c: c["stages"][0].update(stage="telepathy"), "telepathy"),
        (lambda c: c["stages"][0].pop("role"), "'stages[0].role' is missing"),
        (lambda c: c["stages"][1].update(negative=-1), "damaged"),
        (lambda c: c["stages"][1].update(negative=float("nan")), "'negative' is nan, not a number"),
        (lambda c: c["stages"][1].update(seeds=[0, "1"]), "'seeds[1]' is '1', not a whole number"),
        (lambda c: c["stages"][1].update(seeds=[0]), "5 samples instead of 1"),
        (lambda c: c["stages"][1].update(learned={"score": 1.0}), "'learned.sensitivity' is missing"),
        (lambda c: c["stages"][1].update(predicted="many"), "'stages[1].predicted' is 'many', not a whole number"),
    ],
)
def test_a_value_that_does_not_fit_is_named(broken: Path, change: Callable[[dict[str, Any]], Any], says: str) -> None:
    changed(broken, change)
    assert says in refusal(broken)


def test_a_run_without_a_baseline(broken: Path) -> None:
    changed(broken, lambda content: content["stages"].pop(0))
    assert "there is none to compare it with" in refusal(broken)


def test_a_default_model_that_tried_nothing(auto_path: Path, tmp_path: Path) -> None:
    broken = shutil.copytree(auto_path, tmp_path / "broken.run")
    changed(broken, lambda content: content["stages"][1].update(tried=[]))
    assert "no setting was tried" in refusal(broken)


def test_what_a_later_version_adds_is_passed_over(broken: Path, run: Run) -> None:
    changed(broken, lambda content: content.update(mood="good"))
    changed(broken, lambda content: content["stages"][1].update(mood="good"))
    assert Run.load(broken).about == run.about


def test_a_run_of_a_newer_version(broken: Path) -> None:
    changed(broken, lambda content: content.update(format=99))
    (broken / "terrain.parquet").unlink()
    assert "written by a newer priorwise; update this one" in refusal(broken)


def test_the_model_of_another_kind_is_refused_by_its_checksum(broken: Path, auto_path: Path) -> None:
    shutil.copy(auto_path / "members.model" / "tokens.arrow", broken / "presence.model" / "tokens.arrow")
    assert "tokens.arrow: damaged" in refusal(broken)


def test_any_parquet_file_is_not_a_ranking(broken: Path) -> None:
    shutil.copy(broken / "terrain.parquet", broken / "ranking.parquet")
    said = refusal(broken)
    assert "ranking.parquet: damaged" in said
