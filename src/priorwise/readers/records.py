"""Read records from files: tables, spreadsheets, bibliographies, databases, JSON lines, Parquet, Arrow."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import asdict, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from priorwise.errors import BrokenFile, InputError, NotEnoughData, PriorwiseError
from priorwise.readers.addresses import found_files
from priorwise.readers.bibliographic import JOINED, Joining, bibtex, endnote, nbib, ris
from priorwise.readers.columnar import arrow, parquet
from priorwise.readers.document import NAMED, Document, Remarks, described
from priorwise.readers.fields import (
    LONGEST_RECORD,
    PEEKED,
    Columns,
    Guess,
    Numbered,
    as_text,
    blank_id,
    guess_separator,
    said,
    says_yes_or_no,
    unknown_column,
)
from priorwise.readers.opening import (
    BIBLIOGRAPHIES,
    STDIN,
    Opening,
    anywhere,
    compression,
    file_size,
    from_standard_input,
    no_format,
    opened,
    reading,
    size_and_time,
)
from priorwise.readers.tabular import database, separated, spreadsheet

_CHUNK = 1 << 20


def json_lines(reader: RecordReader, path: Path) -> Numbered:
    """Yield the records of a file, or of its lines that are to be read."""
    reader.says(path, "JSON lines")
    columns, seen = reader.columns, set[str]()
    begins = reader.lines is None or not reader.lines.start

    def broken(reason: str, number: int) -> BrokenFile:
        return BrokenFile(path, reason, line=reader.line(path, number))

    for number, line in _lines(reader, path):
        if len(line) > LONGEST_RECORD:
            raise broken(f"the record is longer than {LONGEST_RECORD:,} bytes", number)
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except UnicodeDecodeError as error:
            raise broken("the text is not valid UTF-8", number) from error
        except (ValueError, RecursionError) as error:
            raise broken(f"not valid JSON ({error})", number) from error
        if not isinstance(record, dict):
            raise broken(f"a JSON object on each line was expected, not {type(record).__name__}", number)
        if begins and not seen and reader.checked:
            for name in columns.texts:
                if name not in record:
                    raise unknown_column(name, record.keys(), reader.called(path))
        seen.update(record)
        yield number, record
    if seen and reader.checked:
        # Records may leave out what is empty, so only the end tells that a column is in none of them.
        _check_columns(reader, path, seen)


def _lines(reader: RecordReader, path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that begin in the range that is to be read, numbered from 1; of one too long, its beginning."""
    start, end = (0, None) if reader.lines is None else (reader.lines.start, reader.lines.stop)
    # A line that is under way where the range begins belongs to the range before; one byte earlier tells whether it is.
    place, at_line = (start - 1, False) if start else (0, True)
    number = 0
    with opened(path, reader.tell, place) as stream:
        while (end is None or place < end) and (line := stream.readline(LONGEST_RECORD + 1 if at_line else _CHUNK)):
            place += len(line)
            if at_line:
                number += 1
                yield number, line.removeprefix(b"\xef\xbb\xbf") if place == len(line) else line
            at_line = line.endswith(b"\n")


def lines_before(path: Path, byte: int) -> int:
    """Return how many lines of a file begin before a byte of it."""
    if not byte:
        return 0
    number, rest = 1, byte - 1
    with opened(path, lambda n: None) as stream:
        while piece := stream.read(min(_CHUNK, rest)):
            number, rest = number + piece.count(b"\n"), rest - len(piece)
    return number


def _check_columns(reader: RecordReader, path: Path, seen: set[str]) -> None:
    """Raise UnknownName for a column that no record of the file has; a part of the file asks the rest of it."""
    if reader.lines is not None:
        seen.update(name for name in reader.columns.required if name not in seen and _is_named(name, path))
    reader.columns.check(sorted(seen), reader.called(path))


def _is_named(name: str, path: Path) -> bool:
    """Return whether a file holds a name as JSON spells it, with letters beyond ASCII as they are or escaped."""
    spelled = [json.dumps(name, ensure_ascii=ascii_only).encode() for ascii_only in (False, True)]
    kept = max(map(len, spelled)) - 1
    with opened(path, lambda n: None) as stream:
        end = b""
        while piece := stream.read(_CHUNK):
            piece = end + piece
            if any(each in piece for each in spelled):
                return True
            end = piece[-kept:]
    return False


