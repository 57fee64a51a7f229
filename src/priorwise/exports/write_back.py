"""Somebody's own file with the results added: same format, columns, order and encoding; and new tables."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Self
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from priorwise.durable import check_free_files, whole_file
from priorwise.errors import BrokenFile, InputError, MissingExtra
from priorwise.readers.bibliographic import (
    MARK,
    Joining,
    Tagged,
    all_entries,
    encoding_of,
    endnote_records,
    nbib_records,
    numbered_lines,
    parsed,
    ris_records,
)
from priorwise.readers.blocks import unescaped
from priorwise.readers.fields import PEEKED, Columns, as_text, as_yes, numbered_ids
from priorwise.readers.opening import BY_SUFFIX, Opening, compressed, opened, plain_suffix
from priorwise.readers.records import RecordReader, rows_of, settled
from priorwise.readers.tabular import Dialect, chosen_sheet, dialect_of, unique_names
from priorwise.tables import BYTE_ORDER_MARK, csv_writer, guarded, row_text, starts_formula

STATUSES = ("member", "accepted", "rejected", "unsure", "unjudged")
"""A member known before; a candidate that people accepted, rejected, were unsure of, or did not judge."""

COLUMNS = ("status", "rank", "probability")


@dataclass(frozen=True, slots=True)
class Result:
    """What is known about one document and one category.

    Parameters
    ----------
    id : str
        The document.
    status : {"member", "accepted", "rejected", "unsure", "unjudged"}
    rank : int, optional
        Its place in the ranking, from 1; members have none.
    probability : float, optional
        How probable it is that it belongs to the category.
    title : str
        The document's title.
    more : mapping
        Other columns of a new table, such as the words that count for it.

    Examples
    --------
    >>> Result("7", "accepted", 1, 0.93).cells()
    ['accepted', 1, 0.93]
    """

    id: str
    status: str
    rank: int | None = None
    probability: float | None = None
    title: str = ""
    more: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise InputError(f"'{self.status}' is not a status; they are {', '.join(STATUSES)}")

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Make a result of a row with these names; others are left aside."""
        rank, probability = row.get("rank"), row.get("probability")
        return cls(
            str(row["id"]),
            str(row["status"]),
            None if rank is None else int(rank),
            None if probability is None else float(probability),
            str(row.get("title") or ""),
        )

    @property
    def order(self) -> tuple[bool, int, str, str]:
        """What sorts results: by rank, and those without one last, by their titles."""
        return self.rank is None, self.rank or 0, self.title, self.id

    def cells(self) -> list[Any]:
        """Return the status, the rank and the probability; nothing is an empty string."""
        probability = "" if self.probability is None else round(self.probability, 4)
        return [self.status, "" if self.rank is None else self.rank, probability]


def results_of(results: Iterable[Result | Mapping[str, Any]]) -> dict[str, Result]:
    """Return results by id; mappings with these names are results too."""
    made = (each if isinstance(each, Result) else Result.of(each) for each in results)
    return {each.id: each for each in made}


_TAGS = {"ris": "KW  - ", "nbib": "OT  - "}
_FIELDS = {
    "ris": {"id": "ID", "title": "TI", "text": "AB", "authors": "AU", "year": "PY", "journal": "T2", "doi": "DO"}
    | {"url": "UR", "volume": "VL", "issue": "IS", "issn": "SN", "language": "LA", "publisher": "PB"},
    "nbib": {"title": "TI  ", "text": "AB  ", "authors": "FAU ", "year": "DP  ", "journal": "JT  "}
    | {"volume": "VI  ", "issue": "IP  ", "language": "LA  "},
}


def keywords_for(result: Result, name: str, label: str | None) -> list[str]:
    """Return the label that a record gets, if any, and the keywords that say what is known about it."""
    status, rank, probability = result.cells()
    words = [f"{MARK}{name}: {status}"]
    words += [f"{MARK}{name}: rank {rank}"] if rank != "" else []
    words += [f"{MARK}{name}: probability {probability}"] if probability != "" else []
    return [*([label] if label is not None else []), *words]


