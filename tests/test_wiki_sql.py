from __future__ import annotations

import re
import tempfile
import tracemalloc
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_sql import (
    Dump,
    categorylinks_dump,
    linktarget_dump,
    literal,
    new_categorylinks_dump,
    page_dump,
    rows_and_ends,
    rows_of,
)

from priorwise.errors import BrokenFile
from priorwise.wiki.sql import (
    CATEGORYLINKS,
    CUT_OFF,
    LINKTARGET,
    LONGEST,
    NOT_UTF8,
    PAGE,
    SqlTable,
    TableShape,
    column_names,
)
from small_collections import COMPRESSIONS

SHAPE = TableShape("t", {"number": "integer", "text": "text", "title": "title"}, (("number",), ("text", "title")))


def read(data: bytes, shape: TableShape = SHAPE, *, piece: int = 1 << 20) -> tuple[dict[str, list[Any]], SqlTable]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.sql")
        path.write_bytes(data)
        table = SqlTable(path, shape, piece=piece)
        columns: dict[str, list[Any]] = {}
        for batch in table:
            for name, values in batch.to_pydict().items():
                columns.setdefault(name, []).extend(values)
        assert table.done_bytes == len(data)
    assert all(len(values) == table.rows for values in columns.values())
    return columns, table


def said(value: Any) -> str | None:
    """A value of a text column as it should come out."""
    if value is None:
        return None
    return (value if isinstance(value, bytes) else repr(value).encode()).decode("utf-8", "replace")


texts = st.text(st.sampled_from("a_é漢'\"\\;),(%\0\n\t\b\x1a"), max_size=8).map(str.encode)
values = st.one_of(
    st.none(),
    st.integers(-(10**17), 10**17),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
    st.binary(max_size=6),
)
rows = st.lists(
    st.fixed_dictionaries(
        {
            "number": st.none() | st.integers(-(10**17), 10**17),
            "text": st.none() | texts | st.binary(max_size=4),
            "title": st.none() | texts,
            "other": values,
            "another": values,
        }
    ),
    max_size=8,
)


@given(
    rows,
    st.permutations(["number", "text", "title", "other", "another"]),
    st.integers(1, 9),
    st.booleans(),
    st.none() | st.randoms(use_true_random=False),
    st.sampled_from([1, 3, 16, 1 << 20]),
)
@settings(deadline=None)
def test_reads_what_a_dump_says(
    made: list[dict[str, Any]], order: list[str], per_statement: int, listed: bool, random: Random | None, piece: int
) -> None:
    data = Dump(
        "t", order, [[row[name] for name in order] for row in made], per_statement, listed=listed, random=random
    ).to_bytes()
    expected = [dict(zip(order, row, strict=True)) for row in rows_of(data)]
    assert expected == made

    columns, table = read(data, piece=piece)
    assert table.rows == len(made)
    if made:
        assert columns == {
            name: [
                row[name]
                if name == "number"
                else (said(row[name]) or "").replace("_", " ") or said(row[name])
                if name == "title"
                else said(row[name])
                for row in made
            ]
            for name in order
            if name in SHAPE.columns
        }
    replaced = sum("\ufffd" in (said(row["text"]) or "") for row in made)
    assert table.remarks.lines() == ({NOT_UTF8: replaced} if replaced else {})


