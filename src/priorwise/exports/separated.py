"""CSV and TSV files with results added; a row whose labels stay is written exactly as it was."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priorwise.errors import BrokenFile
from priorwise.readers.opening import Opening
from priorwise.readers.separated import Dialect, dialect_of, unique_names
from priorwise.readers.tagged import numbered_lines
from priorwise.tables import BYTE_ORDER_MARK, csv_writer, guarded, row_text

if TYPE_CHECKING:
    from priorwise.exports.write_back import Added


def write_into_table(path: Path, draft: Path, added: Added, opening: Opening) -> None:
    """Write a table with three more columns."""
    dialect = dialect_of(path, opening, added.columns.required)
    header: list[str] | None = None
    again: list[int] = []
    row = 0
    with draft.open("w", encoding=dialect.encoding.codec, newline="") as file:
        for cells, raw in _rows_and_lines(path, dialect):
            body = raw.rstrip("\r\n")
            end = raw[len(body) :] or "\n"
            if not cells or (len(cells) > 1 and not any(cells)):
                file.write(raw)
                continue
            everywhere = bool(dialect.quote) and body.startswith(str(dialect.quote))
            if header is None:
                header = unique_names(cells)
                again = [header.index(name) for name in map(guarded, added.headings) if name in header]
                new: list[Any] = list(added.headings)
            else:
                new = added.cells(row)
                missing = len(header) - len(cells)
                place = header.index(added.columns.labels) if added.columns.labels in header else None
                if place is not None and added.gains(row):
                    cells += [""] * missing
                    labels = added.with_label(cells[place])
                    if labels != cells[place]:
                        cells[place] = guarded(labels)
                        body = row_text(cells, everywhere=everywhere, guard=False, **dialect.options)
                    missing = 0
                # Some programs leave out empty cells at the end of a row, and others write too many.
                body += dialect.delimiter * missing
                if missing < 0:
                    body = row_text(cells[: len(header)], everywhere=everywhere, guard=False, **dialect.options)
                row += 1
            if len(again) == len(new):
                # Results of the same label from an earlier time are replaced.
                if row:
                    cells = [*cells, *[""] * (len(header) - len(cells))]
                    for place, value in zip(again, new, strict=True):
                        cells[place] = guarded(str(value))
                    body = row_text(cells, everywhere=everywhere, guard=False, **dialect.options)
                file.write(body + end)
                continue
            file.write(body + dialect.delimiter + row_text(new, everywhere=everywhere, **dialect.options) + end)


def write_table(draft: Path, headings: Sequence[str], rows: Iterable[Sequence[Any]], delimiter: str) -> None:
    """Write a new table, for spreadsheet programs."""
    with draft.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(BYTE_ORDER_MARK)
        if delimiter == ",":
            write_row = csv_writer(file, headings)
            for row in rows:
                write_row(row)
            return
        for row in [headings, *rows]:
            file.write(row_text(row, delimiter=delimiter) + "\n")


def _rows_and_lines(path: Path, dialect: Dialect) -> Iterator[tuple[list[str], str]]:
    """Yield each row, and the lines it was read from."""
    held: list[str] = []

    def lines() -> Iterator[str]:
        for _, line in numbered_lines(path, dialect.encoding):
            held.append(line)
            yield line

    try:
        for cells in csv.reader(lines(), strict=True, **dialect.options):
            yield cells, "".join(held)
            held.clear()
    except csv.Error as error:
        raise BrokenFile(path, f"malformed CSV ({error})") from error
