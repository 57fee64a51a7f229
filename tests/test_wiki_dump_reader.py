"""XML dumps of any version, language and compression: what is read is what a parser of XML reads, however it is cut."""

from __future__ import annotations

import bz2
import tempfile
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import reference_dump as reference
from priorwise.corpus import Corpus
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.errors import InputError, NotEnoughData
from priorwise.wiki.pages import first_articles
from wiki_dumps import (
    COMPRESSIONS,
    MIN_BYTES,
    NAMESPACES,
    VERSIONS,
    Page,
    dump_xml,
    head,
    packed,
    page_xml,
    parts,
    pieces_of,
    read_files,
    revision,
    some_pages,
    text_element,
)

ingest = partial(ingest_wikipedia, min_bytes=MIN_BYTES)


def twin(*xml: bytes, references: tuple[str, ...] = ()) -> reference.Wiki:
    return reference.read_dumps(xml, MIN_BYTES, references)


def read_xml(xml: bytes, **options: tuple[str, ...]) -> reference.Wiki:
    with tempfile.TemporaryDirectory() as folder:
        return read_files([packed(Path(folder), xml)], **options)[0]


# How a dump is cut does not matter

MARKUP = ["a", "b c ", "é", "漢", "\n", "<", ">", "&", '"', "'''", "[[", "]]", "{{", "}}", "|", "</page>", "<page>"]
MARKUP += ["[[Category:x y|z]]", "[[category:é]]", "== References ==\n", "{{disambig}}", "#REDIRECT [[a]]", "&amp;"]
texts = st.lists(st.sampled_from(MARKUP), max_size=25).map("".join)
names = st.lists(st.sampled_from(["a", "b_c", "é", "&", "<page>", "Talk:", "漢 "]), min_size=1, max_size=4).map("".join)
articles = st.builds(Page, names, texts, st.sampled_from([0, 0, 0, 10]), st.integers(0, 1 << 40), st.booleans())
categories = st.builds(Page, names.map("Category:".__add__), texts, st.just(14), st.integers(0, 9))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(articles | categories, min_size=1, max_size=6),
    st.sampled_from(["0.3", "0.10", "0.11"]),
    st.integers(30, 3000),
    st.lists(st.integers(0, 1 << 20), max_size=12),
)
@example([Page("Tea", "milk " * 9)], "0.11", 3, [])
@example([Page("Tea", "milk " * 9), Page("Coffee", "water " * 9)], "0.11", 100, list(range(1, 3000, 2)))
@example([Page("Tea", "milk " * 9), Page("Coffee", "water " * 9)], "0.11", 30, list(range(1, 3000, 2)))
def test_pieces_do_not_matter(pages: list[Page], version: str, size: int, cuts: list[int]) -> None:
    """Cut into streams of bzip2 at any byte, and into pieces of any size: no page is lost, doubled or changed."""
    xml = dump_xml(pages, version)
    expected = twin(xml)
    bounds = sorted({0, len(xml), *(cut % len(xml) for cut in cuts)})
    streams = b"".join(bz2.compress(xml[start:end]) for start, end in pairwise(bounds))
    with tempfile.TemporaryDirectory() as folder, pieces_of(size):
        in_streams = Path(folder, "streams.xml.bz2")
        in_streams.write_bytes(streams)
        for path in (in_streams, *(packed(Path(folder), xml, kind) for kind in ("xml", "xml.gz", "xml.xz", "xml.zst"))):
            assert read_files([path])[0] == expected, path.name


def test_a_tag_across_every_border(tmp_path: Path) -> None:
    xml = dump_xml([Page("Tea", "milk " * 9), Page("Coffee", "water " * 9)])
    expected = twin(xml)
    for size in range(len(head()), len(xml)):
        with pieces_of(size):
            assert read_files([packed(tmp_path, xml)])[0] == expected, size


# The corpus is the twin's


