"""Dumps that are damaged or hostile: what can be read is read, the rest is counted and named, and nothing breaks."""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import reference_dump as reference
from priorwise.corpus import Corpus
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.errors import BrokenFile
from priorwise.wiki._kernels import bzip2 as bzip2_kernels
from priorwise.wiki.bzip2 import blocks_from
from wiki_dumps import (
    COMPRESSIONS,
    MIN_BYTES,
    Page,
    dump_xml,
    packed,
    pieces_of,
    read_files,
    some_pages,
)

ingest = partial(ingest_wikipedia, min_bytes=MIN_BYTES)

CUT_OFF = "pages cut off, left out"
DAMAGED_BLOCK = "damaged bzip2 blocks left out"
NO_HEAD = "heads of dumps could not be read"
BREAKS_OFF = "dumps that break off before their end"
PARTLY_READ = "files read only as far as they could be"


def twin(xml: bytes) -> reference.Wiki:
    return reference.read_dumps([xml], MIN_BYTES)


def counts(remarks: dict[str, int]) -> dict[str, int]:
    """Remarks without the places they name."""
    return {re.sub(r" \(.*", "", said, flags=re.S): n for said, n in remarks.items()}


# Damaged blocks of bzip2


@pytest.fixture(scope="module")
def long_xml() -> bytes:
    return dump_xml(some_pages(500, words=120))


def page_spans(xml: bytes) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(rb"<page>.*?</page>", xml, flags=re.S)]


def without(xml: bytes, start: int, end: int) -> tuple[bytes, int]:
    """The dump without the pages that a stretch of it touches, and how many of those begin before it."""
    touched = [span for span in page_spans(xml) if span[0] < end and span[1] > start]
    kept = bytearray(xml)
    for first, last in reversed(touched):
        del kept[first:last]
    return bytes(kept), sum(first + len(b"<page>") <= start for first, _ in touched)


