"""Cells of an experiment: computed once, and never lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproductions import results
from reproductions.results import Results

ROOT = Path(__file__).parent.parent


def test_cell_is_computed_once(tmp_path):
    path = tmp_path / "deep" / "x.jsonl"
    calls = []
    for _ in range(2):
        found = Results(path, quick=False)
        value = found.cell({"b": 1, "a": [2, "é"]}, lambda: calls.append(1) or {"pair": (1, 2.5)})
        assert value == {"pair": [1, 2.5]}
    assert len(calls) == 1
    assert (found.computed, found.reused) == (0, 1)


def test_cell_of_other_settings_or_another_version_is_not_reused(tmp_path, monkeypatch):
    path = tmp_path / "x.jsonl"
    assert Results(path, quick=False).cell({"a": 1}, lambda: "first") == "first"
    assert Results(path, quick=True).cell({"a": 1}, lambda: "quick") == "quick"
    assert Results(path, quick=False).cell({"a": 2}, lambda: "other") == "other"
    monkeypatch.setattr(results, "__version__", "999")
    assert Results(path, quick=False).cell({"a": 1}, lambda: "later") == "later"
    assert len(path.read_bytes().splitlines()) == 4


@pytest.mark.parametrize("torn", [b'{"key": {"a"', b"\xff\xfe", b"[1, 2]", b'{"key": {}}', b"7\n"])
def test_a_line_that_is_not_whole_counts_as_not_there(tmp_path, torn):
    path = tmp_path / "x.jsonl"
    Results(path).cell({"a": 1}, lambda: 1)
    with path.open("ab") as file:
        file.write(torn)
    again = Results(path)
    assert again.cell({"a": 1}, lambda: 0) == 1
    assert again.cell({"a": 2}, lambda: 2) == 2
    last = Results(path)
    assert [last.cell({"a": a}, lambda: 0) for a in (1, 2)] == [1, 2]


def test_a_value_that_json_cannot_hold_is_not_kept(tmp_path):
    path = tmp_path / "x.jsonl"
    with pytest.raises(ValueError, match="JSON"):
        Results(path).cell({"a": 1}, lambda: float("nan"))
    assert not path.exists()


def test_forgetting_computes_anew(tmp_path):
    found = Results(tmp_path / "x.jsonl")
    found.cell({"a": 1}, lambda: 1)
    found.forget()
    assert found.cell({"a": 1}, lambda: 2) == 2
    found.forget()
    found.forget()


def test_what_was_finished_outlasts_a_kill(tmp_path, shell):
    script = """
import os, signal, sys
from pathlib import Path
from reproductions.results import Results
found = Results(Path(sys.argv[1]))
for n in range(5):
    found.cell({"n": n}, lambda: os.kill(os.getpid(), signal.SIGKILL) if n == 3 else n * n)
"""
    path = tmp_path / "x.jsonl"
    assert shell("-c", script, path, cwd=ROOT).returncode == -9
    again = Results(path)
    assert [again.cell({"n": n}, lambda n=n: n * n) for n in range(5)] == [0, 1, 4, 9, 16]
    assert (again.reused, again.computed) == (3, 2)
