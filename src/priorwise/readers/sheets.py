"""Spreadsheets: Excel's and LibreOffice's.

python-calamine reads them: 100,000 rows of five columns take half a second, openpyxl needs eleven. Only a workbook with
numbers that are shown with leading zeros is read by openpyxl, because calamine does not say how numbers are shown.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priorwise.errors import BrokenFile, InputError, MissingExtra, UnknownName
from priorwise.readers.compressed import spooled
from priorwise.readers.guarded import Allowance
from priorwise.readers.json_lines import Numbered
from priorwise.readers.separated import EMPTY, unique_names

if TYPE_CHECKING:
    from priorwise.readers.records import RecordReader

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
                    raise BrokenFile(path, f"row {number} has a cell to the right of the last column with a name")
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
        chosen = next((name for name in tables if _has_columns(held[name], columns)), tables[0])
    others = [name for name in names if name != chosen]
    if _shows_zeros(plain):
        return chosen, _rows_as_shown(plain, path, chosen), others
    return chosen, held[chosen] if chosen in held else _cells(workbook, path, chosen), others


def _has_columns(rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> bool:
    header = next((row for row in rows if any(cell not in ("", None) for cell in row)), ())
    return set(columns) <= set(map(_as_name, header))


def _cells(workbook: Any, path: Path, name: str) -> Sequence[Sequence[Any]]:
    """Return the rows of a sheet."""
    try:
        rows: Sequence[Sequence[Any]] = workbook.get_sheet_by_name(name).to_python(skip_empty_area=False)
    except Exception as error:
        # A panic inside the library can be any exception.
        raise BrokenFile(path, f"the sheet '{name}' cannot be read ({error})") from error
    return rows


def _workbook(plain: Path, path: Path) -> Any:
    try:
        from python_calamine import CalamineWorkbook
    except ImportError as error:
        raise MissingExtra("python-calamine", "files") from error
    _refuse_bomb(plain, path)
    try:
        return CalamineWorkbook.from_path(str(plain))
    except OSError as error:
        if error.errno is not None:
            raise
        raise BrokenFile(path, f"not a spreadsheet that can be read ({error})") from error
    except Exception as error:
        raise BrokenFile(path, f"not a spreadsheet that can be read ({error})") from error


def _refuse_bomb(plain: Path, path: Path) -> None:
    """Refuse a file that would expand beyond measure, as other compressed files are."""
    if zipfile.is_zipfile(plain):
        try:
            with zipfile.ZipFile(plain) as packed:
                size = sum(entry.file_size for entry in packed.infolist())
        except (zipfile.BadZipFile, NotImplementedError, ValueError, UnicodeDecodeError) as error:
            raise BrokenFile(path, f"not a spreadsheet that can be read ({error})") from error
        Allowance(path, plain.stat().st_size).spend(size)


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
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtra("openpyxl", "files") from error
    try:
        book = openpyxl.load_workbook(plain, read_only=True, data_only=True)
    except Exception as error:
        # openpyxl has no error of its own for what is broken; it may be any.
        raise BrokenFile(path, f"not an .xlsx file that can be read ({error})") from error
    try:
        for row in book[name].iter_rows():
            yield [_as_shown(cell) for cell in row]
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
