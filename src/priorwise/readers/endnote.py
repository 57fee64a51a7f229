"""Bibliographies that EndNote exports as XML; Zotero and others write it too."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from priorwise.readers.bibliography import bibliographic, doi_in
from priorwise.readers.blocks import blocks
from priorwise.readers.compressed import opened
from priorwise.readers.json_lines import Numbered
from priorwise.readers.tagged import encoding_of

if TYPE_CHECKING:
    from priorwise.readers.records import RecordReader

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
                yield piece.encode()

    found = blocks(pieces(), "record", lambda what, n: reader.remark(what, n=n))
    for number, block in enumerate(found, start=1):
        try:
            element = ElementTree.fromstring(block)
        except (ElementTree.ParseError, ValueError):
            reader.remark(MALFORMED, f"{path.name}, record {number}")
            continue
        yield number, record_fields(element)


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
