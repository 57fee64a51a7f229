"""Lists to judge: a run's two rankings as one blind list, the documents that teach most, and both as spreadsheets."""

from __future__ import annotations

import re
import uuid
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.discovery.category import SUBCATEGORY
from priorwise.discovery.instructive import most_instructive
from priorwise.durable import whole_file
from priorwise.errors import BrokenFile, InputError, optional
from priorwise.ranking.table import Ranking
from priorwise.readers.fields import as_text
from priorwise.readers.records import rows_of
from priorwise.review.verdicts import CHOSEN, Verdict, Verdicts
from priorwise.tables import csv_writer, starts_formula, unguarded

Order = Literal["shuffled", "title"]
HEADINGS = ("id", "title", "page", "text", "verdict", "chosen")
SHORT = {"y": "yes", "n": "no", "u": "unsure", "?": "unsure", "s": "skip"}
ALLOWED = ("yes", "no", "unsure", "skip")

_LONGEST_CELL = 2_000
_LARGEST_FILE = 100 << 20
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Item:
    """A document to judge: all that a reviewer may know before reading it."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Choices:
    """Which documents are judged, and in which order.

    `top`: this many of each ranking, by default as many as the paper judged; all with None. `subcategories`: whether
    their documents are judged as well; by default they count as members without it (presence).
    """

    top: int | None = 250
    order: Order = "shuffled"
    seed: int = 0
    subcategories: bool = False

    def __post_init__(self) -> None:
        if self.top is not None and self.top < 1:
            raise InputError("at least one document of each ranking is judged: top must be 1 or more")
        if self.order not in ("shuffled", "title"):
            raise InputError(f"the order is 'shuffled' or 'title', not '{self.order}'")
        if self.seed < 0:
            raise InputError("the seed must not be negative")


def items_of(run: Run, choices: Choices | None = None) -> list[Item]:
    """Merge both rankings of a run into the list that reviewers see.

    The order is a function of the set of documents and of the seed alone, so it says nothing about ranks.

    Examples
    --------
    >>> from priorwise.corpus import Corpus
    >>> from priorwise.discovery import discover
    >>> texts = ["goal team win", "team match goal", "win match", "match goal", "law vote", "vote court", "tax law"] * 3
    >>> labels = ["sport", "sport", None, None, None, None, None] * 3
    >>> run = discover(Corpus.from_texts(texts, labels=labels), "sport")
    >>> {int(item.id) % 7 for item in items_of(run, Choices(top=6))}
    {2, 3}
    """
    chosen = choices or Choices()
    found: dict[str, Item] = {}
    for ranking in (run.ranking, run.baseline):
        for id, title, status in _rows(ranking, chosen.top):
            if chosen.subcategories or status != SUBCATEGORY:
                found.setdefault(id, Item(id, title))
    by_id = [found[id] for id in sorted(found)]
    if chosen.order == "title":
        return sorted(by_id, key=lambda item: (item.title.casefold(), item.id))
    return [by_id[place] for place in np.random.default_rng(chosen.seed).permutation(len(by_id)).tolist()]


def _rows(ranking: Ranking, top: int | None) -> Sequence[tuple[str, str, str | None]]:
    table = ranking.table.slice(0, top)
    return list(zip(*(table[name].to_pylist() for name in ("id", "title", "status")), strict=True))


def teaching_items(
    run: Run, corpus: Corpus, choices: Choices | None = None, *, judged: Collection[str] = ()
) -> list[Item]:
    """Return the documents to judge, the most instructive first.

    Their order is that of :func:`~priorwise.discovery.instructive.most_instructive`.

    Examples
    --------
    >>> from priorwise.discovery import discover
    >>> texts = ["goal team win", "team match goal", "win match", "match goal", "law vote", "vote court", "tax law"] * 3
    >>> labels = ["sport", "sport", None, None, None, None, None] * 3
    >>> corpus = Corpus.from_texts(texts, labels=labels)
    >>> items = teaching_items(discover(corpus, "sport"), corpus)
    >>> len(items), len({item.title for item in items})
    (5, 5)
    """
    chosen = choices or Choices()
    rows = most_instructive(run, corpus, chosen.top, judged=judged, subcategories=chosen.subcategories)
    return [Item(row["id"], row["title"]) for row in rows]


def write_sheet(
    path: Path,
    items: Sequence[Item],
    corpus: Corpus,
    said: Iterable[Verdict] = (),
    *,
    chosen: str = "blind",
    overwrite: bool = True,
) -> None:
    """Write the documents to judge, one in each row, with an empty column for the verdict.

    The last column says how the documents were chosen, so that nobody takes a list in rank order for a blind one.
    """
    words = {verdict.item: verdict.verdict for verdict in said}
    rows = [[*_row(item, corpus, words.get(item.id, "")), chosen] for item in items]
    suffix = path.suffix.lower()
    if suffix not in (".xlsx", ".csv"):
        raise InputError(f"a sheet is an .xlsx or a .csv file, and {path.name} is neither")
    with whole_file(path, overwrite=overwrite) as draft:
        if suffix == ".xlsx":
            _write_xlsx(draft, rows)
            return
        with draft.open("w", encoding="utf-8-sig", newline="") as file:
            write_row = csv_writer(file, HEADINGS)
            for row in rows:
                write_row(row)


def read_sheet(
    path: Path,
    reviewer: str,
    items: Sequence[Item],
    verdicts: Verdicts,
    *,
    others: Collection[str] = (),
    usual: str = "blind",
) -> int:
    """Store the verdicts of a sheet that was filled in, all or none; return how many are new."""
    found = list(_verdicts_of(path, {item.id for item in items}, others, usual))
    before = {(verdict.item, verdict.is_blind): verdict for verdict in verdicts.current(reviewer)}
    new: list[Verdict] = []
    for item, word, chosen in dict.fromkeys(found):
        old = before.get((item, chosen == "blind"))
        if old is None or old.verdict != word:
            previous = None if old is None else old.id
            new.append(Verdict(str(uuid.uuid4()), reviewer, item, word, previous, chosen=chosen))
    verdicts.add_all(new)
    return len(new)


def _row(item: Item, corpus: Corpus, word: str) -> list[str]:
    row = corpus.row(item.id)
    text = corpus.text(row) or ""
    cells = [item.id, item.title, corpus.address(row) or "", text[:_LONGEST_CELL], word]
    return [_UNWRITABLE.sub("\ufffd", cell) for cell in cells]


def _verdicts_of(
    path: Path, listed: Collection[str], others: Collection[str], usual: str
) -> Iterator[tuple[str, str, str]]:
    """Yield the document, the verdict and how the document was chosen, of each row that has a verdict."""
    blind = {_UNWRITABLE.sub("\ufffd", id): id for id in listed}
    any_list = {**blind, **{_UNWRITABLE.sub("\ufffd", id): id for id in others}}
    seen: dict[str, tuple[int, str]] = {}
    # Rows as a spreadsheet program counts them, whatever their lines are in a file of text.
    for number, (_, row) in enumerate(_rows_of(path), start=2):
        cells = {name.lower(): as_text(value, name) for name, value in row.items()}
        for name in ("id", "verdict"):
            if name not in cells or f"{name} (2)" in cells:
                raise BrokenFile(path, f"the first row must have one column '{name}'", line=1)
        word = cells["verdict"].strip().lower()
        if not word:
            continue
        word = SHORT.get(word, word)
        if word not in ALLOWED:
            raise BrokenFile(path, f"'{word[:50]}' is not a verdict; write yes, no, unsure or skip", line=number)
        chosen = cells.get("chosen", "").strip().lower() or usual
        if chosen not in CHOSEN:
            raise BrokenFile(path, f"'{chosen[:50]}' in the column 'chosen'; leave that column as it was", line=number)
        by_cell = blind if chosen == "blind" else any_list
        item = by_cell.get(cells["id"]) or by_cell.get(unguarded(cells["id"]))
        if item is None:
            raise BrokenFile(path, f"the document '{cells['id'][:100]}' is not in this review", line=number)
        if item in seen and seen[item][1] != word:
            raise BrokenFile(path, f"the document has another verdict in row {seen[item][0]}", line=number)
        seen[item] = (number, word)
        yield item, word, chosen


def _rows_of(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a sheet, opened as every other file of records is."""
    if not path.is_file():
        raise BrokenFile(path, "there is no such file")
    if not path.stat().st_size:
        raise BrokenFile(path, "the first row must have one column 'id', and there is no row")
    if max(path.stat().st_size, _unpacked(path)) > _LARGEST_FILE:
        raise BrokenFile(path, "too large for a review")
    yield from rows_of(path)


