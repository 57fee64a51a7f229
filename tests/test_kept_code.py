from __future__ import annotations

import ast
import importlib
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from numba import njit

from priorwise import kept_code
from priorwise.kept_code import COMPILING, VARIABLE, find_room, on_compiling


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, in which no folder can be made, not even by the administrator."""
    monkeypatch.setattr(kept_code.atexit, "register", lambda *arguments, **options: None)
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(kept_code.tempfile, "tempdir", str(tmp_path))
    (tmp_path / "file").write_bytes(b"")
    return tmp_path / "file"


def test_a_folder_is_made_where_none_can_be_written(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = SimpleNamespace(config=SimpleNamespace(CACHE_DIR=""))
    monkeypatch.setitem(sys.modules, "numba", loaded)
    with pytest.warns(UserWarning, match="set NUMBA_CACHE_DIR to a folder that can be written"):
        made = find_room(nowhere)
    assert made is not None
    assert made.is_dir()
    assert made.stat().st_mode & 0o077 == 0, "what others could write would be run"
    assert os.environ[VARIABLE] == loaded.config.CACHE_DIR == str(made)
    assert find_room(nowhere) is None


def test_otherwise_nothing_is_done(nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_room(tmp_path / "package") is None
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert find_room(nowhere) is None
    assert os.environ[VARIABLE] == ""
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_the_first_compilation_is_announced_once() -> None:
    importlib.import_module("priorwise.kernels.compiling")
    told: list[str] = []
    on_compiling(told.append)
    double = njit(lambda number: 2 * number)
    assert (double(2), double(2.5)) == (4, 5.0)
    assert told == [COMPILING]


def test_no_helper_raises() -> None:
    """What Numba makes messages of is entered in machine code, which a helper has none of."""
    helpers, raising = 0, []
    for file in Path(kept_code.__file__).parent.rglob("*.py"):
        for each in ast.walk(ast.parse(file.read_text("utf-8"))):
            if any(getattr(mark, "id", None) == "helper" for mark in getattr(each, "decorator_list", [])):
                helpers += 1
                raising += [file for inner in ast.walk(each) if isinstance(inner, ast.Raise | ast.Assert)]
    assert helpers > 50
    assert not raising
