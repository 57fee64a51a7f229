"""Spreadsheets with results added, and new ones."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

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
    name = chosen_sheet(path, opening.sheet, added.columns.required)
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


_CONTENT = "content.xml"
_MOST_REPEATED = 1 << 20
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"


def write_into_open_document(path: Path, draft: Path, added: Added, opening: Opening) -> None:
    """Write a spreadsheet of LibreOffice with three more columns in the sheet that was read; all else stays."""
    name = chosen_sheet(path, opening.sheet, added.columns.required)
    try:
        with zipfile.ZipFile(path) as source, zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as target:
            for entry in source.infolist():
                content = source.read(entry)
                target.writestr(entry, _with_results(content, name, added) if entry.filename == _CONTENT else content)
    except (ElementTree.ParseError, ValueError, StopIteration, zipfile.BadZipFile, NotImplementedError) as error:
        raise BrokenFile(path, f"not an .ods file that can be written again ({error})") from error


def _with_results(content: bytes, name: str, added: Added) -> bytes:
    for _, (prefix, space) in ElementTree.iterparse(io.BytesIO(content), ["start-ns"]):
        ElementTree.register_namespace(prefix, space)
    document = ElementTree.fromstring(content)
    sheet = next(each for each in document.iter(f"{{{_TABLE}}}table") if each.get(f"{{{_TABLE}}}name") == name)
    row, at, labels_at = -1, [0, 0, 0], None
    for element in _expanded(sheet, "table-row"):
        cells = _expanded(element, "table-cell")
        texts = [_cell_text(cell) for cell in cells]
        if not any(texts):
            continue
        if row < 0:
            right = max(place for place, text in enumerate(texts) if text) + 1
            labels_at = texts.index(added.columns.labels) if added.columns.labels in texts else None
            new: list[Any] = list(added.headings)
            # Results of the same label from an earlier time are replaced.
            at = [texts.index(each) if each in texts else right + n for n, each in enumerate(new)]
        else:
            new = added.cells(row)
            if labels_at is not None and added.gains(row):
                held = texts[labels_at] if labels_at < len(texts) else ""
                _set_cell(element, labels_at, added.with_label(held))
        for place, value in zip(at, new, strict=True):
            _set_cell(element, place, value)
        row += 1
    return ElementTree.tostring(document, encoding="UTF-8", xml_declaration=True)


def _expanded(parent: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    """Return the rows of a sheet or the cells of a row, with those that stand for several written out.

    Only what is empty to the end of the sheet or row is left as it is: it may stand for a million.
    """
    repeats = f"{{{_TABLE}}}number-{'rows' if kind == 'table-row' else 'columns'}-repeated"
    kinds = (f"{{{_TABLE}}}{kind}", f"{{{_TABLE}}}covered-{kind}")
    holders = [each for each in parent.iter() if any(child.tag in kinds for child in each)]
    found: list[ElementTree.Element] = []
    for holder in holders:
        children = [child for child in holder if child.tag in kinds]
        filled = [number for number, child in enumerate(children) if any(map(_holds, child.iter()))]
        for child in children[: filled[-1] + 1 if filled else 0]:
            times = int(child.attrib.pop(repeats, "1"))
            if times > _MOST_REPEATED:
                raise ValueError(f"{times:,} rows or cells in a row are the same")
            place = list(holder).index(child)
            for copy in range(1, times):
                holder.insert(place + copy, deepcopy(child))
            found += list(holder)[place : place + times]
    return found


def _holds(element: ElementTree.Element) -> bool:
    return f"{{{_OFFICE}}}value-type" in element.attrib or bool((element.text or "").strip())


def _cell_text(cell: ElementTree.Element) -> str:
    value = next((cell.get(f"{{{_OFFICE}}}{name}", "") for name in ("value", "date-value", "boolean-value")), "")
    return value or "\n".join("".join(paragraph.itertext()) for paragraph in cell.findall(f"{{{_TEXT}}}p"))


def _set_cell(row: ElementTree.Element, place: int, value: Any) -> None:
    """Set a cell of a row to a text or a number; cells that are missing before it are made."""
    kinds = (f"{{{_TABLE}}}table-cell", f"{{{_TABLE}}}covered-table-cell")
    repeats = f"{{{_TABLE}}}number-columns-repeated"
    for child in [each for each in row if each.tag in kinds]:
        times = int(child.get(repeats, "1"))
        if times > 1:
            # Empty cells to the end of the row.
            row.remove(child)
    while len(cells := [each for each in row if each.tag in kinds]) <= place:
        row.append(ElementTree.Element(kinds[0]))
    cell = cells[place]
    style = cell.get(f"{{{_TABLE}}}style-name")
    cell.clear()
    if style is not None:
        cell.set(f"{{{_TABLE}}}style-name", style)
    if value == "":
        return
    is_number = isinstance(value, int | float)
    cell.set(f"{{{_OFFICE}}}value-type", "float" if is_number else "string")
    if is_number:
        cell.set(f"{{{_OFFICE}}}value", str(value))
    for line in str(value).split("\n"):
        ElementTree.SubElement(cell, f"{{{_TEXT}}}p").text = _UNWRITABLE.sub("\ufffd", line)


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
