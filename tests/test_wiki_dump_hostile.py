"""Dumps made to do harm, and fuzz: everything is read or refused in a sentence, and nothing grows without bounds."""

from __future__ import annotations

import bz2
import gzip
import tempfile
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_dump as reference
from fuzzing import Change, changed, changes, tried
from priorwise.corpus import Corpus
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.errors import BrokenFile, InputError, PriorwiseError
from priorwise.kernels.words import as_words
from priorwise.readers.document import Remarks
from priorwise.wiki import dump
from priorwise.wiki._kernels.dump_pages import CUT_OFF, FLAGS, START, find_pages
from priorwise.wiki.pages import first_articles
from priorwise.wiki.siteinfo import read_siteinfo
from wiki_dumps import (
    COMPRESSIONS,
    MIN_BYTES,
    Page,
    dump_xml,
    head,
    packed,
    pieces_of,
    read_files,
    some_pages,
)

ingest = partial(ingest_wikipedia, min_bytes=MIN_BYTES)

# Refused

BILLION_LAUGHS = '<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol1 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">]>\n'


@pytest.mark.parametrize("compression", ["xml", "xml.bz2", "xml.gz", "xml.xz", "xml.zst"])
@pytest.mark.parametrize("place", ["before", "within"])
def test_declared_entities_are_refused(compression: str, place: str, tmp_path: Path) -> None:
    text = dump_xml([Page("Tea", "&lol1; milk " * 9)]).decode()
    if place == "before":
        text = '<?xml version="1.0"?>\n' + BILLION_LAUGHS + text
    else:
        text = text.replace("  <siteinfo>", BILLION_LAUGHS + "  <siteinfo>")
    path = packed(tmp_path, text.encode(), compression)
    with pytest.raises(BrokenFile, match="declares entities"):
        ingest([path], tmp_path / "a.corpus")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("compression", ["xml.bz2", "level1.xml.bz2", "xml.gz", "xml.xz", "xml.zst"])
def test_bombs_are_refused(compression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump, "BOMB_BYTES", 1 << 21)
    path = tmp_path / f"bomb.{compression}"
    path.write_bytes(COMPRESSIONS[compression](head().encode() + bytes(24 << 20)))
    assert path.stat().st_size < 40_000
    with pytest.raises(BrokenFile, match="grows more than 200 times"):
        ingest([path], tmp_path / "a.corpus")
    assert list(tmp_path.iterdir()) == [path]


def test_a_bomb_is_refused_long_before_a_piece_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump, "BOMB_BYTES", 1 << 22)
    real, grown = dump.refuse_bomb, [0]

    def watched(path: Path, compressed: int, plain: int) -> None:
        grown.append(plain)
        real(path, compressed, plain)

    monkeypatch.setattr(dump, "refuse_bomb", watched)
    path = tmp_path / "bomb.xml.bz2"
    path.write_bytes(bz2.compress(head().encode()) + bz2.compress(bytes(1 << 20)) * 300)
    with pytest.raises(BrokenFile, match="grows more than 200 times"):
        ingest([path], tmp_path / "a.corpus", workers=1)
    assert max(grown) < 8 << 20


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.xml", b""),
        ("empty.xml.bz2", bz2.compress(b"")),
        ("empty.xml.gz", gzip.compress(b"", mtime=0)),
        ("page.html", b"<!DOCTYPE html><html><body>Tea</body></html>"),
        ("rss.xml", b"<?xml version='1.0'?><rss><page>Tea</page></rss>"),
        ("table.csv.bz2", bz2.compress(b"title,text\nTea,milk\n")),
        ("table.csv.bz2", bz2.compress(b"title,text\nTea,<page>\n")),
        ("noise.bz2", Random(1).randbytes(5_000)),
        ("noise.gz", Random(2).randbytes(5_000)),
        ("noise.xz", Random(3).randbytes(5_000)),
        ("noise.zst", Random(4).randbytes(5_000)),
        ("plain.xml.bz2", dump_xml([Page("Tea", "milk " * 9)])),
        ("utf16.xml", dump_xml([Page("Tea", "milk " * 9)]).decode().encode("utf-16")),
    ],
)
def test_files_that_are_no_dump(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BrokenFile, match=name):
        ingest([path], tmp_path / "a.corpus")
    with pytest.raises(BrokenFile, match=name):
        list(first_articles([path], 3))
    assert list(tmp_path.iterdir()) == [path]


def test_places_that_are_no_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere.xml.bz2"):
        with pytest.raises(BrokenFile, match=r"is a directory|no such file"):
            ingest([path], tmp_path / "a.corpus")
    with pytest.raises(InputError):
        ingest([], tmp_path / "a.corpus")


# Read, however large or strange


def test_very_many_pages_in_few_bytes() -> None:
    """Tags without content: more pages than any honest dump has bytes for."""
    for tags, cut_off in ((b"<page>", CUT_OFF), (b"<page></page>", 0)):
        data = np.frombuffer(tags * 20_000, np.uint8)
        pages = find_pages(data, as_words(data), data.size)
        assert pages[:, START].tolist() == list(range(0, data.size, len(tags)))
        assert (pages[:, FLAGS] == cut_off).all()


