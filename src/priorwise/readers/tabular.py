"""Tables: CSV however it is delimited, quoted and encoded; spreadsheets; answers to queries of databases.

python-calamine reads spreadsheets: 100,000 rows of five columns take half a second, openpyxl needs eleven. Only a
workbook with numbers that are shown with leading zeros is read by openpyxl, because calamine does not say how they are
shown.
"""

from __future__ import annotations

import csv
import io
import math
import re
import signal
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priorwise.errors import BrokenFile, InputError, UnknownName, optional
from priorwise.readers.fields import LONGEST_RECORD, Numbered
from priorwise.readers.opening import Allowance, Encoding, Opening, known_encoding, opened, recognised, spooled

if TYPE_CHECKING:
    from priorwise.readers.records import RecordReader


EMPTY = "rows of empty cells, left out"
SHORT = "rows with fewer cells than the header, read as empty at their end"
_SAMPLE = 1 << 16
_DELIMITERS = ",;\t|"
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a table is written as text.

    ``escape`` says that a backslash precedes a quote within a cell, where others double it.
    """

    encoding: Encoding
    delimiter: str
    quote: str | None = '"'
    escape: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """The options of :func:`csv.reader` and :func:`csv.writer`."""
        return {
            "delimiter": self.delimiter,
            "quotechar": self.quote,
            "quoting": csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            "doublequote": not self.escape,
            "escapechar": "\\" if self.escape else None,
        }

    @property
    def said(self) -> str:
        """How it is written, in words."""
        quoting = "" if self.quote == '"' else ", no quotes" if self.quote is None else f", {self.quote} as quote"
        backslash = ", backslash before quotes" if self.escape else ""
        between = _NAMES.get(self.delimiter, f"'{self.delimiter}'")
        return f"{between} between columns, {self.encoding.said}{quoting}{backslash}"


def dialect_of(path: Path, opening: Opening, wanted: Sequence[str] = ()) -> Dialect:
    """Return how a file is written; columns that are wanted must be in the header, which helps to tell."""
    encoding = recognised(path) if opening.encoding is None else known_encoding(opening.encoding)
    with opened(path, lambda n: None) as stream:
        sample = stream.read(_SAMPLE)
    whole = len(sample) < _SAMPLE
    text = sample.decode(encoding.codec, "replace")
    # The last line of a sample may be cut off.
    lines = text if whole else text[: text.rfind("\n") + 1]
    expected = "\t" if opening.format_of(path) == "tsv" else ","
    return recognise_dialect(lines, encoding, opening, expected=expected, wanted=wanted)


def recognise_dialect(
    sample: str, encoding: Encoding, opening: Opening | None = None, *, expected: str = ",", wanted: Sequence[str] = ()
) -> Dialect:
    """Return how the first lines of a table are written."""
    opening = opening or Opening()
    delimiters = [opening.delimiter] if opening.delimiter else [expected, *_DELIMITERS.replace(expected, "")]
    best: tuple[tuple[float, ...], Dialect] | None = None
    for delimiter in delimiters:
        for dialect in _quotings(encoding, delimiter, opening.quote, sample):
            rows = _parsed(sample, dialect)
            if rows is None:
                continue
            score = _score(rows, wanted)
            if best is None or score > best[0]:
                best = score, dialect
            break
    quote = '"' if opening.quote is None else None if opening.quote == "none" else opening.quote
    return best[1] if best is not None else Dialect(encoding, delimiters[0], quote)


def _quotings(encoding: Encoding, delimiter: str, quote: str | None, sample: str) -> Iterator[Dialect]:
    """Yield ways to quote, the usual one first; the first that fits is taken."""
    if quote is not None:
        yield Dialect(encoding, delimiter, None if quote == "none" else quote)
        return
    yield Dialect(encoding, delimiter)
    if '\\"' in sample:
        yield Dialect(encoding, delimiter, escape=True)
    if delimiter == "\t" and "\t" in sample.partition("\n")[0]:
        # Quotes in a file with tabs are often just quotes.
        yield Dialect(encoding, delimiter, None)


def _parsed(sample: str, dialect: Dialect) -> list[list[str]] | None:
    try:
        return [row for row in csv.reader(io.StringIO(sample, newline=""), strict=True, **dialect.options) if row]
    except csv.Error as error:
        if "unexpected end of data" not in str(error):
            return None
        # Only the end of the sample is missing where a quote is still open.
        rows = [row for row in csv.reader(io.StringIO(sample, newline=""), **dialect.options) if row]
        return rows[:-1] or None


def _score(rows: list[list[str]], wanted: Sequence[str]) -> tuple[float, ...]:
    """Say how well rows fit: columns that are wanted, then rows as long as the header, then columns at all."""
    if not rows:
        return (0.0, 0.0, 0.0)
    header = rows[0]
    there = sum(name in header for name in wanted)
    if len(header) < 2:
        return (there, 0.0, 1.0)
    same = sum(len(row) == len(header) for row in rows) / len(rows)
    return (there, round(same, 1), min(len(header), 3))


def separated(reader: RecordReader, path: Path) -> Numbered:
    """Yield the rows of a table as records."""
    dialect = dialect_of(path, reader.opening, reader.wanted)
    reader.says(path, f"CSV, {dialect.said}")
    for line, row in numbered_rows(path, dialect, reader):
        if line == 0:
            reader.check(row, path)
            header = unique_names(row)
            continue
        if len(row) < len(header):
            reader.remark(SHORT, f"{path.name}, line {line}")
            row += [""] * (len(header) - len(row))
        elif len(row) > len(header):
            if any(row[len(header) :]):
                reason = f"{len(row)} columns, where the first line has {len(header)}"
                raise BrokenFile(path, f"{reason}; is a cell with a delimiter in it not quoted?", line=line)
            del row[len(header) :]
        yield line, dict(zip(header, row, strict=True))


def numbered_rows(path: Path, dialect: Dialect, reader: RecordReader) -> Iterator[tuple[int, list[str]]]:
    """Yield the header with the number 0, and each row with the number of the line it ends on."""
    # The module's own limit is 128 KB, for the whole process; nothing smaller than ours is of use to anyone.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_RECORD))
    begun = False
    with opened(path, reader.tell) as stream:
        text = io.TextIOWrapper(stream, encoding=dialect.encoding.codec, newline="")
        rows = csv.reader(_bounded(text, path), strict=True, **dialect.options)
        try:
            for row in rows:
                if not row:
                    continue
                if len(row) > 1 and not any(row):
                    reader.remark(EMPTY, f"{path.name}, line {rows.line_num}")
                    continue
                yield (rows.line_num if begun else 0), row
                begun = True
        except csv.Error as error:
            raise BrokenFile(path, f"malformed CSV ({error})", line=rows.line_num) from error
        except UnicodeError as error:
            reason = f"the text is not valid {dialect.encoding.said}; name its encoding with --encoding"
            raise BrokenFile(path, reason, line=rows.line_num + 1) from error


def _bounded(text: io.TextIOWrapper, path: Path) -> Iterator[str]:
    while line := text.readline(LONGEST_RECORD + 1):
        if len(line) > LONGEST_RECORD:
            raise BrokenFile(path, f"a line is longer than {LONGEST_RECORD:,} characters")
        yield line


def unique_names(header: Sequence[str]) -> list[str]:
    """Return the names of columns, each different: no cell is lost because two columns share a name."""
    names: list[str] = []
    for place, given in enumerate(header, start=1):
        name = plain = given.strip() or f"column {place}"
        number = 1
        while name in names:
            number += 1
            name = f"{plain} ({number})"
        names.append(name)
    return names


_ZEROS = re.compile(r"0{2,}")
_STYLES = "xl/styles.xml"
_LARGEST_STYLES = 1 << 26


def spreadsheet(reader: RecordReader, path: Path) -> Numbered:
    """Yield the rows of a sheet as records; the first row that is not empty is the header."""
    with spooled(path, reader.tell) as plain:
        name, rows, others = _sheet(plain, path, reader.opening.sheet, reader.wanted)
        more = f"; the file also has {', '.join(repr(each) for each in others)}" if others else ""
        reader.says(path, f"the sheet '{name}'{more}")
        header: list[str] | None = None
        for number, row in enumerate(rows, start=1):
            cells = [_plain(cell) for cell in row]
            if all(cell == "" or cell is None for cell in cells):
                reader.remark(EMPTY, f"{path.name}, row {number}")
                continue
            if header is None:
                names = [_as_name(cell) for cell in cells]
                reader.check(names, path)
                header = unique_names(names)
                continue
            if len(cells) > len(header):
                if any(cell not in ("", None) for cell in cells[len(header) :]):
                    reason = f"row {number} has a cell to the right of the last column with a name"
                    raise BrokenFile(path, f"{reason}; delete any rows above the names of the columns")
                del cells[len(header) :]
            cells += [""] * (len(header) - len(cells))
            yield number, dict(zip(header, cells, strict=True))


def chosen_sheet(path: Path, wanted: str | int | None, columns: Sequence[str]) -> str:
    """Return the name of the sheet that is read: as somebody chose, or the first with a table of these columns."""
    with spooled(path, lambda n: None) as plain:
        return _sheet(plain, path, wanted, columns)[0]


def _sheet(
    plain: Path, path: Path, wanted: str | int | None, columns: Sequence[str]
) -> tuple[str, Iterable[Sequence[Any]], list[str]]:
    workbook = _workbook(plain, path)
    names: list[str] = list(workbook.sheet_names)
    if not names:
        raise BrokenFile(path, "there is no sheet in it")
    chosen = _chosen(names, wanted, path)
    held: dict[str, Sequence[Sequence[Any]]] = {}
    if chosen is None:
        # A cover sheet or an empty one may come before the table.
        held = {name: _cells(workbook, path, name) for name in names}
        tables = [name for name in names if len(held[name]) > 1] or names
        headers = {name: _header(held[name]) for name in tables}
        widest = max(tables, key=lambda name: len(headers[name]))
        chosen = next((name for name in tables if headers[name].issuperset(columns)), widest)
    others = [name for name in names if name != chosen]
    if _shows_zeros(plain):
        return chosen, _rows_as_shown(plain, path, chosen), others
    return chosen, held[chosen] if chosen in held else _cells(workbook, path, chosen), others


def _header(rows: Iterable[Sequence[Any]]) -> set[str]:
    header = next((row for row in rows if any(cell not in ("", None) for cell in row)), ())
    return set(map(_as_name, header)) - {""}


def _cells(workbook: Any, path: Path, name: str) -> Sequence[Sequence[Any]]:
    """Return the rows of a sheet."""
    try:
        rows: Sequence[Sequence[Any]] = workbook.get_sheet_by_name(name).to_python(skip_empty_area=False)
    except Exception as error:
        # A panic inside the library can be any exception.
        raise BrokenFile(path, f"the sheet '{name}' cannot be read ({error})") from error
    return rows


_TRIAL = """
import sys
sys.path[:0] = sys.argv[4:]
import python_calamine
most, seconds = map(int, sys.argv[2:4])
for name, limit in (("RLIMIT_CORE", 0), ("RLIMIT_CPU", seconds), ("RLIMIT_AS", most)):
    try:
        # Windows has no limits, and macOS not all of them.
        import resource
        if limit or name == "RLIMIT_CORE":
            resource.setrlimit(getattr(resource, name), (limit, limit))
    except (ImportError, ValueError, OSError):
        pass
