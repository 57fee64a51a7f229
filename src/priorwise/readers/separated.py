"""Tables as text: CSV and TSV, however they are delimited, quoted and encoded."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priorwise.errors import BrokenFile
from priorwise.readers.compressed import opened
from priorwise.readers.encodings import Encoding, known_encoding, recognised
from priorwise.readers.json_lines import LONGEST_RECORD, Numbered
from priorwise.readers.opening import Opening

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

    ``escape`` says that a backslash stands before a quote within a cell, where others double it.
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
        """How it is written, in words.

        Examples
        --------
        >>> Dialect(Encoding("cp1252"), ";").said
        'semicolons between columns, Windows-1252'
        """
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
    r"""Return how the first lines of a table are written.

    Examples
    --------
    >>> recognise_dialect("id;text\n1;a, b\n2;c\n", Encoding("utf-8")).delimiter
    ';'
    """
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
        # Only the end of the sample is missing where a quote is still open.
        return None if "unexpected end of data" not in str(error) else _lenient(sample, dialect)


def _lenient(sample: str, dialect: Dialect) -> list[list[str]] | None:
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
    """Return the names of columns, each different: no cell is lost because two columns share a name.

    Examples
    --------
    >>> unique_names(["tag", "", "tag"])
    ['tag', 'column 2', 'tag (2)']
    """
    names: list[str] = []
    for place, given in enumerate(header, start=1):
        name = plain = given.strip() or f"column {place}"
        number = 1
        while name in names:
            number += 1
            name = f"{plain} ({number})"
        names.append(name)
    return names
