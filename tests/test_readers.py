from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priorwise.corpus import Corpus, Document
from priorwise.errors import BrokenFile, NotEnoughData, UnknownName
from priorwise.readers import opening
from priorwise.readers.collections.reuters import ReutersReader
from priorwise.readers.fields import Columns
from priorwise.readers.folder import DIFFERING, NOT_UTF8, OUTSIDE, FolderReader
from priorwise.readers.opening import Opening, small_list, small_text
from priorwise.readers.records import RecordReader
from small_collections import COMPRESSIONS

RECORDS = [
    {"id": "1", "title": "One", "text": 'Bread, "circuses"\nand 漢字', "labels": ["Rome", "Fun"]},
    {"id": "2", "title": "Two", "text": "", "labels": []},
    {"id": "3", "title": "Three", "text": "x" * 200_000, "labels": ["Rome"]},
]
EXPECTED = [Document(**record, title_words=True) for record in RECORDS]  # type: ignore[arg-type]


def table(records: list[dict[str, Any]] = RECORDS) -> pa.Table:
    return pa.Table.from_pylist(records)


def to_jsonl() -> bytes:
    return "\n".join(json.dumps(record) for record in RECORDS).encode()


def to_separated(delimiter: str) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(RECORDS[0])
    for record in RECORDS:
        writer.writerow([*list(record.values())[:3], json.dumps(record["labels"])])
    return text.getvalue().encode()


def to_parquet() -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table(), sink, row_group_size=2)
    return sink.getvalue().to_pybytes()


def to_arrow(new: Callable[..., Any]) -> bytes:
    sink = pa.BufferOutputStream()
    with new(sink, table().schema) as writer:
        writer.write_table(table(), max_chunksize=2)
    return sink.getvalue().to_pybytes()


FORMATS = {
    "news.jsonl": to_jsonl(),
    "news.csv": to_separated(","),
    "news.tsv": to_separated("\t"),
    "news.parquet": to_parquet(),
    "news.arrow": to_arrow(pa.ipc.new_file),
    "stream.arrow": to_arrow(pa.ipc.new_stream),
}


