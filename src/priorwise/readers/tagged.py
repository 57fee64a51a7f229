"""Bibliographies as tagged lines: RIS, and PubMed's .nbib.

rispy reads RIS as fast, but it keeps a whole file in memory and not the lines themselves, which are needed to write a
file back as it was. The two formats differ in little but their tags, and one small reader serves both.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priorwise.errors import BrokenFile
from priorwise.readers.bibliography import bibliographic, doi_in
from priorwise.readers.compressed import opened
from priorwise.readers.encodings import Encoding, known_encoding, recognised
from priorwise.readers.json_lines import LONGEST_RECORD, Numbered

if TYPE_CHECKING:
    from priorwise.readers.records import RecordReader

OUTSIDE = "lines outside of any record, left out"
_RIS = re.compile(r"([A-Z][A-Z0-9]) {1,2}-(?: (.*)|)$", re.DOTALL)
_NBIB = re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}- (.*)$", re.DOTALL)


@dataclass(slots=True)
class Tagged:
    """One record: its first line's number, its tags with their values in order, and its lines as they are."""

    line: int
    tags: list[tuple[str, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    _by_tag: dict[str, list[str]] = field(default_factory=dict)

    def all(self, *names: str) -> list[str]:
        """Return the values of some tags that are not empty, in the order of the names."""
        # Asked only once the record is whole.
        if not self._by_tag:
            for tag, value in self.tags:
                if value:
                    self._by_tag.setdefault(tag, []).append(value)
        return [value for name in names for value in self._by_tag.get(name, ())]

    def first(self, *names: str) -> str:
        """Return the first value of some tags, or an empty string."""
        return next(iter(self.all(*names)), "")


def encoding_of(path: Path, chosen: str | None) -> Encoding:
    """Return how a text file is encoded: as somebody chose, or as it looks."""
    return recognised(path) if chosen is None else known_encoding(chosen)


def numbered_lines(path: Path, encoding: Encoding, tell: Any = lambda n: None) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file with their ends, numbered from 1."""
    number = 0
    with opened(path, tell) as stream:
        text = io.TextIOWrapper(stream, encoding=encoding.codec, newline="")
        try:
            while line := text.readline(LONGEST_RECORD + 1):
                number += 1
                if len(line) > LONGEST_RECORD:
                    raise BrokenFile(path, f"longer than {LONGEST_RECORD:,} characters", line=number)
                yield number, line
        except UnicodeError as error:
            reason = f"the text is not valid {encoding.said}; name its encoding with --encoding"
            raise BrokenFile(path, reason, line=number + 1) from error


def ris_records(lines: Iterable[tuple[int, str]]) -> Iterator[Tagged | int]:
    r"""Yield the records of a RIS file, from TY to ER, and the numbers of lines that are in none.

    Examples
    --------
    >>> lines = ["TY  - JOUR\n", "TI  - On tea\n", "and milk\n", "ER  - \n"]
    >>> [record.first("TI") for record in ris_records(enumerate(lines, start=1))]
    ['On tea and milk']
    """
    record: Tagged | None = None
    for number, line in lines:
        found = _RIS.match(line.rstrip("\r\n").removeprefix("\ufeff"))
        tag = found[1] if found else ""
        if tag == "TY":
            if record is not None:
                # Some programs leave out the end of a record.
                yield record
            record = Tagged(number)
        if record is None:
            if line.strip():
                yield number
            continue
        record.lines.append(line)
        if found:
            record.tags.append((tag, (found[2] or "").strip()))
        elif line.strip():
            _continue(record, line)
        if tag == "ER":
            yield record
            record = None
    if record is not None:
        yield record


def nbib_records(lines: Iterable[tuple[int, str]]) -> Iterator[Tagged | int]:
    r"""Yield the records of a file of PubMed's; each begins with PMID, after an empty line or the file's beginning.

    Examples
    --------
    >>> lines = ["PMID- 12\n", "TI  - On tea\n", "      and milk\n", "\n", "PMID- 13\n"]
    >>> [record.first("PMID") for record in nbib_records(enumerate(lines, start=1))]
    ['12', '13']
    """
    record: Tagged | None = None
    for number, line in lines:
        plain = line.rstrip("\r\n").removeprefix("\ufeff")
        found = _NBIB.match(plain)
        if found and found[1] == "PMID" and (record is None or any(tag == "PMID" for tag, _ in record.tags)):
            if record is not None:
                yield record
            record = Tagged(number)
        if record is None:
            if line.strip():
                yield number
            continue
        record.lines.append(line)
        if found:
            record.tags.append((found[1], found[2].strip()))
        elif plain.strip():
            _continue(record, plain)
    if record is not None:
        yield record


def _continue(record: Tagged, line: str) -> None:
    tag, value = record.tags[-1]
    record.tags[-1] = (tag, f"{value} {line.strip()}".strip())


def ris(reader: RecordReader, path: Path) -> Numbered:
    """Yield the records of a RIS file."""
    yield from _read(reader, path, "RIS", ris_records, ris_fields)


def nbib(reader: RecordReader, path: Path) -> Numbered:
    """Yield the records of a file of PubMed's."""
    yield from _read(reader, path, "PubMed", nbib_records, nbib_fields)


def _read(reader: RecordReader, path: Path, name: str, records: Any, fields: Any) -> Numbered:
    encoding = encoding_of(path, reader.opening.encoding)
    reader.says(path, f"{name}, {encoding.said}")
    for record in records(numbered_lines(path, encoding, reader.tell)):
        if isinstance(record, int):
            reader.remark(OUTSIDE, f"{path.name}, line {record}")
        else:
            yield record.line, fields(record)


_RIS_USED = frozenset(
    [
        "TY",
        "ER",
        "TI",
        "T1",
        "CT",
        "BT",
        "AB",
        "N2",
        "KW",
        "AU",
        "A1",
        "PY",
        "Y1",
        "DA",
        "T2",
        "JO",
        "JF",
        "JA",
        "J2",
        "DO",
        "AN",
        "ID",
        "UR",
        "VL",
        "IS",
        "SP",
        "EP",
        "PB",
        "LA",
        "DB",
        "DP",
        "SN",
    ]
)


def ris_fields(record: Tagged) -> dict[str, Any]:
    """Return the fields of a record of RIS under the names that all bibliographies share."""
    doi = doi_in(record.first("DO")) or next(filter(None, map(doi_in, record.all("UR", "L3", "M3"))), "")
    source = f"{record.first('DB')} {record.first('DP')}".lower()
    number = record.first("AN")
    from_pubmed = any(name in source for name in ("pubmed", "medline", "nlm")) and number.isdecimal()
    pages = "–".join(filter(None, (record.first("SP"), record.first("EP"))))
    return bibliographic(
        title=record.first("TI", "T1", "CT", "BT"),
        text=record.first("AB", "N2"),
        keywords=record.all("KW"),
        authors=record.all("AU", "A1"),
        year=record.first("PY", "Y1", "DA"),
        journal=record.first("T2", "JF", "JO", "JA", "J2"),
        doi=doi,
        pmid=number if from_pubmed else "",
        key=record.first("ID"),
        type=record.first("TY"),
        url=record.first("UR"),
        volume=record.first("VL"),
        issue=record.first("IS"),
        pages=pages,
        publisher=record.first("PB"),
        language=record.first("LA"),
        database=record.first("DB", "DP"),
        accession="" if from_pubmed else number,
        issn=record.first("SN"),
        rest={tag: record.all(tag) for tag, _ in record.tags if tag not in _RIS_USED},
    )


_NBIB_USED = frozenset(
    ["PMID", "TI", "AB", "MH", "OT", "AU", "FAU", "DP", "JT", "TA", "LID", "AID", "VI", "IP", "PG", "LA", "PT", "IS"]
)


def nbib_fields(record: Tagged) -> dict[str, Any]:
    """Return the fields of a record of PubMed's under the names that all bibliographies share."""
    located = [value for value in record.all("LID", "AID") if value.endswith("[doi]")]
    # "Aged/*psychology" is the heading "Aged", with a qualifier that is a main topic.
    headings = [value.partition("/")[0].strip("* ") for value in record.all("MH")]
    return bibliographic(
        title=record.first("TI", "BTI"),
        text=record.first("AB"),
        keywords=[*headings, *(value.strip("* ") for value in record.all("OT"))],
        authors=record.all("FAU") or record.all("AU"),
        year=record.first("DP"),
        journal=record.first("JT", "TA"),
        doi=doi_in(located[0]) if located else "",
        pmid=record.first("PMID"),
        type="; ".join(record.all("PT")),
        volume=record.first("VI"),
        issue=record.first("IP"),
        pages=record.first("PG"),
        language="; ".join(record.all("LA")),
        issn=record.first("IS"),
        rest={tag: record.all(tag) for tag, _ in record.tags if tag not in _NBIB_USED},
    )