@pytest.fixture(scope="module")
def pages() -> list[Page]:
    return some_pages(300, words=80)


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_the_corpus_is_the_twins(compression: str, pages: list[Page], tmp_path: Path) -> None:
    xml = dump_xml(pages)
    assert len(xml) > 200_000
    expected = twin(xml)
    path = packed(tmp_path, xml, compression)
    with pieces_of(path.stat().st_size // 5 if path.suffix == ".bz2" else 70_000):
        summary = ingest([path], tmp_path / "a.corpus")
    assert reference.contents(Corpus.open(tmp_path / "a.corpus")) == reference.expected_contents(expected)
    assert {said: n for said, n in summary.remarks.items() if "(" not in said} == expected.left_out
    assert summary.bytes == path.stat().st_size


def test_workers_do_not_change_a_byte(pages: list[Page], tmp_path: Path) -> None:
    path = packed(tmp_path, dump_xml(pages), "multistream5.xml.bz2")
    made = []
    for workers in (1, 2, 5):
        with pieces_of(9_000):
            summary = ingest([path], tmp_path / f"{workers}.corpus", workers=workers)
        files = {file.name: file.read_bytes() for file in (tmp_path / f"{workers}.corpus").iterdir()}
        made.append((files, summary.remarks))
    assert made[0] == made[1] == made[2]


@pytest.mark.parametrize("compression", ["xml", "multistream.xml.bz2", "xml.gz"])
def test_several_parts(compression: str, pages: list[Page], tmp_path: Path) -> None:
    paths = parts(tmp_path, pages[:90], compression, 3)
    index = tmp_path / "index.txt.bz2"
    index.write_bytes(bz2.compress(b"600:1:A1\n600:2:A2\n"))
    ingest([paths[0], index, *paths[1:]], tmp_path / "a.corpus")
    expected = reference.expected_contents(twin(dump_xml(pages[:90])))
    assert reference.contents(Corpus.open(tmp_path / "a.corpus")) == expected


@pytest.mark.parametrize("compression", ["xml", "multistream.xml.bz2", "xml.zst"])
@pytest.mark.parametrize("place", [0, 20, 40])
def test_one_article_among_redirects(compression: str, place: int, tmp_path: Path) -> None:
    pages = [Page(f"R{i}", "#REDIRECT [[Tea]]", redirect=True) for i in range(40)]
    pages.insert(place, Page("Tea", "[[Category:Drinks]] with milk"))
    xml = dump_xml(pages)
    with pieces_of(400):
        ingest([packed(tmp_path, xml, compression)], tmp_path / "a.corpus")
    corpus = Corpus.open(tmp_path / "a.corpus")
    assert reference.contents(corpus) == reference.expected_contents(twin(xml))
    assert len(corpus) == 1
    assert corpus.members("Drinks").tolist() == [0]


@pytest.mark.parametrize("pages", [[], [Page("R", "#REDIRECT [[Tea]]")], [Page("Category:A", "[[Category:B]]", 14)]])
def test_no_article_at_all(pages: list[Page], tmp_path: Path) -> None:
    path = packed(tmp_path, dump_xml(pages))
    with pytest.raises(NotEnoughData, match="no document"):
        ingest([path], tmp_path / "a.corpus")
    assert list(tmp_path.iterdir()) == [path]


# Versions and languages


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("language", NAMESPACES)
def test_versions_and_languages(version: str, language: str) -> None:
    pages = some_pages(60, language)
    wiki = read_xml(dump_xml(pages, version, language))
    assert wiki == twin(dump_xml(pages, version, language))
    assert set(wiki.categories) <= {f"K{i}" for i in range(7)}
    assert wiki.categories
    assert any("K5" in article.labels for article in wiki.articles)
    assert wiki.left_out[reference.OTHER_NAMESPACES] > 0


def test_names_of_a_language() -> None:
    source = "Ein [[Datei:x.jpg|mini|links|Bild]] [[Kategorie:Tee]] [[Category:Hot]]\n== Einzelnachweise ==\nweg"
    (tea,) = read_xml(dump_xml([Page("Tee", source), Page("W", "#WEITERLEITUNG [[Tee]]")], "0.10", "de")).articles
    assert (tea.text, tea.labels) == ("Ein \nBild", ["Tee", "Hot"])
    source = "煎茶は緑茶の一種である。[[Category:緑茶]]\n== 脚注 ==\n消える"
    (tea,) = read_xml(dump_xml([Page("煎茶", source), Page("R", "#転送 [[煎茶]]")], "0.10", "ja")).articles
    assert (tea.text, tea.labels) == ("煎茶は緑茶の一種である。", ["緑茶"])


def test_old_dumps_say_the_namespace_in_the_title() -> None:
    named = ["Talk:A", "talk:B", "User_talk: C", "Category:D", "Image:E", "Star Trek: F", "G:H", ":I", "J"]
    wiki = read_xml(dump_xml([Page(title, "some text of an article") for title in named], "0.3"))
    assert [article.title for article in wiki.articles] == ["User talk: C", "Star Trek: F", "G:H", ":I", "J"]
    assert list(wiki.categories) == ["D"]


def test_category_pages_make_the_graph(tmp_path: Path) -> None:
    pages = [
        Page("Tea", "a hot drink [[Category:Hot drinks]]", 0, 7),
        Page("Category:hot_drinks", "[[Category:Drinks]] [[Category:Heat|*]]", 14, 8),
        Page("Category:Drinks", "{{box|[[Category:Not this]]}} [[Category:Hot drinks]]", 14, 9),
        Page("Category:Old", "#REDIRECT [[:Category:Drinks]]", 14, 10),
        Page("Nameless", "[[Category:Drinks]]", 14, 11),
    ]
    ingest([packed(tmp_path, dump_xml(pages))], tmp_path / "a.corpus")
    graph = Corpus.open(tmp_path / "a.corpus").graph
    assert graph.names.to_pylist() == ["Drinks", "Heat", "Hot drinks"]
    assert (graph.parents("Hot drinks"), graph.children("Hot drinks")) == (["Drinks", "Heat"], ["Drinks"])


# What is in a page


def one_page(*revisions: str) -> bytes:
    return (head() + page_xml(Page("Tea", ""), revisions="".join(revisions)) + "</mediawiki>").encode()


def test_of_several_revisions_the_last_counts() -> None:
    old, new = "#REDIRECT [[Old]]", "new text of an article"
    xml = one_page(revision(old), revision("{}", model="json"), revision(new))
    assert [article.text for article in read_xml(xml).articles] == [new] == [a.text for a in twin(xml).articles]
    xml = one_page(revision(new), revision("{}", model="json"))
    assert read_xml(xml).left_out == twin(xml).left_out == {reference.NO_WIKITEXT: 1}
    xml = one_page(revision("a text that was removed"), revision(""))
    assert read_xml(xml).left_out == twin(xml).left_out == {f"pages of less than {MIN_BYTES} bytes left out": 1}


def test_other_slots_of_a_revision_are_passed_over() -> None:
    slot = "<content><role>info</role><origin>3</origin><model>json</model><format>x</format><text>{}</text></content>"
    xml = one_page(revision("the text of an article").replace("<sha1>", slot + "<sha1>"))
    assert [article.text for article in read_xml(xml).articles] == ["the text of an article"]
    assert read_xml(xml) == twin(xml)


@pytest.mark.parametrize(
    "element",
    [
        "<text />",
        "<text/>",
        "<text></text>",
        '<text bytes="0" />',
        '<text xml:space="preserve" deleted="deleted" />',
        "",
    ],
)
def test_empty_texts(element: str, tmp_path: Path) -> None:
    xml = one_page(revision("x").replace(text_element("x"), element))
    assert read_xml(xml).left_out == {f"pages of less than {MIN_BYTES} bytes left out": 1}
    (article,) = first_articles([packed(tmp_path, xml)], 9, min_bytes=0)
    assert (article.title, article.text) == ("Tea", "")


def test_titles_are_unescaped_and_pages_numbered() -> None:
    xml = one_page(revision("some text of an article")).replace(
        b"Tea", b"Q&amp;A_&lt;&#65;&#x42;&gt;&quot;&apos;&amp;lt;"
    )
    xml = xml.replace(b"<id>0</id>", b"<id>4294967297</id>")
    (article,) = read_xml(xml).articles
    assert (article.title, article.page) == ("Q&A <AB>\"'&lt;", 4294967297)
    assert twin(xml).articles == [article]


def test_own_headings_of_references() -> None:
    xml = dump_xml([Page("Tea", "kept text of an article\n== Further  Reading ==\ndropped\n== More ==\ndropped too")])
    (article,) = read_xml(xml, references=("further reading",)).articles
    assert article.text == "kept text of an article"
    assert twin(xml, references=("further reading",)).articles == [article]
    assert "dropped" in read_xml(xml).articles[0].text


def test_min_bytes_counts_wikitext(tmp_path: Path) -> None:
    path = packed(tmp_path, dump_xml([Page("A", "<&é" * 3), Page("B", "{{" + "x" * 9)]))
    for min_bytes, expected in [(0, ["A", "B"]), (11, ["A", "B"]), (12, ["A"]), (13, [])]:
        assert [article.title for article in read_files([path], min_bytes)[0].articles] == expected
    with pytest.raises(InputError, match="min_bytes must not be negative"):
        ingest_wikipedia([path], tmp_path / "a.corpus", min_bytes=-1)


@pytest.mark.parametrize("limit", [1, 7, 50, 10_000])
def test_limit(limit: int, pages: list[Page], tmp_path: Path) -> None:
    xml = dump_xml(pages[:150])
    wiki = twin(xml)
    del wiki.articles[limit:]
    path = packed(tmp_path, xml)
    assert list(first_articles([path], limit, min_bytes=MIN_BYTES)) == wiki.articles
    with pieces_of(9_000):
        summary = ingest([path], tmp_path / "a.corpus", limit=limit)
    assert Corpus.open(tmp_path / "a.corpus").titles(range(summary.documents)) == [a.title for a in wiki.articles]
    with pytest.raises(InputError, match="limit"):
        ingest([path], tmp_path / "b.corpus", limit=0)
