from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import contents
from priorwise.corpus import Corpus, Document, ingest
from priorwise.corpus.storage.manifest import Manifest
from priorwise.durable import held
from priorwise.errors import (
    AlreadyExists,
    BrokenFile,
    CorpusError,
    DamagedCorpus,
    DiskFull,
    InputError,
    InUse,
    NewerVersion,
)
from priorwise.readers.document import Stream
from priorwise.readers.folder import FolderReader
from priorwise.readers.records import RecordReader

SMALL_SHARDS = 5
N_DOCUMENTS = 43


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorwise.corpus.build.ingestion.DOCUMENTS_PER_SHARD", SMALL_SHARDS)
    monkeypatch.setattr("priorwise.corpus.build.merge.ENTRIES_PER_RANGE", 16)


def write_records(path: Path) -> None:
    lines = [
        {"id": f"d{i}", "text": f"word w{i % 9} rare{i} " * (i % 4), "labels": [f"l{i % 5}"]}
        for i in range(N_DOCUMENTS)
    ]
    path.write_text("\n".join(map(json.dumps, lines)))


@pytest.fixture
def records(tmp_path: Path) -> Path:
    write_records(tmp_path / "news.jsonl")
    return tmp_path / "news.jsonl"


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if ".corpus" in path.name)


def test_summary_and_progress(records: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int, int]] = []
    summary = ingest(RecordReader([records]), tmp_path / "a.corpus", progress=lambda *args: seen.append(args))
    assert (summary.documents, summary.labels, summary.memberships) == (N_DOCUMENTS, 5, N_DOCUMENTS)
    assert summary.bytes == records.stat().st_size
    assert seen[-1] == (summary.bytes, summary.bytes, N_DOCUMENTS)
    assert left_behind(tmp_path) == ["a.corpus"]


def test_workers_do_not_change_a_byte(records: Path, tmp_path: Path) -> None:
    for workers in (1, 2, 5):
        ingest(RecordReader([records]), tmp_path / f"{workers}.corpus", workers=workers)
    assert contents(tmp_path / "1.corpus") == contents(tmp_path / "2.corpus") == contents(tmp_path / "5.corpus")


def test_memory_and_folder_are_the_same_corpus(records: Path, tmp_path: Path) -> None:
    ingest(RecordReader([records]), tmp_path / "a.corpus")
    in_memory = Corpus.from_records([records])
    assert in_memory.checksum == Corpus.open(tmp_path / "a.corpus").checksum
    in_memory.save(tmp_path / "b.corpus")
    assert contents(tmp_path / "a.corpus") == contents(tmp_path / "b.corpus")


KILLER = """
    import json, os, signal, sys
    from pathlib import Path

    import priorwise.corpus.build.ingestion as ingestion
    import priorwise.corpus.build.merge as names
    import priorwise.durable as whole_folder
    from priorwise.corpus.storage.files import FolderPlace
    from priorwise.corpus.build.writing import PartialCorpus
    from priorwise.readers.records import RecordReader
    from priorwise.corpus.build.shards import Shard
    from priorwise.corpus import Corpus

    Corpus.from_texts(["load everything before forking"])
    ingestion.DOCUMENTS_PER_SHARD, names.ENTRIES_PER_RANGE = int(sys.argv[2]), 16

    def die_in_call(kind, method, number, how):
        original, calls = getattr(kind, method), iter(range(1, number))

        def deadly(*args, **options):
            if next(calls, None) is None:
                os.kill(os.getpid(), how)
            return original(*args, **options)

        setattr(kind, method, deadly)

    for target, (kind, method, number, how) in json.loads(sys.argv[3]).items():
        if not (child := os.fork()):
            if "replacing" in target:
                whole_folder.exchange = lambda one, other: False
            die_in_call(globals()[kind], method, number, how)
            ingestion.ingest(RecordReader([sys.argv[1]]), target, workers=1, overwrite=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

N_SHARDS = -(-N_DOCUMENTS // SMALL_SHARDS)
MOMENTS: dict[str, tuple[str, str, int, int]] = {
    "first-shard": ("Shard", "write", 1, signal.SIGKILL),
    "some-shard": ("Shard", "write", 5, signal.SIGKILL),
    "control-c": ("Shard", "write", 5, signal.SIGINT),
    "after-reading": ("PartialCorpus", "finish_reading", 1, signal.SIGKILL),
    "merge-begins": ("FolderPlace", "write", 1, signal.SIGKILL),
    "merge-ends": ("FolderPlace", "write", 6, signal.SIGKILL),
    "before-exchange-of-old": ("whole_folder", "exchange", 1, signal.SIGKILL),
    "before-replacing-old": ("Path", "rename", N_SHARDS + 1, signal.SIGKILL),
    "amid-replacing-old": ("Path", "rename", N_SHARDS + 2, signal.SIGKILL),
    "changed-inputs": ("Shard", "write", 3, signal.SIGKILL),
}


# Of two processes, each would kill all of them for its part of these tests.
uses_killed = pytest.mark.xdist_group("killed corpora")


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the records, a corpus made from them, and one that was killed at each moment."""
    folder = tmp_path_factory.mktemp("killed")
    write_records(folder / "news.jsonl")
    for moment in MOMENTS:
        if moment.endswith("old"):
            Corpus.from_texts(["old"]).save(folder / f"{moment}.corpus")
    moments = json.dumps({str(folder / f"{moment}.corpus"): how for moment, how in MOMENTS.items()})
    command = [sys.executable, "-c", textwrap.dedent(KILLER), str(folder / "news.jsonl"), str(SMALL_SHARDS), moments]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    exits = [-how for *_, how in MOMENTS.values()]
    assert [int(line) for line in ended.stdout.split()] == exits, ended.stderr
    return folder


