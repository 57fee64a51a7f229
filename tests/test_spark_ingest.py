"""A corpus made by Spark is the corpus that the local engine makes, bit by bit."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import Cli, Refused
from priorwise.corpus import Corpus, ingest
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.corpus.storage.places import Store
from priorwise.engines.spark import Spark
from priorwise.errors import AlreadyExists, BrokenFile, CorpusError, InputError, UnknownName
from priorwise.readers import records as record_reading
from priorwise.readers.collections.medline import MedlineReader
from priorwise.readers.records import RecordReader
from priorwise.wiki.cirrus import CirrusReader

pytestmark = [
    pytest.mark.spark,
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]

WORDS = [f"w{number}" for number in range(300)]


def records(n: int, start: int = 0) -> list[dict[str, Any]]:
    made = []
    for number in range(start, start + n):
        words = [WORDS[(number * k * k + k) % len(WORDS)] for k in range(1, 5 + number % 17)]
        labels = [f"label {number % 3}"] if number % 2 else []
        made.append({"id": f"d{number:05d}", "title": f"T {number}", "text": " ".join(words), "labels": labels})
    return made


def write_lines(path: Path, documents: list[dict[str, Any]]) -> Path:
    with gzip.open(path, "wt") if path.suffix == ".gz" else path.open("w") as file:
        file.writelines(json.dumps(document) + "\n" for document in documents)
    return path


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_reading, "PART_BYTES", 2000)


@pytest.fixture
def part_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Files of all kinds, some of them in several parts, one without a record."""
    monkeypatch.setattr(record_reading, "PART_BYTES", 7000)
    (tmp_path / "4.jsonl").write_text("\n")
    pq.write_table(pa.Table.from_pylist(records(300, 900)), tmp_path / "5.parquet", row_group_size=150)
    return [
        write_lines(tmp_path / "1.jsonl", records(200)),
        write_lines(tmp_path / "2.jsonl.gz", records(400, 200)),
        write_lines(tmp_path / "3.jsonl", records(300, 600)),
        tmp_path / "4.jsonl",
        tmp_path / "5.parquet",
    ]


def test_records_in_parts(spark: Spark, part_files: list[Path], tmp_path: Path) -> None:
    assert len(RecordReader(part_files).parts()) > 6
    local = ingest(RecordReader(part_files), tmp_path / "local.corpus")
    told: list[tuple[int, int, int]] = []
    there = ingest(
        RecordReader(part_files),
        f"file://{tmp_path}/spark.corpus",
        work=spark.work,
        progress=lambda *all: told.append(all),
    )
    assert told[-1] == (there.bytes, there.bytes, 0)
    assert (there.documents, there.vocabulary, there.memberships) == (1200, local.vocabulary, local.memberships)
    one, other = (Corpus.open(tmp_path / name) for name in ("local.corpus", "spark.corpus"))
    other.verify()
    assert other.checksum == one.checksum
    assert other.ids([0, 599, 600, 1199]) == ["d00000", "d00599", "d00600", "d01199"]
    assert sorted(path.name for path in tmp_path.glob("*.corpus*")) == ["local.corpus", "spark.corpus"]


def test_rows_without_ids_are_numbered_where_that_is_possible(spark: Spark, small_parts: None, tmp_path: Path) -> None:
    texts = pa.table({"text": [record["text"] for record in records(500)]})
    pq.write_table(texts, tmp_path / "a.parquet", row_group_size=100)
    pq.write_table(texts.slice(0, 100), tmp_path / "b.parquet", row_group_size=30)
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    ingest(RecordReader(files), tmp_path / "local.corpus")
    ingest(RecordReader(files), tmp_path / "spark.corpus", work=spark.work)
    assert Corpus.open(tmp_path / "spark.corpus").checksum == Corpus.open(tmp_path / "local.corpus").checksum
    lines = [write_lines(tmp_path / f"{n}.jsonl", [{"text": "a b c " * 20}] * 40) for n in range(2)]
    with pytest.raises(BrokenFile, match=r"1\.jsonl, line 1: it has no 'id'"):
        ingest(RecordReader(lines), tmp_path / "lines.corpus", work=spark.work)
    assert ingest(RecordReader(lines), tmp_path / "lines.corpus").documents == 80


