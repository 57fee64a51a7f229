"""Whatever a file holds, a reader reads it or refuses it in a sentence, and what it read makes a corpus."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_sql import categorylinks_dump, linktarget_dump, new_categorylinks_dump, page_dump

from fuzzing import AWKWARD, hostile, little_memory, or_refused, read_or_refused, tried
from priorwise.corpus import Corpus, Document, IngestSummary, ingest
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.exports import write_back
from priorwise.exports.wikis import read_page_list
from priorwise.priors.keywords import column_keywords
from priorwise.readers.document import Stream
from priorwise.readers.fields import Columns
from priorwise.readers.folder import FolderReader, read_texts
from priorwise.readers.opening import Opening
from priorwise.readers.records import RecordReader
from priorwise.wiki.cirrus import CirrusReader
from priorwise.wiki.sql import CATEGORYLINKS, LINKTARGET, PAGE, SqlTable
from small_collections import COLLECTIONS, COMPRESSIONS, PACKINGS
from test_readers_bibliographies import BIBTEX, ENDNOTE, PUBMED, ZOTERO
from test_readers_tables import GERMAN, ods, workbook, written
from test_wiki_cirrus import PAGES
from wiki_dumps import COMPRESSIONS as DUMPS
from wiki_dumps import dump_xml, some_pages

RECORDS = [
    {"id": "1", "title": "One", "text": 'Bread, "circuses"\nand 漢字', "labels": ["Rome", "Fun"]},
    {"id": "2", "title": "Two", "text": "", "labels": []},
    {"id": "3", "title": "Three", "text": "to be or not to be", "labels": ["Rome"]},
]
TABLE = pa.Table.from_pylist(RECORDS)


def stored(write: Callable[[pa.BufferOutputStream], Any]) -> bytes:
    sink = pa.BufferOutputStream()
    write(sink)
    return sink.getvalue().to_pybytes()


def arrow(new: Callable[..., Any], **options: Any) -> bytes:
    def write(sink: pa.BufferOutputStream) -> None:
        with new(sink, TABLE.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
            writer.write_table(TABLE, max_chunksize=2)

    return stored(write)


IN_GERMAN = Columns(text="Beschreibung", id="Signatur", title="Titel", labels="Schlagwörter")
QUERY = Opening(query="SELECT * FROM books")


def made_by(write: Callable[[Path], Any], name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder, name))
        return Path(folder, name).read_bytes()


def book_of(rows: list[list[str]]) -> bytes:
    return made_by(lambda path: workbook(path, {"Books": rows}), "a.xlsx")


def sheet_of(rows: list[list[str]]) -> bytes:
    return made_by(lambda path: ods(path, [[cell.replace("&", "and") for cell in row] for row in rows]), "a.ods")


def database_of(rows: list[list[str]]) -> bytes:
    def write(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"CREATE TABLE books ({', '.join(rows[0])})")
            connection.executemany("INSERT INTO books VALUES (?, ?, ?, ?)", rows[1:])

    return made_by(write, "a.sqlite")


def duck_of(rows: list[list[str]]) -> bytes:
    def write(path: Path) -> None:
        with closing(duckdb.connect(str(path))) as connection:
            connection.execute(f"CREATE TABLE books ({', '.join(f'{name} VARCHAR' for name in rows[0])})")
            connection.executemany("INSERT INTO books VALUES (?, ?, ?, ?)", rows[1:])

    return made_by(write, "a.duckdb")


FLAT = TABLE.set_column(3, "labels", pa.array([json.dumps(record["labels"]) for record in RECORDS]))


@dataclass(frozen=True)
class Source:
    """A file that is right, what may stand in files of its kind, and who reads it."""

    name: str
    content: bytes
    marks: Sequence[bytes]
    read: Callable[[Path], Iterable[Any]]


JSON = [*AWKWARD, b'{"text": ', b'"id": ', b'"labels": [', b"[[[[", b"true", b"1e400", b'"\\u0000"', b"NaN", b"{}\n"]
SQL = [*AWKWARD, b"INSERT INTO ", b"CREATE TABLE ", b" VALUES ", b"(", b")", b";", b"`", b"/*", b"*/", b"-- ", b"NULL"]
SOURCES = [
    Source(name, content, JSON, lambda path: RecordReader([path]))
    for name, content in {
        "news.jsonl": b"\n".join(json.dumps(record).encode() for record in RECORDS),
        "news.csv": stored(lambda sink: pyarrow.csv.write_csv(FLAT, sink)),
        "news.tsv": stored(
            lambda sink: pyarrow.csv.write_csv(FLAT, sink, pyarrow.csv.WriteOptions(delimiter="\t")),
        ),
        "news.parquet": stored(lambda sink: pq.write_table(TABLE, sink, row_group_size=2)),
        "plain.parquet": stored(
            lambda sink: pq.write_table(TABLE, sink, compression="none", use_dictionary=False, write_statistics=False)
        ),
        "news.arrow": arrow(pa.ipc.new_file),
        "stream.arrow": arrow(pa.ipc.new_stream),
        "packed.arrow": arrow(pa.ipc.new_file, compression="zstd"),
    }.items()
]
TAGGED = [*AWKWARD, b"TY  - ", b"ER  - ", b"PMID- ", b"KW  - ", b"      ", b"@article{", b"},", b" = {", b"</record>"]
TABLES = [*AWKWARD, b";", b"|", b"\xff\xfe", b"PK\x03\x04", b"<t>", b"</c>", b"99999999999", b'r="XFD1048576"']
SOURCES += [
    Source(name, content.encode(encoding), TAGGED, lambda path: RecordReader([path]))
    for name, content, encoding in [
        ("zotero.ris", ZOTERO, "cp1252"),
        ("pubmed.nbib", PUBMED, "utf-8"),
        ("library.bib", BIBTEX, "utf-8"),
        ("endnote.xml", ENDNOTE, "utf-16"),
    ]
]
SOURCES += [
    Source("semicolons.csv", written(GERMAN, ";", "cp1252"), TABLES, lambda path: RecordReader([path], IN_GERMAN)),
    Source("wide.csv", written(GERMAN, "\t", "utf-16"), TABLES, lambda path: RecordReader([path], IN_GERMAN)),
    Source("books.xlsx", book_of(GERMAN), TABLES, lambda path: RecordReader([path], IN_GERMAN)),
    Source("books.ods", sheet_of(GERMAN), TABLES, lambda path: RecordReader([path], IN_GERMAN)),
    Source("books.sqlite", database_of(GERMAN), TABLES, lambda path: RecordReader([path], IN_GERMAN, QUERY)),
    Source("books.duckdb", duck_of(GERMAN), TABLES, lambda path: RecordReader([path], IN_GERMAN, QUERY)),
    Source(
        "japanese.csv",
        written(GERMAN[:1], ",", "cp1252") + "1,茶,本,語\r\n".encode("cp932"),
        TABLES,
        lambda path: RecordReader([path], IN_GERMAN),
    ),
    Source("terms.csv", "Nr;Begriff\n1;+Öl:2\n2;Tee\n".encode(), TABLES, lambda path: column_keywords(path, "Begriff")),
    Source(
        "into.ods", sheet_of(GERMAN), TABLES, lambda path: [write_back(path, path.with_name("new.ods"), [], label="x")]
    ),
    Source("pages.txt", b"* [[:Green tea]]\n* [[Milk|milk]]\n", [*AWKWARD, b"[[", b"]]"], read_page_list),
    Source("pages.json", b'{"pages": [{"title": "Tea"}]}', JSON, read_page_list),
]
SOURCES += [Source("wiki-content.json", PAGES, [*JSON, b'"index"', b'"_id"'], lambda path: CirrusReader([path]))]
SOURCES += [
    Source(f"{name}.sql", content, SQL, lambda path, shape=shape: SqlTable(path, shape))  # type: ignore[misc]
    for name, shape, content in [
        ("page", PAGE, page_dump([(1, 0, "Tea"), (2, 14, "Hot drinks")])),
        ("linktarget", LINKTARGET, linktarget_dump([(1, 14, "Hot drinks"), (2, 0, "Bird's nest")])),
        ("categorylinks", CATEGORYLINKS, categorylinks_dump([(1, "Hot drinks", "page"), (2, "Drinks", "subcat")])),
        ("new-categorylinks", CATEGORYLINKS, new_categorylinks_dump([(1, 1, "page"), (2, None, "subcat")])),
    ]
]
SOURCES += [
    Source("letter.txt", "Dear Sir,\nthe tea is café.\n".encode() * 9, AWKWARD, lambda path: FolderReader(path.parent)),
    Source("whole.txt", b"Dear Sir,\nthe tea is cold.\n" * 9, AWKWARD, lambda path: read_texts([path], Columns())),
    Source("lines.txt", b"one\r\ntwo\n\nthree" * 9, AWKWARD, lambda path: read_texts([path], Columns(), lines=True)),
]
BY_NAME = {source.name: source for source in SOURCES}


def files(source: Source) -> st.SearchStrategy[tuple[str, bytes]]:
    """A name and hostile bytes: of the content, or of the compressed file."""
    suffixes = st.sampled_from(sorted(COMPRESSIONS))
    changed_then_packed = st.builds(
        lambda suffix, content: (source.name + suffix, COMPRESSIONS[suffix](content)),
        suffixes,
        hostile(source.content, source.marks),
    )
    packed_then_changed = suffixes.flatmap(
        lambda suffix: st.tuples(st.just(source.name + suffix), hostile(COMPRESSIONS[suffix](source.content)))
    )
    plain = st.tuples(st.just(source.name), hostile(source.content, source.marks))
    return plain | changed_then_packed | packed_then_changed


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_a_file_is_read_or_refused(name: str) -> None:
    source = BY_NAME[name]
    assert list(read_or_refused(source.read, source.name, source.content))

    @tried()
    @given(files(source))
    def attempt(file: tuple[str, bytes]) -> None:
        for entry in read_or_refused(source.read, *file):
            if isinstance(entry, Document):
                check(entry)

    with little_memory():
        attempt()


def check(document: Document) -> None:
    assert document.id
    assert all(isinstance(text, str) for text in (document.id, document.title, document.text, *document.labels))
    assert all(document.labels)


@tried(2)
@given(st.data(), st.sampled_from(sorted(COLLECTIONS)), st.sampled_from(sorted(PACKINGS)))
def test_a_collection_is_read_or_refused(data: st.DataObject, name: str, packing: str) -> None:
    kind, contents, _ = COLLECTIONS[name]
    wounded = data.draw(st.sampled_from(sorted(contents)))
    contents = {**contents, wounded: data.draw(hostile(contents[wounded]))}
    with tempfile.TemporaryDirectory() as folder, little_memory():
        path = PACKINGS[packing](Path(folder), contents)
        if path.is_file() and data.draw(st.booleans()):
            path.write_bytes(data.draw(hostile(path.read_bytes())))
        with or_refused():
            for document in kind(path):
                check(document)


@tried(0.3)
@given(st.data(), st.sampled_from(["news.jsonl", "news.csv", "news.parquet", "news.arrow", "wiki-content.json"]))
def test_what_was_read_makes_a_corpus(data: st.DataObject, name: str) -> None:
    source = BY_NAME[name]
    content = data.draw(hostile(source.content, source.marks))
    with tempfile.TemporaryDirectory() as folder, little_memory():
        (path := Path(folder, name)).write_bytes(content)
        assert_whole_or_absent(path, lambda target: ingest(source.read(path), target, workers=1))  # type: ignore[arg-type]


WIKI = dump_xml(some_pages(12, words=8))


@tried(0.3)
@given(st.data(), st.sampled_from(sorted(DUMPS)))
def test_what_was_read_of_a_dump_makes_a_corpus(data: st.DataObject, compression: str) -> None:
    content = data.draw(hostile(DUMPS[compression](WIKI)))
    with tempfile.TemporaryDirectory() as folder, little_memory():
        (path := Path(folder, f"wiki.{compression}")).write_bytes(content)
        assert_whole_or_absent(path, lambda target: ingest_wikipedia([path], target, workers=1, min_bytes=0))


def assert_whole_or_absent(path: Path, make: Callable[[Path], IngestSummary]) -> None:
    target = path.parent / "x.corpus"
    with or_refused() as refused:
        assert_whole(target, make(target).documents)
    if refused:
        assert list(path.parent.iterdir()) == [path]


def assert_whole(path: Path, documents: int) -> None:
    """The corpus can be opened, and everything that was written can be read."""
    corpus = Corpus.open(path)
    assert len(corpus) == documents
    for row in range(len(corpus)):
        assert isinstance(corpus.text(row), str)
        assert corpus.row(*corpus.ids([row])) == row
        assert all(row in corpus.members(label) for label in corpus.labels_of(row))


ANY_TEXT = st.text(st.characters(exclude_categories=()))  # half pairs of surrogates too, as JSON may hold them


@tried(0.3)
@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT, st.lists(ANY_TEXT, max_size=3)), min_size=1, max_size=5))
def test_any_strings_make_a_corpus(texts: list[tuple[str, str, list[str]]]) -> None:
    documents = [Document(str(n), title, text, labels) for n, (title, text, labels) in enumerate(texts)]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "x.corpus")
        assert_whole(target, ingest(Stream(documents), target, workers=1).documents)
