"""The dump of a wiki from a server of this machine: found, fetched, taken up again, verified."""

from __future__ import annotations

import bz2
import hashlib
import json
from pathlib import Path

import pytest

from conftest import Cli
from priorwise.corpus import Corpus
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.errors import DownloadFailed, InputError
from priorwise.readers import download as module
from priorwise.wiki.fetch import fetch_dump, find_dump
from priorwise.wiki.siteinfo import serves_editors
from priorwise.wiki.wikitext import read_pages
from web_server import Web
from wiki_dumps import Page, dump_xml

ARTICLES = bz2.compress(dump_xml([Page("Tea", "Tea is a drink. [[Category:Hot drinks]] " * 20, id=1)]))
TABLE = b"-- a table\n" * 100


def offered(content: bytes) -> dict[str, object]:
    return {"size": len(content), "sha1": hashlib.sha1(content, usedforsecurity=False).hexdigest(), "url": "/x"}


def status(done: str = "done", articles: bytes = ARTICLES, name: str = "xwiki-pages-articles.xml.bz2") -> bytes:
    jobs = {
        "articlesdump": {"status": done, "files": {name: offered(articles)}},
        "categorylinkstable": {"status": "done", "files": {"xwiki-categorylinks.sql.gz": offered(TABLE)}},
        "pagetable": {"status": "done", "files": {"xwiki-page.sql.gz": offered(TABLE)}},
    }
    return json.dumps({"version": "0.8", "jobs": jobs}).encode()


@pytest.fixture
def mirror(web: Web) -> str:
    index = b'<a href="20260101/">20260101/</a><a href="20260201/">x</a><a href="latest/">latest/</a>'
    web.put("/xwiki/", index)
    web.put("/xwiki/20260201/dumpstatus.json", status("in-progress"))
    first = web.put("/xwiki/20260101/dumpstatus.json", status())
    web.put("/xwiki/20260101/xwiki-pages-articles.xml.bz2", ARTICLES)
    for name in ("categorylinks", "page"):
        web.put(f"/xwiki/20260101/xwiki-{name}.sql.gz", TABLE)
    return first.removesuffix("/xwiki/20260101/dumpstatus.json")


def test_the_latest_dump_that_is_complete(mirror: str, tmp_path: Path) -> None:
    offer = find_dump("xwiki", mirror=mirror)
    assert offer.date == "20260101"
    assert [file.name for file in offer.files] == ["xwiki-pages-articles.xml.bz2"]
    (path,) = fetch_dump(offer, tmp_path / "x")
    assert path.read_bytes() == ARTICLES
    more = find_dump("xwiki", date="20260101", categories=True, mirror=mirror)
    assert len(more.files) == 3
    assert more.bytes == len(ARTICLES) + 2 * len(TABLE)
    assert sorted(file.name for file in fetch_dump(more, tmp_path / "x")) == sorted(
        file.name for file in (tmp_path / "x").iterdir()
    )


def test_what_is_there_is_not_fetched_again(mirror: str, web: Web, tmp_path: Path) -> None:
    offer = find_dump("xwiki", mirror=mirror)
    fetch_dump(offer, tmp_path)
    fetch_dump(offer, tmp_path)
    assert len(web.asked("/xwiki/20260101/xwiki-pages-articles.xml.bz2")) == 1