try:
    book = python_calamine.CalamineWorkbook.from_path(sys.argv[1])
    sheets = [book.get_sheet_by_name(name) for name in book.sheet_names]
except Exception:
    pass
"""
_OWN_MEMORY = 1 << 28
_SECONDS = 10
_BYTES_PER_SECOND = 1 << 20
"""A twentieth of what the library reads, counted in bytes after decompression."""


def _workbook(plain: Path, path: Path) -> Any:
    calamine = optional("python_calamine", "files")
    allowance = Allowance(path, plain.stat().st_size)
    _try_elsewhere(plain, allowance, _unpacked(plain, allowance), calamine)
    try:
        return calamine.CalamineWorkbook.from_path(str(plain))
    except OSError as error:
        if error.errno is not None:
            raise
        raise BrokenFile(path, f"not a spreadsheet that can be read ({error})") from error
    except Exception as error:
        raise BrokenFile(path, f"not a spreadsheet that can be read ({error})") from error


def _unpacked(plain: Path, allowance: Allowance) -> int:
    """Return how many bytes a file has when it is unpacked; refuse what expands beyond measure."""
    size = plain.stat().st_size
    if zipfile.is_zipfile(plain):
        try:
            with zipfile.ZipFile(plain) as packed:
                size = sum(entry.file_size for entry in packed.infolist())
        except (zipfile.BadZipFile, NotImplementedError, ValueError, UnicodeDecodeError) as error:
            raise BrokenFile(allowance.path, f"not a spreadsheet that can be read ({error})") from error
        allowance.foresee(size)
    return size


def _try_elsewhere(plain: Path, allowance: Allowance, size: int, calamine: Any) -> None:
    """Let another process read a workbook first, in limited memory and time.

    The library makes room for all cells up to the last one. If that one is in a far corner, there is not enough
    memory, and this ends the process instead of raising an exception. On some broken files it never ends. Trying takes
    a tenth of the time of reading.
    """
    if not sys.executable:
        return
    most = 0 if math.isinf(allowance.left) else _OWN_MEMORY + int(allowance.left)
    seconds, folder = _SECONDS + size // _BYTES_PER_SECOND, Path(calamine.__file__).parent.parent
    given = [str(each) for each in (plain.absolute(), most, seconds, folder)]
    command = [sys.executable, "-I", "-S", "-c", _TRIAL, *given]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode
    if ended == -signal.SIGABRT and most:
        why = "a cell lies far from the table, or there are too many"
        advice = "delete empty rows and columns, or add --allow-large if you trust it"
        raise BrokenFile(allowance.path, f"its cells need more than {most:,} bytes: {why}; {advice}")
    if ended:
        raise BrokenFile(allowance.path, "not a spreadsheet that can be read: trying to read it never ends, or crashes")


def _chosen(names: list[str], wanted: str | int | None, path: Path) -> str | None:
    if wanted is None or wanted in names:
        return None if wanted is None else str(wanted)
    if str(wanted).isdecimal():
        if not 1 <= int(wanted) <= len(names):
            raise InputError(f"{path} has {len(names)} sheets, and no sheet {wanted}")
        return names[int(wanted) - 1]
    raise UnknownName("sheet", str(wanted), names, complete=True)


def _shows_zeros(path: Path) -> bool:
    """Return whether a workbook of Excel shows numbers with leading zeros, as it does with ids of a fixed length."""
    try:
        with zipfile.ZipFile(path) as packed:
            if packed.getinfo(_STYLES).file_size > _LARGEST_STYLES:
                return False
            styles = packed.read(_STYLES).decode("utf-8", "replace")
    except (zipfile.BadZipFile, KeyError, OSError, RuntimeError, NotImplementedError, EOFError):
        return False
    return re.search(r'formatCode="0{2,}"', styles) is not None


def _rows_as_shown(plain: Path, path: Path, name: str) -> Iterator[list[Any]]:
    openpyxl = optional("openpyxl", "files")
    try:
        book = openpyxl.load_workbook(plain, read_only=True, data_only=True)
    except Exception as error:
        # openpyxl has no error of its own for what is broken; it may be any.
        raise BrokenFile(path, f"not an .xlsx file that can be read ({error})") from error
    try:
        # What the sheet says of its own size is often wrong, and openpyxl would leave out what lies beyond.
        book[name].reset_dimensions()
        for row in book[name].iter_rows():
            yield [_as_shown(cell) for cell in row]
    except Exception as error:
        raise BrokenFile(path, f"the sheet '{name}' cannot be read ({error})") from error
    finally:
        book.close()


def _as_shown(cell: Any) -> Any:
    value = cell.value
    if isinstance(value, int | float) and not isinstance(value, bool) and _ZEROS.fullmatch(cell.number_format or ""):
        return f"{value:0{len(cell.number_format)}.0f}"
    return value


def _plain(cell: Any) -> Any:
    """Return a whole number as such: spreadsheets have none of their own."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return int(cell)
    if hasattr(cell, "hour") and hasattr(cell, "date") and (cell.hour, cell.minute, cell.second) == (0, 0, 0):
        return cell.date()
    return cell


