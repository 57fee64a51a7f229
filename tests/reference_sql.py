"""SQL dumps by the letter, byte by byte: what a dump of a MediaWiki table says, and one that says it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

Value = int | float | bytes | None
Row = Sequence[Value]

ESCAPES = {b"0": b"\0", b"b": b"\b", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"Z": b"\x1a", b"%": b"\\%", b"_": b"\\_"}
ESCAPED = {b"\0": b"\\0", b"\n": b"\\n", b"\r": b"\\r", b"\\": b"\\\\", b"'": b"\\'", b'"': b'\\"', b"\x1a": b"\\Z"}


def rows_of(sql: bytes) -> list[list[Value]]:
    """Every row of every INSERT; of a row that is cut off nothing."""
    return [row for row, _ in rows_and_ends(sql)]


def rows_and_ends(sql: bytes) -> list[tuple[list[Value], int]]:
    """Every row of a dump and the place after it."""
    found: list[tuple[list[Value], int]] = []
    for begin in re.finditer(rb"^INSERT INTO `?\w+`?\s*(?:\([^()]*\)\s*)?VALUES", sql, re.MULTILINE):
        at = begin.end()
        while at < len(sql) and sql[at : at + 1] != b";":
            if sql[at : at + 1] != b"(":
                at += 1
                continue
            row: list[Value] = []
            at += 1
            while sql[at : at + 1] != b")":
                value, at = _value(sql, at)
                if at >= len(sql):
                    return found
                row.append(value)
            at += 1
            found.append((row, at))
    return found


def _value(sql: bytes, at: int) -> tuple[Value, int]:
    while sql[at : at + 1].isspace() or sql[at : at + 1] == b",":
        at += 1
    if sql[at : at + 8] == b"_binary ":
        at += 8
    quote = sql[at : at + 1]
    if quote in (b"'", b'"'):
        said, at = b"", at + 1
        while at < len(sql):
            if sql[at : at + 1] == b"\\":
                said += ESCAPES.get(sql[at + 1 : at + 2], sql[at + 1 : at + 2])
                at += 2
            elif sql[at : at + 2] == 2 * quote:
                said += quote
                at += 2
            elif sql[at : at + 1] == quote:
                return said, _space(sql, at + 1)
            else:
                said += sql[at : at + 1]
                at += 1
        return said, at
    end = at
    while end < len(sql) and sql[end : end + 1] not in b",) \t\r\n":
        end += 1
    word = sql[at:end]
    if word.startswith(b"0x"):
        return bytes.fromhex((b"0" * (len(word) % 2) + word[2:]).decode()), _space(sql, end)
    if word == b"NULL" or end == len(sql):
        return None, _space(sql, end)
    return (float(word) if set(word) & set(b".e") else int(word)), _space(sql, end)


def _space(sql: bytes, at: int) -> int:
    while at < len(sql) and sql[at : at + 1].isspace():
        at += 1
    return at


def literal(value: Value, random: Random | None = None) -> bytes:
    """A value as mysqldump writes it, or, given chance, in another way that says the same."""
    way = random.randrange(5) if random is not None else 0
    if value is None:
        return b"NULL"
    if not isinstance(value, bytes):
        return repr(value).encode()
    if way == 1 and value:
        return b"0x" + value.hex().encode()
    if way == 2:
        return b"'" + value.replace(b"\\", b"\\\\").replace(b"'", b"''") + b"'"
    if way == 3:
        return b'"' + value.replace(b"\\", b"\\\\").replace(b'"', b'""') + b'"'
    said = b"".join(ESCAPED.get(value[i : i + 1], value[i : i + 1]) for i in range(len(value)))
    return (b"_binary '" if way == 4 else b"'") + said + b"'"


@dataclass
class Dump:
    """A table and how it is written."""

    table: str
    columns: Sequence[str]
    rows: Iterable[Row]
    rows_per_statement: int = 1000
    listed: bool = False
    random: Random | None = None
    types: dict[str, str] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        table = self.table.encode()
        lines = [
            b"/*M!999999\\- enable the sandbox mode */ ",
            b"-- MySQL dump 10.19  Distrib 10.3.38-MariaDB",
            b"--",
            b"-- it's a comment; with 'quotes\n",
            b"/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;",
            b"DROP TABLE IF EXISTS `%b`;" % table,
            b"CREATE TABLE `%b` (" % table,
            *(
                f"  `{name}` {self.types.get(name, 'varbinary(255)')} /*!40101 x,y */ NOT NULL DEFAULT '',".encode()
                for name in self.columns
            ),
            b"  PRIMARY KEY (`%b`)," % self.columns[0].encode(),
            b"  KEY `other` (`%b`(10),`x`)" % self.columns[-1].encode(),
            b") ENGINE=InnoDB DEFAULT CHARSET=binary COMMENT='a, b); c';",
            b"/*!40000 ALTER TABLE `%b` DISABLE KEYS */;" % table,
        ]
        rows = list(self.rows)
        names = b" (" + b",".join(b"`%b`" % name.encode() for name in self.columns) + b")" if self.listed else b""
        for start in range(0, len(rows), self.rows_per_statement):
            some = rows[start : start + self.rows_per_statement]
            lines.append(b"INSERT INTO `%b`%b VALUES %b;" % (table, names, self._joined(some)))
        return b"\n".join([*lines, b"/*!40000 ALTER TABLE `x` ENABLE KEYS */;", b"-- Dump completed on 2025-01-01"])

    def _joined(self, rows: Sequence[Row]) -> bytes:
        space = [b"", b"", b" ", b"\n"]
        text = b""
        for number, row in enumerate(rows):
            before = self.random.choice(space) if self.random else b""
            text += (b"," if number else b"") + before
            text += b"(" + (before + b",").join(literal(value, self.random) for value in row) + before + b")"
        return text


def page_dump(rows: Iterable[tuple[int, int, str]], **how: Any) -> bytes:
    columns = ["page_id", "page_namespace", "page_title", "page_is_redirect", "page_random"]
    listed = [(page, space, title.replace(" ", "_").encode(), 0, 0.5) for page, space, title in rows]
    return Dump("page", columns, listed, **how).to_bytes()


def linktarget_dump(rows: Iterable[tuple[int, int, str]], **how: Any) -> bytes:
    listed = [(number, space, title.replace(" ", "_").encode()) for number, space, title in rows]
    return Dump("linktarget", ["lt_id", "lt_namespace", "lt_title"], listed, **how).to_bytes()


def categorylinks_dump(rows: Iterable[tuple[int, str, str]], **how: Any) -> bytes:
    """As it was before 2025: page, category, type."""
    columns = ["cl_from", "cl_to", "cl_sortkey", "cl_timestamp", "cl_sortkey_prefix", "cl_collation", "cl_type"]
    listed = [
        (
            page,
            to.replace(" ", "_").encode(),
            b"\xff\\'\0;),(",
            b"2015-01-01 00:00:00",
            b"",
            b"uppercase",
            kind.encode(),
        )
        for page, to, kind in rows
    ]
    return Dump("categorylinks", columns, listed, **how).to_bytes()


def new_categorylinks_dump(rows: Iterable[tuple[int, int | None, str]], **how: Any) -> bytes:
    """As it is since: page, number in linktarget, type."""
    columns = [
        "cl_from",
        "cl_sortkey",
        "cl_timestamp",
        "cl_sortkey_prefix",
        "cl_type",
        "cl_collation_id",
        "cl_target_id",
    ]
    listed = [(page, b"A'\\", b"2025-01-01 00:00:00", b"", kind.encode(), 1, target) for page, target, kind in rows]
    return Dump("categorylinks", columns, listed, **how).to_bytes()


@dataclass
class Wiki:
    """Pages and what a wiki's tables say about them; labels and parents go with their origins."""

    documents: dict[int, dict[str, int]]
    categories: dict[int, tuple[str, dict[str, int]]]
    links: list[tuple[int, str, str]]
    """Page, category, type of the page."""
    other_pages: dict[int, str]
    """Categories that are only in the table of pages."""

    def completed(self, *, with_pages: bool) -> tuple[dict[int, dict[str, int]], dict[str, dict[str, int]]]:
        """The labels of each document by its page, and the parents of each category by its name."""
        documents = {page: dict(labels) for page, labels in self.documents.items()}
        parents: dict[str, dict[str, int]] = {name: dict(above) for name, above in self.categories.values()}
        names = {page: name for page, (name, _) in self.categories.items()}
        if with_pages:
            names = {**self.other_pages, **names}
        for page, category, kind in self.links:
            if kind == "page" and page in documents:
                documents[page].setdefault(category, 1)
            if kind == "subcat" and page in names:
                parents.setdefault(names[page], {}).setdefault(category, 1)
        return documents, parents
