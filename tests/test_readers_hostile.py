"""Readers of collections: their own parsers against slow twins, and input that is hostile or broken."""

from __future__ import annotations

import contextlib
import gzip
import io
import itertools
import lzma
import tarfile
import tempfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import priorwise as pw
from priorwise.errors import BrokenFile, InputError, NotEnoughData, PriorwiseError
from priorwise.readers import archives, blocks, opening
from priorwise.readers.collections import base as collection
from priorwise.readers.collections import medline, rcv1, reuters, yahoo_qa
from priorwise.readers.collections.base import CollectionReader
from small_collections import (
    COLLECTIONS,
    MEDLINE,
    PACKINGS,
    QUESTIONS,
    RCV1,
    REUTERS,
    YAHOO,
    by_id,
    citation,
    ids,
    question,
    read,
    tarred,
    zipped,
)


def slow_blocks(data: bytes, tag: bytes) -> tuple[list[bytes], int]:
    """Letter by letter; the records, and how many had no end."""
    found, unclosed, begin, at = [], 0, -1, 0
    while at < len(data):
        rest = data[at:]
        if rest.startswith(b"</" + tag + b">"):
            at += len(tag) + 3
            if begin >= 0:
                found.append(data[begin:at])
            begin = -1
        elif rest.startswith(b"<" + tag) and rest[len(tag) + 1 :][:1] in (b" ", b">", b"\n"):
            unclosed += begin >= 0
            begin = at
            at += len(tag) + 1
        else:
            at += 1
    return found, unclosed + (begin >= 0)


MARKS = st.sampled_from([b"<ab>", b"</ab>", b"<ab x='1'>", b"<abc>", b"<", b"ab", b">", b"/", b"</ab", b"\n", b"text"])


@given(st.lists(MARKS, max_size=30).map(b"".join), st.lists(st.integers(0, 100), max_size=8))
@example(b"<ab>1</ab><ab>2</ab>", [3])
@settings(max_examples=300)
def test_blocks_are_those_of_the_slow_twin(data: bytes, cuts: list[int]) -> None:
    bounds = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    pieces = [data[start:end] for start, end in itertools.pairwise(bounds)]
    remarks: dict[str, int] = {}
    found = list(blocks.blocks(pieces, "ab", lambda what, n: remarks.__setitem__(what, remarks.get(what, 0) + n)))
    assert (found, remarks.get(blocks.NEVER_CLOSED, 0)) == slow_blocks(data, b"ab")


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_fields_and_attributes_come_back(text: str, value: str) -> None:
    quoted = escape(value, {'"': "&quot;", "'": "&apos;"})
    record = f'<r n="{quoted}" m = "2">\n<fields>no</fields><field k="v">{escape(text)}</field><field>2</field></r>'
    assert blocks.unescaped(blocks.field(record, "field")) == text
    assert blocks.attributes(record) == {"n": value, "m": "2"}


@given(st.integers(0, 0x120000))
def test_references_by_number(code: int) -> None:
    decimal, hexadecimal = blocks.unescaped(f"a&#{code};b"), blocks.unescaped(f"a&#x{code:X};b")
    usable = code <= 0x10FFFF and (chr(code).isprintable() or chr(code).isspace()) and not 0xD800 <= code < 0xE000
    assert decimal == hexadecimal == (f"a{chr(code)}b" if usable else "ab")


def test_searches_are_linear() -> None:
    # Each of these would take hours if a failed search began again at the next letter.
    n = 300_000
    assert blocks.field("<t>" * n, "t") == ""
    assert blocks.attributes("<r " + "a" * n + ">") == {}
    assert blocks.attributes("<r " + 'a="' * n + ">") != {}
    assert blocks.without_tags("<" * n) == "<" * n
    assert list(blocks.blocks([b"<t>" * n], "t", lambda what, times: None)) == []