def _as_name(cell: Any) -> str:
    return "" if cell is None else str(cell)


_ROWS_AT_A_TIME = 512


def database(reader: RecordReader, path: Path) -> Numbered:
    """Yield the rows of the answer to a query; the database is opened for reading only."""
    with spooled(path, reader.tell) as plain, _connection(plain, path) as connection:
        query = reader.opening.query
        if query is None:
            raise InputError(f"{path} is a database: say what to read with --query; {_its_tables(connection)}")
        reader.says(path, "the answer to a query")
        with _answers(path, query):
            cursor = connection.execute(query)
            if cursor.description is None:
                raise BrokenFile(path, "the query returns no table; it must be a SELECT")
            names = [str(column[0]) for column in cursor.description]
            reader.check(names, path)
            header = unique_names(names)
            number = 0
            while rows := cursor.fetchmany(_ROWS_AT_A_TIME):
                for row in rows:
                    number += 1
                    yield number, dict(zip(header, row, strict=True))


@contextmanager
def _connection(plain: Path, path: Path) -> Iterator[Any]:
    with plain.open("rb") as file:
        head = file.read(16)
    if head[8:12] == b"DUCK":
        duckdb = optional("duckdb", "files")
        with _answers(path, ""), closing(duckdb.connect(str(plain), read_only=True)) as connection:
            yield connection
        return
    if not head.startswith(b"SQLite format 3\0"):
        raise BrokenFile(path, "neither a database of SQLite nor one of DuckDB")
    address = plain.absolute().as_uri() + "?mode=ro"
    with _answers(path, ""), closing(sqlite3.connect(address, uri=True)) as connection:
        yield connection


@contextmanager
def _answers(path: Path, query: str) -> Iterator[None]:
    """Turn the errors of both databases into ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise BrokenFile(path, f"the query failed ({error})" if query else f"cannot be read ({error})") from error
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("duckdb", "_duckdb"):
            raise
        said = str(error).partition("\n")[0]
        raise BrokenFile(path, f"the query failed ({said})" if query else f"cannot be read ({said})") from error


def _its_tables(connection: Any) -> str:
    catalogue = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    names = [str(row[0]) for row in connection.execute(catalogue).fetchall()]
    return f"its tables are {', '.join(names[:20])}" if names else "it has no tables"
