"""The statements of a SQL dump: which table begins here, with which columns, and where its rows begin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from priorwise.errors import BrokenFile

LONGEST = 1 << 24
"""No row is longer, and no statement but those with rows."""

_VERBS = frozenset(b"ALTER BEGIN COMMIT CREATE DELETE DROP INSERT LOCK REPLACE SET START TRUNCATE UNLOCK USE".split())
_NO_COLUMN = frozenset(b"CHECK CONSTRAINT FOREIGN FULLTEXT INDEX KEY PERIOD PRIMARY SPATIAL UNIQUE".split())

_COMMENT = rb"--[^\n]*\n|\#[^\n]*\n|/\*.*?\*/"
_STRING = rb"'(?:[^'\\]|\\.|'')*+'|\"(?:[^\"\\]|\\.|\"\")*+\"|`[^`]*`"
_NAME = rb"(?:[`\"]?\w+[`\"]?\s*\.\s*)?[`\"]?(?P<table>\w+)[`\"]?"
_FLAGS = re.DOTALL | re.IGNORECASE

_BETWEEN = re.compile(rb"(?:[\s;]++|%b)*+" % _COMMENT, _FLAGS)
_WORD = re.compile(rb"[a-z]+(?=[^a-z])", _FLAGS)
_CUT_OFF = re.compile(rb"[a-z]*\Z|-\Z|--|\#|/\Z|/\*", _FLAGS)
_WHOLE = re.compile(rb"(?:[^;'\"`/\#-]++|%b|%b|/(?=[^*])|-(?=[^-]))*+;" % (_STRING, _COMMENT), _FLAGS)
_CREATE = re.compile(rb"CREATE\s+(?:TEMPORARY\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?%b\s*\(" % _NAME, _FLAGS)
_INSERT = re.compile(
    rb"(?:INSERT|REPLACE)\s+(?:(?:LOW_PRIORITY|DELAYED|HIGH_PRIORITY|IGNORE)\s+)*(?:INTO\s+)?%b\s*"
    rb"(?:\((?P<columns>[^()]*)\)\s*)?VALUES?+\s*+(?=\S)" % _NAME,
    _FLAGS,
)
_PART = re.compile(rb"(?P<quoted>%b)|(?:%b)|(?P<word>\w+)|(?P<mark>[(),])|." % (_STRING, _COMMENT), _FLAGS)


@dataclass(frozen=True, slots=True)
class CreateTable:
    """A table, and its columns in order."""

    table: str
    columns: list[str]


@dataclass(frozen=True, slots=True)
class InsertInto:
    """Rows of a table follow; the columns are those of the table unless they are listed."""

    table: str
    columns: list[str]


class Window:
    """The part of a file that is looked at: ``data[at:end]``.

    Parameters
    ----------
    path : Path
        For messages.
    pieces : iterator of bytes
        The file.
    piece : int
        No piece is longer; the window has room for four.

    Attributes
    ----------
    after_row : bool
        Whether a row stands before ``at``, so that a comma or the end of the statement must follow.
    cut : bool
        Whether the file ended in the middle of a statement.
    """

    def __init__(self, path: Path, pieces: Iterator[bytes], piece: int) -> None:
        self.path = path
        self.data = np.empty(4 * piece, np.uint8)
        self.at = self.end = 0
        self.after_row = False
        self.cut = False
        self._pieces = pieces
        self._piece = piece

    def more(self) -> bool:
        """Read on, keeping what has not been used; return whether there was anything."""
        left = self.data[self.at : self.end]
        if left.size > LONGEST:
            raise BrokenFile(self.path, f"a row or a statement without rows is longer than {LONGEST:,} bytes")
        if self.data.size - left.size < 2 * self._piece:
            self.data = np.empty(2 * self.data.size, np.uint8)
        self.data[: left.size] = left
        self.at, self.end = 0, left.size
        while self.data.size - self.end >= self._piece and (piece := next(self._pieces, b"")):
            self.data[self.end : self.end + len(piece)] = np.frombuffer(piece, np.uint8)
            self.end += len(piece)
        return self.end > left.size

    def match(self, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
        """Match a pattern at this place."""
        return pattern.match(self.data.data, self.at, self.end)

    def ahead(self, n: int) -> bytes:
        """Return the next bytes, to be shown."""
        while self.end - self.at < n and self.more():
            pass
        return self.data[self.at : min(self.end, self.at + n)].tobytes()


def next_statement(window: Window) -> CreateTable | InsertInto | None:
    """Return the next statement that makes a table or begins with its rows, or None at the end.

    The window is moved behind it; the rows of an ``INSERT`` are still in front.
    """
    while not window.cut:
        between = window.match(_BETWEEN)
        window.at = between.end() if between else window.at
        if insert := window.match(_INSERT):
            window.at, window.after_row = insert.end(), False
            columns = (insert["columns"] or b"").replace(b"`", b"").replace(b'"', b"").decode("utf-8", "replace")
            return InsertInto(insert["table"].decode(), [name.strip() for name in columns.split(",") if name.strip()])
        _check_is_sql(window)
        if whole := window.match(_WHOLE):
            window.at = whole.end()
            statement = whole[0]
            if create := _CREATE.match(statement):
                return CreateTable(create["table"].decode(), column_names(statement[create.end() :]))
            if statement[:6].upper() in (b"INSERT", b"REPLAC"):
                raise BrokenFile(window.path, f"rows that cannot be read: {statement[:80]!r}")
        elif not window.more():
            rest = window.data[window.at : window.end].tobytes()
            window.cut = bool(rest) and not rest.startswith((b"--", b"#"))
            break
    return None


def column_names(definitions: bytes) -> list[str]:
    """Return the names of the columns, from what stands between the parentheses of ``CREATE TABLE``.

    Examples
    --------
    >>> column_names(b"`a` int(8) DEFAULT '0', /*!40101 b */ c enum('x','y'), PRIMARY KEY (`a`,`c`))")
    ['a', 'c']
    """
    names: list[str] = []
    depth, at_start = 1, True
    for part in _PART.finditer(definitions):
        mark = part["mark"]
        if mark is not None:
            depth += (mark == b"(") - (mark == b")")
            if depth == 0:
                break
            at_start = mark == b"," and depth == 1
        elif at_start and (named := part["quoted"] or part["word"]):
            at_start = False
            if named.upper() not in _NO_COLUMN:
                names.append(named.strip(b'`"').decode("utf-8", "replace"))
    return names


def _check_is_sql(window: Window) -> None:
    """Raise unless a statement begins here, or something that the window cuts off."""
    word = window.match(_WORD)
    if word and word[0].upper() in _VERBS:
        return
    if word is None and window.match(_CUT_OFF):
        return
    raise BrokenFile(window.path, f"no SQL dump: where a statement should begin it has {window.ahead(60)!r}")