BLANK_IDS = "rows without an id, named by their row"
SPLIT = "cells of '{}' split at {}, which was guessed"
NOT_SPLIT = "cells of '{}' with {}, read as one label each; --separator splits them"
YES_NO = "cells of '{0}' read as yes or no: the category is '{0}'"
ROWS = "rows read as {}"

Placed = tuple[Path, int, Mapping[str, Any]]
"""A record, with its file and its line or row there."""

_READERS: dict[str, Callable[[Any, Path], Numbered]] = {
    "jsonl": json_lines,
    "csv": separated,
    "tsv": separated,
    "spreadsheet": spreadsheet,
    "parquet": parquet,
    "arrow": arrow,
    "ris": ris,
    "nbib": nbib,
    "bibtex": bibtex,
    "endnote": endnote,
    "sqlite": database,
    "duckdb": database,
}
_PLACES = dict.fromkeys(("parquet", "arrow", "spreadsheet", "sqlite", "duckdb"), "row") | {"endnote": "record"}
"""What the number of a record counts, where it is not a line."""


class RecordReader:
    r"""Documents from one or more files of records, in order.

    Parameters
    ----------
    paths : path or sequence of paths
        JSON lines, CSV, TSV, spreadsheets (``.xlsx``, ``.ods``), bibliographies (``.ris``, ``.nbib``, ``.bib``,
        EndNote's ``.xml``), databases (SQLite, DuckDB), Parquet and Arrow, each plain or compressed by gzip, bz2, xz or
        zstd. ``-`` is the standard input.
    columns : Columns, optional
        Which columns make a document.
    opening : Opening, optional
        How to open the files, where they do not say it themselves.

    Notes
    -----
    Memory is constant for JSON lines, CSV, Parquet, Arrow and databases. A sheet of a spreadsheet is held in memory,
    and so are the records of bibliographies, to join those that are the same publication.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "news.csv")
    ...     _ = path.write_text("id;text;labels\n7;Bread and circuses;Rome|Fun\n", "utf-8")
    ...     reader = RecordReader([path])
    ...     [(document.id, document.labels) for document in reader]
    ...     list(reader.remarks)[0]
    [('7', ['Rome', 'Fun'])]
    'rows read as CSV, semicolons between columns, UTF-8 (news.csv)'
    """

    def __init__(
        self,
        paths: str | Path | Sequence[str | Path],
        columns: Columns | None = None,
        opening: Opening | None = None,
    ) -> None:
        self.columns = columns or Columns()
        self.opening = opening or Opening()
        self.paths = found_files(paths)
        self.repeatable = STDIN not in self.paths
        if not self.repeatable:
            self._copy_standard_input()
        self.remarks: dict[str, int] = {}
        self.done_bytes = 0
        self.total_bytes = sum(file_size(path) for path in self.paths)
        self.first: int | None = 0
        self.row_groups: Sequence[int] | None = None
        self.lines: range | None = None
        self.is_part = False
        self.checked = True
        self.guess: Guess | None = None
        self._settled = self.columns
        self._remarks = Remarks()
        self._said: dict[Path, str] = {}
        self._rows: dict[str, list[tuple[str, int]]] = {}
        self._lines_before: int | None = None

    def __repr__(self) -> str:
        return described(self, [path.name for path in self.paths])

    def parts(self) -> Sequence[RecordReader]:
        """Return readers of about 64 MB each: files, row groups of a Parquet file, or lines of a plain one of JSON."""
        return record_parts(self)

    def __iter__(self) -> Iterator[Document]:
        records = self.records()
        number = 0
        try:
            head = list(islice(records, PEEKED)) if self.guess is None else []
            self._settle_on(head)
            for path, place, record in chain(head, records):
                yield self._document(path, place, record, number)
                number += 1
        finally:
            self.remarks = {**self._rows_read(), **self._remarks.lines()}
        if not number and not self.is_part:
            raise NotEnoughData(f"there is no record in {', '.join(map(str, self.paths)) or 'no file'}")

    def records(self) -> Iterator[Placed]:
        """Yield the records themselves, with their files and places; those of one publication joined."""
        self.done_bytes = 0
        self._remarks, self._said, self._rows = Remarks(), {}, {}
        return self._joined() if self.joins else self._records()

    def first_records(self) -> list[dict[str, Any]]:
        """Return the first records as they are, whatever columns they have."""
        unchecked = copy(self)
        unchecked.checked, unchecked.opening = False, replace(self.opening, join=False)
        return [dict(record) for _, _, record in islice(unchecked.records(), PEEKED)]

    def with_columns(self, columns: Columns) -> RecordReader:
        """Return a reader of the same files with other columns."""
        other = copy(self)
        other.columns = other._settled = columns
        return other

    @property
    def joins(self) -> bool:
        """Whether records of the same publication are to be joined."""
        return self.opening.join and any(self.opening.format_of(path) in BIBLIOGRAPHIES for path in self.paths)

    @property
    def wanted(self) -> list[str]:
        """The columns that must be there; they help to recognise how a table is written, and which sheet has it."""
        return self.columns.required

    def check(self, present: Collection[str], path: Path) -> None:
        """Raise an error if a column that must be there is not, or if one that is read is there twice."""
        if self.checked:
            self.columns.check(present, self.called(path))

    def called(self, path: Path) -> str:
        """Return what to call a file in an error; a copy of the standard input has a name that says nothing."""
        return str(path) if self.repeatable else "the standard input"

    def says(self, path: Path, what: str) -> None:
        """Tell how a file is read, to be counted with its rows."""
        self._said[path] = what

    def remark(self, what: str, where: str | None = None, n: int = 1) -> None:
        """Count something that the owner of the input should know."""
        self._remarks.add(what, where, n)

    def become_part(self) -> None:
        """Read no more than some of the files, row groups or lines, of which there may be none with a record."""
        self.is_part = True
        self.total_bytes = sum(file_size(path) for path in self.paths)
        if self.row_groups is not None:
            import pyarrow.parquet as pq

            n_groups = pq.read_metadata(anywhere(self.paths[0])).num_row_groups
            self.total_bytes = self.total_bytes * len(self.row_groups) // n_groups
        if self.lines is not None:
            self.total_bytes = len(self.lines)

    def settle(self) -> None:
        """Guess what separates labels from the first records, so that all parts agree."""
        if self.guess is None:
            # What is wrong with a file is said when it is read.
            with suppress(PriorwiseError):
                self._settle_on(list(islice(self.records(), PEEKED)))
            self._remarks, self._said, self._rows, self.done_bytes = Remarks(), {}, {}, 0

    def fingerprint(self) -> dict[str, Any] | None:
        """Return the names, sizes and times of the files, and the options; None for the standard input."""
        if not self.repeatable:
            return None
        files = [[str(path.resolve()), *size_and_time(path)] for path in self.paths]
        cut = ["lines", PART_BYTES]
        columns = {**asdict(self.columns), "text": list(self.columns.texts)}
        return {"kind": "records", "files": files, "opening": asdict(self.opening), "part": cut, "columns": columns}

    def tell(self, n: int) -> None:
        """Count bytes that were read from the disk."""
        self.done_bytes += n

    def line(self, path: Path, number: int) -> int:
        """Return the number in the file of a line that is counted from where this part of it begins."""
        if self.lines is None:
            return number
        if self._lines_before is None:
            self._lines_before = lines_before(path, self.lines.start)
        return number + self._lines_before

    def _copy_standard_input(self) -> None:
        if len(self.paths) > 1:
            raise InputError("the standard input cannot be read together with files")
        path, guessed = from_standard_input()
        self.paths = [path]
        if self.opening.format is None:
            self.opening = replace(self.opening, format="csv" if self.opening.delimiter else guessed)

    def _records(self) -> Iterator[Placed]:
        finished = 0
        for path in self.paths:
            rows = 0
            try:
                with reading(path):
                    name = self.opening.format_of(path)
                    if name is None:
                        raise no_format(path)
                    for place, record in _READERS[name](self, path):
                        rows += 1
                        yield path, place, record
            except BrokenFile as error:
                if self.repeatable:
                    raise
                raise BrokenFile(self.called(path), error.reason, line=error.line) from error
            self._rows.setdefault(self._said.get(path, name), []).append((path.name, rows))
            finished += file_size(path)
            self.done_bytes = min(finished, self.total_bytes)

    def _joined(self) -> Iterator[Placed]:
        joining = Joining()
        for path, place, record in self._records():
            if self.opening.format_of(path) not in BIBLIOGRAPHIES:
                raise InputError(f"{path} is not a bibliography; read it apart from the others")
            by = joining.add((path, place), dict(record))
            if by is not None:
                self.remark(JOINED.format(by), f"{path.name}, {self._place(path, place)}")
        for publication in joining:
            yield *publication.place, publication.record

    def _settle_on(self, head: Sequence[Placed]) -> None:
        """Guess what separates labels, unless that was said or done before."""
        if self.guess is not None:
            return
        self.guess = settled(self.columns, (record for _, _, record in head))
        self._settled = self.guess.applied(self.columns)

    def _document(self, path: Path, place: int, record: Mapping[str, Any], number: int) -> Document:
        columns = self._settled
        cell = record.get(columns.labels)
        if self._settled.yes_no:
            self.remark(YES_NO.format(columns.labels))
        elif self.guess is not None and isinstance(cell, str):
            for mark, what in ((self.guess.separator, SPLIT), (self.guess.doubtful, NOT_SPLIT)):
                if mark is not None and mark in cell:
                    self.remark(what.format(columns.labels, said(mark)))
        try:
            if columns.id in record:
                if not as_text(record[columns.id], columns.id).strip():
                    line = self.line(path, place)
                    self.remark(BLANK_IDS, f"{path.name}, {self._place(path, line)}")
                    record = {**record, columns.id: blank_id(line)}
            elif self.first is None:
                raise InputError(f"it has no '{columns.id}', and only one machine alone can number documents")
            # Lines of a part are counted from where it begins, and to find that out takes a reading of its own.
            return columns.document(record, (self.first or 0) + number, place if self.lines is None else 0)
        except (InputError, UnicodeDecodeError) as error:
            reason = "the text is not valid UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            if self.opening.format_of(path) in _PLACES:
                raise BrokenFile(path, f"{self._place(path, place)}: {reason}") from error
            raise BrokenFile(path, reason, line=self.line(path, place)) from error

    def _rows_read(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for how, files in self._rows.items():
            names = "; ".join(name for name, _ in files[:NAMED]) + ("; …" if len(files) > NAMED else "")
            found[f"{ROWS.format(how)} ({names})"] = sum(rows for _, rows in files)
        return found

    def _place(self, path: Path, number: int) -> str:
        return f"{_PLACES.get(self.opening.format_of(path) or '', 'line')} {number}"


def settled(columns: Columns, head: Iterable[Mapping[str, Any]]) -> Guess:
    """Return what separates labels in these records, if nobody said so, or whether they say yes or no."""
    if columns.separator is not None:
        return Guess()
    cells = [record.get(columns.labels) for record in head]
    return Guess(yes_no=True) if says_yes_or_no(columns.labels, cells) else guess_separator(cells)


def rows_of(
    path: Path, opening: Opening | None = None, columns: Columns | None = None
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a file as they are, each with its line or row; columns that are expected may be missing."""
    reader = RecordReader([path], columns, replace(opening or Opening(), join=False))
    reader.checked = False
    return ((place, record) for _, place, record in reader.records())


def holds_records(path: Path, opening: Opening | None = None) -> bool:
    """Return whether a file's name, or the way it begins, says that it holds records."""
    return (opening or Opening()).format_of(path) is not None


PART_BYTES = 1 << 26
"""A part is at least so long, as it lies on the disk, unless nothing is left."""


def record_parts(reader: RecordReader) -> Sequence[RecordReader]:
    """Return the parts of a reader, in order.

    They depend on the files and columns alone, not on who reads them. Where all files before a part are Parquet, it is
    known how many records they have; elsewhere the part's ``first`` is None, and its documents must have ids.
    """
    if reader.is_part or reader.joins or reader.total_bytes <= PART_BYTES:
        return [reader]
    reader.settle()
    parts: list[RecordReader] = []
    held: list[Path] = []
    held_bytes = 0
    number: int | None = 0

    def close() -> None:
        nonlocal held, held_bytes
        if held:
            parts.append(_part(reader, held))
            held, held_bytes = [], 0

    for path in reader.paths:
        pieces = [_part(reader, [path], row_groups=rows) for rows in _row_groups(reader, path)]
        pieces += [_part(reader, [path], lines=lines) for lines in _ranges_of_lines(reader, path)]
        if len(pieces) < 2:
            held.append(path)
            held_bytes += path.stat().st_size
            if held_bytes >= PART_BYTES:
                close()
            continue
        close()
        parts += pieces
    close()
    for part in parts:
        part.first = number
        rows = [_rows(reader, path, part.row_groups) for path in part.paths]
        number = None if number is None or None in rows else number + sum(n for n in rows if n is not None)
    return parts if len(parts) > 1 else [reader]


def neighbours(sizes: Sequence[int]) -> list[slice]:
    """Cut files into parts of neighbours that are long enough together."""
    parts: list[slice] = []
    begin = held_bytes = 0
    for end, size in enumerate(sizes, start=1):
        held_bytes += size
        if held_bytes >= PART_BYTES or end == len(sizes):
            parts.append(slice(begin, end))
            begin, held_bytes = end, 0
    return parts


def _part(
    reader: RecordReader, paths: list[Path], *, row_groups: list[int] | None = None, lines: range | None = None
) -> RecordReader:
    part = copy(reader)
    part.paths, part.row_groups, part.lines = paths, row_groups, lines
    part.become_part()
    return part


def _ranges_of_lines(reader: RecordReader, path: Path) -> Iterator[range]:
    """Yield ranges of the bytes of a plain file of JSON lines; none if its documents must be numbered, in order."""
    if reader.opening.format_of(path) != "jsonl" or compression(path) is not None:
        return
    n = path.stat().st_size // PART_BYTES
    if n > 1 and _has_ids(reader, path):
        yield from (range(i * PART_BYTES, (i + 1) * PART_BYTES) for i in range(n - 1))
        yield range((n - 1) * PART_BYTES, path.stat().st_size)


def _has_ids(reader: RecordReader, path: Path) -> bool:
    """Return whether the first record has an id; what cannot be read has none here, and its reader says why."""
    with path.open("rb") as file:
        first = file.readline(LONGEST_RECORD)
    try:
        return reader.columns.id in json.loads(first.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, TypeError, RecursionError):
        return False


def _row_groups(reader: RecordReader, path: Path) -> Iterator[list[int]]:
    """Yield neighbouring row groups of a Parquet file that are long enough together; nothing of any other file."""
    metadata = _metadata(reader, path)
    if metadata is None:
        return
    held: list[int] = []
    held_bytes = 0
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        held.append(group)
        held_bytes += sum(row_group.column(i).total_compressed_size for i in range(row_group.num_columns))
        if held_bytes >= PART_BYTES:
            yield held
            held, held_bytes = [], 0
    if held:
        yield held


def _rows(reader: RecordReader, path: Path, row_groups: Sequence[int] | None) -> int | None:
    metadata = _metadata(reader, path)
    if metadata is None:
        return None
    chosen = range(metadata.num_row_groups) if row_groups is None else row_groups
    return sum(metadata.row_group(group).num_rows for group in chosen)


def _metadata(reader: RecordReader, path: Path) -> Any:
    """Return what a Parquet file says of itself; a damaged one says nothing here, and its reader says why."""
    if reader.opening.format_of(path) != "parquet" or compression(path) is not None:
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_metadata(anywhere(path))
    except (pa.ArrowException, OSError):
        return None
