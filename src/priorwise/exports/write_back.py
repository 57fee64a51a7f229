"""Somebody's own file with the results added: same format, columns, order and encoding."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from priorwise.durable import whole_file
from priorwise.errors import AlreadyExists, BrokenFile, InputError
from priorwise.exports.bibliographies import write_bibtex, write_tagged
from priorwise.exports.result import COLUMNS, Result, results_of
from priorwise.exports.separated import write_into_table, write_table
from priorwise.exports.spreadsheets import write_into_open_document, write_into_workbook, write_workbook
from priorwise.readers.bibliography import Joining
from priorwise.readers.compressed import compressed, plain_suffix
from priorwise.readers.fields import Columns, as_text, numbered_ids
from priorwise.readers.formats import BY_SUFFIX
from priorwise.readers.opening import Opening
from priorwise.readers.records import RecordReader, rows_of, settled
from priorwise.readers.separators import PEEKED


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
        """The names of the new columns."""
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
) -> WrittenBack:
    r"""Write a file again with the results added.

    A table, a spreadsheet or a file of JSON lines gets three columns: status, rank and probability. Documents with one
    of the statuses `labelled` also get the label in their column of labels. A bibliography gets keywords, which Zotero
    and EndNote keep. Everything else stays as it is.

    Parameters
    ----------
    source : str or Path
        The file that the corpus was made of: CSV, TSV, ``.xlsx``, ``.ods``, JSON lines, RIS, ``.nbib`` or BibTeX.
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
    if target.exists() and (target.is_dir() or not overwrite):
        raise AlreadyExists(target, not_a="file" if target.is_dir() else None)
    kind = opening.format_of(path)
    wanted = BY_SUFFIX.get(plain_suffix(target)) or kind
    found = results_of(results)
    columns = _settled(path, columns or Columns(), opening)
    ids = _ids_in(path, [Path(each) for each in together or [path]], columns, opening, found)
    added = Added(label, columns, [found.get(each) for each in ids], labelled, at_least)
    with whole_file(target) as draft, compressed(draft, target) as draft:
        if kind == wanted and kind in ("ris", "nbib"):
            write_tagged(path, draft, added, opening, kind)
        elif kind == wanted == "bibtex":
            write_bibtex(path, draft, added, opening)
        elif wanted in ("csv", "tsv") and kind in ("csv", "tsv"):
            write_into_table(path, draft, added, opening)
        elif wanted == "jsonl" and kind == "jsonl":
            _write_into_json_lines(path, draft, added, opening)
        elif kind == wanted == "spreadsheet" and path.suffix.lower() == target.suffix.lower() in (".xlsx", ".xlsm"):
            write_into_workbook(path, draft, added, opening)
        elif kind == wanted == "spreadsheet" and path.suffix.lower() == target.suffix.lower() == ".ods":
            write_into_open_document(path, draft, added, opening)
        else:
            _converted(path, draft, added, opening, wanted, target)
    rows = range(len(added.results))
    return WrittenBack(len(rows), len(rows) - list(added.results).count(None), sum(map(added.gains, rows)))


def _settled(path: Path, columns: Columns, opening: Opening) -> Columns:
    """Return the columns with what separates labels in this file, if nobody said so."""
    guess = settled(columns, (record for _, record in islice(rows_of(path, opening, columns), PEEKED)))
    return replace(columns, separator=guess.separator or columns.separator)


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
    why = "the file has changed, or the files that were read with it are not beside it"
    instead = "write a table of the results instead (priorwise report RUN -o results.csv)"
    for place, record in rows_of(path, opening, columns):
        identity = as_text(record.get(columns.id), columns.id).strip()
        if not identity:
            raise BrokenFile(path, f"this row has no id, and {why}; {instead}", line=place)
        if f"{identity}#2" in known:
            raise BrokenFile(path, f"several rows had the id '{identity}', and {why}; {instead}", line=place)


def _write_into_json_lines(path: Path, draft: Path, added: Added, opening: Opening) -> None:
    row = 0
    from priorwise.readers.tagged import encoding_of, numbered_lines

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
    elif wanted == "spreadsheet" and target.suffix.lower() == ".xlsx":
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
