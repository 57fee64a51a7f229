"""Spreadsheets with results added, and new ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priorwise.errors import BrokenFile, MissingExtra
from priorwise.readers.opening import Opening
from priorwise.readers.sheets import chosen_sheet
from priorwise.tables import starts_formula

if TYPE_CHECKING:
    from priorwise.exports.write_back import Added

_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LONGEST_CELL = 32_767


def write_into_workbook(path: Path, draft: Path, added: Added, opening: Opening) -> None:
    """Write a workbook with three more columns in the sheet that was read; other sheets and formats stay."""
    openpyxl = _openpyxl()
    name = chosen_sheet(path, opening.sheet)
    try:
        book = openpyxl.load_workbook(path, keep_vba=path.suffix.lower() == ".xlsm")
    except Exception as error:
        # openpyxl has no error of its own for what is broken; it may be any.
        raise BrokenFile(path, f"not an .xlsx file that can be read ({error})") from error
    sheet = book[name]
    row, right, labels_at = -1, 0, None
    at: list[int] = []
    for cells in sheet.iter_rows():
        if all(cell.value in (None, "") for cell in cells):
            continue
        if row < 0:
            right = max(cell.column for cell in cells if cell.value not in (None, ""))
            labels_at = next((cell.column for cell in cells if cell.value == added.columns.labels), None)
            new: list[Any] = list(added.headings)
            places = {cell.value: cell.column for cell in cells}
            # Results of the same label from an earlier time are replaced.
            at = [places.get(name, right + number) for number, name in enumerate(new, start=1)]
        else:
            new = added.cells(row)
            if labels_at is not None and added.gains(row):
                cell = sheet.cell(cells[0].row, labels_at)
                _set(cell, added.with_label("" if cell.value is None else cell.value))
        for place, value in zip(at, new, strict=True):
            if value != "" or place <= right:
                _set(sheet.cell(cells[0].row, place), None if value == "" else value)
        row += 1
    book.save(draft)
    book.close()


def write_workbook(draft: Path, headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a new workbook; texts that look like formulas stay texts."""
    book = _openpyxl().Workbook()
    sheet = book.active
    for number, row in enumerate([headings, *rows], start=1):
        for place, value in enumerate(row, start=1):
            if value not in (None, ""):
                _set(sheet.cell(number, place), value)
    sheet.freeze_panes = "A2"
    book.save(draft)


def _set(cell: Any, value: Any) -> None:
    if isinstance(value, str):
        cell.value = _UNWRITABLE.sub("\ufffd", value)[:_LONGEST_CELL]
        # A text, even if it looks like a formula, and still one after somebody has edited it.
        cell.data_type = "s"
        cell.quotePrefix = starts_formula(value)
    else:
        cell.value = value


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtra("openpyxl", "files") from error
    return openpyxl