def _keywords_in(added: Added, row: int) -> list[str]:
    result = added.results[row]
    return [] if result is None else keywords_for(result, added.label, added.label if added.gains(row) else None)


def record_text(kind: str, record: Mapping[str, Any], keywords: Iterable[str]) -> str:
    """Return one record of RIS or of PubMed's format."""
    # PubMed knows no other ids; a record must begin with this line all the same.
    number = record.get("pmid") or (record["id"] if str(record["id"]).isdecimal() else "")
    lines = [f"TY  - {record.get('type') or 'GEN'}"] if kind == "ris" else [f"PMID- {number}"]
    for name, tag in _FIELDS[kind].items():
        value = record.get(name) or ""
        values = str(value).split("; ") if name == "authors" else [value]
        lines += [f"{tag}{'  ' if kind == 'ris' else ''}- {each}" for each in values if each]
    if kind == "nbib" and record.get("doi"):
        lines.append(f"LID - {record['doi']} [doi]")
    lines += [f"{_TAGS[kind]}{word}" for word in keywords]
    lines = [" ".join(str(line).split("\n")).replace("\r", " ") for line in lines]
    return "\n".join([*lines, *(["ER  - "] if kind == "ris" else [])]) + "\n\n"


def write_tagged(path: Path, draft: Path, added: Added, opening: Opening, kind: str) -> None:
    """Write RIS or PubMed's format with more keywords; those of an earlier export for the same label are replaced."""
    encoding = encoding_of(path, opening.encoding)
    tag = _TAGS[kind]
    lines = dict(numbered_lines(path, encoding))
    read = ris_records if kind == "ris" else nbib_records
    row = 0
    for record in list(read(lines.items())):
        if isinstance(record, Tagged):
            _mark(record, lines, tag, _keywords_in(added, row), f"{MARK}{added.label}: ")
            row += 1
    with draft.open("w", encoding=encoding.codec, newline="") as file:
        file.writelines(lines.values())


def _mark(record: Tagged, lines: dict[int, str], tag: str, words: list[str], earlier: str) -> None:
    numbers = range(record.line, record.line + len(record.lines))
    known = set(record.all("KW", "OT"))
    for number in numbers:
        if lines[number].startswith(f"{tag}{earlier}"):
            lines[number] = ""
    end = next((line[len(line.rstrip("\r\n")) :] for line in record.lines if line.endswith("\n")), "\n")
    new = "".join(f"{tag}{word}{end}" for word in words if word.startswith(MARK) or word not in known)
    # After the last line that says something, and before the record's end.
    said = [number for number in numbers if lines[number].strip() and not lines[number].startswith("ER ")]
    last = said[-1] if said else record.line
    line = lines[last]
    lines[last] = (line if line.endswith("\n") else line + end) + new if new else line


def write_bibtex(path: Path, draft: Path, added: Added, opening: Opening) -> None:
    """Write BibTeX with more keywords; all else stays as it is written."""
    encoding = encoding_of(path, opening.encoding)
    text = "".join(line for _, line in numbered_lines(path, encoding))
    written, at = [], 0
    for row, entry in enumerate(all_entries(parsed(path, opening.encoding))):
        words = _keywords_in(added, row)
        start = text.find(entry.raw, at) if words else -1
        if start < 0:
            continue
        body = entry.raw.rstrip()
        end = start + len(body)
        known = next((field.value for field in entry.fields if field.key.lower() in ("keywords", "keyword")), "")
        earlier = f"{MARK}{added.label}: "
        kept = [part.strip() for part in str(known).replace(";", ",").split(",")]
        listed = [part for part in kept if part and not part.startswith(earlier)]
        new = ", ".join(dict.fromkeys([*listed, *words]))
        changed = _with_keywords(body, new)
        written += [text[at:start], changed]
        at = end
    with draft.open("w", encoding=encoding.codec, newline="") as file:
        file.write("".join(written) + text[at:])


