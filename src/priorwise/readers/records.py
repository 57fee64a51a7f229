"""Read records from files: tables, spreadsheets, bibliographies, databases, JSON lines, Parquet, Arrow."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from priorwise.errors import BrokenFile, InputError, NotEnoughData, PriorwiseError
from priorwise.readers.bibliography import JOINED, Joining
from priorwise.readers.bibtex import bibtex
from priorwise.readers.columnar import arrow, parquet
from priorwise.readers.compressed import anywhere, file_size, reading
from priorwise.readers.databases import database
from priorwise.readers.document import Document, described
from priorwise.readers.endnote import endnote
from priorwise.readers.fields import Columns, as_text, blank_id
from priorwise.readers.formats import BIBLIOGRAPHIES
from priorwise.readers.json_lines import Numbered, json_lines, lines_before
from priorwise.readers.opening import STDIN, Opening, from_standard_input, no_format
from priorwise.readers.record_parts import PART_BYTES, record_parts
from priorwise.readers.remarks import NAMED, Remarks
from priorwise.readers.remote_file import found_files
from priorwise.readers.separated import separated
from priorwise.readers.separators import PEEKED, Guess, guess_separator, said
from priorwise.readers.sheets import spreadsheet
from priorwise.readers.tagged import nbib, ris

BLANK_IDS = "rows without an id, named by their row"
SPLIT = "cells of '{}' split at {}, which was guessed"
NOT_SPLIT = "cells of '{}' with {}, read as one label each; --separator splits them"
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
_BY_ROW = ("parquet", "arrow", "spreadsheet", "sqlite", "duckdb")


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
        """Return readers of some 64 MB each: files, row groups of a Parquet file, or lines of a plain one of JSON."""
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
            self.columns.check(present, str(path))

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
        files = [[str(path.resolve()), file_size(path), path.stat().st_mtime_ns] for path in self.paths]
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
            with reading(path):
                name = self.opening.format_of(path)
                if name is None:
                    raise no_format(path)
                for place, record in _READERS[name](self, path):
                    rows += 1
                    yield path, place, record
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
                self.remark(JOINED.format(by), f"{path.name}, line {place}")
        for publication in joining:
            yield *publication.place, publication.record

    def _settle_on(self, head: Sequence[Placed]) -> None:
        """Guess what separates labels, unless that was said or done before."""
        if self.guess is not None:
            return
        self.guess = settled(self.columns, (record for _, _, record in head))
        self._settled = replace(self.columns, separator=self.guess.separator or self.columns.separator)

    def _document(self, path: Path, place: int, record: Mapping[str, Any], number: int) -> Document:
        columns = self._settled
        cell = record.get(columns.labels)
        if self.guess is not None and isinstance(cell, str):
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
            if self.opening.format_of(path) in _BY_ROW:
                raise BrokenFile(path, f"row {place}: {reason}") from error
            raise BrokenFile(path, reason, line=self.line(path, place)) from error

    def _rows_read(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for how, files in self._rows.items():
            names = "; ".join(name for name, _ in files[:NAMED]) + ("; …" if len(files) > NAMED else "")
            found[f"{ROWS.format(how)} ({names})"] = sum(rows for _, rows in files)
        return found

    def _place(self, path: Path, number: int) -> str:
        return f"{'row' if self.opening.format_of(path) in _BY_ROW else 'line'} {number:,}"


def settled(columns: Columns, head: Iterable[Mapping[str, Any]]) -> Guess:
    """Return what separates labels in these records, if nobody said so."""
    if columns.separator is not None:
        return Guess()
    return guess_separator(record.get(columns.labels) for record in head)


def rows_of(
    path: Path, opening: Opening | None = None, columns: Columns | None = None
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a file as they are, each with its line or row; columns that are expected may be missing."""
    reader = RecordReader([path], columns, replace(opening or Opening(), join=False))
    reader.checked = False
    return ((place, record) for _, place, record in reader.records())


def holds_records(path: Path, opening: Opening | None = None) -> bool:
    """Return whether a file's name, or the way it begins, says that it holds records.

    Examples
    --------
    >>> holds_records(Path("news.jsonl.gz")), holds_records(Path("letter.txt"))
    (True, False)
    """
    return (opening or Opening()).format_of(path) is not None
