"""Small MediaWiki exports: pages in, XML of any version and language out, compressed in every way."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from xml.sax.saxutils import escape

import pyarrow as pa
import pytest

from priorwise.readers.document import Document, Remarks
from priorwise.wiki import dump
from priorwise.wiki.pages import WikiFiles, dumps_and_sites, read_run
from reference_dump import Wiki

MIN_BYTES = 20
VERSIONS = ("0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "0.10", "0.11")
NAMESPACES = {
    "en": {-1: "Special", 1: "Talk", 2: "User", 4: "Project", 6: "File", 10: "Template", 14: "Category"},
    "de": {-1: "Spezial", 1: "Diskussion", 2: "Benutzer", 6: "Datei", 10: "Vorlage", 14: "Kategorie"},
    "ja": {-1: "特別", 1: "ノート", 2: "利用者", 6: "ファイル", 10: "Template", 14: "Category"},
    "ru": {-1: "Служебная", 1: "Обсуждение", 2: "Участник", 6: "Файл", 10: "Шаблон", 14: "Категория"},
    "tlh": {-1: "le'", 1: "ja'chuq", 2: "lo'wI'", 6: "teywI'", 10: "chen'ay'", 14: "Segh & buv"},
}


@dataclass(frozen=True)
class Page:
    title: str
    text: str
    ns: int = 0
    id: int = 0
    redirect: bool = False
    model: str = "wikitext"


def siteinfo(language: str) -> str:
    listed = "".join(
        f'      <namespace key="{key}" case="first-letter">{escape(name)}</namespace>\n'
        for key, name in NAMESPACES[language].items()
    )
    return (
        f"  <siteinfo>\n    <sitename>Wiki &amp; more</sitename>\n    <dbname>{language}wiki</dbname>\n"
        f'    <case>first-letter</case>\n    <namespaces>\n{listed}      <namespace key="0" case="first-letter" />\n'
        "    </namespaces>\n  </siteinfo>\n"
    )


def head(version: str = "0.11", language: str = "en") -> str:
    address = f"http://www.mediawiki.org/xml/export-{version}/"
    return f'<mediawiki xmlns="{address}" version="{version}" xml:lang="{language}">\n{siteinfo(language)}'


def text_element(text: str, attributes: str = 'xml:space="preserve"') -> str:
    return f"<text {attributes}>{escape(text)}</text>" if text else f"<text {attributes} />"


def revision(text: str, version: str = "0.11", model: str = "wikitext", id: int = 9) -> str:
    sha1 = "<sha1>phoiac9h4m842xq45sp7s6u21eteeq1</sha1>" if version >= "0.6" or len(version) > 3 else ""
    kind = f"<model>{model}</model><format>text/x-wiki</format>" if version in ("0.8", "0.9", "0.10", "0.11") else ""
    body = [text_element(text), sha1, kind] if version in ("0.8", "0.9") else [kind, text_element(text), sha1]
    return (
        f"    <revision>\n      <id>{id}</id>\n      <timestamp>2009-10-11T12:13:14Z</timestamp>\n"
        "      <contributor><username>A &amp; B</username><id>77</id></contributor>\n"
        f"      <comment>a &lt;page&gt; of [[Category:Comments]]</comment>\n      {''.join(body)}\n    </revision>\n"
    )


def page_xml(page: Page, version: str = "0.11", revisions: str | None = None) -> str:
    ns = f"    <ns>{page.ns}</ns>\n" if version >= "0.6" or len(version) > 3 else ""
    redirect = '    <redirect title="Elsewhere" />\n' if page.redirect and version != "0.3" else ""
    made = revision(page.text, version, page.model) if revisions is None else revisions
    return f"  <page>\n    <title>{escape(page.title)}</title>\n{ns}    <id>{page.id}</id>\n{redirect}{made}  </page>\n"


def dump_xml(pages: Iterable[Page], version: str = "0.11", language: str = "en") -> bytes:
    body = "".join(page_xml(page, version) for page in pages)
    return f"{head(version, language)}{body}</mediawiki>\n".encode()


def some_pages(n: int, language: str = "en", seed: int = 0, words: int = 30) -> list[Page]:
    """Articles, redirects, disambiguation, short pages, categories and other namespaces; numbered from 1."""
    random = Random(seed)
    names = NAMESPACES[language]
    pages = []
    for i in range(1, n + 1):
        text = " ".join(f"{random.choice('äbcdß漢')}{random.randrange(200)}" for _ in range(words))
        text += f" & <b>{i}</b> [[link|caption]] {{{{box|{i}}}}}\n[[{names[14]}:K{i % 7}]]\n[[category:k{i % 3}]]"
        sort = random.randrange(12)
        if sort == 0:
            pages.append(Page(f"R{i}", "#REDIRECT [[A1]]", 0, i, redirect=True))
        elif sort == 1:
            pages.append(Page(f"D{i}", text + " {{disambig}}", 0, i))
        elif sort == 2:
            pages.append(Page(f"S{i}", "short", 0, i))
        elif sort in (3, 4):
            pages.append(Page(f"{names[14]}:K{i % 7}", f"[[{names[14]}:K{(i + 1) % 7}|sort]]", 14, i))
        elif sort == 5:
            pages.append(Page(f"{names[10]}:T{i}", text, 10, i))
        else:
            pages.append(Page(f"A{i}: “é & <x>”", text, 0, i))
    return pages


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return bytes(sink.getvalue())


def multistream(data: bytes, level: int = 9, every: int = 1) -> bytes:
    """As wikis publish it: the head, some pages at a time, and the end are streams of their own."""
    first, *pages = data.split(b"  <page>\n")
    last, end, rest = pages[-1].partition(b"</mediawiki>")
    pages = [b"  <page>\n" + page for page in [*pages[:-1], last]]
    groups = [b"".join(pages[i : i + every]) for i in range(0, len(pages), every)]
    return b"".join(bz2.compress(part, level) for part in [first, *groups, end + rest])


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "xml": lambda data: data,
    "xml.bz2": bz2.compress,
    "level1.xml.bz2": lambda data: bz2.compress(data, 1),
    "multistream.xml.bz2": multistream,
    "multistream5.xml.bz2": lambda data: multistream(data, 1, 5),
    "xml.gz": lambda data: gzip.compress(data, mtime=0),
    "members.xml.gz": lambda data: gzip.compress(data[:500], mtime=0) + gzip.compress(data[500:], mtime=0),
    "xml.xz": lzma.compress,
    "xml.zst": zstd,
}


def packed(folder: Path, data: bytes, compression: str = "xml", name: str = "wiki") -> Path:
    path = folder / f"{name}-pages-articles.{compression}"
    path.write_bytes(COMPRESSIONS[compression](data))
    return path


def parts(folder: Path, pages: Sequence[Page], compression: str, n: int) -> list[Path]:
    """The pages in several files, each with a head of its own."""
    size = -(-len(pages) // n)
    return [
        packed(folder, dump_xml(pages[i * size : (i + 1) * size]), compression, f"wiki-p{i * size}p{(i + 1) * size}")
        for i in range(n)
    ]


def read_files(
    paths: Sequence[Path], min_bytes: int = MIN_BYTES, references: Sequence[str] = ()
) -> tuple[Wiki, dict[str, int]]:
    """Read dumps with the fast reader, without making a corpus: the wiki, and the remarks."""
    remarks, wiki = Remarks(), Wiki()
    for source, site in dumps_and_sites(WikiFiles.recognised(paths), references, remarks):
        for piece in source.pieces(remarks):
            for run in piece.read(remarks):
                pages = read_run(run, site, source.path, remarks, min_bytes=min_bytes)
                texts = [pages.data[start:end].tobytes().decode("utf-8", "replace") for start, end in pages.spans]
                for title, text, labels, page in zip(pages.titles, texts, pages.labels, pages.pages, strict=True):
                    wiki.articles.append(Document(title, title, text, labels, page=page))
                for category in pages.categories:
                    wiki.categories.setdefault(category.name, set()).update(category.parents)
    wiki.left_out.update(remarks.lines())
    return wiki, remarks.lines()


@contextmanager
def pieces_of(size: int) -> Iterator[None]:
    """Cut everything into pieces of so many bytes, in the file or of XML."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dump, "BZIP2_BYTES", size)
        patch.setattr(dump, "XML_BYTES", size)
        patch.setattr(dump, "_CHUNK", max(16, size // 3))
        yield