@pytest.mark.parametrize("piece", [1, 2, 5, 64])
def test_a_file_that_is_cut_at_any_byte_gives_the_rows_before_the_cut(piece: int) -> None:
    made = [(1, b"a_b", b"x'"), (-2, b"c\\),(", None), (30, b"", b";"), (4, b"d", b"e")]
    data = Dump("t", ["number", "title", "text"], made, rows_per_statement=3, random=Random(1)).to_bytes()
    ends = [end for _, end in rows_and_ends(data)]
    assert rows_of(data) == [list(row) for row in made]
    first = data.index(b"CHARSET=binary COMMENT='a, b); c';") + len(b"CHARSET=binary COMMENT='a, b); c';")
    spans = [
        found.span() for found in re.finditer(rb"/[*].*?[*]/|^INSERT.*?;$|^-(?=- Dump)", data, re.DOTALL | re.MULTILINE)
    ]
    spans[-1] = (spans[-1][0], spans[-1][1] + 1)
    for cut in range(len(data)):
        if cut < first:
            with pytest.raises(BrokenFile, match=r"t\.sql: no table in it, and 't' was expected"):
                read(data[:cut], piece=piece)
            continue
        columns, table = read(data[:cut], piece=piece)
        whole = sum(end <= cut for end in ends)
        assert table.rows == whole
        assert columns.get("number", []) == [row[0] for row in made[:whole]]
        # Between two statements nothing tells that more should come.
        assert bool(table.remarks.lines()) is any(start < cut < end for start, end in spans), data[:cut]
        if table.remarks.lines():
            assert table.remarks.lines() == {f"{CUT_OFF} (t.sql, after row {whole})": 1}


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_compressed_whole_and_broken_off(suffix: str, tmp_path: Path) -> None:
    made = [(number, 14, Random(number).randbytes(60).hex()) for number in range(12_000)]
    data = page_dump(made)
    packed = COMPRESSIONS[suffix](data)
    path = tmp_path / f"page.sql{suffix}"
    path.write_bytes(packed)
    table = SqlTable(path, PAGE)
    assert [title for batch in table for title in batch["page_title"].to_pylist()] == [title for _, _, title in made]
    assert table.remarks.lines() == {}
    assert table.done_bytes == len(packed)

    path.write_bytes(packed[: len(packed) * 3 // 4])
    pages = [page for batch in table for page in batch["page_id"].to_pylist()]
    assert pages == list(range(len(pages)))
    assert table.remarks.lines() == {f"{CUT_OFF} (page.sql{suffix}, after row {len(pages):,})": 1}
    assert len(pages) > 5_000
    path.write_bytes(b"this is no archive" if suffix else b"")
    with pytest.raises(BrokenFile, match="the compressed data end too early or are damaged" if suffix else "no table"):
        list(table)


def test_the_three_tables_in_both_schemas() -> None:
    columns, _ = read(categorylinks_dump([(7, "Hot drinks", "page"), (9, "Tea's", "subcat")]), CATEGORYLINKS)
    assert columns == {"cl_from": [7, 9], "cl_to": ["Hot drinks", "Tea's"], "cl_type": ["page", "subcat"]}
    columns, _ = read(new_categorylinks_dump([(7, 3, "page"), (9, None, "file")]), CATEGORYLINKS)
    assert columns == {"cl_from": [7, 9], "cl_type": ["page", "file"], "cl_target_id": [3, None]}
    columns, _ = read(linktarget_dump([(3, 14, "Hot drinks")]), LINKTARGET)
    assert columns == {"lt_id": [3], "lt_namespace": [14], "lt_title": ["Hot drinks"]}
    columns, _ = read(page_dump([(7, 0, "Tea")]), PAGE)
    assert columns == {"page_id": [7], "page_namespace": [0], "page_title": ["Tea"]}


def test_numbers_in_other_clothes_and_a_list_of_columns_without_a_table() -> None:
    data = b"replace into wiki.`t` ( title,`number` ) VALUES\n ( 7 , '12' ),(0x5f61 ,0xFf), (_utf8mb4\n'x_',-0) ;"
    columns, _ = read(data, piece=3)
    assert columns == {"title": ["7", " a", "x "], "number": [12, 255, 0]}


def test_the_columns_of_a_table() -> None:
    assert column_names(
        b"""
  -- `no`,
  a int(8) unsigned DEFAULT '0,`b`', # `c`,
  `d` enum('x','it''s)','\\'') /*!50606 STORAGE DISK, `e` */ COMMENT "f, (",
  `key` decimal(10,2) CHECK (a in (1,2)),
  PRIMARY KEY (`a`,`d`), UNIQUE KEY `u` (`d`(10)), KEY k (a), CONSTRAINT `z` FOREIGN KEY (`a`) REFERENCES `y` (`x`)
) ENGINE=InnoDB, `g` int"""
    ) == ["a", "d", "key"]


CREATE = b"CREATE TABLE `t` (`number` int, `title` varbinary(255));\n"


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "no table in it, and 't' was expected"),
        (b"-- MySQL dump\n/*!40101 SET x */;\nLOCK TABLES `t` WRITE;\n", "no table in it, and 't' was expected"),
        (b"<mediawiki>", r"no SQL dump: where a statement should begin it has b'<mediawiki>'"),
        (b'{"index":{}}', "no SQL dump"),
        (bytes(range(256)), "no SQL dump"),
        (b"To be; or not to be;", "no SQL dump: where a statement should begin it has b'To be; or"),
        (b"12:34:Title\n", "no SQL dump"),
        (page_dump([]), "this is the table 'page', and 't' was expected"),
        (b"INSERT INTO `u` VALUES (1,'a');", "this is the table 'u', and 't' was expected"),
        (b"INSERT INTO `t` VALUES (1,'a');", "the rows of 't' come before its CREATE TABLE"),
        (b"INSERT INTO t SELECT * FROM u;", "rows that cannot be read: b'INSERT INTO t SELECT"),
        (b"CREATE TABLE t (`n` int, `text` text);", "the table 't' has no column number; its columns are n, text"),
        (b"CREATE TABLE t (`number` int, b int);", "has no column text or title; its columns are number, b"),
        (CREATE + b"INSERT INTO t (title) VALUES ('x');", "has no column number; its columns are title"),
        (CREATE + b"INSERT INTO t VALUES (1,'a'),(2);", r"after row 1 of 't', at b'\);': the row does not have 2 val"),
        (CREATE + b"INSERT INTO t VALUES (1,'a',3);", r"after row 0 of 't', at b',3\);': the row does not have 2 val"),
        (CREATE + b"INSERT INTO t VALUES (1,'a') (2,'b');", "after row 1 .*: a row or the end of the statement"),
        (CREATE + b"INSERT INTO t VALUES 1,2;", "after row 0 .*: a row or the end of the statement"),
        (CREATE + b"INSERT INTO t VALUES (1,'a'),;", "after row 1 .*: a row or the end of the statement"),
        (
            CREATE + b"INSERT INTO t VALUES (1,current_timestamp());",
            "at b'current_.*: the value is not of a known kind",
        ),
        (CREATE + b"INSERT INTO t VALUES (1,NUL);", "the value is not of a known kind"),
        (CREATE + b"INSERT INTO t VALUES (,'a');", "the value is not of a known kind"),
        (CREATE + b"INSERT INTO t VALUES ();", "the value is not of a known kind"),
        (CREATE + b"INSERT INTO t VALUES (1,'a'b);", "the value is not of a known kind"),
        (CREATE + b"INSERT INTO t VALUES (1.5,'a');", r"at b\"1.5,'a'\);\": this column should have a whole number"),
        (CREATE + b"INSERT INTO t VALUES ('1x','a');", "should have a whole number"),
        (CREATE + b"INSERT INTO t VALUES (9223372036854775808,'a');", "should have a whole number"),
        (CREATE + b"INSERT INTO t VALUES ('','a');", "should have a whole number"),
        (CREATE + b"INSERT INTO t VALUES (0x8000000000000000,'a');", "should have a whole number"),
    ],
)
@pytest.mark.parametrize("piece", [1, 1 << 20])
def test_what_is_wrong_is_said(data: bytes, complaint: str, piece: int) -> None:
    with pytest.raises(BrokenFile, match=complaint):
        read(data, piece=piece)


