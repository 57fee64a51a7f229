"""`priorwise ingest wikipedia`: all kinds of files together, from the command line to the corpus."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path

import pytest
from reference_sql import categorylinks_dump, linktarget_dump, new_categorylinks_dump

from conftest import Cli, Refused
from priorwise.corpus import Corpus
from priorwise.readers.document import Origin
from wiki_dumps import Page, dump_xml

LEAVES = "leaves and hot water in a cup " * 12
PAGES = [
    Page("Tea", f"'''Tea''' is {LEAVES} [[Category:Hot drinks]]", id=1),
    Page("Coffee", f"'''Coffee''' is beans, not {LEAVES} [[Category:Hot drinks|Coffee]]", id=2),
    Page("Rome", f"'''Rome''' is a city of {LEAVES} {{{{infobox}}}}", id=3),
    Page("Category:Hot drinks", "[[Category:Drinks]]", ns=14, id=11),
    Page("Category:Tea brands", "{{cat}}", ns=14, id=12),
    Page("Chai", "#REDIRECT [[Tea]]", id=4, redirect=True),
]
LINKS = [
    (1, "Hot drinks", "page"),
    (1, "Drinks from China", "page"),
    (3, "Cities", "page"),
    (12, "Hot drinks", "subcat"),
]


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "dump"
    path.write_bytes(bz2.compress(dump_xml(PAGES)))
    return path


def test_a_dump_becomes_a_corpus(cli: Cli, dump: Path, tmp_path: Path) -> None:
    result = cli("ingest", "wikipedia", dump, "-o", tmp_path / "x.corpus")
    assert result.exit_code == 0, result.output
    assert "x.corpus: 3 documents in" in result.stdout
    assert "1 label, 2 memberships" in result.stdout
    assert "redirects left out: 1\n" in result.stdout
    corpus = Corpus.open(tmp_path / "x.corpus")
    assert corpus.titles(corpus.members("Hot drinks")) == ["Tea", "Coffee"]
    assert corpus.graph.parents("Hot drinks") == ["Drinks"]
    shown = cli("corpus", tmp_path / "x.corpus", "--category", "Drinks")
    assert "Hot drinks" in shown.stdout


@pytest.mark.parametrize("age", ["names", "numbers"])
def test_tables_complete_it_in_any_order(cli: Cli, dump: Path, tmp_path: Path, age: str) -> None:
    numbers = {name: 70 + number for number, name in enumerate(sorted({name for _, name, _ in LINKS}))}
    links = tmp_path / "links.sql.gz"
    files = [links, dump]
    if age == "names":
        links.write_bytes(gzip.compress(categorylinks_dump(LINKS)))
    else:
        links.write_bytes(
            gzip.compress(new_categorylinks_dump([(page, numbers[to], kind) for page, to, kind in LINKS]))
        )
        targets = tmp_path / "targets.sql"
        targets.write_bytes(linktarget_dump([(number, 14, name) for name, number in numbers.items()]))
        files.append(targets)
    result = cli("ingest", "wikipedia", *files, "-o", tmp_path / "x.corpus")
    assert result.exit_code == 0, result.output
    assert "memberships added from the table categorylinks: 2\n" in result.stdout
    corpus = Corpus.open(tmp_path / "x.corpus")
    assert corpus.labels_of(0) == ["Drinks from China", "Hot drinks"]
    assert corpus.member_origins("Hot drinks").tolist() == [Origin.WRITTEN, Origin.WRITTEN]
    assert corpus.member_origins("Drinks from China").tolist() == [Origin.ADDED]
    assert corpus.graph.children("Hot drinks") == ["Tea brands"]


def test_a_missing_table_is_named_before_anything_is_read(refused: Refused, dump: Path, tmp_path: Path) -> None:
    links = tmp_path / "enwiki-20260901-categorylinks.sql"
    links.write_bytes(new_categorylinks_dump([(1, 70, "page")]))
    said = refused("ingest", "wikipedia", dump, links, "-o", tmp_path / "x.corpus")
    assert "fetch enwiki-20260901-linktarget.sql" in said
    assert not list(tmp_path.glob("x.corpus*"))


def test_tables_alone_are_no_corpus(refused: Refused, tmp_path: Path) -> None:
    links = tmp_path / "links.sql"
    links.write_bytes(categorylinks_dump(LINKS))
    assert "no dump of pages among the files" in refused("ingest", "wikipedia", links, "-o", tmp_path / "x.corpus")


@pytest.mark.parametrize("last", [b"", b"\n"], ids=["no last line end", "a last line end"])
def test_an_index_tells_that_pages_are_missing(last: bytes, cli: Cli, dump: Path, tmp_path: Path) -> None:
    index = tmp_path / "index.txt.bz2"
    index.write_bytes(bz2.compress(b"\n".join(b"600:%d:Page %d" % (number, number) for number in range(9)) + last))
    result = cli("ingest", "wikipedia", dump, index, "-o", tmp_path / "x.corpus")
    assert "pages in the index that are not in the dumps: 3\n" in result.stdout


def test_a_search_index_beside_a_dump(cli: Cli, dump: Path, tmp_path: Path) -> None:
    cirrus = tmp_path / "content.json.gz"
    page = {"title": "Mate", "namespace": 0, "text": LEAVES, "category": ["Hot drinks"], "text_bytes": 400}
    cirrus.write_bytes(gzip.compress(f"{json.dumps({'index': {'_id': '9'}})}\n{json.dumps(page)}\n".encode()))
    result = cli("ingest", "wikipedia", cirrus, dump, "-o", tmp_path / "x.corpus")
    assert result.exit_code == 0, result.output
    corpus = Corpus.open(tmp_path / "x.corpus")
    assert corpus.titles(corpus.members("Hot drinks")) == ["Tea", "Coffee", "Mate"]
    assert corpus.member_origins("Hot drinks").tolist() == [Origin.WRITTEN, Origin.WRITTEN, Origin.UNKNOWN]


def test_a_dry_run_shows_texts_and_writes_nothing(cli: Cli, dump: Path, tmp_path: Path) -> None:
    result = cli("ingest", "wikipedia", "--dry-run", "--limit", 1, dump)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("== Tea ==\n\nTea is leaves and hot water")
    assert "Categories: Hot drinks" in result.stdout
    assert "Coffee" not in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["dump"]


def test_a_search_index_can_be_looked_at_first(cli: Cli, tmp_path: Path) -> None:
    cirrus = tmp_path / "content.json"
    page = {"title": "Mate", "namespace": 0, "text": "a drink", "category": ["Hot drinks"], "text_bytes": 400}
    cirrus.write_text(f"{json.dumps({'index': {'_id': '9'}})}\n{json.dumps(page)}\n")
    result = cli("ingest", "wikipedia", "--dry-run", cirrus)
    assert "== Mate ==\n\na drink\n\nCategories: Hot drinks" in result.stdout


def test_limit_min_bytes_and_headings(cli: Cli, dump: Path, tmp_path: Path) -> None:
    cli("ingest", "wikipedia", dump, "--limit", 2, "-o", tmp_path / "two.corpus")
    assert Corpus.open(tmp_path / "two.corpus").titles([0, 1]) == ["Tea", "Coffee"]
    cli("ingest", "wikipedia", dump, "--min-bytes", len(PAGES[1].text), "-o", tmp_path / "long.corpus")
    assert Corpus.open(tmp_path / "long.corpus").titles([0]) == ["Coffee"]
    more = tmp_path / "more.xml"
    more.write_bytes(dump_xml([Page("Tea", f"{LEAVES}\n== Books ==\nhidden words", id=1)]))
    cli("ingest", "wikipedia", more, "--references-heading", "Books", "-o", tmp_path / "books.corpus")
    corpus = Corpus.open(tmp_path / "books.corpus")
    assert corpus.n_vocabulary == len(set(LEAVES.split()))


def test_an_output_is_asked_for(refused: Refused, dump: Path) -> None:
    assert "Missing option '-o'" in refused("ingest", "wikipedia", dump)