@pytest.mark.parametrize(
    "hostile",
    [
        "<namespace " * 90_000,
        "<namespace " + 'key="1" ' * 120_000,
        "<namespace " + 'key="' + "1" * 900_000 + '">x</namespace>',
        "xml:lang" + " " * 900_000,
        "xml:lang=" * 90_000,
        "export-" + "1" * 900_000,
        "<dbname>" * 110_000,
    ],
)
def test_hostile_heads_are_read_in_one_go(hostile: str) -> None:
    """Each would take hours if it were looked at again and again."""
    site = read_siteinfo(f"<mediawiki>{hostile}".encode(), Path("x.xml"))
    assert site.namespace_of("Category:Tea") == 14


@pytest.mark.parametrize("compression", ["xml", "level1.xml.bz2", "xml.gz", "xml.zst"])
def test_pages_longer_than_pieces(compression: str, tmp_path: Path) -> None:
    noise = " ".join(map(str, np.random.default_rng(0).integers(0, 1 << 40, 20_000).tolist()))
    pages = [Page("A", "milk " * 9), Page("Long", noise), Page("B", "milk " * 9), Page("Longer", noise * 2)]
    xml = dump_xml([*pages, Page("C", "milk " * 9)])
    with pieces_of(20_000):
        wiki, remarks = read_files([packed(tmp_path, xml, compression)])
    assert wiki == reference.read_dumps([xml], MIN_BYTES)
    assert remarks == {}


@pytest.mark.parametrize("compression", ["xml", "level1.xml.bz2", "xml.gz"])
def test_pages_that_are_too_long(compression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump, "LONGEST_PAGE", 200_000)
    noise = " ".join(map(str, np.random.default_rng(0).integers(0, 1 << 40, 60_000).tolist()))
    path = packed(tmp_path, dump_xml([Page("A", "milk " * 9), Page("Long", noise), Page("B", "tea " * 9)]), compression)
    with pieces_of(30_000):
        wiki, remarks = read_files([path])
    assert [article.title for article in wiki.articles] == ["A", "B"]
    assert any(said.startswith("pages longer than 256 MB left out") for said in remarks)


@pytest.mark.slow
def test_a_page_of_30_mb_of_open_braces(tmp_path: Path) -> None:
    for piece in ("{{", "[["):
        braces = Page("Braces", piece * (15 << 20))
        xml = dump_xml([Page("A", "milk " * 9), braces, Page("B", "tea " * 9)])
        summary = ingest([packed(tmp_path, xml)], tmp_path / "a.corpus", overwrite=True)
        assert summary.documents == 3
        assert set(Corpus.open(tmp_path / "a.corpus").token_names(range(2))) == {"milk", "tea"}


def test_long_titles_do_not_fill_the_remarks(tmp_path: Path) -> None:
    xml = dump_xml([Page("A", "milk " * 9)]).replace(b"</mediawiki>", b"<page><title>" + b"x" * 1_000_000)
    _, remarks = read_files([packed(tmp_path, xml)])
    assert max(map(len, remarks)) < 400
    told = Remarks()
    told.add("a", "é" * 1_000)
    assert Remarks.from_json(told.to_json()).lines() == told.lines()


# Fuzz

SMALL = dump_xml(some_pages(12, words=8))
TAGS = [b"<page>", b"</page>", b"<title>", b"</title>", b"<text>", b"</text>", b"<", b">", b"&", b"\xff", b"\0"]
TAGS += [b"<revision>", b"<content>", b"</content>", b"<text", b"/>", b"<model>", b"</mediawiki>", b"&#x10FFFF;"]
TAGS += [b"&#", b"<id>9", b"<ns>14"]


def titles_read(path: Path, size: int) -> list[str]:
    try:
        with pieces_of(size):
            return [article.title for article in read_files([path], min_bytes=0)[0].articles]
    except PriorwiseError:
        return []


@tried(2)
@given(changes(TAGS), st.sampled_from(["xml", "multistream.xml.bz2", "xml.gz"]), st.integers(60, 9_000))
def test_mutated_dumps(made: list[Change], compression: str, size: int) -> None:
    """Whatever is done to the XML, every title that is read stands in it."""
    xml = changed(SMALL, made)
    with tempfile.TemporaryDirectory() as folder:
        try:
            path = packed(Path(folder), xml, compression)
        except (IndexError, ValueError):
            path = packed(Path(folder), xml, "xml")
        found = titles_read(path, size)
    there = reference.unescaped(xml.decode("utf-8", "replace")).replace("_", " ")
    assert [title for title in found if title not in there] == []


@tried(2)
@given(changes(TAGS), st.sampled_from(sorted(COMPRESSIONS)), st.integers(60, 9_000))
def test_mutated_files(made: list[Change], compression: str, size: int) -> None:
    """Whatever is done to the compressed file, it is read or refused; where there are checksums, nothing is made up."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"wiki.{compression}")
        path.write_bytes(changed(COMPRESSIONS[compression](SMALL), made))
        found = titles_read(path, size)
    if compression.endswith("bz2"):
        assert set(found) <= {article.title for article in reference.read_dumps([SMALL], 0).articles}