def test_a_record_without_end_takes_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "LONGEST_RECORD", 1 << 16)
    remarks: list[str] = []

    def pieces() -> Iterable[bytes]:
        yield b"<r>"
        for _ in range(2000):
            yield b"a" * 10_000
        yield b"</r><r>after</r>"

    tracemalloc.start()
    try:
        assert list(blocks.blocks(pieces(), "r", lambda what, n: remarks.append(what))) == [b"<r>after</r>"]
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert remarks == [blocks.TOO_LONG]


def test_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rcv1, "LONGEST_RECORD", 50)
    remarks: list[str] = []

    class Pieces:
        cut = False

        def pieces(self) -> list[bytes]:
            return [b"one\n\ntw", b"o\n" + b"x" * 60, b"x" * 60, b"x\nthree"]

    member: Any = Pieces()
    assert list(rcv1.lines(member, lambda what, n: remarks.append(what))) == [b"one", b"two", b"three"]
    assert remarks == [blocks.TOO_LONG]
    member.cut = True
    assert list(rcv1.lines(member, lambda what, n: None)) == [b"one", b"two"]


def add(archive: tarfile.TarFile, name: str, kind: bytes, target: str = "") -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    archive.addfile(entry)


def test_names_and_links_that_lead_out(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("Subject: key\n\nkey")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in ("../sci.med/1", "/sci.med/2", "a/../../sci.med/3", "./sci.med/4", "sci.med/.5", "__MACOSX/x/6"):
            entry = tarfile.TarInfo(name)
            entry.size = 4
            archive.addfile(entry, io.BytesIO(b"text"))
        add(archive, "sci.med/7", tarfile.SYMTYPE, str(tmp_path / "secret"))
        add(archive, "sci.med/8", tarfile.LNKTYPE, "sci.med/4")
        add(archive, "sci.med/9", tarfile.FIFOTYPE)
        add(archive, "sci.med", tarfile.DIRTYPE)
    (tmp_path / "x.tar").write_bytes(packed.getvalue())
    reader = pw.NewsgroupsReader(tmp_path / "x.tar")
    assert ids(reader) == ["sci.med/4"]
    assert reader.remarks == {archives.STRANGE: 3, archives.NOT_PLAIN: 3}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret", "x.tar"]


def test_zip_files_with_links_and_locks(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("../1", "text")
        archive.writestr("sci.med/2", "text")
        link = zipfile.ZipInfo("sci.med/3")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("inner.zip", zipped({"sci.med/4": b"text"}))
    content = bytearray((tmp_path / "x.zip").read_bytes())
    reader = pw.NewsgroupsReader(tmp_path / "x.zip")
    assert ids(reader) == ["sci.med/2"]
    assert reader.remarks == {archives.STRANGE: 1, archives.NOT_PLAIN: 1, archives.SHUT: 1}
    # The flag for encryption, in the table at the end.
    at = content.rindex(b"PK\x01\x02", 0, content.rindex(b"sci.med/2"))
    content[at + 8] |= 1
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(NotEnoughData):
        list(reader)
    assert reader.remarks == {archives.STRANGE: 1, archives.NOT_PLAIN: 1, archives.SHUT: 2}


def test_archives_within_archives_have_an_end(tmp_path: Path) -> None:
    packed = tarred({"sci.med/1": b"text"})
    for depth in range(5):
        packed = tarred({f"sci.med/{depth}.tar": packed})
    (tmp_path / "x.tar").write_bytes(packed)
    with pytest.raises(NotEnoughData):
        list(reader := pw.NewsgroupsReader(tmp_path / "x.tar"))
    assert reader.remarks == {archives.SHUT: 1}


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("x.tar.gz", gzip.compress),
        ("x.tar.xz", lzma.compress),
        ("x.zip", lambda packed: zipped({"x.tar": packed})),
        ("y.zip", lambda packed: zipped({"x.tar.xz": lzma.compress(packed)})),
    ],
)
@pytest.mark.parametrize("wanted", ["sci.med/1", "picture.jpg"])
def test_bombs_are_refused(
    name: str, pack: Callable[[bytes], bytes], wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "ALWAYS_ALLOWED", 1 << 16)
    (tmp_path / name).write_bytes(pack(tarred({wanted: bytes(8 << 20)})))
    with pytest.raises(BrokenFile, match=f"{name}: expands to more than 200 times its size"):
        list(pw.NewsgroupsReader(tmp_path / name))