@pytest.mark.parametrize("suffix", COMPRESSIONS)
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_and_compression(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / (name + suffix)
    path.write_bytes(COMPRESSIONS[suffix](FORMATS[name]))
    reader = RecordReader([path])
    assert list(reader) == EXPECTED
    assert reader.done_bytes == reader.total_bytes == path.stat().st_size
    assert list(reader) == EXPECTED


@pytest.mark.parametrize("suffix", [suffix for suffix in COMPRESSIONS if suffix])
def test_compression_is_known_by_its_first_bytes(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / "news.jsonl"
    path.write_bytes(COMPRESSIONS[suffix](FORMATS["news.jsonl"]))
    assert list(RecordReader([path])) == EXPECTED


@pytest.mark.parametrize("suffix", [suffix for suffix in COMPRESSIONS if suffix])
@pytest.mark.parametrize("name", ["news.jsonl", "news.csv", "news.parquet"])
def test_truncated_and_damaged_archives(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / (name + suffix)
    whole = COMPRESSIONS[suffix](FORMATS[name])
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BrokenFile, match=r"news.*: the compressed data (end too early|are damaged)"):
        list(RecordReader([path]))
    path.write_bytes(b"this is no archive at all")
    with pytest.raises(BrokenFile, match="the compressed data are damaged"):
        list(RecordReader([path]))


def test_several_files_are_read_in_order_and_numbered_through(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text('{"text": "a"}\n\n{"text": "b"}\n')
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbftext,labels\r\nc,x|y\r\n")
    reader = RecordReader([tmp_path / "b.jsonl", tmp_path / "a.csv"], Columns(separator="|"))
    assert [(document.id, document.title, document.text) for document in reader] == [
        ("0", "0", "a"),
        ("1", "1", "b"),
        ("2", "2", "c"),
    ]
    assert list(reader)[2].labels == ["x", "y"]


def test_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'\xef\xbb\xbf{"text": "a"}\r\n{"text": null}\r\n')
    assert [document.text for document in RecordReader([tmp_path / "a.jsonl"])] == ["a", ""]


def test_chosen_columns_and_delimiter(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("key;body;topic\n7;some text;x, y\n")
    columns = Columns(text="body", id="key", title="key", labels="topic", separator=",")
    assert list(RecordReader([tmp_path / "a.csv"], columns, Opening(delimiter=";"))) == [
        Document("7", "7", "some text", ["x", "y"], title_words=True)
    ]


def write_arrow(path: Path, content: pa.Table, compression: str | None = None) -> None:
    with pa.ipc.new_file(path, content.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(content)


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string()), pa.string_view()]
)
def test_arrow_text_of_every_kind(kind: pa.DataType, tmp_path: Path) -> None:
    table = pa.table({"text": pa.array(["a b", None], kind), "id": [1, 2]})
    write_arrow(tmp_path / "a.feather", table, compression="lz4")
    assert [(document.id, document.text) for document in RecordReader([tmp_path / "a.feather"])] == [
        ("1", "a b"),
        ("2", ""),
    ]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.jsonl", b'{"text": "a"}\n{"text": ', r"a\.jsonl, line 2: not valid JSON"),
        ("a.jsonl", b'{"text": "\xff"}', r"a\.jsonl, line 1: the text is not valid UTF-8"),
        ("a.jsonl", b'["text"]', "line 1: a JSON object on each line was expected, not list"),
        ("a.jsonl", b'{"text": "a", "labels": {"x": 1}}', "line 1: the column 'labels' holds dict, not labels"),
        ("a.jsonl", b'{"text": ["a"]}', "line 1: the column 'text' holds a list, not text"),
        ("a.jsonl", b'{"text": ' + b"[" * 100_000, "line 1: not valid JSON"),
        ("a.csv", b'text\n"a', r"a\.csv, line 2: malformed CSV"),
        ("a.csv", b'text,id\n"a"b,1\n', r"a\.csv, line 2: malformed CSV"),
        ("a.csv", b"text,id\na,1,b\n", r"a\.csv, line 2: 3 columns, where the first line has 2"),
        ("a.csv", b"text\n" + "äöü\n".encode() * 9 + b"\xff\n", r"a\.csv, line \d+: the text is not valid UTF-8"),
        ("a.parquet", b"PAR1 nonsense PAR1", r"a\.parquet: not a readable parquet file"),
        ("a.parquet", FORMATS["news.parquet"][:-20], r"a\.parquet: (not a readable|the) parquet file"),
        ("a.arrow", FORMATS["news.arrow"][:-20], r"a\.arrow: not a readable arrow file"),
        ("a.arrow", FORMATS["stream.arrow"][:500], r"a\.arrow: (not a readable|the) arrow file"),
        ("a.arrow", b"nonsense, and some more of it", r"a\.arrow: not a readable arrow file"),
        ("a.xyz", b"text", r"a\.xyz: its name does not say what it holds; add --read-as and one of jsonl, csv"),
    ],
)
def test_broken_files(name: str, content: bytes, sentence: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BrokenFile, match=sentence):
        list(RecordReader([tmp_path / name]))


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_text_that_is_not_utf8(name: str, tmp_path: Path) -> None:
    data = pa.py_buffer(b"ab\xff\xfe")
    text = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(bytes([0] * 4 + [2, 0, 0, 0, 4, 0, 0, 0])), data])
    broken = pa.table({"text": text})
    if name == "a.parquet":
        pq.write_table(broken, tmp_path / name)
    else:
        write_arrow(tmp_path / name, broken)
    with pytest.raises(BrokenFile, match="row 1 or one soon after is not valid"):
        list(RecordReader([tmp_path / name]))


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(BrokenFile, match=r"gone\.jsonl: there is no such file"):
        RecordReader([tmp_path / "gone.jsonl"])
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(BrokenFile, match="is a directory"):
        list(RecordReader([tmp_path / "folder.jsonl"]))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", b""),
        ("a.jsonl", b"\n\n"),
        ("a.csv", b""),
        ("a.csv", b"text\n"),
        ("a.jsonl.gz", gzip.compress(b"", mtime=0)),
    ],
)
def test_empty_files(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(NotEnoughData, match=r"there is no record in .*a\."):
        list(RecordReader([tmp_path / name]))
    with pytest.raises(NotEnoughData):
        Corpus.from_records(tmp_path / name, path=tmp_path / "x.corpus")
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", FORMATS)
def test_missing_columns(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FORMATS[name])
    for columns in (Columns(text="txt"), Columns(labels="label"), Columns(id="idd")):
        with pytest.raises(UnknownName, match=rf"no column '\w+'; did you mean '\w+'\? The columns of .*{name} are"):
            list(RecordReader([tmp_path / name], columns))


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("records", "tabular"):
        monkeypatch.setattr(f"priorwise.readers.{module}.LONGEST_RECORD", 1000)
    (tmp_path / "bomb.jsonl.gz").write_bytes(gzip.compress(b'{"text": "' + b"a" * 1_000_000))
    with pytest.raises(BrokenFile, match="line 1: the record is longer than 1,000 bytes"):
        list(RecordReader([tmp_path / "bomb.jsonl.gz"]))
    (tmp_path / "bomb.csv").write_text("text\n" + "a" * 1_000_000)
    with pytest.raises(BrokenFile, match="a line is longer than 1,000 characters"):
        list(RecordReader([tmp_path / "bomb.csv"]))


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_a_folder(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "texts",
        {
            "b/2": b"two",
            "a/1": b"caf\xe9 \x93so\x94",
            "top": "ünï".encode(),
            ".hidden": b"",
            ".git/x": b"",
            "a/deep/3": b"\x81",
        },
    )
    reader = FolderReader(folder)
    assert list(reader) == [
        Document("a/1", "1", "café “so”", ["a"]),
        Document("a/deep/3", "3", "\x81", ["deep"]),
        Document("b/2", "2", "two", ["b"]),
        Document("top", "top", "ünï", []),
    ]
    assert reader.remarks == {NOT_UTF8: 2}
    assert reader.done_bytes == reader.total_bytes


def test_the_same_name_in_several_folders_is_one_document(tmp_path: Path) -> None:
    files = {"training/C01/1": b"x", "training/C04/1": b"x", "test/C01/2": b"y", "test/C02/2": b"z"}
    reader = FolderReader(write(tmp_path, files), merge=True)
    assert list(reader) == [Document("2", "2", "y", ["C01", "C02"]), Document("1", "1", "x", ["C01", "C04"])]
    assert reader.remarks == {DIFFERING: 1}
    assert len(list(FolderReader(tmp_path))) == 4


def test_links_that_lead_out_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"secret/key": b"k", "texts/a/1": b"x"})
    (tmp_path / "texts" / "a" / "out").symlink_to(tmp_path / "secret" / "key")
    (tmp_path / "texts" / "a" / "in").symlink_to(tmp_path / "texts" / "a" / "1")
    (tmp_path / "texts" / "b").symlink_to(tmp_path / "secret")
    (tmp_path / "texts" / "a" / "gone").symlink_to(tmp_path / "nowhere")
    reader = FolderReader(tmp_path / "texts")
    assert [document.id for document in reader] == ["a/1", "a/in"]
    assert reader.remarks == {OUTSIDE: 3}


