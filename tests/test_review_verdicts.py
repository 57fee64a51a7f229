"""Verdicts on disk: the last word counts, and nothing that was answered is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from priorwise.errors import BrokenFile, InputError
from priorwise.review import Verdict, Verdicts
from processes import Start


def test_the_last_word_counts_and_nothing_is_forgotten(verdicts: Verdicts) -> None:
    verdicts.add(Verdict("1", "Ada", "a", "no"))
    verdicts.add(Verdict("2", "Bob", "a", "no"))
    verdicts.add(Verdict("3", "Ada", "a", "yes", previous="1", seconds=2.5))
    verdicts.add(Verdict("4", "Ada", "b", "skip"))
    verdicts.add(Verdict("5", "Ada", "b", "withdrawn", previous="4"))
    assert [(v.reviewer, v.item, v.verdict) for v in verdicts.current()] == [("Bob", "a", "no"), ("Ada", "a", "yes")]
    assert [v.id for v in verdicts.current("Ada")] == ["3"]
    assert [(v.id, v.previous, v.seconds) for v in verdicts.log()][2] == ("3", "1", 2.5)
    assert len(verdicts.log()) == 5


def test_a_verdict_that_is_sent_again_is_stored_once(verdicts: Verdicts) -> None:
    first = verdicts.add(Verdict("1", "Ada", "a", "no"))
    verdicts.add(Verdict("2", "Ada", "a", "yes", previous="1"))
    assert verdicts.add(Verdict("1", "Ada", "a", "no")) == first
    assert [v.verdict for v in verdicts.current()] == ["yes"]
    with pytest.raises(InputError, match="identity"):
        verdicts.add(Verdict("1", "Ada", "a", "yes"))


@pytest.mark.parametrize(
    "wrong", [("", "Ada", "a", "yes"), ("1", " ", "a", "yes"), ("1", "x" * 101, "a", "yes"), ("1", "Ada", "a", "maybe")]
)
def test_wrong_verdicts_are_refused(wrong: tuple[str, str, str, str]) -> None:
    with pytest.raises(InputError):
        Verdict(*wrong)


def test_several_are_stored_all_or_none(verdicts: Verdicts) -> None:
    def some() -> Iterator[Verdict]:
        yield Verdict("1", "Ada", "a", "yes")
        raise KeyError("in the middle")

    with pytest.raises(KeyError):
        verdicts.add_all(some())
    assert verdicts.log() == []
    verdicts.add(Verdict("2", "Ada", "a", "yes"))
    assert len(verdicts.log()) == 1


WRITER = """
import sys
from pathlib import Path
from priorwise.review import Verdict, Verdicts
verdicts = Verdicts(Path(sys.argv[1]))
for number in range(100_000):
    verdicts.add(Verdict(f"{sys.argv[2]}-{number}", sys.argv[2], f"d{number}", "yes"))
    print(number, flush=True)