def test_a_file_too_long_for_a_document_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collection, "LONGEST_FILE", 100)
    documents, remarks = read("newsgroups", {"sci.med/1": b"a" * 101, "sci.med/2": b"a" * 100})
    assert ids(documents) == ["sci.med/2"]
    assert remarks == {collection.LONG_FILES: 1}


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_a_huge_header_is_not_read_into_memory(kind: bytes, tmp_path: Path) -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, 50 << 20
    packed = tarred({"sci.med/1": b"text"})[:1024] + header.tobuf(tarfile.GNU_FORMAT) + bytes(50 << 20)
    (tmp_path / "x.tar").write_bytes(packed)
    del packed
    reader = pw.NewsgroupsReader(tmp_path / "x.tar")
    tracemalloc.start()
    try:
        assert ids(reader) == ["sci.med/1"]
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
    finally:
        tracemalloc.stop()
    assert reader.remarks == {f"{archives.DAMAGED} (x.tar)": 1}


def test_entities_are_not_expanded() -> None:
    laughs = "".join(f'<!ENTITY l{i + 1} "{f"&l{i};" * 10}">' for i in range(9))
    declared = f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}<!ENTITY f SYSTEM "file:///etc/passwd">]>'
    bomb = citation("1", "<Abstract><AbstractText>&l9;</AbstractText></Abstract>", "")
    file = citation("2", "<Abstract><AbstractText>&f;</AbstractText></Abstract>", "")
    inside = citation("3", f"{declared}<Abstract><AbstractText>&l9;</AbstractText></Abstract>", "")
    good = citation("4", "<Abstract><AbstractText>&#233; &lt;</AbstractText></Abstract>", "")
    documents, remarks = read("medline", {"x.xml": (declared + bomb + file + inside + good).encode()})
    assert [(document.id, document.text) for document in documents] == [("4", "On tea.\n\né <")]
    assert remarks == {medline.MALFORMED: 3}
    document = question("1", "&l9;", "", "")
    assert read("yahoo-qa", {"x.xml": (declared + document).encode()})[0][0].text == "&l9;"


def test_broken_records_cost_nothing_but_themselves() -> None:
    broken = REUTERS["reuters21578/reut2-000.sgm"].replace(b"</REUTERS>", b"", 1).replace(b'NEWID="2"', b"NEWID=")
    documents, remarks = read("reuters", {"reut2-000.sgm": broken})
    assert ids(documents) == ["3"]
    assert remarks == {blocks.NEVER_CLOSED: 1, reuters.NO_NUMBER: 1}
    text = MEDLINE["pubmed20n0001.xml"].replace(b'<PMID Version="1">11</PMID>', b"").replace(b"No headings.", b"<x>")
    with pytest.raises(NotEnoughData):
        read("medline", {"x.xml": text})
    text = MEDLINE["pubmed20n0001.xml"].replace(b"No headings.", b"\x01")
    assert read("medline", {"x.xml": text})[1] == {medline.NO_ABSTRACT: 1, medline.MALFORMED: 1}
    text = YAHOO["FullOct2007.xml.part1"].replace(b"<uri>2</uri>", b"")
    assert read("yahoo-qa", {"x.xml": text}) == (QUESTIONS[:1], {yahoo_qa.NO_URI: 1})
    tokens = b".I x\n.W\nlost\n.I 5\n.W\nkept\n"
    documents, remarks = read(
        "rcv1", {**RCV1, "rcv1/more.dat": b".I 1\n.W\nx\n" + tokens, "rcv1/q": b"A 1 1\nB x 1\nC 1\nD 1 1 1\n"}
    )
    assert ids(documents)[-2:] == ["1", "5"]
    assert remarks == {rcv1.MALFORMED: 4}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_what_comes_before_the_cut_is_read(name: str, tmp_path: Path) -> None:
    kind, files, expected = COLLECTIONS[name]
    # Something that cannot be compressed, so that the cut falls behind what matters.
    files = {**files, "zzz.bin": Random(0).randbytes(100_000)}
    whole = gzip.compress(tarred(files))
    for cut in (len(whole) - 4, len(whole) - 40_000):
        (tmp_path / "x.tar.gz").write_bytes(whole[:cut])
        reader = kind(tmp_path / "x.tar.gz")
        assert by_id(reader) == by_id(expected)
        assert reader.remarks[f"{archives.DAMAGED} (x.tar.gz)"] == 1
    (tmp_path / "x.tar.gz").write_bytes(whole[:15])
    with pytest.raises(BrokenFile, match=r"x\.tar\.gz: the compressed data end too early or are damaged"):
        list(kind(tmp_path / "x.tar.gz"))