def _with_keywords(entry: str, keywords: str) -> str:
    """Replace the field of keywords, or add one at the end of an entry."""
    found = re.search(r"(?im)^(\s*keywords?\s*=\s*)(\{[^{}]*\}|\"[^\"]*\")", entry)
    if found:
        return f"{entry[: found.start(2)]}{{{keywords}}}{entry[found.end(2) :]}"
    head = entry[: entry.rfind("}")].rstrip().removesuffix(",")
    return f"{head},\n  keywords = {{{keywords}}}\n}}"


def write_endnote(path: Path, draft: Path, added: Added, opening: Opening) -> None:
    """Write EndNote's XML with more keywords; all else stays as it is written."""
    encoding = encoding_of(path, opening.encoding)
    with opened(path, lambda n: None) as stream:
        try:
            content = stream.read().decode(encoding.codec).encode()
        except UnicodeError as error:
            raise BrokenFile(
                path, f"the text is not valid {encoding.said}; name its encoding with --encoding"
            ) from error
    pieces = (content[start : start + _PIECE] for start in range(0, len(content), _PIECE))
    written, at, row = list[bytes](), 0, 0
    for _, block, element in endnote_records(pieces, lambda what, n: None):
        if element is not None:
            start = content.index(block, at)
            changed = _with_elements(block.decode(), _keywords_in(added, row), f"{MARK}{added.label}: ")
            written += [content[at:start], changed.encode()]
            at, row = start + len(block), row + 1
    draft.write_bytes((b"".join(written) + content[at:]).decode().encode(encoding.codec))


def _with_elements(record: str, words: list[str], earlier: str) -> str:
    """Add keywords to a record of EndNote's; those of an earlier export are replaced."""
    known = {each: " ".join(unescaped(_TAG.sub("", each)).split()) for each in _KEYWORD.findall(record)}
    for each, said in known.items():
        if said.startswith(earlier):
            record = record.replace(each, "")
    before, after = _STYLE if "<style" in record else ("", "")
    new = [word for word in words if word.startswith(MARK) or word not in known.values()]
    keywords = "".join(f"<keyword>{before}{escape(_UNWRITABLE.sub(' ', word))}{after}</keyword>" for word in new)
    if not keywords:
        return record
    if "</keywords>" in record:
        place = record.rindex("</keywords>")
    else:
        # Where EndNote has them: before the dates.
        found = re.search(r"<dates(?=[\s>])|</record>", record)
        place = len(record) if found is None else found.start()
        keywords = f"<keywords>{keywords}</keywords>"
    return f"{record[:place]}{keywords}{record[place:]}"


_PIECE = 1 << 20
_TAG = re.compile(r"<[^<>]*>")
_KEYWORD = re.compile(r"<keyword(?=[\s>])[^<>]*>(?:(?!</keyword>).)*</keyword>", re.DOTALL)
_STYLE = ('<style face="normal" font="default" size="100%">', "</style>")


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
    rows: dict[int, list[Any]] = {}
    # Only cells that are there: with a format in a far corner, openpyxl would make all cells up to it.
    for (number, _), cell in sorted(sheet._cells.items()):
        if cell.value not in (None, ""):
            rows.setdefault(number, []).append(cell)
    for number, cells in rows.items():
        if row < 0:
            right = cells[-1].column
            labels_at = next((cell.column for cell in cells if cell.value == added.columns.labels), None)
            new: list[Any] = list(added.headings)
            places = {cell.value: cell.column for cell in cells}
            # Results of the same label from an earlier time are replaced.
            at = [places.get(name, right + offset) for offset, name in enumerate(new, start=1)]
        else:
            new = added.cells(row)
            if labels_at is not None and added.gains(row):
                cell = sheet.cell(number, labels_at)
                _set(cell, added.with_label("" if cell.value is None else cell.value))
        for place, value in zip(at, new, strict=True):
            if value != "" or place <= right:
                _set(sheet.cell(number, place), None if value == "" else value)
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
        filled = [
            number
            for number, child in enumerate(children)
            if any(f"{{{_OFFICE}}}value-type" in each.attrib or (each.text or "").strip() for each in child.iter())
        ]
        for child in children[: filled[-1] + 1 if filled else 0]:
            times = int(child.attrib.pop(repeats, "1"))
            if times > _MOST_REPEATED:
                raise ValueError(f"{times:,} rows or cells in a row are the same")
            place = list(holder).index(child)
            for copy in range(1, times):
                holder.insert(place + copy, deepcopy(child))
            found += list(holder)[place : place + times]
    return found


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


