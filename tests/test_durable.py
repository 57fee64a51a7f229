"""Whatever ends a process while it writes, the older result or the new one is there, and the same call goes on."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import contents
from power import kills, power_cuts, put_back
from priorwise import durable
from priorwise.durable import check_free_files, draft_of, exchange, held, whole_files, whole_folder, write_texts
from priorwise.errors import AlreadyExists, CorpusError, InUse, PriorwiseError

ENDS = {"kill": kills, "power cut": power_cuts}


def state(root: Path) -> dict[str, bytes]:
    return {str(file.relative_to(root)): file.read_bytes() for file in sorted(root.rglob("*")) if file.is_file()}


def write_folder(path: Path, text: str, *, overwrite: bool) -> None:
    with whole_folder(path, "a.json", "thing", overwrite=overwrite) as draft:
        (draft / "a.json").write_text(text)
        (draft / "inner").mkdir()
        (draft / "inner" / "b.txt").write_text(text * 2)


def write_two(root: Path, text: str, *, overwrite: bool) -> None:
    write_texts({root / "one.csv": text, root / "two.csv": text * 2}, overwrite=overwrite)


Write = Callable[..., None]


def attack(root: Path, write: Write, end: str, *, overwrite: bool) -> None:
    """End the work at each step, and demand the older result or the new one, and that the same call goes on."""
    if overwrite:
        write("old", overwrite=False)
    old = state(root)
    work = lambda: write("new", overwrite=overwrite)  # noqa: E731
    with put_back(root):
        work()
        new = state(root)
    assert new != old
    ended = 0
    for number in ENDS[end](root, work):
        ended += 1
        found = {name: content for name, content in state(root).items() if not _is_scratch(name)}
        assert found in (old, new) or _partly(found, old, new), (number, found)
        try:
            work()
        except AlreadyExists:
            assert found == new
        assert state(root) == new, number
    assert ended > 4
    assert found == new


def _is_scratch(name: str) -> bool:
    return ".partial" in name or name.endswith((".lock", ".together", ".replaced"))


def _partly(found: dict[str, bytes], old: dict[str, bytes], new: dict[str, bytes]) -> bool:
    """Between the renames of several files, each is the older one or the new one; a plan for the rest is there."""
    return len(new) == 2 and "one.csv" in new and all(found.get(name) in (old.get(name), new[name]) for name in new)


@pytest.mark.parametrize("end", list(ENDS))
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_folder(
    tmp_path: Path, end: str, overwrite: bool, can_exchange: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can_exchange:
        monkeypatch.setattr(durable, "exchange", lambda one, other: False)
        if end == "power cut" and overwrite:
            pytest.skip("between two renames the older one lies aside; the next call brings it back")
    root = tmp_path / "root"
    root.mkdir()
    if not can_exchange and overwrite:
        _replacing_by_two_renames(root)
        return
    attack(root, lambda text, overwrite: write_folder(root / "x", text, overwrite=overwrite), end, overwrite=overwrite)


def _replacing_by_two_renames(root: Path) -> None:
    """The older one may lie aside, whole, when the process ends; the next call brings it back."""
    work = lambda: write_folder(root / "x", "new", overwrite=True)  # noqa: E731
    write_folder(root / "x", "old", overwrite=False)
    for number in kills(root, work):
        there = [each for each in (root / "x", root / "x.replaced") if (each / "a.json").is_file()]
        assert there, number
        assert (there[0] / "a.json").read_text() in ("old", "new")
        work()
        assert (root / "x" / "a.json").read_text() == "new"
        assert [each.name for each in root.iterdir()] == ["x"]


@pytest.mark.parametrize("end", list(ENDS))
@pytest.mark.parametrize("overwrite", [False, True])
def test_two_files_of_one_result(tmp_path: Path, end: str, overwrite: bool) -> None:
    root = tmp_path / "root"
    root.mkdir()
    attack(root, lambda text, overwrite: write_two(root, text, overwrite=overwrite), end, overwrite=overwrite)


def test_a_plan_from_a_stranger_touches_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("keep")
    inode = (tmp_path / "precious.txt").stat().st_ino
    moves = f'[["{tmp_path}/precious.txt", "x", {inode}], ["{tmp_path}/one.csv", "precious.txt", 1], 7]'
    (tmp_path / "one.csv.together").write_text(f'{{"overwrite": false, "moves": {moves}}}')
    write_two(tmp_path, "new", overwrite=False)
    assert (tmp_path / "precious.txt").read_text() == "keep"
    assert sorted(contents(tmp_path)) == ["one.csv", "precious.txt", "two.csv"]


def test_a_file_that_somebody_wrote_since_is_not_taken_back(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("mine")
    moves = f'[["{tmp_path}/one.csv", "one.csv.0123456789ab.partial", 1]]'
    (tmp_path / "one.csv.together").write_text(f'{{"overwrite": false, "moves": {moves}}}')
    with pytest.raises(AlreadyExists):
        write_two(tmp_path, "new", overwrite=False)
    assert (tmp_path / "one.csv").read_text() == "mine"


def test_nothing_appears_if_a_file_cannot_be_written(tmp_path: Path) -> None:
    writing = whole_files([tmp_path / "one", tmp_path / "two"], overwrite=False)
    writing.__enter__()[tmp_path / "one"].write_text("1")
    assert not writing.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CorpusError, match="there is no folder"):
        write_texts({tmp_path / "one": "1", tmp_path / "no" / "two": "2"}, overwrite=False)
    assert list(tmp_path.iterdir()) == []


def test_a_lock_names_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with held(path):
        assert path.with_name("x.csv.lock").stat().st_mode & 0o777 == 0o600
        began = time.monotonic()
        with pytest.raises(
            InUse, match=rf"x\.csv is being written by process {os.getpid()} of user .* on .*, since 20"
        ):
            write_texts({path: "other"}, overwrite=True)
        assert 0.9 < time.monotonic() - began < 4
    write_texts({path: "mine"}, overwrite=False)
    assert [each.name for each in tmp_path.iterdir()] == ["x.csv"]


def test_four_writers_at_once_leave_one_result(tmp_path: Path) -> None:
    said: list[str] = []

    def write(number: int) -> None:
        for _ in range(10):
            try:
                write_texts({tmp_path / "a": str(number) * 50_000, tmp_path / "b": str(number)}, overwrite=True)
                said.append("written")
            except InUse:
                said.append("in use")

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    a, b = (tmp_path / "a").read_text(), (tmp_path / "b").read_text()
    assert a == b * 50_000
    assert "written" in said
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "b"]


def test_where_names_cannot_be_exchanged_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    monkeypatch.setattr(durable, "_system_call", lambda: None)
    assert not exchange(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "a").read_text() == "a"


def test_only_drafts_of_the_same_name_are_cleared_away(tmp_path: Path) -> None:
    others = [tmp_path / "x.csv.partial", tmp_path / "x.csv.abc.partial", draft_of(tmp_path / "y.csv")]
    for other in others:
        other.write_text("somebody's")
    draft_of(tmp_path / "x.csv").write_text("left over")
    write_texts({tmp_path / "x.csv": "new"}, overwrite=False)
    assert set(tmp_path.iterdir()) == {*others, tmp_path / "x.csv"}


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_disk_that_fills_up_between_two_renames(
    tmp_path: Path, overwrite: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if overwrite:
        write_two(tmp_path, "old", overwrite=False)
    before, rename = state(tmp_path), Path.replace

    def full(self: Path, target: Path) -> Path:
        if target.name == "two.csv":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(PriorwiseError):
        write_two(tmp_path, "new", overwrite=overwrite)
    if not overwrite:
        assert state(tmp_path) == before
    monkeypatch.undo()
    write_two(tmp_path, "new", overwrite=overwrite)
    after = state(tmp_path)
    assert sorted(after) == ["one.csv", "two.csv"]
    assert all(b"new" in content for content in after.values())


def test_a_lock_that_a_killed_process_left_is_removed_even_if_nothing_is_written(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv", "b.csv.lock"):
        (tmp_path / name).write_text("done")
    (tmp_path / "a.csv.lock").write_text("process 1")
    (tmp_path / "a.csv.0123456789ab.partial").write_text("half")
    with pytest.raises(AlreadyExists):
        check_free_files([tmp_path / "a.csv", tmp_path / "b.csv"], overwrite=False)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.csv", "b.csv"]
    with held(tmp_path / "a.csv"), pytest.raises(AlreadyExists):
        check_free_files([tmp_path / "a.csv"], overwrite=False)