def test_what_broke_off_is_taken_up(mirror: str, web: Web, tmp_path: Path) -> None:
    address = "/xwiki/20260101/xwiki-pages-articles.xml.bz2"
    web.put(address, ARTICLES, breaks_at=[10] * module.ATTEMPTS)
    offer = find_dump("xwiki", mirror=mirror)
    with pytest.raises(DownloadFailed, match="it broke off"):
        fetch_dump(offer, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["xwiki-pages-articles.xml.bz2.partial"]
    assert fetch_dump(offer, tmp_path)[0].read_bytes() == ARTICLES
    assert web.asked(address)[-1] == f"bytes={10 * module.ATTEMPTS}-"


def test_a_wrong_checksum(mirror: str, web: Web, tmp_path: Path) -> None:
    offer = find_dump("xwiki", mirror=mirror)
    web.put("/xwiki/20260101/xwiki-pages-articles.xml.bz2", ARTICLES[:-1] + b"x")
    with pytest.raises(DownloadFailed, match=r"articles\.xml\.bz2 does not match its checksum; fetch it again"):
        fetch_dump(offer, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_found(mirror: str, web: Web) -> None:
    for wiki, date, says in (
        ("nowiki", None, "has no dumps of 'nowiki'"),
        ("../etc", None, "is not the name of a wiki"),
        ("xwiki", "yesterday", "is not the date of a dump"),
    ):
        with pytest.raises(InputError, match=says):
            find_dump(wiki, date=date, mirror=mirror)
    with pytest.raises(DownloadFailed, match="no dump of 20260201 of xwiki is complete"):
        find_dump("xwiki", date="20260201", mirror=mirror)
    for content in (b"nonsense", b"{}", b'{"jobs": []}', status(name="../../etc/passwd")):
        web.put("/xwiki/20260101/dumpstatus.json", content)
        with pytest.raises(DownloadFailed, match="its list of files cannot be read"):
            find_dump("xwiki", date="20260101", mirror=mirror)


def test_the_command(mirror: str, cli: Cli, tmp_path: Path) -> None:
    shown = cli("fetch", "xwiki", "--mirror", mirror, "--dry-run", "-o", tmp_path / "x")
    assert shown.exit_code == 0, shown.output
    assert "xwiki of 2026-01-01: 1 file, 0.0 MB; about 1 minute at 4 MB/s" in shown.stdout
    assert not (tmp_path / "x").exists()
    done = cli("fetch", "xwiki", "--mirror", mirror, "-o", tmp_path / "x")
    assert done.exit_code == 0, done.output
    assert "Verified. Read it with: priorwise ingest wikipedia" in done.stdout
    assert cli("fetch", "nowiki", "--mirror", mirror).exit_code == 2


# Categories


def test_categories_for_editors(tmp_path: Path) -> None:
    pages = [
        Page("Tea", "A drink. " * 40 + "[[Category:Hot drinks]][[Category:To do]][[Category:CS1 errors: x]]", id=1),
        Page("Category:To do", "__HIDDENCAT__ [[Category:Drinks]]", id=2, ns=14),
        Page("Category:Hot drinks", "[[Category:Drinks]]", id=3, ns=14),
    ]
    (tmp_path / "x.xml").write_bytes(dump_xml(pages))
    ingest_wikipedia([tmp_path / "x.xml"], tmp_path / "x.corpus")
    corpus = Corpus.open(tmp_path / "x.corpus")
    labels = corpus.label_sizes().column("label").to_pylist()
    assert dict(zip(labels, corpus.maintenance_labels().tolist(), strict=True)) == {
        "CS1 errors: x": True,
        "Hot drinks": False,
        "To do": True,
    }
    assert corpus.graph.parents("To do") == ["Drinks", "Hidden categories"]
    for name in ("Category:Hot drinks", "category:hot_drinks", ":Category:Hot drinks", "Kategorie:Hot drinks"):
        assert corpus.label_named(name) == "Hot drinks"
        assert corpus.members(name).tolist() == [0]
    assert corpus.label_named("Category:Nothing") == "Category:Nothing"
    literal = Corpus.from_texts(["a"], labels=["Category:X"])
    assert literal.members("Category:X").tolist() == [0]


@pytest.mark.parametrize("word", ["HIDDENCAT", "VERSTECKTE_KATEGORIE", "CATCACHEE", "СКРКАТ", "隠しカテゴリ"])
def test_hidden_in_several_languages(word: str) -> None:
    source = f"Text __{word}__ more".encode()
    texts = read_pages(source, [(0, len(source))])
    assert texts.is_hidden.tolist() == [True]
    assert texts.is_disambiguation.tolist() == [False]
    plain = b"Text __NOTOC__ __DISAMBIG__"
    assert read_pages(plain, [(0, len(plain))]).is_hidden.tolist() == [False]
    assert read_pages(plain, [(0, len(plain))]).is_disambiguation.tolist() == [True]


def test_names_that_serve_editors() -> None:
    editors = """All articles with dead external links; Articles lacking sources from May 2009; CS1 maint: url-status
        ; Use dmy dates from June 2020; Short description matches Wikidata; Pages using infobox; Tea stubs
        ; Wikipedia articles needing clarification; Webarchive template wayback links; Special:Log; BLP articles x
        ; Wikidata has short description; Translated pages with valid en interwikis
        ; Commons category link is on Wikidata; Wikipedia:Stub"""
    readers = """Tea; Machine learning; Wikipedia; Wikidata; History of Wikipedia; Articles of association
        ; Pages of history; Use of force; All Blacks; English-language films; Short stories
        ; Software companies of the United States"""
    assert [name for name in map(str.strip, editors.split(";")) if not serves_editors(name)] == []
    assert [name for name in map(str.strip, readers.split(";")) if serves_editors(name)] == []