@pytest.mark.parametrize("size", [1 << 23, 30_000, 2_000])
@pytest.mark.parametrize("where", ["checksum", "middle", "end"])
@pytest.mark.parametrize("k", [1, 2, -1])
def test_a_damaged_block_costs_that_block(k: int, where: str, size: int, long_xml: bytes, tmp_path: Path) -> None:
    path = packed(tmp_path, long_xml, "level1.xml.bz2")
    data = bytearray(path.read_bytes())
    blocks = list(blocks_from(np.frombuffer(bytes(data), np.uint8), 0))
    assert len(blocks) >= 4
    starts = [block.start for block in blocks] + [len(data) - 12]
    ends = np.cumsum([len(block.content or b"") for block in blocks]).tolist()
    k %= len(blocks)
    at = {"checksum": starts[k] + 8, "middle": (starts[k] + starts[k + 1]) // 2, "end": starts[k + 1] - 3}[where]
    data[at] ^= 0x10
    path.write_bytes(data)
    expected, cut_off = without(long_xml, ends[k - 1], ends[k])
    with pieces_of(size):
        wiki, remarks = read_files([path])
    assert wiki.articles == twin(expected).articles
    assert len(wiki.articles) > 150
    assert f"{DAMAGED_BLOCK} ({path.name}, byte {starts[k]:,})" in remarks
    said = counts(remarks)
    assert (said[DAMAGED_BLOCK], said.get(CUT_OFF, 0)) == (1, cut_off)


def test_a_page_cut_by_damage_is_named(tmp_path: Path) -> None:
    xml = dump_xml([Page(f"P{i}", f"text {i} " * 9) for i in range(5)])
    middle = xml.index(b"text 2 text")
    streams = [bz2.compress(part) for part in (xml[:middle], xml[middle : middle + 9], xml[middle + 9 :])]
    streams[1] = streams[1][:12] + b"\0" + streams[1][13:]
    path = tmp_path / "wiki.xml.bz2"
    path.write_bytes(b"".join(streams))
    wiki, remarks = read_files([path])
    assert [article.title for article in wiki.articles] == ["P0", "P1", "P3", "P4"]
    assert remarks == {
        f"{DAMAGED_BLOCK} (wiki.xml.bz2, byte {len(streams[0]) + 4})": 1,
        f"{CUT_OFF} (wiki.xml.bz2: P2)": 1,
    }


@pytest.mark.parametrize("at", [1, 5, 12, 200])
def test_a_damaged_beginning(at: int, long_xml: bytes, tmp_path: Path) -> None:
    """The head's names are lost with the first block; those of another part, or English ones, are taken."""
    data = bytearray(bz2.compress(long_xml, 1))
    data[at] ^= 0xFF
    broken, whole = tmp_path / "broken.xml.bz2", packed(tmp_path, dump_xml(some_pages(9, "de"), "0.10", "de"))
    broken.write_bytes(data)
    wiki, remarks = read_files([broken])
    header_only = at < 4
    expected = long_xml if header_only else without(long_xml, 0, 99_900)[0]
    assert wiki.articles == twin(expected).articles
    assert (NO_HEAD + "; English names are assumed" in counts(remarks)) != header_only
    _, remarks = read_files([broken, whole])
    assert (f"{NO_HEAD} (broken.xml.bz2)" in remarks) != header_only


def test_a_mark_by_chance_inside_a_block(long_xml: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = packed(tmp_path, long_xml, "level1.xml.bz2")
    expected = read_files([path])
    real = bzip2_kernels.find_marks

    def with_some_by_chance(data: np.ndarray, first: int, last: int) -> np.ndarray:
        found = real(data, 0, data.size)
        between = (np.where(found < 0, ~found, found)[:-1] + 5_000)[::2]
        between[1::2] = ~between[1::2]
        every = np.concatenate([found, between])
        bits = np.where(every < 0, ~every, every)
        order = np.argsort(bits)
        here = (bits[order] >= 8 * first) & (bits[order] < 8 * last)
        return every[order][here]

    monkeypatch.setattr(bzip2_kernels, "find_marks", with_some_by_chance)
    assert read_files([path]) == expected


def test_very_many_damaged_blocks(tmp_path: Path) -> None:
    mark = bzip2_kernels.BLOCK.to_bytes(6, "big")
    path = tmp_path / "wiki.xml.bz2"
    path.write_bytes(bz2.compress(dump_xml([Page("Tea", "milk " * 9)])) + (mark + b"0123456789") * 3_000)
    wiki, remarks = read_files([path])
    assert [article.title for article in wiki.articles] == ["Tea"]
    assert counts(remarks) == {DAMAGED_BLOCK: 3_000}


# Files that end too early


def readable(kind: str, data: bytes) -> bytes:
    """As much of the content as Python's own decompressors give."""
    makers: dict[str, Callable[[], object]] = {
        "gz": lambda: zlib.decompressobj(31),
        "xz": lzma.LZMADecompressor,
        "bz2": bz2.BZ2Decompressor,
    }
    suffix = kind.rpartition(".")[2]
    if suffix not in makers:
        return data if suffix == "xml" else b""
    content = b""
    while data:
        decompressor = makers[suffix]()
        content += decompressor.decompress(data)
        data = decompressor.unused_data
    return content


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_truncated_anywhere(compression: str, tmp_path: Path) -> None:
    pages = [page for page in some_pages(120, words=150) if page.title.startswith("A")]
    xml = dump_xml(pages)
    expected = twin(xml).articles
    path = packed(tmp_path, xml, compression)
    data = path.read_bytes()
    seen = set()
    for n in [*range(0, len(data) - 12, len(data) // 31), len(data) - 4]:
        path.write_bytes(data[:n])
        # Where a block of bzip2 ends is known from the twelve bytes that follow it at most.
        whole = readable(compression, data[: max(0, n - 12) if "bz2" in compression else n]).count(b"</page>")
        try:
            wiki, remarks = read_files([path])
        except BrokenFile:
            assert whole == 0
            continue
        assert wiki.articles == expected[: len(wiki.articles)]
        assert len(wiki.articles) >= whole
        assert counts(remarks).keys() & {BREAKS_OFF, PARTLY_READ} or len(wiki.articles) == len(expected)
        seen.add(len(wiki.articles))
    assert len(seen) > (9 if compression not in ("xml.bz2", "level1.xml.bz2", "xml.zst") else -1)


def test_truncated_zstd_is_read_nearly_to_its_end(tmp_path: Path) -> None:
    path = packed(tmp_path, dump_xml(some_pages(2_000, words=120)), "xml.zst")
    whole = len(read_files([path])[0].articles)
    path.write_bytes(path.read_bytes()[:-9])
    wiki, remarks = read_files([path])
    assert 0.9 * whole < len(wiki.articles) < whole
    assert f"{PARTLY_READ} ({path.name}: the compressed data end too early or are damaged)" in remarks


def test_a_dump_cut_in_the_middle_of_a_page(tmp_path: Path) -> None:
    """As enwik8 is: the first so many bytes of a dump."""
    xml = dump_xml([Page(f"P{i}", f"text {i} " * 9) for i in range(5)], "0.3")
    path = packed(tmp_path, xml[: xml.index(b"text 3") + 20])
    summary = ingest([path], tmp_path / "a.corpus")
    assert summary.remarks == {f"{CUT_OFF} ({path.name}: P3)": 1, f"{BREAKS_OFF} ({path.name})": 1}
    assert Corpus.open(tmp_path / "a.corpus").titles([0, 1, 2]) == ["P0", "P1", "P2"]


@pytest.mark.parametrize("before", [b"", b"\n  "])
def test_a_dump_without_its_head(before: bytes, tmp_path: Path) -> None:
    xml = dump_xml([Page(f"P{i}", f"text {i} of an article [[Category:C]]") for i in range(3)])
    path = packed(tmp_path, before + xml[xml.index(b"<page>") :])
    wiki, remarks = read_files([path])
    assert wiki.articles == twin(xml).articles
    assert remarks == {f"{NO_HEAD}; English names are assumed ({path.name})": 1}


# Damage in the XML

ARTICLES = [Page(f"P{i}", f"Text {i} of an article [[Category:C{i}]]", id=i) for i in range(3)]
OPEN_TEXT = "texts without an end tag, read to the end of the page"
OTHER_TITLE = "titles with bytes that are not UTF-8, which were replaced"


ALL, TWO = ["P0", "P1", "P2"], ["P0", "P2"]
TITLE = b"<title>P1</title>"


@pytest.mark.parametrize(
    ("damage", "by", "titles", "remark"),
    [
        (b"</text>", b"", ALL, OPEN_TEXT + " (wiki.xml: P1)"),
        (b"</text><sha1>phoiac9h4m842xq45sp7s6u21eteeq1</sha1>", b"", ALL, OPEN_TEXT + " (wiki.xml: P1)"),
        (b"</page>", b"", TWO, CUT_OFF + " (wiki.xml: P1)"),
        (b"</revision>\n  </page>", b"", TWO, CUT_OFF + " (wiki.xml: P1)"),
        (TITLE, b"", TWO, "pages without a title, left out (wiki.xml)"),
        (TITLE, b"<title> _</title>", TWO, "pages without a title, left out (wiki.xml)"),
        (TITLE, b"<title>P1", ALL, None),
        (b"<id>1</id>", b"<id>x</id>", ALL, None),
        (b"<revision>", b"", ALL, None),
        (b"Text 1 of", b"1 < 2 > 1 <b>Text</b> 1 <br/>of", ALL, None),
        (b"Text 1 of", b"<text>Text 1 of", ALL, None),
        (b"Text 1 of", b"Text\xff 1\xc3 of", ALL, "texts with bytes that are not UTF-8, which separate words (P1)"),
        (TITLE, b"<title>P\xff1</title>", ["P0", "P\ufffd1", "P2"], OTHER_TITLE + " (wiki.xml: P\ufffd1)"),
        (TITLE, b"<title>P0</title>", TWO, "documents left out: their id had been read before ('P0')"),
    ],
)
def test_damage_to_one_page(damage: bytes, by: bytes, titles: list[str], remark: str | None, tmp_path: Path) -> None:
    whole = dump_xml(ARTICLES)
    first, second = whole.index(b"<title>P1"), whole.index(b"<title>P2")
    assert damage in whole[first:second]
    xml = whole[:first] + whole[first:second].replace(damage, by) + whole[second:]
    (tmp_path / "wiki.xml").write_bytes(xml)
    summary = ingest([tmp_path / "wiki.xml"], tmp_path / "a.corpus")
    corpus = Corpus.open(tmp_path / "a.corpus")
    assert corpus.titles(range(len(corpus))) == titles
    assert summary.remarks == ({remark: 1} if remark else {})
    for row, title in enumerate(titles):
        assert reference.counts_of(corpus, row).keys() >= {"text", "of", "an", "article", title[-1]}
        assert corpus.labels_of(row) == [f"C{title[-1]}"]


def test_the_first_of_a_title_stays(tmp_path: Path) -> None:
    pages = [Page(f"P{i % 7}", f"Text {i} of an article", id=i) for i in range(20)]
    with pieces_of(700):
        summary = ingest([packed(tmp_path, dump_xml(pages))], tmp_path / "a.corpus")
    assert reference.contents(Corpus.open(tmp_path / "a.corpus")) == reference.expected_contents(twin(dump_xml(pages)))
    named = ", ".join(f"'P{i % 7}'" for i in range(10)) + ", …"
    assert summary.remarks == {f"documents left out: their id had been read before ({named})": 13}
