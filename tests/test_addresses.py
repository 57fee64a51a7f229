"""Addresses in place of paths: what is meant, what is shown, and copies that broke off."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from priorwise.cli.options import runs_beside
from priorwise.corpus import Corpus, ingest
from priorwise.corpus.storage.places import Store
from priorwise.errors import BrokenFile, CorpusError, DamagedCorpus, InputError, Unreachable
from priorwise.readers import addresses, records
from priorwise.readers.addresses import copied, file_system, local_path, shown, was_address
from priorwise.readers.records import RecordReader


@pytest.mark.parametrize(
    "address",
    [
        "s3://KEY:SECRET@bucket/x.corpus?region=eu",
        "s3://KEY:SEC/RET@bucket/x.corpus",
        "s3://KEY:SEC?RET@bucket/x.corpus",
        "s3://KEY:S/E@CRET@bucket/x.corpus",
    ],
)
def test_no_key_is_shown(address: str) -> None:
    assert shown(address) == "s3://bucket/x.corpus"


def test_what_is_no_key_is_shown() -> None:
    for address in ("s3://bucket/a@b.jsonl", "http://host:9000/a@b.jsonl", "a@b.jsonl"):
        assert shown(address) == address


@pytest.mark.parametrize("address", ["s3://KEY:SEC/RET@bucket/x", "gs://KEY:SEC RET@bucket/x"])
def test_no_key_is_shown_when_an_address_is_refused(address: str) -> None:
    with pytest.raises(CorpusError, match=r"//bucket/x is not such an address: .*%2F") as refused:
        file_system(address)
    assert "SEC" not in str(refused.value)
    assert refused.value.__suppress_context__


def test_file_systems_that_want_to_know_more() -> None:
    with pytest.raises(CorpusError, match=r"^github://a cannot be reached: .*'org'"):
        file_system("github://a")


def test_a_path_that_was_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for use in (
        lambda: Corpus.open(Path("s3://bucket/x.corpus")),
        lambda: Corpus.from_texts(["a b"]).save(Path("s3://bucket/x.corpus")),
        lambda: RecordReader([Path("s3://bucket/x.jsonl")]),
    ):
        with pytest.raises(InputError, match=r"^s3:/bucket/x.* was an address, .* give the address itself$"):
            use()
    assert not list(tmp_path.iterdir())
    Path("s3:").mkdir()
    assert not was_address("s3:/x.corpus")
    assert local_path("file://localhost/data/x.corpus") == local_path("file:///data/x.corpus") == Path("/data/x.corpus")


def test_where_runs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.corpus" / "deeper").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "x.corpus")
    assert runs_beside(Path()) == tmp_path / "x.runs"
    monkeypatch.chdir(tmp_path / "x.corpus" / "deeper")
    assert runs_beside(Path("..")) == tmp_path / "x.runs"


CONTENT = bytes(range(256)) * 100


@pytest.mark.parametrize("left", [b"", CONTENT[:999], b"?" * 999, CONTENT, CONTENT + b"more", b"?" * len(CONTENT)])
def test_a_copy_goes_on_or_begins_anew(left: bytes, tmp_path: Path) -> None:
    (tmp_path / "copy.partial").write_bytes(left)
    told: list[int] = []
    checksum = hashlib.sha256(CONTENT).hexdigest()
    copied(lambda: io.BytesIO(CONTENT), tmp_path / "copy", len(CONTENT), sha256=checksum, tell=told.append)
    assert [path.name for path in tmp_path.iterdir()] == ["copy"]
    assert (tmp_path / "copy").read_bytes() == CONTENT
    assert sum(told) == len(CONTENT)


@pytest.mark.parametrize("wrong", [CONTENT[:-1], CONTENT + b"!", CONTENT[:-1] + b"!"])
def test_what_is_not_what_was_said_is_not_kept(wrong: bytes, tmp_path: Path) -> None:
    checksum = hashlib.sha256(CONTENT).hexdigest()
    (tmp_path / "copy.partial").write_bytes(wrong[:999])
    with pytest.raises(BrokenFile, match="differs from what the server announced"):
        copied(lambda: io.BytesIO(wrong), tmp_path / "copy", len(CONTENT), sha256=checksum)
    assert not list(tmp_path.iterdir())


def test_a_connection_that_is_lost_loses_no_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.dumps({"id": f"d{number:03d}", "text": f"some words {number}"}) + "\n" for number in range(200)]
    Store("memory://lost").put("x.jsonl", "".join(lines).encode())
    monkeypatch.setattr(records, "PART_BYTES", 2000)
    target = tmp_path / "x.corpus"
    reader = RecordReader(["memory://lost/x.jsonl"])
    assert len(reader.parts()) > 3
    with monkeypatch.context() as breaking:
        breaking.setattr(addresses._Reading, "readinto", _breaking(addresses._Reading.readinto, 6))
        with pytest.raises(Unreachable, match=r"^memory://lost/x\.jsonl cannot be reached: AWS Error NETWORK"):
            ingest(reader, target, workers=1)
    made = ingest(RecordReader(["memory://lost/x.jsonl"]), target, workers=1)
    assert 0 < made.resumed < made.documents == 200
    assert [path.name for path in tmp_path.iterdir()] == ["x.corpus"]


def _breaking(readinto: Callable[..., int], after: int) -> Callable[..., int]:
    calls = 0

    def read(self: Any, buffer: Any) -> int:
        nonlocal calls
        calls += 1
        if calls > after:
            with addresses.reached(self._address):
                raise OSError("AWS Error NETWORK_CONNECTION during GetObject operation")
        return readinto(self, buffer)

    return read


def change(content: dict[str, Any], *keys: str, to: Any) -> None:
    *way, last = keys
    for key in way:
        content = content[key]
    content[last] = to


A_FILE = {"bytes": 10, "sha256": "0" * 64}


@pytest.mark.parametrize(
    ("keys", "to"),
    [
        (("files", "tokens.arrow", "bytes"), "10"),
        (("files", "tokens.arrow", "bytes"), None),
        (("files", "tokens.arrow", "bytes"), -1),
        (("files", "../x"), A_FILE),
        (("files", "."), A_FILE),
        (("files", "a\0b"), A_FILE),
        (("files", "\ud800"), A_FILE),
        (("files", "a" * 5000), A_FILE),
        (("files",), {}),
        (("batches",), "ab"),
        (("batches",), [-3, 5]),
        (("batches",), [1, 2]),
        (("batches",), [1.0, 1.0]),
        (("counts", "documents"), "2"),
        (("counts", "documents"), True),
        (("counts", "vocabulary"), 10**30),
        (("tokenizer",), "words"),
        (("version",), "2"),
    ],
)
def test_a_manifest_from_anybody(keys: tuple[str, ...], to: Any, tmp_path: Path) -> None:
    """Its checksum is right: whoever wrote it can add, too."""
    path = tmp_path / "x.corpus"
    Corpus.from_texts(["a b", "b c"], labels=["x", "y"], path=path)
    content = json.loads((path / "manifest.json").read_text())
    del content["checksum"]
    change(content, *keys, to=to)
    content["checksum"] = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    (path / "manifest.json").write_text(json.dumps(content))
    with pytest.raises(DamagedCorpus, match="is damaged: ") as refused:
        Corpus.open(path).matrix()
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 500