"""


def test_what_was_answered_is_there_after_a_kill(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "verdicts.sqlite"
    writers = [start("-c", WRITER, path, name) for name in ("Ada", "Bob")]
    answered = {}
    for name, writer in zip(("Ada", "Bob"), writers, strict=True):
        assert writer.stdout is not None
        for _ in range(20):
            answered[name] = int(writer.stdout.readline())
    for writer in writers:
        writer.kill()
        writer.communicate()
    verdicts = Verdicts(path)
    try:
        found = [(v.reviewer, v.item) for v in verdicts.log()]
        for name, last in answered.items():
            own = [item for reviewer, item in found if reviewer == name]
            assert own == [f"d{number}" for number in range(len(own))]
            assert len(own) > last
    finally:
        verdicts.close()


def test_many_threads_lose_nothing(verdicts: Verdicts) -> None:
    def work(name: int) -> None:
        for number in range(10):
            verdicts.add(Verdict(f"{name}-{number}", f"r{name}", f"d{number}", "no"))

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(work, range(16)))
    assert len(verdicts.log()) == 160


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.sqlite"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(BrokenFile, match="verdicts"):
        Verdicts(path)
    with pytest.raises(BrokenFile, match="nowhere"):
        Verdicts(tmp_path / "nowhere" / "verdicts.sqlite")


def test_a_newer_format_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.sqlite"
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(BrokenFile, match="newer"):
        Verdicts(path)


def test_a_flipped_byte_is_noticed_or_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.sqlite"
    store = Verdicts(path)
    store.add_all([Verdict(f"id{n}", "Ada", f"document {n}", "yes", note="as agreed", rank=n) for n in range(9)])
    store.draw(["document 7", "document 8"])
    store.set_team(["Ada", "Bob"], 1, 0.25)
    before = store.log(), store.samples(), store.team()
    store.close()
    whole = path.read_bytes()
    noticed = 0
    # Most of the file is empty pages, whose zeros nobody reads.
    for place in [place for place in range(len(whole)) if whole[place]][::17]:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        try:
            store = Verdicts(path, read_only=True)
        except BrokenFile:
            noticed += 1
            continue
        try:
            assert (store.log(), store.samples(), store.team()) == before, place
        except BrokenFile:
            noticed += 1
        finally:
            store.close()
    assert noticed > 100


def test_after_a_kill_a_damaged_log_loses_no_verdict(tmp_path: Path, start: Start) -> None:
    killed = tmp_path / "killed"
    killed.mkdir()
    writer = start(
        "-c", WRITER.replace("100_000", "20") + "import time\ntime.sleep(600)", killed / "verdicts.sqlite", "A"
    )
    assert writer.stdout is not None
    for _ in range(20):
        writer.stdout.readline()
    writer.kill()
    writer.communicate()
    parts = {part.name: part.read_bytes() for part in killed.iterdir() if not part.name.endswith("-shm")}
    log = parts.pop("verdicts.sqlite-wal")
    assert len(log) > 4096
    for place in [None, *{*range(64), *range(0, len(log), 499)}]:
        folder = tmp_path / f"{place}"
        folder.mkdir()
        (folder / "verdicts.sqlite").write_bytes(parts["verdicts.sqlite"])
        if place is not None:
            damaged = log[:place] + bytes([log[place] ^ 4]) + log[place + 1 :]
            (folder / "verdicts.sqlite-wal").write_bytes(damaged)
        verdicts = Verdicts(folder / "verdicts.sqlite")
        assert len(verdicts.log()) == 20, place
        verdicts.close()


def test_a_verdict_that_somebody_changed_or_removed_is_noticed(tmp_path: Path) -> None:
    for change in (
        "UPDATE verdict SET verdict = 'no' WHERE id = 'b'",
        "DELETE FROM verdict WHERE id = 'c'",
        "DELETE FROM sample",
        "DELETE FROM seal",
        "DROP TABLE seal",
    ):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.sqlite"
        store = Verdicts(path)
        store.add_all([Verdict(id, "Ada", id, "yes") for id in "abc"])
        store.draw(["d"])
        store.close()
        database = sqlite3.connect(path)
        with database:
            database.execute(change)
        database.close()
        store = Verdicts(path)
        with pytest.raises(BrokenFile, match="damaged"):
            store.log()
        with pytest.raises(BrokenFile, match="damaged"):
            store.add(Verdict("e", "Ada", "e", "yes"))
        store.close()


def test_the_disk_is_waited_for(verdicts: Verdicts) -> None:
    (mode,) = verdicts._database.execute("PRAGMA journal_mode").fetchone()
    (synchronous,) = verdicts._database.execute("PRAGMA synchronous").fetchone()
    assert (mode, synchronous) == ("wal", 2)


@pytest.mark.parametrize(
    "damage", [(b"doc-AAAA", b"doc-\xff\xff\xff\xff"), (b"previous TEXT", b"previous \xff\xff\xff\xff")]
)
def test_a_database_with_texts_that_are_not_utf_8(damage: tuple[bytes, bytes], tmp_path: Path) -> None:
    path = tmp_path / "verdicts.sqlite"
    stored = Verdicts(path)
    stored.add(Verdict("v1", "Ada", "doc-AAAA", "yes"))
    stored.close()
    content = path.read_bytes()
    assert damage[0] in content
    path.write_bytes(content.replace(*damage))
    with pytest.raises(BrokenFile, match=r"verdicts\.sqlite: verdicts cannot be read or stored here"):
        Verdicts(path).current()
