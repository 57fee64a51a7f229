"""How a file is opened: the one place that decides what it holds, and how to read it."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from priorwise.errors import BrokenFile, InputError
from priorwise.readers.compressed import opened, plain_suffix
from priorwise.readers.formats import BY_SUFFIX, FORMATS

STDIN = Path("-")
_HEAD = 4096
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Opening:
    r"""How to open a file, where its name and its content do not say it, or say it wrong.

    Parameters
    ----------
    format : str, optional
        What it holds: ``jsonl``, ``csv``, ``tsv``, ``spreadsheet``, ``parquet``, ``arrow``, ``ris``, ``nbib``,
        ``bibtex``, ``endnote``, ``sqlite`` or ``duckdb``. By default its name says so.
    delimiter : str, optional
        What separates the columns of a CSV file; a tab may be written ``\t``. With a delimiter, a file of any other
        name is read as CSV too. Recognised by default.
    encoding : str, optional
        How a text file is encoded, such as ``windows-1252``. Recognised by default.
    quote : str, optional
        The character around cells of a CSV file, or ``none``. Recognised by default.
    sheet : str or int, optional
        Which sheet of a spreadsheet to read: its name, or its number from 1. By default the first with a table.
    query : str, optional
        The SQL query to ask of a database.
    join : bool, default True
        Join records of bibliographies that are the same publication.

    Examples
    --------
    >>> Opening().format_of(Path("news.csv.gz")), Opening(format="ris").format_of(Path("export.txt"))
    ('csv', 'ris')
    """

    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    quote: str | None = None
    sheet: str | int | None = None
    query: str | None = None
    join: bool = True

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise InputError(f"there is no format '{self.format}'; the formats are {', '.join(FORMATS)}")
        if self.delimiter is not None:
            delimiter = "\t" if self.delimiter in (r"\t", "tab") else self.delimiter
            if len(delimiter) != 1 or delimiter in '\r\n"':
                raise InputError(f"a delimiter is one character, and '{self.delimiter}' is not; write \\t for a tab")
            object.__setattr__(self, "delimiter", delimiter)
        if self.quote is not None and self.quote != "none" and len(self.quote) != 1:
            raise InputError(f"a quote is one character or 'none', and '{self.quote}' is neither")

    def format_of(self, path: Path) -> str | None:
        """Return what a file holds, or None if neither its name nor these options say so."""
        if self.format is not None:
            return self.format
        named = BY_SUFFIX.get(plain_suffix(path))
        if named is not None:
            return named
        if self.delimiter is not None:
            return "csv"
        return self._by_content(path)

    @staticmethod
    def _by_content(path: Path) -> str | None:
        """Recognise a file by how it begins, if only one format begins so."""
        if path.is_dir() or not path.is_file():
            return None
        with opened(path, lambda n: None) as stream:
            head = stream.read(_HEAD)
        return format_of_head(head)


def format_of_head(head: bytes) -> str | None:
    r"""Return the format of a file that begins like this, or None if several do.

    Examples
    --------
    >>> format_of_head(b"PMID- 123\nTI  - On tea"), format_of_head(b"Dear Sir")
    ('nbib', None)
    """
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    for name, beginnings in {
        "sqlite": (b"SQLite format 3\0",),
        "parquet": (b"PAR1",),
        "arrow": (b"ARROW1",),
        "nbib": (b"PMID- ",),
        "ris": (b"TY  - ",),
        "endnote": (b"<xml><records>", b'<?xml version="1.0" encoding="UTF-8"?><xml><records>'),
    }.items():
        if start.startswith(beginnings):
            return name
    return None


def no_format(path: Path) -> BrokenFile:
    """Return the error for a file whose name does not say what it holds."""
    reason = "its name does not say what it holds; add --read-as and one of"
    return BrokenFile(path, f"{reason} {', '.join(FORMATS)} (csv also if tabs or semicolons separate the columns)")


def from_standard_input() -> tuple[Path, str]:
    """Copy the standard input to a temporary file, and return it and what it holds.

    Readers look at a file more than once: to recognise it, and to read it.
    """
    folder = tempfile.mkdtemp(prefix="priorwise-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder, "standard input")
    with path.open("wb") as copy:
        while piece := sys.stdin.buffer.read(_CHUNK):
            copy.write(piece)
    with opened(path, lambda n: None) as stream:
        head = stream.read(_HEAD)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    by_first = {b"{": "jsonl", b"@": "bibtex", b"<": "endnote", b"PK": "spreadsheet"}
    guessed = next((name for mark, name in by_first.items() if start.startswith(mark)), "csv")
    return path, format_of_head(head) or guessed
