"""Read records from files: JSON lines, CSV and TSV, Parquet, Arrow."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from priorwise.errors import BrokenFile, InputError, NotEnoughData
from priorwise.readers.compressed import anywhere, compression, opened, plain_suffix, reading, spooled
from priorwise.readers.document import Document, described
from priorwise.readers.fields import Columns
from priorwise.readers.json_lines import LONGEST_RECORD, Numbered, json_lines, lines_before
from priorwise.readers.record_parts import JSON_LINES, PART_BYTES, record_parts
from priorwise.readers.remote_file import found_files

_ROWS_AT_A_TIME = 512


class RecordReader:
    r"""Documents from one or more files of records, in order, with bounded memory.

    Parameters
    ----------
    paths : path or sequence of paths
        JSON lines (``.jsonl``, ``.ndjson``, ``.json``), ``.csv``, ``.tsv``, ``.parquet``, ``.arrow`` (also
        ``.feather``, ``.ipc``; file or stream), each plain or compressed by gzip, bz2, xz or zstd.
    columns : Columns, optional
        Which columns make a document.
    delimiter : str, optional
        What stands between the columns of a CSV file, if not what its name says. With a delimiter a file of any other
        name is read as CSV too.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "news.csv")
    ...     _ = path.write_text("id,text,labels\n7,Bread and circuses,Rome\n")
    ...     [(document.id, document.labels) for document in RecordReader([path])]
    [('7', ['Rome'])]
    """

    def __init__(
        self, paths: str | Path | Sequence[str | Path], columns: Columns | None = None, *, delimiter: str | None = None
    ) -> None:
        self.paths = found_files(paths)
        self.columns = columns or Columns()
        self.delimiter = delimiter
        self.remarks: dict[str, int] = {}
        self.done_bytes = 0
        self.total_bytes = sum(_size(path) for path in self.paths)
        self.first: int | None = 0
        self.row_groups: Sequence[int] | None = None
        self.lines: range | None = None
        self.is_part = False

    def __repr__(self) -> str:
        return described(self, [path.name for path in self.paths])

    def parts(self) -> Sequence[RecordReader]:
        """Return readers of some 64 MB each: files, row groups of a Parquet file, or lines of a plain one of JSON."""
        return record_parts(self)

    def __iter__(self) -> Iterator[Document]:
        self.done_bytes = 0
        number = 0
        finished = 0
        for path in self.paths:
            read = self._how_to_read(path)
            with reading(path):
                for place, record in read(self, path):
                    yield self._document(path, place, record, self.first, number)
                    number += 1
            finished += _size(path)
            self.done_bytes = min(finished, self.total_bytes)
        if not number and not self.is_part:
            raise NotEnoughData(f"there is no record in {', '.join(map(str, self.paths)) or 'no file'}")

    def become_part(self) -> None:
        """Read no more than some of the files, row groups or lines, of which there may be none with a record."""
        self.is_part = True
        self.total_bytes = sum(_size(path) for path in self.paths)
        if self.row_groups is not None:
            n_groups = pq.read_metadata(anywhere(self.paths[0])).num_row_groups
            self.total_bytes = self.total_bytes * len(self.row_groups) // n_groups
        if self.lines is not None:
            self.total_bytes = len(self.lines)

    def fingerprint(self) -> dict[str, Any] | None:
        """Return the names, sizes and times of the files, and the options."""
        files = [[str(path.resolve()), _size(path), path.stat().st_mtime_ns] for path in self.paths]
        fields = {name: getattr(self.columns, name) for name in ("text", "id", "title", "labels", "separator")}
        cut = ["lines", PART_BYTES]
        return {"kind": "records", "files": files, "delimiter": self.delimiter, "part": cut, **fields}

    def tell(self, n: int) -> None:
        """Count bytes that were read from the disk."""
        self.done_bytes += n

    def line(self, path: Path, number: int) -> int:
        """Return the number in the file of a line that is counted from where this part of it begins."""
        return number if self.lines is None else number + lines_before(path, self.lines.start)

    def _how_to_read(self, path: Path) -> Callable[[RecordReader, Path], Numbered]:
        read = _READERS.get(plain_suffix(path), _separated if self.delimiter else None)
        if read is None:
            known = ", ".join(sorted(_READERS))
            reason = f"the name does not say what it holds; records come in {known}"
            raise BrokenFile(path, f"{reason}, or under any name if you give the delimiter")
        return read

    def _document(self, path: Path, place: int, record: Mapping[str, Any], first: int | None, number: int) -> Document:
        try:
            if first is None and self.columns.id not in record:
                raise InputError(f"it has no '{self.columns.id}', and only one machine alone can number documents")
            return self.columns.document(record, (first or 0) + number)
        except (InputError, UnicodeDecodeError) as error:
            reason = "the text is not valid UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            if self._how_to_read(path) in (_parquet, _arrow):
                raise BrokenFile(path, f"row {place}: {reason}") from error
            raise BrokenFile(path, reason, line=self.line(path, place)) from error


def _separated(reader: RecordReader, path: Path) -> Numbered:
    delimiter = reader.delimiter or ("\t" if plain_suffix(path) in (".tsv", ".tab") else ",")
    # The module's own limit is 128 KB, for the whole process; nothing smaller than ours is of use to anyone.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_RECORD))
    with opened(path, reader.tell) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        rows = csv.reader(_bounded(text, path), delimiter=delimiter, strict=True)
        header: list[str] | None = None
        try:
            for row in rows:
                if not row:
                    continue
                if header is None:
                    header = row
                    reader.columns.check(header, str(path))
                    continue
                if len(row) != len(header):
                    reason = f"{len(row)} columns, where the first line has {len(header)}"
                    raise BrokenFile(path, reason, line=rows.line_num)
                yield rows.line_num, dict(zip(header, row, strict=True))
        except csv.Error as error:
            raise BrokenFile(path, f"malformed CSV ({error})", line=rows.line_num) from error
        except UnicodeDecodeError as error:
            raise BrokenFile(path, "the text is not valid UTF-8", line=rows.line_num + 1) from error


def _bounded(text: io.TextIOWrapper, path: Path) -> Iterator[str]:
    while line := text.readline(LONGEST_RECORD + 1):
        if len(line) > LONGEST_RECORD:
            raise BrokenFile(path, f"a line is longer than {LONGEST_RECORD:,} characters")
        yield line


def _parquet(reader: RecordReader, path: Path) -> Numbered:
    with spooled(path, reader.tell) as plain, _columnar(path):
        file = pq.ParquetFile(anywhere(plain), memory_map=True)
        names = _wanted(reader, file.schema_arrow, path)
        batches = file.iter_batches(
            batch_size=_ROWS_AT_A_TIME, columns=names, use_threads=False, row_groups=reader.row_groups
        )
        yield from _rows(reader, path, batches, file.metadata.num_rows)


def _arrow(reader: RecordReader, path: Path) -> Numbered:
    with spooled(path, reader.tell) as plain, _columnar(path), _mapped(plain) as mapped:
        is_file = mapped.read(6) == b"ARROW1"
        mapped.seek(0)
        source = pa.ipc.open_file(mapped) if is_file else pa.ipc.open_stream(mapped)
        names = _wanted(reader, source.schema, path)
        batches = map(source.get_batch, range(source.num_record_batches)) if is_file else iter(source)
        yield from _rows(reader, path, (batch.select(names) for batch in batches), None)


def _mapped(path: Path) -> Any:
    file = anywhere(path)
    return pa.memory_map(str(path)) if file is path else pa.PythonFile(file, mode="r")


def _wanted(reader: RecordReader, schema: pa.Schema, path: Path) -> list[str]:
    reader.columns.check(schema.names, str(path))
    return reader.columns.names_in(schema.names)


def _rows(reader: RecordReader, path: Path, batches: Iterable[pa.RecordBatch], total: int | None) -> Numbered:
    number = 0
    before, size = reader.done_bytes, _size(path) if compression(path) is None else 0
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS_AT_A_TIME):
            part = batch.slice(start, _ROWS_AT_A_TIME)
            try:
                part.validate(full=True)
            except pa.ArrowInvalid as error:
                raise BrokenFile(path, f"row {number + 1} or one soon after is not valid ({error})") from error
            for record in part.to_pylist():
                number += 1
                yield number, record
            reader.done_bytes = before + size * number // (total or batch.num_rows)


@contextmanager
def _columnar(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise BrokenFile(path, f"not a readable {plain_suffix(path)[1:]} file ({error})") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise BrokenFile(path, f"the {plain_suffix(path)[1:]} file is damaged ({error})") from error


def _size(path: Path) -> int:
    with reading(path):
        return path.stat().st_size


_READERS: dict[str, Callable[[RecordReader, Path], Numbered]] = {
    **dict.fromkeys(JSON_LINES, json_lines),
    **dict.fromkeys((".csv", ".tsv", ".tab"), _separated),
    **dict.fromkeys((".parquet", ".pq"), _parquet),
    **dict.fromkeys((".arrow", ".arrows", ".feather", ".ipc"), _arrow),
}


def holds_records(path: Path) -> bool:
    """Return whether a file's name says that it holds records.

    Examples
    --------
    >>> holds_records(Path("news.jsonl.gz")), holds_records(Path("letter.txt"))
    (True, False)
    """
    return plain_suffix(path) in _READERS
