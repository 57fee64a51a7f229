"""Databases: the answer to a query, from SQLite or DuckDB."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priorwise.errors import BrokenFile, InputError, MissingExtra
from priorwise.readers.compressed import spooled
from priorwise.readers.json_lines import Numbered
from priorwise.readers.separated import unique_names

if TYPE_CHECKING:
    from priorwise.readers.records import RecordReader

_ROWS_AT_A_TIME = 512


def database(reader: RecordReader, path: Path) -> Numbered:
    """Yield the rows of the answer to a query; the database is opened for reading only."""
    with spooled(path, reader.tell) as plain, _connection(plain, path) as connection:
        query = reader.opening.query
        if query is None:
            raise InputError(f"{path} is a database: say what to read with --query; {_its_tables(connection)}")
        reader.says(path, "the answer to a query")
        with _answers(path, query):
            cursor = connection.execute(query)
            if cursor.description is None:
                raise BrokenFile(path, "the query has no rows for an answer; it must be a SELECT")
            names = [str(column[0]) for column in cursor.description]
            reader.check(names, path)
            header = unique_names(names)
            number = 0
            while rows := cursor.fetchmany(_ROWS_AT_A_TIME):
                for row in rows:
                    number += 1
                    yield number, dict(zip(header, row, strict=True))


@contextmanager
def _connection(plain: Path, path: Path) -> Iterator[Any]:
    with plain.open("rb") as file:
        head = file.read(16)
    if head[8:12] == b"DUCK":
        try:
            import duckdb
        except ImportError as error:
            raise MissingExtra("duckdb", "files") from error
        with _answers(path, ""), closing(duckdb.connect(str(plain), read_only=True)) as connection:
            yield connection
        return
    if not head.startswith(b"SQLite format 3\0"):
        raise BrokenFile(path, "neither a database of SQLite nor one of DuckDB")
    address = plain.absolute().as_uri() + "?mode=ro"
    with _answers(path, ""), closing(sqlite3.connect(address, uri=True)) as connection:
        yield connection


@contextmanager
def _answers(path: Path, query: str) -> Iterator[None]:
    """Turn the errors of both databases into ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise BrokenFile(path, f"the query failed ({error})" if query else f"cannot be read ({error})") from error
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("duckdb", "_duckdb"):
            raise
        said = str(error).partition("\n")[0]
        raise BrokenFile(path, f"the query failed ({said})" if query else f"cannot be read ({said})") from error


def _its_tables(connection: Any) -> str:
    catalogue = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    names = [str(row[0]) for row in connection.execute(catalogue).fetchall()]
    return f"its tables are {', '.join(names[:20])}" if names else "it has no tables"
