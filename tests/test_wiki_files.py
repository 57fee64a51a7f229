from __future__ import annotations

from pathlib import Path

import pytest
from reference_sql import categorylinks_dump, linktarget_dump, new_categorylinks_dump, page_dump

from priorwise.errors import BrokenFile
from priorwise.wiki.files import kind_of, readable_pieces
from small_collections import COMPRESSIONS

XML = b'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="en">\n  <siteinfo>'
KINDS = [
    (XML, "xml"),
    (b"\xef\xbb\xbf\n <?xml version='1.0'?>\n<!-- a > b -->\n" + XML, "xml"),
    (b"<!DOCTYPE x [<!ENTITY a 'b'>]>" + XML, "xml"),
    (b"<page>\n<title>Tea</title>", "xml"),
    (categorylinks_dump([(1, "A", "page")]), "sql:categorylinks"),
    (new_categorylinks_dump([]), "sql:categorylinks"),
    (linktarget_dump([]), "sql:linktarget"),
    (page_dump([]), "sql:page"),
    (b"insert into wiki.page (page_id) VALUES (1);", "sql:page"),
    (b'{"index":{"_type":"page","_id":"12"}}\n{"title":"x"}\n', "cirrus"),
    (b'\n { "index" : {"_id":"12"}}', "cirrus"),
    (b'{"title":"x","text":"y"}\n{"index":{"_id":"12"}}\n', "cirrus"),
    (b"615:10:AccessibleComputing\n615:12:Anarchism\n", "index"),
]


@pytest.mark.parametrize("suffix", COMPRESSIONS)
@pytest.mark.parametrize(("data", "kind"), KINDS)
def test_kinds_are_known_by_their_contents(data: bytes, kind: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"whatever{suffix}"
    path.write_bytes(COMPRESSIONS[suffix](data))
    assert kind_of(path) == kind
    unnamed = tmp_path / "none"
    unnamed.write_bytes(path.read_bytes())
    assert kind_of(unnamed) == kind


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "not a file of a wiki: it is empty; give an XML dump"),
        (b"To be or not to be", r"it begins with b'To be or not to be'; give an XML dump \(pages-art"),
        (b"<html><body>404</body></html>", "it begins with b'<html><body>404"),
        (b'{"title": "x"}', "not a file of a wiki"),
        (b"-- nothing but a comment", "not a file of a wiki"),
        (b"CREATE TABLE `pagelinks` (`pl_from` int);", "a SQL dump of the table 'pagelinks'; give an"),
        (XML.decode().encode("utf-16"), "the text is UTF-16, and wikis publish UTF-8; convert it: iconv"),
        (XML.decode().encode("utf-16-be"), "the text is UTF-16"),
        (("\n" + XML.decode()).encode("utf-16-le")[2:], "the text is UTF-16"),
    ],
)
def test_other_files_are_refused(data: bytes, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "some.file"
    path.write_bytes(data)
    with pytest.raises(BrokenFile, match=f"some.file: .*{complaint}" if complaint[0] != "a" else complaint):
        kind_of(path)


def test_files_that_are_not_there_or_no_archives(tmp_path: Path) -> None:
    with pytest.raises(BrokenFile, match="there is no such file"):
        kind_of(tmp_path / "none.xml")
    path = tmp_path / "page.sql.gz"
    path.write_bytes(b"-- MySQL dump")
    with pytest.raises(BrokenFile, match="the compressed data end too early or are damaged"):
        kind_of(path)


@pytest.mark.parametrize("suffix", [suffix for suffix in COMPRESSIONS if suffix])
def test_what_comes_before_the_damage_is_read(suffix: str, tmp_path: Path) -> None:
    data = b"".join(b"%d\n" % number for number in range(400_000))
    packed = COMPRESSIONS[suffix](data)
    path = tmp_path / f"numbers{suffix}"
    for cut in (len(packed), len(packed) - 1, len(packed) // 2, 10):
        path.write_bytes(packed[:cut])
        told: list[int] = []
        reasons: list[str] = []
        read = b"".join(readable_pieces(path, told.append, reasons.append, longest=1 << 16))
        assert data.startswith(read)
        assert sum(told) == cut
        assert bool(reasons) is (cut < len(packed))
        if cut == len(packed):
            assert read == data
        elif cut == len(packed) // 2 and suffix != ".zst":
            assert len(read) > len(data) // 5