def test_an_error_in_a_task_is_told_as_it_is_here(spark: Spark, small_parts: None, tmp_path: Path) -> None:
    files = [write_lines(tmp_path / "a.jsonl", records(100)), tmp_path / "b.jsonl"]
    files[1].write_text('{"id": "x", "text": "y"}\n{broken\n')
    for work in (None, spark.work):
        with pytest.raises(BrokenFile, match=r"b\.jsonl, line 2: not valid JSON"):
            ingest(RecordReader(files), tmp_path / "x.corpus", work=work)
        assert not list(tmp_path.glob("x.corpus*"))
    twice = [files[0], write_lines(tmp_path / "c.jsonl", records(1, 7))]
    with pytest.raises(InputError, match="two documents have the id 'd00007'"):
        ingest(RecordReader(twice), tmp_path / "x.corpus", work=spark.work)


def page(title: str, text: str, number: int, namespace: int = 0) -> str:
    return f"<page><title>{title}</title><ns>{namespace}</ns><id>{number}</id><text>{text}</text></page>\n"


def dump(path: Path, pages: list[str]) -> Path:
    """A dump whose pages are in several streams, as a multistream dump has them."""
    pieces = ["<mediawiki>\n", *("".join(pages[i : i + 20]) for i in range(0, len(pages), 20)), "</mediawiki>\n"]
    if path.suffix == ".bz2":
        path.write_bytes(b"".join(bz2.compress(piece.encode()) for piece in pieces))
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress("".join(pieces).encode()))
    else:
        path.write_text("".join(pieces))
    return path


def articles(n: int, start: int = 0) -> list[str]:
    return [
        page(record["title"], f"{record['text']} [[Category:C{number % 4}]]", number + 1)
        for number, record in enumerate(records(n, start), start)
    ]