@uses_killed
@pytest.mark.parametrize(
    ("moment", "resumed"),
    [
        ("first-shard", 0),
        ("some-shard", 20),
        ("control-c", 20),
        ("after-reading", N_DOCUMENTS),
        ("merge-begins", N_DOCUMENTS),
        ("merge-ends", N_DOCUMENTS),
    ],
)
def test_resuming_gives_the_same_corpus(moment: str, resumed: int, killed: Path, tmp_path: Path) -> None:
    reader = RecordReader([killed / "news.jsonl"])
    ingest(reader, tmp_path / "whole.corpus")
    target = killed / f"{moment}.corpus"
    assert not target.exists()
    summary = ingest(reader, target)
    assert summary.resumed == resumed or (moment == "control-c" and summary.resumed > resumed)
    assert contents(target) == contents(tmp_path / "whole.corpus")
    assert [name for name in left_behind(killed) if name.startswith(moment)] == [target.name]


@uses_killed
@pytest.mark.parametrize("moment", ["before-exchange-of-old", "before-replacing-old", "amid-replacing-old"])
def test_a_kill_while_replacing_keeps_the_old_one(moment: str, killed: Path) -> None:
    target = killed / f"{moment}.corpus"
    old = killed / f"{moment}.corpus.replaced" if moment.startswith("amid") else target
    assert Corpus.open(old).token_names([0]) == ["old"]
    with pytest.raises(AlreadyExists):
        ingest(RecordReader([killed / "news.jsonl"]), target)
    assert Corpus.open(target).token_names([0]) == ["old"]
    ingest(RecordReader([killed / "news.jsonl"]), target, overwrite=True)
    assert len(Corpus.open(target)) == N_DOCUMENTS
    assert [name for name in left_behind(killed) if name.startswith(moment)] == [target.name]


@uses_killed
def test_other_inputs_are_not_resumed(killed: Path, tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text(json.dumps({"id": "new", "text": "other words"}))
    summary = ingest(RecordReader([tmp_path / "other.jsonl"]), killed / "changed-inputs.corpus")
    assert (summary.documents, summary.resumed, summary.discarded) == (1, 0, True)


def test_an_error_leaves_nothing_behind(tmp_path: Path) -> None:
    def documents() -> Iterator[Document]:
        for i in range(12):
            yield Document(str(i), str(i), "text")
        raise BrokenFile("news.jsonl", "not valid JSON", line=13)

    with pytest.raises(BrokenFile):
        ingest(Stream(documents()), tmp_path / "a.corpus")
    with pytest.raises(InputError, match="two documents have the id '0'"):
        ingest(Stream(Document(str(i % 8), "", "text") for i in range(9)), tmp_path / "a.corpus")
    assert left_behind(tmp_path) == []


class FullDisk:
    """Stands in for a file on a disk that is full after some bytes."""

    def __init__(self, file: Any, room: list[int]) -> None:
        self._file, self._room = file, room

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> FullDisk:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, data: Any) -> int:
        self._room[0] -= memoryview(data).nbytes
        if self._room[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return int(self._file.write(data))


@pytest.mark.parametrize("share", [0, 0.01, 0.5, 0.9, 0.999])
def test_a_full_disk(share: float, records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original, left = Path.open, [1 << 30]

    def opened(path: Path, mode: str = "r", **options: Any) -> Any:
        file = original(path, mode, **options)
        return FullDisk(file, left) if mode == "wb" else file

    reader = RecordReader([records])
    monkeypatch.setattr(Path, "open", opened)
    ingest(reader, tmp_path / "b.corpus", workers=1)
    left[0] = int(((1 << 30) - left[0]) * share)
    with pytest.raises(DiskFull, match=r"no space left on the disk while writing .*a\.corpus"):
        ingest(reader, tmp_path / "a.corpus", workers=1)
    assert left_behind(tmp_path) == ["b.corpus"]


def test_an_output_that_is_there(records: Path, tmp_path: Path) -> None:
    target = tmp_path / "a.corpus"
    old = Corpus.from_texts(["old"]).save(target)
    with pytest.raises(AlreadyExists, match="is there already; choose another name"):
        ingest(RecordReader([records]), target)
    assert Corpus.open(target).checksum == old.checksum
    ingest(RecordReader([records]), target, overwrite=True)
    assert len(Corpus.open(target)) == N_DOCUMENTS
    assert old.token_names([0]) == ["old"]


def test_only_a_corpus_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("keep me")
    with pytest.raises(AlreadyExists, match="is not a corpus, so it is not replaced"):
        Corpus.from_texts(["a"]).save(tmp_path / "home", overwrite=True)
    assert (tmp_path / "home" / "letter.txt").read_text() == "keep me"
    (tmp_path / "empty").mkdir()
    Corpus.from_texts(["a"]).save(tmp_path / "empty", overwrite=True)


def test_two_writers_at_once(tmp_path: Path) -> None:
    with held(tmp_path / "a.corpus"):
        began = time.monotonic()
        with pytest.raises(InUse, match=rf"a\.corpus is being written by process {os.getpid()} of user .*, since 2"):
            Corpus.from_texts(["a"]).save(tmp_path / "a.corpus")
        assert 0.9 < time.monotonic() - began < 5
    Corpus.from_texts(["a"]).save(tmp_path / "a.corpus")
    assert left_behind(tmp_path) == ["a.corpus"]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CorpusError, match="cannot be written"):
        Corpus.from_texts(["a"]).save(tmp_path / "file" / "a.corpus")


def change_manifest(folder: Path, **changes: Any) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"nowhere\.corpus does not exist"):
        Corpus.open(tmp_path / "nowhere.corpus")
    with pytest.raises(CorpusError, match=r"not a corpus folder: it has no manifest\.json"):
        Corpus.open(tmp_path)
    folder = tmp_path / "a.corpus"
    made = Corpus.from_texts(["a b"])

    made.save(folder)
    change_manifest(folder, version=3)
    with pytest.raises(NewerVersion, match="corpus format 3, this priorwise reads up to 2: upgrade it"):
        Corpus.open(folder)
    change_manifest(folder, version=1)
    with pytest.raises(CorpusError, match="corpus format 1, of an earlier priorwise; ingest it again"):
        Corpus.open(folder)

    made.save(folder, overwrite=True)
    change_manifest(folder, format="something else")
    with pytest.raises(CorpusError, match="of another program"):
        Corpus.open(folder)

    made.save(folder, overwrite=True)
    change_manifest(folder, batches=[2])
    with pytest.raises(DamagedCorpus, match="its own checksum"):
        Corpus.open(folder)

    for text in ("{", "[]", '{"format": "priorwise corpus"}'):
        (folder / "manifest.json").write_text(text)
        with pytest.raises(DamagedCorpus, match=r"manifest\.json is damaged"):
            Corpus.open(folder)


