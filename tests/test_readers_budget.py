"""No file, whatever its kind, expands to more than it may, and nothing that is no file is waited for."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import Cli, Refused
from priorwise.errors import BrokenFile
from priorwise.readers import opening, tabular
from priorwise.readers.records import RecordReader
from test_readers_tables import ods, workbook

LONG = "a " * 50_000


@pytest.fixture(autouse=True)
def small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "ALWAYS_ALLOWED", 1 << 22)
    monkeypatch.delenv(opening.ALLOW_LARGE, raising=False)


def bomb(path: Path, rows: int = 500) -> Path:
    """Write some kilobytes that expand to fifty megabytes: one long text, repeated."""
    table = pa.table({"id": pa.array(map(str, range(rows))), "text": pa.array([LONG] * rows)})
    if path.suffix == ".parquet":
        pq.write_table(table, path, compression="zstd", dictionary_pagesize_limit=1 << 30)
    else:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        new = pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream
        with path.open("wb") as file, new(file, table.schema, options=options) as writer:
            writer.write_table(table)
    assert path.stat().st_size < 100_000
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".arrows"])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, suffix: str) -> None:
    path = bomb(tmp_path / f"bomb{suffix}")
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(BrokenFile, match="expands to more than 200 times its size; if you trust it, add --allow-large"):
        list(RecordReader([path]))
    assert pa.default_memory_pool().max_memory() - before < 40 << 20


def shared(kind: str, rows: int = 500) -> pa.Array:
    """One long text that every row names."""
    once, places = pa.array([LONG]), pa.array([0] * rows, pa.int32())
    if kind == "dictionary":
        return pa.DictionaryArray.from_arrays(places, once)
    if kind == "list of dictionary":
        offsets = pa.array(range(rows + 1), pa.int32())
        return pa.ListArray.from_arrays(offsets, pa.DictionaryArray.from_arrays(places, once))
    if kind == "runs":
        return pa.RunEndEncodedArray.from_arrays(pa.array([rows], pa.int32()), once)
    view = pa.array([LONG], pa.string_view())
    _, views, data = view.buffers()
    repeated = pa.py_buffer(views.to_pybytes()[:16] * rows)
    return pa.Array.from_buffers(pa.string_view(), rows, [None, repeated, data])


@pytest.mark.parametrize(
    ("suffix", "kind"),
    [(".parquet", "dictionary"), *((".arrow", kind) for kind in ("dictionary", "list of dictionary", "runs", "views"))],
)
def test_a_text_that_every_row_names_counts_each_time(tmp_path: Path, suffix: str, kind: str) -> None:
    table = pa.table({"id": pa.array(map(str, range(500))), "text": shared(kind)})
    path = tmp_path / f"bomb{suffix}"
    if suffix == ".parquet":
        pq.write_table(table, path, compression="zstd")
    else:
        with path.open("wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    with pytest.raises(BrokenFile, match="expands to more than 200 times its size"):
        list(RecordReader([path]))


@pytest.mark.parametrize("kind", ["dictionary", "views"])
def test_columns_of_shared_texts_are_read(tmp_path: Path, kind: str) -> None:
    texts = pa.array([f"text {row % 7}" for row in range(2000)])
    column = texts.dictionary_encode() if kind == "dictionary" else texts.cast(pa.string_view())
    table = pa.table({"text": column})
    with (tmp_path / "a.arrow").open("wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    found = [document.text for document in RecordReader([tmp_path / "a.arrow"])]
    assert found == texts.to_pylist()


def test_a_bomb_is_read_if_the_user_trusts_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(opening.ALLOW_LARGE, "1")
    assert len(list(RecordReader([bomb(tmp_path / "bomb.parquet")]))) == 500


def test_the_command_line_says_what_to_do(
    cli: Cli, refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bomb(tmp_path / "bomb.arrow", 60)
    output = tmp_path / "x.corpus"
    assert "--allow-large" in refused("ingest", "records", path, "-o", output)
    # So that the variable is gone after the test.
    monkeypatch.setenv(opening.ALLOW_LARGE, "0")
    assert cli("ingest", "records", path, "-o", output, "--allow-large").exit_code == 0


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".arrows"])
@pytest.mark.parametrize("compression", [None, "zstd"])
def test_ordinary_files_are_read(tmp_path: Path, suffix: str, compression: Any) -> None:
    table = pa.table({"id": ["1", "2"], "text": ["to be", "or not"]})
    path = tmp_path / f"x{suffix}"
    if suffix == ".parquet":
        pq.write_table(table, path, compression=compression or "none")
    else:
        options = pa.ipc.IpcWriteOptions(compression=compression)
        new = pa.ipc.new_file if suffix == ".arrow" else pa.ipc.new_stream
        with path.open("wb") as file, new(file, table.schema, options=options) as writer:
            writer.write_table(table)
    assert [document.text for document in RecordReader([path])] == ["to be", "or not"]


@pytest.mark.parametrize(
    "command",
    [
        ("ingest", "records"),
        ("ingest", "folder"),
        ("ingest", "wikipedia"),
        ("ingest", "newsgroups"),
        ("ingest", "reuters"),
    ],
)
def test_a_pipe_is_refused_and_not_waited_for(refused: Refused, tmp_path: Path, command: tuple[str, ...]) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    said = refused(*command, pipe, "-o", tmp_path / "x.corpus")
    assert "pipe.jsonl" in said


@pytest.mark.parametrize("name", ["pipe.csv", "pipe.parquet", "pipe.arrow", "pipe.jsonl.gz"])
def test_every_kind_of_record_refuses_a_pipe(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(BrokenFile, match="a pipe or a device, not a file"):
        list(RecordReader([tmp_path / name]))


def with_cell(path: Path, reference: str, *, zeros: bool = False, kind: str = 't="str"') -> Path:
    """Write a workbook of two records and one more cell, wherever that is."""
    workbook(path, {"S": [["id", "text"], ["007", "tea"], ["8", "milk"]]})
    if zeros:
        book = openpyxl.load_workbook(path)
        book["S"]["A2"].number_format = "000"
        book.save(path)
    with zipfile.ZipFile(path) as packed:
        parts = {each: packed.read(each) for each in packed.namelist()}
    number = reference.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    row = f'<row r="{number}"><c r="{reference}" {kind}><v>5</v></c></row></sheetData>'
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = parts[sheet].replace(b"</sheetData>", row.encode())
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return path


@pytest.mark.parametrize("suffix", [".xlsx", ".xlsm"])
def test_a_cell_in_a_far_corner_does_not_end_the_process(tmp_path: Path, suffix: str) -> None:
    path = with_cell(tmp_path / f"far{suffix}", "XFD1048576")
    with pytest.raises(BrokenFile, match=r"its cells need more than \d+,\d+,\d+ bytes: a cell lies far from the table"):
        list(RecordReader([path]))
    near = with_cell(tmp_path / f"near{suffix}", "B4000")
    assert [document.text for document in RecordReader([near])] == ["tea", "milk", "5"]


def test_a_sheet_whose_reading_never_ends_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabular, "_SECONDS", 1)
    path = ods(tmp_path / "endless.ods", [["id", "text"], ["1", "tea"]])
    with zipfile.ZipFile(path) as packed:
        parts = {each: packed.read(each) for each in packed.namelist()}
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content.partition(b"</table:table>")[0])
    with pytest.raises(BrokenFile, match="never ends, or crashes"):
        list(RecordReader([path]))


def test_cells_with_leading_zeros_are_read_whatever_the_sheet_says_of_its_size(tmp_path: Path) -> None:
    path = with_cell(tmp_path / "style.xlsx", "B4", zeros=True)
    assert [document.text for document in RecordReader([path])] == ["tea", "milk", "5"]


def test_a_cell_of_a_style_that_is_no_number_is_refused(tmp_path: Path) -> None:
    path = with_cell(tmp_path / "style.xlsx", "B4", zeros=True, kind='s="x"')
    with pytest.raises(BrokenFile, match="the sheet 'S' cannot be read"):
        list(RecordReader([path]))