def test_folders_without_documents(tmp_path: Path) -> None:
    with pytest.raises(BrokenFile, match="there is no such folder"):
        FolderReader(tmp_path / "nowhere")
    with pytest.raises(NotEnoughData, match="there is no file in"):
        list(FolderReader(tmp_path))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(FORMATS)), st.sampled_from(sorted(COMPRESSIONS)), st.randoms(use_true_random=False))
def test_a_damaged_file_is_read_or_refused(name: str, suffix: str, random: Random) -> None:
    content = bytearray(COMPRESSIONS[suffix](FORMATS[name]))
    for _ in range(random.choice([1, 2, 8])):
        content[random.randrange(len(content))] = random.randrange(256)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name + suffix)
        path.write_bytes(content)
        with contextlib.suppress(BrokenFile, UnknownName, NotEnoughData):
            list(RecordReader([path]))


def test_a_delimiter_says_that_a_file_is_csv_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "Job Titles.txt"
    path.write_text("Code\tTitle\n11-1011.00\tChief\n")
    reader = RecordReader([path], Columns(text="Title", id="Code"), Opening(delimiter="\t"))
    assert [document.id for document in reader] == ["11-1011.00"]


@pytest.mark.parametrize("suffix", [suffix for suffix in COMPRESSIONS if suffix])
@pytest.mark.parametrize("name", ["news.jsonl", "news.csv", "news.parquet", "news.arrow"])
def test_bombs_are_refused(name: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "ALWAYS_ALLOWED", 1 << 20)
    path = tmp_path / (name + suffix)
    path.write_bytes(COMPRESSIONS[suffix](FORMATS[name] + bytes(24 << 20)))
    assert path.stat().st_size < 100_000
    with pytest.raises(BrokenFile, match=r"expands to more than 200 times its size"):
        list(RecordReader([path]))


def test_a_small_text_is_a_file_of_bounded_length(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    for content, says in (
        (b"1234567", "longer than 6 bytes, which no list is"),
        (b"ab\xff", r"not valid UTF-8 \(byte 2\)"),
    ):
        path.write_bytes(content)
        with pytest.raises(BrokenFile, match=says):
            small_text(path, 6, "list")
    for path, says in ((tmp_path, "is a directory"), (tmp_path / "nowhere", "no such file")):
        with pytest.raises(BrokenFile, match=says):
            small_list(path, "id")


def test_readers_say_what_they_read(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "some words"}\n')
    assert repr(RecordReader(path)) == repr(RecordReader([str(path)])) == "<RecordReader of x.jsonl: 0.0 MB>"
    assert [document.text for document in RecordReader(str(path))] == ["some words"]
    assert repr(RecordReader([path] * 4)) == "<RecordReader of x.jsonl, x.jsonl and 2 more: 0.0 MB>"
    assert repr(FolderReader(tmp_path)) == f"<FolderReader of {tmp_path.name}: 0.0 MB>"
    assert repr(ReutersReader(path)) == "<ReutersReader of x.jsonl: 0.0 MB>"
    with pytest.raises(BrokenFile, match=r"^s3://bucket/x: a folder of texts is read from the disk; copy it"):
        FolderReader("s3://key:secret@bucket/x")
