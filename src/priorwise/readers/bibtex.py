"""Bibliographies of BibTeX, read by bibtexparser."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priorwise.errors import BrokenFile, MissingExtra
from priorwise.readers.bibliography import bibliographic, doi_in
from priorwise.readers.compressed import opened
from priorwise.readers.json_lines import LONGEST_RECORD, Numbered
from priorwise.readers.tagged import encoding_of

if TYPE_CHECKING:
    from priorwise.readers.records import RecordReader

UNREADABLE = "entries of BibTeX that cannot be read, left out"
_USED = frozenset(
    [
        "title",
        "abstract",
        "keywords",
        "keyword",
        "author",
        "year",
        "date",
        "journal",
        "journaltitle",
        "booktitle",
        "doi",
        "pmid",
        "url",
        "eprint",
    ]
)
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
    repeated = [
        block.ignore_error_block for block in library.failed_blocks if type(block).__name__ == "DuplicateBlockKeyBlock"
    ]
    return sorted([*library.entries, *repeated], key=lambda entry: entry.start_line or 0)


def parsed(path: Path, encoding: str | None, reader: RecordReader | None = None) -> Any:
    """Return a BibTeX file as bibtexparser's library."""
    try:
        from bibtexparser import middlewares
        from bibtexparser.entrypoint import parse_string
    except ImportError as error:
        raise MissingExtra("bibtexparser", "files") from error
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


_ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    '"': "\u0308",
    "=": "\u0304",
    ".": "\u0307",
    "c": "\u0327",
    "v": "\u030c",
    "u": "\u0306",
    "H": "\u030b",
    "k": "\u0328",
    "r": "\u030a",
}
_LETTERS = {r"\ss": "ß", r"\ae": "æ", r"\AE": "Æ", r"\oe": "œ", r"\OE": "Œ", r"\o": "ø", r"\O": "Ø", r"\aa": "å"}
_LETTERS |= {r"\AA": "Å", r"\l": "ł", r"\L": "Ł", r"\i": "ı", r"\&": "&", r"\%": "%", r"\_": "_", r"\$": "$"}
_LETTERS |= {r"\#": "#"}
_ACCENT = re.compile(r"""\\([`'^~"=.]|[cvuHkr](?=[\s{]))\s*\{?\s*(\\?[A-Za-z])\}?""")
_LETTER = re.compile(r"\\[&%_$#]|\\(?:ss|ae|AE|oe|OE|aa|AA|[oOlLi])(?![A-Za-z])(?:\{\}|\s+)?")
_COMMAND = re.compile(r"\\(?:emph|text\w+|mathrm|it|bf|em|sc)\b\s*")


def latex_text(value: str) -> str:
    r"""Return a value without LaTeX's accents and braces: what a reader would see.

    Examples
    --------
    >>> latex_text(r'G{\"o}del, {\'E}cole \& {\ss}, \emph{Tea}')
    'Gödel, École & ß, Tea'
    """
    import unicodedata

    def accented(found: re.Match[str]) -> str:
        return unicodedata.normalize("NFC", found[2].lstrip("\\") + _ACCENTS[found[1]])

    if "\\" in value:
        value = _ACCENT.sub(accented, value)
        value = _LETTER.sub(lambda found: _LETTERS[found[0].removesuffix("{}").rstrip()], value)
        value = _COMMAND.sub("", value)
    return " ".join(_BRACES.sub("", value).replace("~", " ").split())