@dataclass(frozen=True, slots=True)
class Added:
    """What is added to a file: the result of each of its rows, in order, and the label of those that belong to it."""

    label: str
    columns: Columns
    results: Sequence[Result | None]
    labelled: Collection[str] = ("accepted",)
    at_least: float | None = None

    @property
    def headings(self) -> list[str]:
        return [f"{self.label}: {name}" for name in COLUMNS]

    def cells(self, row: int) -> list[Any]:
        """Return the new cells of a row; a row without a result has empty ones."""
        result = self.results[row]
        return [""] * len(COLUMNS) if result is None else result.cells()

    def gains(self, row: int) -> bool:
        """Return whether a row gets the label."""
        result = self.results[row]
        if result is None or result.status in self.labelled:
            return result is not None
        probable = self.at_least is not None and (result.probability or 0) >= self.at_least
        return probable and result.status == "unjudged"

    def with_label(self, cell: Any) -> Any:
        """Return a cell of labels with the label, in the way it is written; unchanged if the label is there."""
        if self.columns.yes_no and self.label == self.columns.labels:
            return as_yes(cell)
        if cell is None or cell == "":
            return [self.label] if isinstance(cell, list) else self.label
        if not isinstance(cell, str):
            listed = list(cell) if isinstance(cell, list | tuple) else [cell]
            return cell if self.label in map(str, listed) else [*listed, self.label]
        parts = [str(part).strip() for part in self.columns.split(cell)]
        if self.label in parts:
            return cell
        if cell.startswith("[") and not self.columns.separator:
            return json.dumps([*parts, self.label], ensure_ascii=False)
        separator = self.columns.separator or ";"
        return f"{cell}{separator}{'' if separator == chr(10) else ' '}{self.label}"


@dataclass(frozen=True, slots=True)
class WrittenBack:
    """How many rows a file has, how many of them have a result, and how many got the label."""

    rows: int
    found: int
    labelled: int