def _unpacked(path: Path) -> int:
    """Return how long a spreadsheet is when it is unpacked; 0 for any other file."""
    try:
        with zipfile.ZipFile(path) as packed:
            return sum(entry.file_size for entry in packed.infolist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return 0


def _write_xlsx(path: Path, rows: Sequence[Sequence[str]]) -> None:
    openpyxl = optional("openpyxl", "web")
    from openpyxl.styles import Alignment, Font
    from openpyxl.worksheet.datavalidation import DataValidation

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "review"
    widths: Mapping[str, int] = {"A": 20, "B": 40, "C": 12, "D": 90, "E": 10, "F": 8}
    for column, width in widths.items():
        sheet.column_dimensions[column].width = width
    for number, row in enumerate([HEADINGS, *rows], start=1):
        for place, text in enumerate(row, start=1):
            cell = sheet.cell(number, place)
            cell.value = text
            # A text, even if it looks like a formula, and still one after somebody has edited it.
            cell.data_type = "s"
            cell.quotePrefix = starts_formula(text)
            cell.alignment = Alignment(vertical="top", wrap_text=place in (2, 4))
            if number == 1:
                cell.font = Font(bold=True)
    sheet.freeze_panes = "A2"
    choice = DataValidation(type="list", formula1=f'"{",".join(ALLOWED)}"', allow_blank=True)
    sheet.add_data_validation(choice)
    choice.add(f"E2:E{len(rows) + 1}")
    book.save(path)
