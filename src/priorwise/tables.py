"""Every CSV file that priorwise writes goes through here, so that no cell of it is ever taken for a formula.

Spreadsheet programs run a cell that starts with ``=``, ``+``, ``-`` or ``@``. Titles and labels come from strangers, so
a text that starts like that gets an apostrophe in front. Numbers stay numbers.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO, TextIO

BYTE_ORDER_MARK = "\ufeff"
"""Written first in a file made for spreadsheet programs, which otherwise may not read it as UTF-8."""

# The wide forms count too: Excel reads them as the narrow ones where Chinese, Japanese or Korean is set.
_FORMULA = r"^'*[=+\-@\t\r\n\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]"
_STARTS_FORMULA = re.compile(re.sub(r"\\x\{(\w{4})\}", r"\\u\1", _FORMULA))


def starts_formula(text: str) -> bool:
    """Return whether a spreadsheet program may take a text for a formula."""
    return _STARTS_FORMULA.match(text) is not None


def guarded(text: str) -> str:
    """Return a text as a cell that no spreadsheet program takes for a formula."""
    return "'" + text if starts_formula(text) else text


def unguarded(cell: str) -> str:
    """Undo :func:`guarded`."""
    return cell[1:] if cell.startswith("'") and starts_formula(cell) else cell


def csv_writer(file: TextIO, headings: Sequence[str]) -> Callable[[Iterable[Any]], None]:
    """Write the headings of a table, and return a function that writes one row."""
    writer = csv.writer(_UnixLines(file))

    def write_row(cells: Iterable[Any]) -> None:
        writer.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in cells])

    write_row(headings)
    return write_row


def row_text(cells: Iterable[Any], *, everywhere: bool = False, guard: bool = True, **dialect: Any) -> str:
    """Return one row of a table in any dialect of CSV, without the end of the line."""
    file = io.StringIO()
    quoting: Any = csv.QUOTE_ALL if everywhere else dialect.pop("quoting", csv.QUOTE_MINIMAL)
    dialect.pop("quoting", None)
    if quoting == csv.QUOTE_NONE:
        dialect["escapechar"] = dialect.get("escapechar") or "\\"
    writer = csv.writer(file, quoting=quoting, **dialect)
    writer.writerow([guarded(cell) if guard and isinstance(cell, str) else cell for cell in cells])
    return file.getvalue().removesuffix("\r\n")


def write_csv(table: Any, file: Path | BinaryIO) -> None:
    """Write an Arrow table as CSV, with a byte order mark for spreadsheet programs."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv as arrow_csv

    columns = []
    for column in table.columns:
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            marked = pc.binary_join_element_wise(pa.scalar("'", column.type), column, pa.scalar("", column.type))
            column = pc.if_else(pc.match_substring_regex(column, _FORMULA), marked, column)
        columns.append(column)
    named = pa.table(columns, names=[guarded(name) for name in table.column_names])
    with nullcontext(file) if not isinstance(file, Path) else file.open("wb") as stream:
        stream.write(BYTE_ORDER_MARK.encode())
        arrow_csv.write_csv(named, stream)


def read_csv(path: Path, schema: Any) -> Any:
    """Read a table that :func:`write_csv` wrote, as it was; a text is never missing."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    types = {field.name: field.type for field in schema}
    options = arrow_csv.ConvertOptions(column_types=types, include_columns=list(types))
    table = arrow_csv.read_csv(
        path, parse_options=arrow_csv.ParseOptions(newlines_in_values=True), convert_options=options
    )
    columns = [
        pa.array([unguarded(cell) for cell in column.to_pylist()], column.type)
        if pa.types.is_string(column.type)
        else column
        for column in table.columns
    ]
    return pa.table(columns, schema=schema)


class _UnixLines:
    """Ends each row with a line feed alone.

    If the csv module were told to do so, it would leave a carriage return within a cell unquoted (before Python 3.13),
    and readers would take it for the end of the row.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> int:
        return self._file.write(row.removesuffix("\r\n") + "\n")