def write_back(
    source: str | Path,
    output: str | Path,
    results: Iterable[Result | Mapping[str, Any]],
    *,
    label: str,
    columns: Columns | None = None,
    opening: Opening | None = None,
    labelled: Collection[str] = ("accepted",),
    at_least: float | None = None,
    together: Sequence[str | Path] | None = None,
    overwrite: bool = False,
    draft: Path | None = None,
) -> WrittenBack:
    r"""Write a file again with the results added.

    A table, a spreadsheet or a file of JSON lines gets three columns: status, rank and probability. Documents with one
    of the statuses `labelled` also get the label in their column of labels. A bibliography gets keywords, which Zotero
    and EndNote keep. Everything else stays as it is.

    Parameters
    ----------
    source : str or Path
        The file that the corpus was made from: CSV, TSV, ``.xlsx``, ``.ods``, JSON lines, RIS, ``.nbib``, BibTeX or
        EndNote's XML.
    output : str or Path
        The file to write. With the ending of another table (``.csv``, ``.xlsx``, ``.jsonl``) it is converted, and then
        the source may have any format of records.
    results : iterable of Result or mappings
        Each with ``id`` and ``status``, and maybe ``rank`` and ``probability``.
    label : str
        The category.
    columns, opening
        As the file was read.
    labelled : collection of str
        The statuses whose documents get the label.
    at_least : float, optional
        Unjudged documents that are at least this probable get the label too.
    together : sequence of paths, optional
        All files that were read together, in their order, with `source` among them. They say which records of a
        bibliography another file names, and which ids another file has too. By default `source` alone.
    overwrite : bool
        Replace the output if it is there.
    draft : Path, optional
        Write here instead, for a caller that gives several files their names at once.

    Returns
    -------
    WrittenBack
        How many rows there are, how many have a result, and how many got the label.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "books.csv")
    ...     _ = path.write_text("id;text;labels\n1;On tea;Hot\n", "utf-8")
    ...     told = write_back(path, Path(folder, "new.csv"), [Result("1", "accepted", 1, 0.9)], label="Drinks")
    ...     told, Path(folder, "new.csv").read_text("utf-8").splitlines()[1]
    (WrittenBack(rows=1, found=1, labelled=1), '1;On tea;"Hot; Drinks";accepted;1;0.9')
    """
    path, target = Path(source), Path(output)
    opening = opening or Opening()
    if draft is None:
        check_free_files([target], overwrite=overwrite)
    kind = opening.format_of(path)
    wanted = BY_SUFFIX.get(plain_suffix(target)) or kind
    found = results_of(results)
    columns = _settled(path, columns or Columns(), opening)
    ids = _ids_in(path, [Path(each) for each in together or [path]], columns, opening, found)
    added = Added(label, columns, [found.get(each) for each in ids], labelled, at_least)
    own = whole_file(target, overwrite=overwrite) if draft is None else nullcontext(draft)
    with own as draft, compressed(draft, target) as draft:
        if kind == "spreadsheet" == wanted:
            kind, wanted = path.suffix.lower(), target.suffix.lower()
        same = kind == wanted or {kind, wanted} == {"csv", "tsv"}
        if same and kind in _WRITERS:
            _WRITERS[kind](path, draft, added, opening)
        else:
            _converted(path, draft, added, opening, wanted, target)
    rows = range(len(added.results))
    return WrittenBack(len(rows), len(rows) - list(added.results).count(None), sum(map(added.gains, rows)))


def _settled(path: Path, columns: Columns, opening: Opening) -> Columns:
    """Return the columns with what separates labels in this file, if nobody said so."""
    guess = settled(columns, (record for _, record in islice(rows_of(path, opening, columns), PEEKED)))
    return guess.applied(columns)


def _ids_in(
    source: Path, paths: Sequence[Path], columns: Columns, opening: Opening, found: Mapping[str, Result]
) -> list[str]:
    """Return the ids that an ingest of all paths gives to the rows of one of them."""
    joining = Joining() if RecordReader(paths, columns, opening).joins else None
    ids: list[str] = []
    places: list[int] = []
    mine: list[int] = []
    for path in paths:
        for place, record in rows_of(path, opening, columns):
            row = len(places)
            places.append(place)
            if path == source:
                mine.append(row)
            if joining is None:
                ids.append(columns.identity(record, row, place))
            else:
                joining.add(row, dict(record))
    if joining is None:
        _number_repeated(ids, found)
        return [ids[row] for row in mine]
    publications = list(joining)
    ids = [columns.identity(each.record, row, places[each.place]) for row, each in enumerate(publications)]
    _number_repeated(ids, found)
    id_of = {row: name for each, name in zip(publications, ids, strict=True) for row in each.members}
    return [id_of[row] for row in mine]


def _number_repeated(ids: list[str], found: Mapping[str, Result]) -> None:
    """Number ids that were there before, as an ingest does by default."""
    seen: set[str] = set()
    repeated: list[int] = []
    for row, each in enumerate(ids):
        if each in seen:
            repeated.append(row)
        seen.add(each)
    numbered = numbered_ids([ids[row] for row in repeated], seen)
    # Where duplicates were not numbered but left out, all rows with an id have the same result.
    for row, name in zip(repeated, numbered, strict=True):
        ids[row] = name if name in found else ids[row]


