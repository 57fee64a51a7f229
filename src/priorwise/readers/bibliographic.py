"""Bibliographies: RIS, PubMed's .nbib, BibTeX and EndNote's XML; and which records are the same publication.

rispy reads RIS as fast, but it does not keep the lines themselves, which are needed to write a file back as it was.
"""

from __future__ import annotations

import io
import logging
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from priorwise.errors import BrokenFile, optional
from priorwise.readers.blocks import blocks
from priorwise.readers.fields import LONGEST_RECORD, Numbered
from priorwise.readers.opening import Encoding, known_encoding, opened, recognised

if TYPE_CHECKING:
    from priorwise.readers.records import RecordReader


JOINED = "records joined with an earlier one of the same publication, by their {}"
MARK = "priorwise: "
"""What begins the keywords that we write into a bibliography; they are no labels when it is read again."""

_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>\[\]]+")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_SHORTEST_TITLE = 10


def doi_in(value: str) -> str:
    """Return the DOI in a string in lower case, without an address before it; empty if there is none."""
    found = _DOI.search(value)
    return found[0].rstrip(".,;").lower() if found else ""


def keywords_of(values: Iterable[str]) -> list[str]:
    """Return keywords one by one: some programs write all of them into one field."""
    given = [value for value in values if value.strip() and not value.startswith(MARK)]
    separator = ";"
    if len(given) == 1 and ";" not in given[0] and given[0].count(",") >= 1:
        separator = ","
    parts = (part.strip() for value in given for part in re.split(rf"[{separator}\n]", value))
    return list(dict.fromkeys(part for part in parts if part and not part.startswith(MARK)))


def bibliographic(
    *,
    title: str,
    text: str,
    keywords: Sequence[str],
    authors: Sequence[str],
    year: str,
    journal: str,
    doi: str,
    pmid: str,
    key: str = "",
    rest: Mapping[str, Any] | None = None,
    **more: str,
) -> dict[str, Any]:
    """Return a record; its id is the DOI, the PMID or the key that its file gives it, whichever comes first."""
    found = _YEAR.search(year)
    record: dict[str, Any] = {
        "id": doi or pmid or key,
        "title": title,
        "text": text,
        "labels": keywords_of(keywords),
        "authors": "; ".join(authors),
        "year": found[0] if found else year,
        "journal": journal,
        "doi": doi,
        "pmid": pmid,
    }
    if key and key != record["id"]:
        record["key"] = key
    record |= {name: value for name, value in more.items() if value}
    return record | {tag: values[0] if len(values) == 1 else values for tag, values in (rest or {}).items() if values}


@dataclass(slots=True)
class Publication:
    """All records of one publication, put together."""

    place: Any
    record: dict[str, Any]
    members: list[Any] = field(default_factory=list)

    def add(self, record: Mapping[str, Any]) -> None:
        """Fill in what is missing; of two abstracts the longer one stays, and keywords are added."""
        own = self.record
        labels = [*own["labels"], *record["labels"]]
        by_name = {label.casefold(): label for label in reversed(labels)}
        kept = list(dict.fromkeys(by_name[label.casefold()] for label in labels))
        text = max((own["text"], record["text"]), key=len)
        self.record = {**record, **{name: value for name, value in own.items() if value}, "labels": kept, "text": text}


class Joining:
    """Joins records that are the same publication: by DOI, by PMID, then by title, year and first author.

    Two records with different DOIs are never joined by their titles: an erratum has the title of its article.
    """

    def __init__(self) -> None:
        self._publications: list[Publication] = []
        self._by_key: dict[tuple[str, ...], Publication] = {}

    def __iter__(self) -> Iterator[Publication]:
        return iter(self._publications)

    def add(self, place: Any, record: dict[str, Any]) -> str | None:
        """Add a record; return what it was joined by, or None if it is a new publication."""
        keys = _keys(record)
        for name, key in keys.items():
            known = self._by_key.get((name, *key))
            if known is None:
                continue
            both = ((known.record[each], record[each]) for each in ("doi", "pmid"))
            if name.startswith("title") and any(one and other and one != other for one, other in both):
                continue
            known.add(record)
            known.members.append(place)
            for other, value in keys.items():
                self._by_key.setdefault((other, *value), known)
            return name
        publication = Publication(place, record, [place])
        self._publications.append(publication)
        for name, key in keys.items():
            self._by_key.setdefault((name, *key), publication)
        return None


