"""A review as a spreadsheet: written, filled in by somebody somewhere, and read back."""

from __future__ import annotations

import csv
import re
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from priorwise.corpus import Corpus
from priorwise.corpus.files import whole_file
from priorwise.errors import BrokenFile, InputError, MissingExtra
from priorwise.review.queue import Item
from priorwise.review.verdicts import Verdict, Verdicts

HEADINGS = ("id", "title", "page", "text", "verdict")
SHORT = {"y": "yes", "n": "no", "u": "unsure", "?": "unsure", "s": "skip"}
ALLOWED = ("yes", "no", "unsure", "skip")

_LONGEST_CELL = 2_000
_LARGEST_FILE = 100 << 20
_STARTS_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def guarded(text: str) -> str:
    """Return a cell that no spreadsheet program takes for a formula.

    Examples
    --------
    >>> guarded("=1+1"), guarded("plain"), guarded("'=1")
    ("'=1+1", 'plain', "''=1")
    """
    return "'" + text if _STARTS_FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    """Take back what :func:`guarded` did.

    Examples
    --------
    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _STARTS_FORMULA.match(cell) else cell


def write_sheet(path: Path, items: Sequence[Item], corpus: Corpus, said: Iterable[Verdict] = ()) -> None:
    """Write the documents to judge, one in each row, with an empty column for the verdict.

    Parameters
    ----------
    path : Path
        Ending in ``.xlsx`` or ``.csv``.
    items : sequence of Item
    corpus : Corpus
        For the texts and the pages.
    said : iterable of Verdict
        The reviewer's verdicts so far; they are filled in.
    """
    words = {verdict.item: verdict.verdict for verdict in said}
    rows = [_row(item, corpus, words.get(item.id, "")) for item in items]
    suffix = path.suffix.lower()
    if suffix not in (".xlsx", ".csv"):
        raise InputError(f"a sheet is an .xlsx or a .csv file, and {path.name} is neither")
    with whole_file(path) as draft:
        if suffix == ".xlsx":
            _write_xlsx(draft, rows)
            return
        with draft.open("w", encoding="utf-8-sig", newline="") as file:
            csv.writer(file).writerows([HEADINGS, *([guarded(cell) for cell in row] for row in rows)])


def read_sheet(path: Path, reviewer: str, items: Sequence[Item], verdicts: Verdicts, *, teaching: bool = False) -> int:
    """Store the verdicts of a sheet that was filled in, all or none; return how many are new.

    `teaching` says whether its documents were chosen to teach the model.

    Raises
    ------
    BrokenFile
        A cell holds what is no verdict, or a row is of a document that is not to be judged: with the row's number.
    """
    found = dict(_verdicts_of(path, {item.id for item in items}))
    before = {verdict.item: verdict for verdict in verdicts.current(reviewer) if verdict.teaching is teaching}
    new = [
        Verdict(
            str(uuid.uuid4()),
            reviewer,
            item,
            word,
            before[item].id if item in before else None,
            teaching=teaching,
        )
        for item, word in found.items()
        if item not in before or before[item].verdict != word
    ]
    verdicts.add_all(new)
    return len(new)


def _row(item: Item, corpus: Corpus, word: str) -> list[str]:
    row = corpus.row(item.id)
    text = corpus.text(row) or ""
    cells = [item.id, item.title, corpus.address(row) or "", text[:_LONGEST_CELL], word]
    return [_UNWRITABLE.sub("\ufffd", cell) for cell in cells]


def _verdicts_of(path: Path, known: set[str]) -> Iterator[tuple[str, str]]:
    rows = iter(_rows_of(path))
    headings = [str(cell or "").strip().lower() for cell in next(rows, [])]
    places = {}
    for name in ("id", "verdict"):
        if headings.count(name) != 1:
            raise BrokenFile(path, f"the first row must have one column '{name}'", line=1)
        places[name] = headings.index(name)
    by_cell = {_UNWRITABLE.sub("\ufffd", id): id for id in known}
    seen: dict[str, tuple[int, str]] = {}
    for number, row in enumerate(rows, start=2):
        cells = {name: _text(row[place]) if place < len(row) else "" for name, place in places.items()}
        word = cells["verdict"].strip().lower()
        if not word:
            continue
        word = SHORT.get(word, word)
        if word not in ALLOWED:
            raise BrokenFile(path, f"'{word[:50]}' is no verdict; write yes, no, unsure or skip", line=number)
        item = by_cell.get(cells["id"]) or by_cell.get(unguarded(cells["id"]))
        if item is None:
            raise BrokenFile(path, f"the document '{cells['id'][:100]}' is not in this review", line=number)
        if item in seen and seen[item][1] != word:
            raise BrokenFile(path, f"the document has another verdict in row {seen[item][0]}", line=number)
        seen[item] = (number, word)
        yield item, word


def _rows_of(path: Path) -> Iterator[Sequence[Any]]:
    if not path.is_file():
        raise BrokenFile(path, "there is no such file")
    if path.suffix.lower() == ".xlsx":
        yield from _rows_of_xlsx(path)
        return
    if path.suffix.lower() != ".csv":
        raise InputError(f"a sheet is an .xlsx or a .csv file, and {path.name} is neither")
    if path.stat().st_size > _LARGEST_FILE:
        raise BrokenFile(path, "too large for a review")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            start = file.read(1 << 12)
            file.seek(0)
            # Where a comma is the decimal point, spreadsheet programs write semicolons.
            first = start.partition("\n")[0]
            delimiter = max(",;\t", key=first.count)
            yield from csv.reader(file, delimiter=delimiter)
    except UnicodeDecodeError as error:
        raise BrokenFile(path, "not valid UTF-8; save it as 'CSV UTF-8'") from error
    except csv.Error as error:
        raise BrokenFile(path, f"not a CSV file ({error})") from error


def _rows_of_xlsx(path: Path) -> Iterator[Sequence[Any]]:
    openpyxl = _openpyxl()
    try:
        with zipfile.ZipFile(path) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > _LARGEST_FILE:
                raise BrokenFile(path, "too large for a review")
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except BrokenFile:
        raise
    except Exception as error:
        # openpyxl has no error of its own for what is broken; it may be any.
        raise BrokenFile(path, f"not an .xlsx file that can be read ({error})") from error
    try:
        yield from book.worksheets[0].iter_rows(values_only=True)
    finally:
        book.close()


def _write_xlsx(path: Path, rows: Sequence[Sequence[str]]) -> None:
    openpyxl = _openpyxl()
    from openpyxl.styles import Alignment, Font
    from openpyxl.worksheet.datavalidation import DataValidation

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "review"
    widths: Mapping[str, int] = {"A": 20, "B": 40, "C": 12, "D": 90, "E": 10}
    for column, width in widths.items():
        sheet.column_dimensions[column].width = width
    for number, row in enumerate([HEADINGS, *rows], start=1):
        for place, text in enumerate(row, start=1):
            cell = sheet.cell(number, place)
            cell.value = text
            # A text, even if it looks like a formula, and still one after somebody has edited it.
            cell.data_type = "s"
            cell.quotePrefix = bool(_STARTS_FORMULA.match(text))
            cell.alignment = Alignment(vertical="top", wrap_text=place in (2, 4))
            if number == 1:
                cell.font = Font(bold=True)
    sheet.freeze_panes = "A2"
    choice = DataValidation(type="list", formula1=f'"{",".join(ALLOWED)}"', allow_blank=True)
    sheet.add_data_validation(choice)
    choice.add(f"E2:E{len(rows) + 1}")
    book.save(path)


def _text(cell: Any) -> str:
    # A number that a spreadsheet program made of an id such as 17.
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return "" if cell is None else str(cell)


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtra("openpyxl", "web") from error
    return openpyxl