def check_ids(path: Path, columns: Columns, opening: Opening, known: Collection[str] = ()) -> None:
    """Refuse a file if one of its rows cannot be told by its own id alone.

    Such a row has no id, or shares it with a row of another file: among the ids that are `known`, one is numbered.
    """
    why = "the file has changed, or the files that were read with it are not next to it"
    instead = "write a table of the results instead (priorwise report RUN -o results.csv)"
    for place, record in rows_of(path, opening, columns):
        identity = as_text(record.get(columns.id), columns.id).strip()
        if not identity:
            raise BrokenFile(path, f"this row has no id, and {why}; {instead}", line=place)
        if f"{identity}#2" in known:
            raise BrokenFile(path, f"several rows had the id '{identity}', and {why}; {instead}", line=place)


def _write_into_json_lines(path: Path, draft: Path, added: Added, opening: Opening) -> None:
    row = 0
    encoding = encoding_of(path, opening.encoding)
    with draft.open("w", encoding=encoding.codec, newline="") as file:
        for _, line in numbered_lines(path, encoding):
            body = line.strip()
            if not body:
                file.write(line)
                continue
            end = line[len(line.rstrip("\r\n")) :]
            plain = body.isascii()
            new = dict(zip(added.headings, added.cells(row), strict=True))
            record = json.loads(body)
            old = [name for name in new if name in record]
            if old:
                # Results of the same label from an earlier time are replaced.
                body = json.dumps(
                    {name: value for name, value in record.items() if name not in old}, ensure_ascii=plain
                )
            if added.gains(row):
                record = json.loads(body)
                labels = record.get(added.columns.labels)
                record[added.columns.labels] = added.with_label([] if labels is None else labels)
                body = json.dumps(record, ensure_ascii=plain)
            more = json.dumps({name: value for name, value in new.items() if value != ""}, ensure_ascii=plain)
            if more != "{}":
                # The record itself stays as it was written, to the last digit.
                body = more if body == "{}" else f"{body[:-1].rstrip()}, {more[1:]}"
            file.write(body + end)
            row += 1


_WRITERS: dict[str | None, Callable[[Path, Path, Added, Opening], None]] = {
    "ris": partial(write_tagged, kind="ris"),
    "nbib": partial(write_tagged, kind="nbib"),
    "bibtex": write_bibtex,
    "endnote": write_endnote,
    "csv": write_into_table,
    "tsv": write_into_table,
    "jsonl": _write_into_json_lines,
    ".xlsx": write_into_workbook,
    ".xlsm": write_into_workbook,
    ".ods": write_into_open_document,
}


def _converted(path: Path, draft: Path, added: Added, opening: Opening, wanted: str | None, target: Path) -> None:
    rows = [dict(record) for _, record in rows_of(path, opening, added.columns)]
    for row, record in enumerate(rows):
        if added.gains(row):
            record[added.columns.labels] = added.with_label(record.get(added.columns.labels))
        record |= dict(zip(added.headings, added.cells(row), strict=True))
    headings = list(dict.fromkeys(name for record in rows for name in record))
    cells = [[as_cell(record.get(name)) for name in headings] for record in rows]
    if wanted in ("csv", "tsv"):
        write_table(draft, headings, cells, "\t" if wanted == "tsv" else ",")
    elif wanted == ".xlsx" or (wanted == "spreadsheet" and target.suffix.lower() == ".xlsx"):
        write_workbook(draft, headings, cells)
    elif wanted == "jsonl":
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(json.dumps(record, ensure_ascii=False, default=str) + "\n" for record in rows)
    else:
        raise InputError(f"{target.name} cannot be written; choose a name that ends in .csv, .xlsx or .jsonl")


def as_cell(value: Any) -> Any:
    """Return a value as one cell of a table."""
    if isinstance(value, list | tuple):
        return "; ".join(as_text(item, "") if not isinstance(item, dict | list) else json.dumps(item) for item in value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
