"""Read tables of a wiki's database from the dumps that ``mysqldump`` writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from priorwise.errors import BrokenFile
from priorwise.readers.remarks import Remarks
from priorwise.wiki.files import PIECE, readable_pieces
from priorwise.wiki.sql_batches import RowBatch
from priorwise.wiki.sql_statements import CreateTable, Window, next_statement

NOT_UTF8 = "titles in SQL files that are not UTF-8, of which the wrong bytes were replaced"
CUT_OFF = "SQL files that end too early, of which the rows up to there were read"


@dataclass(frozen=True, slots=True)
class TableShape:
    """The columns of a table that are of use, and how they are read.

    Attributes
    ----------
    name : str
        The table.
    columns : dict
        Each column's name and what it is: ``"integer"``, ``"text"``, or ``"title"``, a text in which underscores are
        spaces.
    needed : tuple of tuples
        Of each of these at least one must be there.
    """

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
    values of a batch are int64 or string; what is no UTF-8 is replaced.

    Parameters
    ----------
    path : str or Path
        What ``mysqldump`` of MySQL or MariaDB writes, plain or compressed by gzip, bz2, xz or zstd.
    shape : TableShape
        Which table, and which of its columns.
    piece : int, optional
        How many bytes, decompressed, are read at a time.

    Attributes
    ----------
    rows : int
        How many rows have been read.
    remarks : Remarks
        What was done to the input that its owner should know. From a file that breaks off, the rows up to there are
        read.

    Notes
    -----
    The file goes through a window of four pieces, 4 MB, that a compiled scanner cuts into rows; it grows only for a
    longer row, and 16 MB is the most. A statement may have any length.

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
        self.path = path if isinstance(path, Path) else Path(path)
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
            sql_rows.NO_ROW: "there is no row, and no end of the statement",
            sql_rows.NO_VALUE: "there is no value that is known",
            sql_rows.WRONG_WIDTH: f"the row does not have {len(columns)} values, one for each column",
            sql_rows.NO_INTEGER: "there is no whole number, as there should be in this column",
        }
        where = f"after row {rows:,} of '{self.shape.name}', at {window.ahead(40)!r}"
        return BrokenFile(self.path, f"{where}: {reasons[status]}")

    def _tell(self, n: int) -> None:
        self.done_bytes += n