@pytest.mark.parametrize("name", ["../../escaped", "/etc/passwd", "a/b.arrow", "..", "a\\b"])
def test_a_manifest_names_only_files_of_its_own_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "a.corpus"
    Corpus.from_texts(["a b", "b"]).save(folder)
    manifest = Manifest.read(folder)
    manifest.files[name] = manifest.files["tokens.arrow"]
    (folder / "manifest.json").write_bytes(manifest.to_json())
    with pytest.raises(DamagedCorpus, match="is not the name of a file in it"):
        Corpus.open(folder)


def test_damaged_files(tmp_path: Path) -> None:
    folder = tmp_path / "a.corpus"
    corpus = Corpus.from_texts(["a b", "b"]).save(folder)
    corpus.verify()
    tokens = folder / "tokens.arrow"
    whole = tokens.read_bytes()
    tokens.write_bytes(whole[:-1])
    with pytest.raises(DamagedCorpus, match=r"tokens\.arrow has [\d,]+ bytes, not [\d,]+"):
        Corpus.open(folder)
    tokens.write_bytes(bytes(len(whole)))
    opened = Corpus.open(folder)
    with pytest.raises(DamagedCorpus, match=r"tokens\.arrow: it does not match its checksum"):
        opened.verify()
    with pytest.raises(DamagedCorpus, match=r"tokens\.arrow: it does not match its checksum"):
        list(opened.batches())
    tokens.unlink()
    with pytest.raises(DamagedCorpus, match=r"tokens\.arrow is missing"):
        Corpus.open(folder)


def test_opening_does_not_depend_on_the_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorwise.corpus.build.ingestion.DOCUMENTS_PER_SHARD", 1 << 14)
    folder = tmp_path / "a.corpus"
    Corpus.from_texts((f"w{i} w{i % 100} common" for i in range(50_000)), path=folder)
    read_before = int(Path("/proc/self/io").read_text().split()[1]) if Path("/proc/self/io").exists() else 0
    begun = time.perf_counter()
    corpus = Corpus.open(folder)
    seconds = time.perf_counter() - begun
    read_after = int(Path("/proc/self/io").read_text().split()[1]) if Path("/proc/self/io").exists() else 0
    assert corpus.row("49999") == 49_999
    assert seconds < 0.1
    assert read_after - read_before < 20_000


def test_a_folder_is_fingerprinted_by_its_files(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "1").write_text("a")
    before = FolderReader(tmp_path).fingerprint()
    assert FolderReader(tmp_path).fingerprint() == before
    (tmp_path / "x" / "1").write_text("ab")
    assert FolderReader(tmp_path).fingerprint() != before