def test_an_enormous_statement_takes_little_memory_and_an_enormous_row_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.sql"
    path.write_bytes(
        CREATE + b"INSERT INTO t VALUES " + b",".join(b"(%d,'%100d')" % (n, n) for n in range(200_000)) + b";"
    )
    table = SqlTable(path, SHAPE, piece=1 << 14)
    next(iter(table))  # compiles
    total = 0
    tracemalloc.start()
    for batch in table:
        total += sum(batch["number"].to_pylist())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total == 200_000 * 199_999 // 2
    assert peak < path.stat().st_size // 4

    path.write_bytes(CREATE + b"INSERT INTO t VALUES (1,'" + b"x" * (LONGEST - 100) + b"'),(2,'y');")
    assert [len(title) for batch in table for title in batch["title"].to_pylist()] == [LONGEST - 100, 1]
    path.write_bytes(CREATE + b"INSERT INTO t VALUES (1,'" + b"x" * (3 * LONGEST))
    with pytest.raises(BrokenFile, match="a row or a statement without rows is longer than 16,777,216 bytes"):
        list(table)
    path.write_bytes(b"CREATE TABLE t (" + b"/*" * LONGEST * 2)
    with pytest.raises(BrokenFile, match="is longer than 16,777,216 bytes"):
        list(table)


@given(st.binary(max_size=80), st.integers(0, 2**32))
@settings(deadline=None, max_examples=300)
def test_damaged_dumps_are_read_or_refused(noise: bytes, seed: int) -> None:
    random = Random(seed)
    data = bytearray(Dump("t", ["number", "title"], [(n, b"a'b") for n in range(20)], 7, random=random).to_bytes())
    for byte in noise:
        data[random.randrange(len(data))] = byte
    outcomes: list[Any] = []
    for piece in (1, 1 << 20):
        try:
            columns, table = read(bytes(data), piece=piece)
            outcomes.append((columns, table.remarks.lines()))
        except BrokenFile as error:
            outcomes.append(str(error).partition(":")[2])
    assert outcomes[0] == outcomes[1]


def test_literals_of_the_twin() -> None:
    assert literal(b"it's\n") == b"'it\\'s\\n'"
    assert literal(None) == b"NULL"
    assert literal(-0.5) == b"-0.5"