def _keys(record: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    keys: dict[str, tuple[str, ...]] = {}
    if record["doi"]:
        keys["DOI"] = (record["doi"],)
    if record["pmid"]:
        keys["PMID"] = (record["pmid"],)
    title, author = _letters(record["title"]), _letters(re.split(r"[,;\s]", record["authors"].strip(), maxsplit=1)[0])
    if len(title) >= _SHORTEST_TITLE and record["year"] and author:
        keys["title, year and first author"] = (title, record["year"], author)
    return keys


def _letters(text: str) -> str:
    """Return letters and digits alone, without accents and case: databases differ in the rest."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if c.isalnum())


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

    def add(self, line: str, found: re.Match[str] | None) -> None:
        """Add a line: a tag with its value, or more of the value before it."""
        self.lines.append(line)
        if found:
            self.tags.append((found[1], (found[2] or "").strip()))
        elif line.strip():
            tag, value = self.tags[-1]
            self.tags[-1] = (tag, f"{value} {line.strip()}".strip())

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
    """Yield the records of a RIS file, from TY to ER, and the numbers of lines that are in none."""
    # Some programs leave out the end of a record.
    return _tagged_records(lines, _RIS, lambda record, tag: tag == "TY", end="ER")


def nbib_records(lines: Iterable[tuple[int, str]]) -> Iterator[Tagged | int]:
    """Yield the records of a file of PubMed's; each begins with PMID, after an empty line or the file's beginning."""

    def begins(record: Tagged | None, tag: str) -> bool:
        return tag == "PMID" and (record is None or any(each == "PMID" for each, _ in record.tags))

    return _tagged_records(lines, _NBIB, begins)


def _tagged_records(
    lines: Iterable[tuple[int, str]],
    pattern: re.Pattern[str],
    begins: Callable[[Tagged | None, str], bool],
    end: str | None = None,
) -> Iterator[Tagged | int]:
    record: Tagged | None = None
    for number, line in lines:
        found = pattern.match(line.rstrip("\r\n").removeprefix("\ufeff"))
        tag = found[1] if found else ""
        if begins(record, tag):
            if record is not None:
                yield record
            record = Tagged(number)
        if record is None:
            if line.strip():
                yield number
            continue
        record.add(line, found)
        if tag == end:
            yield record
            record = None
    if record is not None:
        yield record


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


_RIS_USED = {"TY", "ER", "TI", "T1", "CT", "BT", "AB", "N2", "KW", "AU", "A1", "PY", "Y1", "DA", "T2", "JO", "JF"}
_RIS_USED |= {"JA", "J2", "DO", "AN", "ID", "UR", "VL", "IS", "SP", "EP", "PB", "LA", "DB", "DP", "SN"}


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


_NBIB_USED = {"PMID", "TI", "AB", "MH", "OT", "AU", "FAU", "DP", "JT", "TA", "LID", "AID", "VI", "IP", "PG", "LA"}
_NBIB_USED |= {"PT", "IS"}


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


UNREADABLE = "entries of BibTeX that cannot be read, left out"
_USED = {"title", "abstract", "keywords", "keyword", "author", "year", "date", "journal", "journaltitle"}
_USED |= {"booktitle", "doi", "pmid", "url", "eprint"}
_BRACES = re.compile(r"(?<!\\)[{}]")


def bibtex(reader: RecordReader, path: Path) -> Numbered:
    """Yield the entries of a BibTeX file; one that cannot be read is counted and left out."""
    library = parsed(path, reader.opening.encoding, reader)
    for block in library.failed_blocks:
        if type(block).__name__ == "DuplicateBlockKeyBlock":
            continue
        reader.remark(UNREADABLE, f"{path.name}, line {(block.start_line or 0) + 1}")
    for entry in all_entries(library):
        yield (entry.start_line or 0) + 1, entry_fields(entry)


def all_entries(library: Any) -> list[Any]:
    """Return the entries in order, with those whose key another entry has."""
    from bibtexparser.model import DuplicateBlockKeyBlock, Entry

    # A string may be defined twice, too, but it is not an entry.
    doubles = [each.ignore_error_block for each in library.failed_blocks if isinstance(each, DuplicateBlockKeyBlock)]
    repeated = [block for block in doubles if isinstance(block, Entry)]
    return sorted([*library.entries, *repeated], key=lambda entry: entry.start_line or 0)


def parsed(path: Path, encoding: str | None, reader: RecordReader | None = None) -> Any:
    """Return a BibTeX file as bibtexparser's library."""
    optional("bibtexparser", "files")
    from bibtexparser import middlewares
    from bibtexparser.entrypoint import parse_string

    used = encoding_of(path, encoding)
    with opened(path, reader.tell if reader else lambda n: None) as stream:
        content = stream.read(LONGEST_RECORD + 1)
    if len(content) > LONGEST_RECORD:
        raise BrokenFile(path, f"longer than {LONGEST_RECORD:,} bytes; cut it into several files")
    try:
        text = content.decode(used.codec)
    except UnicodeError as error:
        raise BrokenFile(path, f"the text is not valid {used.said}; name its encoding with --encoding") from error
    if reader is not None:
        reader.says(path, f"BibTeX, {used.said}")
    logger = logging.getLogger("bibtexparser")
    level, logger.level = logger.level, logging.CRITICAL
    try:
        stack = [middlewares.ResolveStringReferencesMiddleware(), middlewares.RemoveEnclosingMiddleware()]
        return parse_string(text, parse_stack=stack)
    except Exception as error:
        # Whatever a hostile file makes of the parser, it is the file that is broken.
        raise BrokenFile(path, f"not a BibTeX file that can be read ({error})") from error
    finally:
        logger.level = level


def entry_fields(entry: Any) -> dict[str, Any]:
    """Return the fields of an entry under the names that all bibliographies share."""
    fields = {field.key.lower(): latex_text(str(field.value)) for field in entry.fields}

    def first(*names: str) -> str:
        return next((fields[name] for name in names if fields.get(name)), "")

    pmid = first("pmid") or (first("eprint") if first("eprinttype").lower() == "pubmed" else "")
    return bibliographic(
        title=first("title"),
        text=first("abstract"),
        keywords=[first("keywords", "keyword")],
        authors=re.split(r"\s+and\s+", first("author")) if first("author") else [],
        year=first("year", "date"),
        journal=first("journal", "journaltitle", "booktitle"),
        doi=doi_in(first("doi")) or doi_in(first("url")),
        pmid=pmid,
        key=entry.key,
        type=entry.entry_type,
        url=first("url"),
        rest={name: [value] for name, value in fields.items() if name not in _USED and value},
    )


_MARKS = "\u0300\u0301\u0302\u0303\u0308\u0304\u0307\u0327\u030c\u0306\u030b\u0328\u030a"
_ACCENTS = dict(zip("`'^~\"=.cvuHkr", _MARKS, strict=True))

_LETTERS = {r"\ss": "ß", r"\ae": "æ", r"\AE": "Æ", r"\oe": "œ", r"\OE": "Œ", r"\o": "ø", r"\O": "Ø", r"\aa": "å"}
_LETTERS |= {r"\AA": "Å", r"\l": "ł", r"\L": "Ł", r"\i": "ı", r"\&": "&", r"\%": "%", r"\_": "_", r"\$": "$"}
_LETTERS |= {r"\#": "#"}
_ACCENT = re.compile(r"""\\([`'^~"=.]|[cvuHkr](?=[\s{]))\s*\{?\s*(\\?[A-Za-z])\}?""")
_LETTER = re.compile(r"\\[&%_$#]|\\(?:ss|ae|AE|oe|OE|aa|AA|[oOlLi])(?![A-Za-z])(?:\{\}|\s+)?")
_COMMAND = re.compile(r"\\(?:emph|text\w+|mathrm|it|bf|em|sc)\b\s*")


def latex_text(value: str) -> str:
    """Return a value without LaTeX's accents and braces: what a reader would see."""

    def accented(found: re.Match[str]) -> str:
        return unicodedata.normalize("NFC", found[2].lstrip("\\") + _ACCENTS[found[1]])

    if "\\" in value:
        value = _ACCENT.sub(accented, value)
        value = _LETTER.sub(lambda found: _LETTERS[found[0].removesuffix("{}").rstrip()], value)
        value = _COMMAND.sub("", value)
    return " ".join(_BRACES.sub("", value).replace("~", " ").split())


MALFORMED = "records of EndNote that are not well-formed XML, left out"
_CHUNK = 1 << 20


def endnote(reader: RecordReader, path: Path) -> Numbered:
    """Yield the records of a file.

    Each is parsed by itself, without the file's document type: no entity is expanded, and a broken record costs nothing
    but itself.
    """
    encoding = encoding_of(path, reader.opening.encoding)
    reader.says(path, f"EndNote XML, {encoding.said}")

    def pieces() -> Iterator[bytes]:
        with opened(path, reader.tell) as stream:
            text = io.TextIOWrapper(stream, encoding=encoding.codec, errors="replace")
            while piece := text.read(_CHUNK):
                if "<mediawiki" in piece[:200]:
                    raise BrokenFile(path, "the dump of a wiki; read it with `priorwise ingest wikipedia`")
                yield piece.encode()

    for number, _, element in endnote_records(pieces(), lambda what, n: reader.remark(what, n=n)):
        if element is None:
            reader.remark(MALFORMED, f"{path.name}, record {number}")
        else:
            yield number, record_fields(element)


def endnote_records(
    pieces: Iterable[bytes], remark: Callable[[str, int], None]
) -> Iterator[tuple[int, bytes, ElementTree.Element | None]]:
    """Yield the number of each record, how it is written, and what it says; nothing if it is not well-formed."""
    for number, block in enumerate(blocks(pieces, "record", remark), start=1):
        try:
            yield number, block, ElementTree.fromstring(block)
        except (ElementTree.ParseError, ValueError):
            yield number, block, None


def record_fields(record: ElementTree.Element) -> dict[str, Any]:
    """Return the fields of a record under the names that all bibliographies share."""

    def first(*paths: str) -> str:
        return next(filter(None, (_text(record.find(path)) for path in paths)), "")

    source = first("remote-database-name", "remote-database-provider", "source-app").lower()
    number = first("accession-num")
    from_pubmed = number.isdecimal() and any(name in source for name in ("pubmed", "medline", "nlm"))
    kind = record.find("ref-type")
    addresses = [_text(url) for url in record.findall("urls//url")]
    return bibliographic(
        title=first("titles/title"),
        text=first("abstract"),
        keywords=[_text(keyword) for keyword in record.findall("keywords/keyword")],
        authors=[_text(author) for author in record.findall("contributors/authors/author")],
        year=first("dates/year", "dates/pub-dates/date"),
        journal=first("periodical/full-title", "titles/secondary-title", "periodical/abbr-1"),
        doi=doi_in(first("electronic-resource-num")) or next(filter(None, map(doi_in, addresses)), ""),
        pmid=number if from_pubmed else "",
        type=(kind.get("name") or "") if kind is not None else "",
        url=addresses[0] if addresses else "",
        volume=first("volume"),
        issue=first("number"),
        pages=first("pages"),
        publisher=first("publisher"),
        language=first("language"),
        accession="" if from_pubmed else number,
        issn=first("isbn"),
        notes=first("notes"),
        number=first("rec-number"),
    )


def _text(element: ElementTree.Element | None) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())