def test_dumps_of_a_wiki(spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Multistream blocks, ranges of a plain file, a gzip file as a whole; a giant page; a title that is there twice."""
    for name, size in (("BZIP2_BYTES", 1500), ("XML_BYTES", 6000)):
        monkeypatch.setattr(f"priorwise.wiki.dump.{name}", size)
    giant = page("Giant", "word " * 400_000 + "[[Category:C1]]", 5000)
    category = page("Category:C1", "[[Category:C0]]", 5001, 14)
    files = [
        dump(tmp_path / "a.xml.bz2", [*articles(150), giant, *articles(100, 150)]),
        dump(tmp_path / "b.xml", [*articles(120, 240), category]),
        dump(tmp_path / "c.xml.gz", articles(60, 340)),
    ]
    local = ingest_wikipedia(files, tmp_path / "local.corpus", min_bytes=1)
    there = ingest_wikipedia(files, tmp_path / "spark.corpus", min_bytes=1, work=spark.work)
    assert there.remarks == local.remarks
    assert there.documents == 401
    one, other = (Corpus.open(tmp_path / name) for name in ("local.corpus", "spark.corpus"))
    assert other.checksum == one.checksum
    assert len(other.batch_sizes) > 8
    assert other.graph.parents("C1") == ["C0"]
    with pytest.raises(InputError, match="local engine"):
        ingest_wikipedia(files, tmp_path / "x.corpus", min_bytes=1, limit=5, work=spark.work)


def test_dumps_of_a_search_index(spark: Spark, small_parts: None, tmp_path: Path) -> None:
    """A split for some neighbouring files; what is wrong with one is told by both."""
    files = []
    for number in range(4):
        lines = []
        for record in records(60, 60 * number):
            lines.append(json.dumps({"index": {"_id": str(int(record["id"][1:]) + 1)}}))
            lines.append(json.dumps({**record, "namespace": 0, "category": record["labels"]}))
        files.append(tmp_path / f"xwiki_content-20260101-{number:05d}.json.gz")
        files[-1].write_bytes(gzip.compress("\n".join([*lines, "{broken", ""]).encode()))
    assert len(CirrusReader(files).parts()) > 1
    local = ingest_wikipedia(files, tmp_path / "local.corpus", min_bytes=1)
    there = ingest_wikipedia(files, tmp_path / "spark.corpus", min_bytes=1, work=spark.work)
    assert there.documents == local.documents == 240
    assert there.remarks == local.remarks
    assert sum(there.remarks.values()) == 4
    assert Corpus.open(tmp_path / "spark.corpus").checksum == Corpus.open(tmp_path / "local.corpus").checksum


def test_files_of_medline(spark: Spark, small_parts: None, tmp_path: Path) -> None:
    folder = tmp_path / "baseline"
    folder.mkdir()
    for number in range(3):
        citations = [
            f"<MedlineCitation><PMID>{record['id']}</PMID><Article><ArticleTitle>{record['title']}</ArticleTitle>"
            f"<Abstract><AbstractText>{record['text']}</AbstractText></Abstract></Article></MedlineCitation>"
            for record in records(150, 150 * number)
        ]
        without = "<MedlineCitation><PMID>1</PMID><Article><ArticleTitle>x</ArticleTitle></Article></MedlineCitation>"
        path = folder / f"pubmed26n{number:04d}.xml.gz"
        path.write_bytes(gzip.compress("\n".join([*citations, without]).encode()))
    assert len(MedlineReader(folder).parts()) == 3
    local = ingest(MedlineReader(folder), tmp_path / "local.corpus")
    there = ingest(MedlineReader(folder), tmp_path / "spark.corpus", work=spark.work)
    assert there.documents == 450
    assert there.remarks == local.remarks == {"records without an abstract, left out": 3}
    assert Corpus.open(tmp_path / "spark.corpus").checksum == Corpus.open(tmp_path / "local.corpus").checksum


def test_any_table(spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The documents stand in the order of their ids, wherever their rows were."""
    monkeypatch.setattr("priorwise.engines.spark_ingest.DOCUMENTS_PER_SPLIT", 64)
    made = records(700)
    pq.write_table(pa.Table.from_pylist(made[::-1]), tmp_path / "rows.parquet", row_group_size=100)
    frame = spark.session.read.parquet(str(tmp_path / "rows.parquet"))
    summary = spark.ingest(frame.repartition(5), tmp_path / "table.corpus")
    corpus, local = Corpus.open(tmp_path / "table.corpus"), Corpus.from_records(made)
    assert len(corpus.batch_sizes) > 5
    assert summary.documents == 700
    assert corpus.ids(range(700)) == local.ids(range(700))
    assert corpus.label_sizes().equals(local.label_sizes())
    assert (corpus.matrix() != local.matrix()).nnz == 0
    assert corpus.token_names(range(corpus.n_vocabulary)) == local.token_names(range(local.n_vocabulary))
    assert corpus.text(123) == made[123]["text"]
    frame.createOrReplaceTempView("rows")
    assert spark.ingest("rows", tmp_path / "again.corpus").vocabulary == corpus.n_vocabulary
    assert Corpus.open(tmp_path / "again.corpus").checksum == corpus.checksum


def test_a_table_with_other_columns_and_wikitext(spark: Spark, tmp_path: Path) -> None:
    rows = [
        (1, "Tea", "'''Tea''' is a [[drink]]. [[Category:Drinks]]", "hot;brown"),
        (2, "Chai", "#REDIRECT [[Tea]]", None),
        (3, "Milk", "Milk is white.", ""),
    ]
    frame = spark.session.createDataFrame(rows, "page_id long, page_title string, content string, tags string")
    names = {"id": "page_id", "title": "page_title", "text": "content", "labels": "tags", "separator": ";"}
    summary = spark.ingest(frame, tmp_path / "wiki.corpus", wikitext=True, **names)
    corpus = Corpus.open(tmp_path / "wiki.corpus")
    assert corpus.titles(range(2)) == ["Tea", "Milk"]
    assert corpus.labels_of(0) == ["Drinks", "brown", "hot"]
    assert corpus.text(0) == "Tea is a drink."
    assert summary.remarks == {"redirects left out": 1}
    with pytest.raises(UnknownName, match="no column 'contents'"):
        spark.ingest(frame, tmp_path / "x.corpus", text="contents")
    with pytest.raises(InputError, match="needs an id"):
        spark.ingest(frame.withColumnRenamed("content", "text"), tmp_path / "x.corpus")
    with pytest.raises(AlreadyExists):
        spark.ingest(frame, tmp_path / "wiki.corpus", **names)
    empty = spark.session.createDataFrame([(None, "x")], "id string, text string")
    with pytest.raises(InputError, match="every document needs an id"):
        spark.ingest(empty, tmp_path / "x.corpus")


SLOT = "struct<content_body string, content_format string, content_model string, content_sha1 string>"
CONTENT = (
    "page_id long, page_namespace_id int, page_title string, page_redirect_target string, revision_id long, "
    f"revision_content_slots map<string, {SLOT}>, revision_content_is_visible boolean, wiki_id string"
)


def revision(number: int, title: str, text: str, wiki: str = "dewiki", **other: Any) -> tuple[Any, ...]:
    about = {"namespace": 0, "model": "wikitext", "visible": True, **other}
    slots = {"main": (text, "text/x-wiki", about["model"], "")}
    return (number, about["namespace"], title, None, number + 100, slots, about["visible"], wiki)


@pytest.fixture(scope="module")
def content_table(spark: Spark) -> Iterator[str]:
    """A table of a catalogue with the columns of Wikimedia's, of two wikis."""
    rows = [
        revision(1, "Grüner_Tee", "'''Grüner Tee''' ist ein [[Getränk]]. [[Kategorie:Heißgetränk]]"),
        revision(2, "Chai", "#WEITERLEITUNG [[Tee]]"),
        revision(3, "Tee/Daten", "{}", model="json"),
        revision(4, "Diskussion:Tee", "Ich mag ihn.", namespace=1),
        revision(5, "Verborgen", "nichts", visible=False),
        revision(1, "Tea", "A drink. [[Category:Hot drinks]]", "enwiki"),
        revision(2, "Milk", "White. [[Category:Cold drinks]]", "enwiki"),
    ]
    name = "mediawiki_content_current"
    spark.session.createDataFrame(rows, CONTENT).write.mode("overwrite").partitionBy("wiki_id").saveAsTable(name)
    yield name
    spark.session.sql(f"drop table {name}")


def test_a_content_table_of_wikimedia_as_it_is(
    content_table: str, cli: Cli, refused: Refused, running: Any, tmp_path: Path
) -> None:
    call = ("ingest", "table", content_table, "-o", tmp_path / "de.corpus")
    assert refused(*call).startswith("the table has pages of several wikis (dewiki, enwiki …): choose one, as in ")
    assert "Spark cannot read the table nowhere.articles: " in refused("ingest", "table", "nowhere.articles", *call[3:])
    told = cli(*call, "--where", "wiki_id = 'dewiki'").stdout
    assert "1 document in " in told
    assert "redirects left out: 1\n" in told
    corpus = Corpus.open(tmp_path / "de.corpus")
    assert corpus.ids([0]) == corpus.titles([0]) == ["Grüner Tee"]
    assert corpus.text(0) == "Grüner Tee ist ein Getränk."
    assert corpus.labels_of(0) == ["Heißgetränk"]


def test_other_file_systems(spark: Spark, part_files: list[Path], tmp_path: Path) -> None:
    """`local` is the disk as fsspec reaches it, with no file mapped; `test_object_store.py` has Arrow's own."""
    address = f"local://{tmp_path}/there/x.corpus"
    ingest(RecordReader(part_files), address, work=spark.work)
    ingest(RecordReader(part_files), tmp_path / "here.corpus")
    there, here = Corpus.open(address), Corpus.open(tmp_path / "here.corpus")
    there.verify()
    assert there.checksum == here.checksum
    assert there.text(700) == here.text(700)
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["x.corpus"]
    with pytest.raises(AlreadyExists):
        ingest(RecordReader(part_files), address, work=spark.work)


def test_an_address_that_nothing_reaches(spark: Spark, part_files: list[Path]) -> None:
    with pytest.raises(CorpusError, match=r"nowhere://x/y.* cannot be reached"):
        ingest(RecordReader(part_files), "nowhere://x/y.corpus", work=spark.work)
    with pytest.raises(InputError, match="the local engine writes a corpus to the disk"):
        ingest(RecordReader(part_files), "local:///x/y.corpus")


def test_what_is_done_is_not_done_again(spark: Spark, part_files: list[Path], tmp_path: Path) -> None:
    """Stopped with some splits done: their shards are taken as they are."""
    from priorwise.corpus.build.ingestion import ReaderShards, ways_of_working
    from priorwise.corpus.build.writing import PartialCorpus
    from priorwise.engines.spark_ingest import finished_splits, written_split

    reader = RecordReader(part_files)
    fingerprint = {"reader": reader.fingerprint(), **ways_of_working("whole")}
    target = tmp_path / "x.corpus"
    # What a kill leaves is what is there when nobody tidies up.
    unfinished = PartialCorpus(target, fingerprint)
    for number, split in enumerate(ReaderShards(reader, "whole").splits()):
        if number in (1, 3):
            written_split(unfinished.store, number, split)
    assert sorted(finished_splits(Store(f"{target}.partial"))) == [1, 3]
    again = ingest(RecordReader(part_files), target, work=spark.work)
    assert 0 < again.resumed < again.documents
    ingest(RecordReader(part_files), tmp_path / "local.corpus")
    assert Corpus.open(target).checksum == Corpus.open(tmp_path / "local.corpus").checksum
