"""Read tables of a wiki's database from the dumps that ``mysqldump`` writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from priorwise.errors import BrokenFile, InputError
from priorwise.readers.document import Remarks
from priorwise.wiki.files import PIECE, readable_pieces

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
    """The part of a file that is looked at: ``data[at:end]``."""

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
    """Return the names of the columns, from between the parentheses of ``CREATE TABLE``."""
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


class RowBatch:
    """Room for rows, and the batch that they make."""

    def __init__(self, columns: list[str], wanted: Mapping[str, str], size: int) -> None:
        from priorwise.wiki._kernels import sql_rows

        kinds = {"integer": sql_rows.INTEGER, "text": sql_rows.TEXT, "title": sql_rows.TITLE}
        self.columns = columns
        self.rows = 0
        self.replaced = 0
        self._kinds = np.array([kinds.get(wanted.get(name, ""), sql_rows.SKIP) for name in columns], np.int64)
        is_integer, is_text = self._kinds == sql_rows.INTEGER, self._kinds > sql_rows.INTEGER
        # The number of each column among those of its sort.
        self._slots = np.where(is_integer, np.cumsum(is_integer), np.cumsum(is_text)) - 1
        self._n_integers, n_texts = int(is_integer.sum()), int(is_text.sum())
        # Pages of memory that are never touched cost nothing.
        most = self._most_rows(size)
        self._integers = np.empty((self._n_integers, most), np.int64)
        self._texts = np.empty((n_texts, size), np.uint8)
        self._bounds = np.zeros((n_texts, most + 1), np.int32)
        self._nulls = np.empty((self._n_integers + n_texts, most), np.uint8)

    def has_room(self, n_bytes: int) -> bool:
        """Tell whether there is room for whatever this many bytes of SQL may hold."""
        rows_left = self._nulls.shape[1] - self.rows
        bytes_left = self._texts.shape[1] - int(self._bounds[:, self.rows].max(initial=0))
        return self._most_rows(n_bytes) <= rows_left and n_bytes <= bytes_left

    def _most_rows(self, n_bytes: int) -> int:
        # The shortest row has a parenthesis and, for each column, a digit and what follows it.
        return n_bytes // (2 * len(self.columns) + 1) + 1

    def read(self, window: Window) -> int:
        """Take as many rows from the window as are whole, and return why there are no more of them."""
        from priorwise.wiki._kernels.sql_rows import read_rows

        window.at, window.after_row, self.rows, status = read_rows(
            window.data,
            window.at,
            window.end,
            window.after_row,
            self._kinds,
            self._slots,
            self.rows,
            self._integers,
            self._texts,
            self._bounds,
            self._nulls,
        )
        return status

    def to_arrow(self) -> pa.RecordBatch:
        """Return the rows; their memory is shared."""
        from priorwise.wiki._kernels.sql_rows import INTEGER, SKIP

        found = {
            name: self._integer_column(slot) if kind == INTEGER else self._text_column(slot)
            for name, kind, slot in zip(self.columns, self._kinds.tolist(), self._slots.tolist(), strict=True)
            if kind != SKIP
        }
        return pa.RecordBatch.from_arrays(list(found.values()), names=list(found))

    def _integer_column(self, slot: int) -> pa.Array:
        nulls = self._nulls[slot, : self.rows]
        return pa.array(self._integers[slot, : self.rows], mask=nulls.view(np.bool_) if nulls.any() else None)

    def _text_column(self, slot: int) -> pa.Array:
        nulls = self._nulls[self._n_integers + slot, : self.rows]
        valid = pa.array(nulls == 0).buffers()[1] if nulls.any() else None
        bounds, data = self._bounds[slot, : self.rows + 1], self._texts[slot]
        values = pa.Array.from_buffers(
            pa.binary(), self.rows, [valid, pa.py_buffer(bounds), pa.py_buffer(data[: bounds[-1]])]
        )
        try:
            return values.cast(pa.string())
        except pa.ArrowInvalid:
            texts = [None if value is None else value.decode("utf-8", "replace") for value in values.to_pylist()]
            self.replaced += sum(text is not None and "\ufffd" in text for text in texts)
            return pa.array(texts, pa.string())


@dataclass(frozen=True, slots=True)
class SqlTables:
    """The files of the tables that complete a corpus."""

    categorylinks: Sequence[Path]
    linktarget: Sequence[Path] = ()
    page: Sequence[Path] = ()

    @property
    def total_bytes(self) -> int:
        """The size of all files."""
        return sum(path.stat().st_size for path in (*self.categorylinks, *self.linktarget, *self.page))

    def check(self) -> None:
        """Look at the beginning of each file; raise if it cannot be used, or another file is missing."""
        for shape, paths in ((LINKTARGET, self.linktarget), (PAGE, self.page), (CATEGORYLINKS, self.categorylinks)):
            for path in paths:
                first = next(iter(SqlTable(path, shape)), None)
                if shape is CATEGORYLINKS and first is not None and "cl_to" not in first.schema.names:
                    self.need_linktarget(path)

    def need_linktarget(self, path: Path) -> None:
        """Raise unless the table that tells the names of the categories is there."""
        if not self.linktarget:
            wanted = path.name.replace("categorylinks", "linktarget")
            wanted = wanted if wanted != path.name else "…-linktarget.sql.gz"
            raise InputError(
                f"{path} has numbers for the categories, and their names are in the table linktarget: "
                f"fetch {wanted} from where it came from, and give it too"
            )


NOT_UTF8 = "titles in SQL files that are not UTF-8, of which the wrong bytes were replaced"
CUT_OFF = "SQL files that end too early, of which the rows up to there were read"


@dataclass(frozen=True, slots=True)
class TableShape:
    """The columns of a table that are of use, and how they are read."""

    name: str
    columns: dict[str, str]
    needed: tuple[tuple[str, ...], ...]


CATEGORYLINKS = TableShape(
    "categorylinks",
    {"cl_from": "integer", "cl_to": "title", "cl_target_id": "integer", "cl_type": "text"},
    (("cl_from",), ("cl_to", "cl_target_id")),
)
LINKTARGET = TableShape(
    "linktarget",
    {"lt_id": "integer", "lt_namespace": "integer", "lt_title": "title"},
    (("lt_id",), ("lt_namespace",), ("lt_title",)),
)
PAGE = TableShape(
    "page",
    {"page_id": "integer", "page_namespace": "integer", "page_title": "title"},
    (("page_id",), ("page_namespace",), ("page_title",)),
)


class SqlTable:
    r"""The rows of one table, in batches, with constant memory.

    Columns are found by their names, in the ``CREATE TABLE`` statement or in those of the ``INSERT`` statements. The
    values of a batch are int64 or string; bytes that are not UTF-8 are replaced.

    The file is what ``mysqldump`` of MySQL or MariaDB writes, plain or compressed. If it breaks off, the rows up to
    there are read, and `remarks` says so. It goes through a window of four pieces, 4 MB, that a compiled scanner cuts
    into rows; the window grows only for a longer row, to 16 MB at most. A statement may have any length.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "page.sql")
    ...     _ = path.write_text(
    ...         "CREATE TABLE `page` (`page_id` int, `page_namespace` int, `page_title` varbinary(255));\n"
    ...         "INSERT INTO `page` VALUES (7,14,'Hot_drinks'),(8,0,'Bird\\'s_nest');\n"
    ...     )
    ...     next(iter(SqlTable(path, PAGE))).to_pydict()
    {'page_id': [7, 8], 'page_namespace': [14, 0], 'page_title': ['Hot drinks', "Bird's nest"]}
    """

    def __init__(self, path: str | Path, shape: TableShape, *, piece: int = PIECE) -> None:
        self.path = Path(path) if isinstance(path, str) else path
        self.shape = shape
        self.piece = piece
        self.rows = 0
        self.done_bytes = 0
        self.remarks = Remarks()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        from priorwise.wiki._kernels.sql_rows import ENDED, MORE

        self.rows, self.done_bytes, self.remarks = 0, 0, Remarks()
        broken_off: list[str] = []
        pieces = readable_pieces(self.path, self._tell, broken_off.append, self.piece)
        window = Window(self.path, pieces, self.piece)
        held = RowBatch([], {}, 0)
        for columns in self._insertions(window, broken_off):
            status = MORE
            while status == MORE:
                if held.columns != columns or not held.has_room(window.end - window.at):
                    yield from self._finished(held)
                    held = RowBatch(columns, self.shape.columns, 2 * window.data.size)
                status = held.read(window)
                if status == MORE and not window.more():
                    window.cut = True
                    break
            if status not in (MORE, ENDED):
                raise self._wrong(window, status, self.rows + held.rows, columns)
        yield from self._finished(held)
        if broken_off or window.cut:
            self.remarks.add(CUT_OFF, f"{self.path.name}, after row {self.rows:,}")

    def _insertions(self, window: Window, broken_off: list[str]) -> Iterator[list[str]]:
        """Move the window to the rows of each ``INSERT`` and yield their columns."""
        columns: list[str] = []
        statement = None
        while (following := next_statement(window)) is not None:
            statement = following
            if statement.table != self.shape.name:
                reason = f"this is the table '{statement.table}', and '{self.shape.name}' was expected"
                raise BrokenFile(self.path, reason)
            listed = statement.columns or columns
            self._check(listed)
            if isinstance(statement, CreateTable):
                columns = listed
            else:
                yield listed
        if statement is None:
            raise BrokenFile(self.path, (broken_off or [f"no table in it, and '{self.shape.name}' was expected"])[0])

    def _check(self, columns: list[str]) -> None:
        if not columns:
            reason = f"the rows of '{self.shape.name}' come before its CREATE TABLE, so their columns are not known"
            raise BrokenFile(self.path, reason)
        for names in self.shape.needed:
            if not any(name in columns for name in names):
                missing, there = " or ".join(names), ", ".join(columns)
                reason = f"the table '{self.shape.name}' has no column {missing}; its columns are {there}"
                raise BrokenFile(self.path, reason)

    def _finished(self, held: RowBatch) -> Iterator[pa.RecordBatch]:
        if held.rows:
            batch = held.to_arrow()
            self.rows += held.rows
            self.remarks.add(NOT_UTF8, n=held.replaced)
            yield batch

    def _wrong(self, window: Window, status: int, rows: int, columns: list[str]) -> BrokenFile:
        from priorwise.wiki._kernels import sql_rows

        reasons = {
            sql_rows.NO_ROW: "a row or the end of the statement should be here",
            sql_rows.NO_VALUE: "the value is not of a known kind",
            sql_rows.WRONG_WIDTH: f"the row does not have {len(columns)} values, one for each column",
            sql_rows.NO_INTEGER: "this column should have a whole number, and this row has none",
        }
        where = f"after row {rows:,} of '{self.shape.name}', at {window.ahead(40)!r}"
        return BrokenFile(self.path, f"{where}: {reasons[status]}")

    def _tell(self, n: int) -> None:
        self.done_bytes += n