def test_a_document_that_is_cut_off_is_left_out(tmp_path: Path) -> None:
    packed = tarred({"sci.med/1": b"whole", "sci.med/2": b"x" * 5000})
    (tmp_path / "x.tar").write_bytes(packed[:3000])
    reader = pw.NewsgroupsReader(tmp_path / "x.tar")
    assert ids(reader) == ["sci.med/1"]
    assert reader.remarks == {f"{archives.DAMAGED} (x.tar)": 1, collection.LONG_FILES: 1}
    (tmp_path / "x.tar").write_bytes(packed[:1024] + b"\xff" * 2000)
    assert ids(reader) == ["sci.med/1"]
    assert reader.remarks == {f"{archives.DAMAGED} (x.tar)": 1}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_nothing_to_read(name: str, tmp_path: Path) -> None:
    kind: type[CollectionReader] = COLLECTIONS[name][0]
    with pytest.raises(BrokenFile, match=r"gone\.tar: there is no such file or folder"):
        kind(tmp_path / "gone.tar")
    with pytest.raises(NotEnoughData, match=r"there is no document in .*; looked for "):
        list(kind(tmp_path))
    for content, reason in (
        (b"", NotEnoughData),
        (b"PK\x03\x04 no zip", BrokenFile),
        (b"\x1f\x8b no gzip", BrokenFile),
    ):
        (tmp_path / "x.xml").write_bytes(content)
        with pytest.raises(reason):
            list(kind(tmp_path / "x.xml"))


def test_options_that_do_not_exist(tmp_path: Path) -> None:
    wrong: Any = "tset"
    with pytest.raises(InputError, match="there is no split 'tset'; the splits are all, train, test"):
        pw.NewsgroupsReader(tmp_path, split=wrong)
    for kind in (pw.ReutersReader, pw.RCV1Reader, pw.YahooQAReader):
        with pytest.raises(InputError, match="there are no labels 'tset'"):
            kind(tmp_path, labels=wrong)
    with pytest.raises(InputError, match="fewer than one level"):
        pw.ODPReader(tmp_path, depth=0)


DAMAGEABLE = [packing for packing in PACKINGS if packing.startswith(("tar", "zip"))]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(COLLECTIONS)), st.sampled_from(DAMAGEABLE), st.randoms(use_true_random=False))
def test_a_damaged_collection_is_read_or_refused(name: str, packing: str, random: Random) -> None:
    kind, files, _ = COLLECTIONS[name]
    files = {name: damaged(content, random) if random.random() < 0.5 else content for name, content in files.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = PACKINGS[packing](Path(folder), files)
        path.write_bytes(damaged(path.read_bytes(), random))
        with contextlib.suppress(PriorwiseError):
            for document in kind(path):
                assert isinstance(document.text, str)
                assert document.id
                assert document.title


def damaged(content: bytes, random: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(random.choice([0, 1, 2, 8])):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed[: random.choice([len(changed), random.randrange(len(changed) + 1)])])
