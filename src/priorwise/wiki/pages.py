"""A wiki's dump files, sorted by what they hold, and the pages in them: articles as plain text, and categories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import BrokenFile, InputError
from priorwise.readers.addresses import found_files
from priorwise.readers.document import CategoryPage, Document, Remarks
from priorwise.readers.opening import compression
from priorwise.wiki.cirrus import CirrusReader
from priorwise.wiki.dump import DumpFile, PageRun
from priorwise.wiki.files import Kind, kind_of, readable_pieces
from priorwise.wiki.siteinfo import ARTICLE, CATEGORY, HIDDEN_CATEGORIES, SiteInfo, read_siteinfo
from priorwise.wiki.sql import SqlTables
from priorwise.wiki.wikitext import category_name, read_pages

_NO_UTF8 = "\ufffd"
"""What stands for it; no wiki allows it in a title otherwise."""


@dataclass(frozen=True, slots=True)
class WikiPages:
    """The articles and the categories' pages of a run of XML."""

    titles: list[str]
    pages: list[int]
    spans: NDArray[np.int64]
    data: NDArray[np.uint8]
    labels: list[list[str]]
    categories: list[CategoryPage]
    n_pages: int


def read_run(run: PageRun, site: SiteInfo, path: Path, remarks: Remarks, *, min_bytes: int) -> WikiPages:
    """Read the pages of a run: articles of at least this many bytes of wikitext, and categories.

    Redirects, disambiguation pages, short pages and other namespaces are left out and counted.
    """
    from priorwise.kernels.words import as_words, read_only
    from priorwise.wiki._kernels import dump_pages as found

    xml = read_only(np.frombuffer(run.xml, np.uint8))
    words = as_words(xml)
    table = found.find_pages(xml, words, run.limit)
    titles = _titles(*found.unescape(xml, words, _columns(table, found.TITLE_START, found.TITLE_END)))
    flags = table[:, found.FLAGS]
    cut_off = flags & found.CUT_OFF != 0
    for row in np.flatnonzero(cut_off).tolist():
        remarks.add("pages cut off, left out", f"{path.name}: {titles[row]}")
    titled = np.fromiter(map(bool, titles), np.bool_, len(titles))
    remarks.add("pages without a title, left out", path.name, int((~titled & ~cut_off).sum()))

    namespaces = table[:, found.NAMESPACE].copy()
    for row in np.flatnonzero(namespaces == found.NO_NAMESPACE).tolist():
        namespaces[row] = site.namespace_of(titles[row])
    whole = titled & ~cut_off
    wanted = whole & ((namespaces == ARTICLE) | (namespaces == CATEGORY))
    remarks.add("pages of other namespaces left out", n=int((whole & ~wanted).sum()))
    other_model = wanted & (flags & found.OTHER_MODEL != 0)
    remarks.add("pages that are not wikitext, left out", n=int(other_model.sum()))
    redirect = wanted & ~other_model & (flags & found.REDIRECT != 0)

    rows = np.flatnonzero(wanted & ~other_model & ~redirect)
    source, bounds = found.unescape(xml, words, _columns(table[rows], found.TEXT_START, found.TEXT_END))
    texts = read_pages(source, np.column_stack([bounds[:-1], bounds[1:]]), site.names)
    is_article = namespaces[rows] == ARTICLE
    left = is_article & ~texts.is_redirect
    remarks.add("redirects left out", n=int(redirect.sum() + texts.is_redirect.sum()))
    remarks.add("disambiguation pages left out", n=int((left & texts.is_disambiguation).sum()))
    left &= ~texts.is_disambiguation
    long_enough = np.diff(bounds) >= min_bytes
    remarks.add(f"pages of less than {min_bytes} bytes left out", n=int((left & ~long_enough).sum()))
    kept = np.flatnonzero(left & long_enough)
    for row in rows[kept[flags[rows[kept]] & found.TEXT_OPEN != 0]].tolist():
        remarks.add("texts without an end tag, read to the end of the page", f"{path.name}: {titles[row]}")
    for row in rows[kept].tolist():
        if _NO_UTF8 in titles[row]:
            remarks.add("titles with bytes that are not UTF-8, which were replaced", f"{path.name}: {titles[row]}")

    numbers = np.maximum(table[rows, found.NUMBER], 0).tolist()
    listed = rows.tolist()
    return WikiPages(
        titles=[titles[listed[row]] for row in kept.tolist()],
        pages=[numbers[row] for row in kept.tolist()],
        spans=np.column_stack([texts.bounds[:-1], texts.bounds[1:]])[kept],
        data=texts.data,
        labels=[texts.categories(row) for row in kept.tolist()],
        categories=[
            CategoryPage(
                name,
                texts.categories(row),
                page=numbers[row],
                # MediaWiki files such a page there by itself.
                added=[HIDDEN_CATEGORIES] if texts.is_hidden[row] else [],
            )
            for row in np.flatnonzero(~is_article & ~texts.is_redirect).tolist()
            if (name := category_name(titles[listed[row]].partition(":")[2]))
        ],
        n_pages=len(table),
    )


def _columns(table: NDArray[np.int64], *columns: int) -> NDArray[np.int64]:
    return np.ascontiguousarray(table[:, columns])


def _titles(data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> list[str]:
    joined = data.tobytes()
    titles = (joined[start:end].decode("utf-8", "replace") for start, end in pairwise(bounds.tolist()))
    return [title.replace("_", " ").strip() for title in titles]


MIN_BYTES = 300
"""Articles with less wikitext are left out (presence)."""

_BLOCKS_LOOKED_AT = 64
"""If the beginning of a bzip2 file is damaged, this many blocks are tried before the file is refused."""


@dataclass(frozen=True, slots=True)
class WikiFiles:
    """A wiki's files, by what they hold."""

    dumps: list[Path]
    cirrus: list[Path]
    indexes: list[Path]
    tables: SqlTables

    @classmethod
    def recognised(cls, paths: Sequence[str | Path]) -> WikiFiles:
        """Sort files by their contents."""
        found: dict[Kind, list[Path]] = defaultdict(list)
        for path in found_files(paths):
            found[_kind(path)].append(path)
        if not found["xml"] and not found["cirrus"]:
            raise InputError(
                "there is no dump of pages among the files; give a pages-articles or CirrusSearch dump too"
            )
        tables = SqlTables(found["sql:categorylinks"], found["sql:linktarget"], found["sql:page"])
        return cls(found["xml"], found["cirrus"], found["index"], tables)

    def pages_in_indexes(self) -> int:
        """Return how many pages the indexes name: a page is a line."""
        n = 0
        for path in self.indexes:
            last = b"\n"
            for piece in readable_pieces(path, lambda n: None, lambda reason: None):
                n += piece.count(b"\n")
                last = piece[-1:] or last
            n += last != b"\n"
        return n


def dumps_and_sites(
    files: WikiFiles, references: Sequence[str], remarks: Remarks, *, inline_templates: bool = True
) -> list[tuple[DumpFile, SiteInfo]]:
    """Return the XML dumps, each with what is known of its wiki; damage to one's head is made up for by another's."""

    def site_of(head: bytes, path: Path) -> SiteInfo:
        return read_siteinfo(head, path, references, inline_templates=inline_templates)

    found: list[tuple[DumpFile, SiteInfo | None]] = []
    for path in files.dumps:
        dump = DumpFile(path)
        head = dump.head()
        found.append((dump, site_of(head, path) if head.strip() else None))
    known = next((site for _, site in found if site is not None), None)
    for dump, site in found:
        if site is None:
            remarks.add(
                "heads of dumps could not be read" + ("" if known else "; English names are assumed"), dump.path.name
            )
    assumed = known or site_of(b"<mediawiki>", Path())
    return [(dump, site or assumed) for dump, site in found]


def first_articles(
    paths: Sequence[str | Path], n: int, *, min_bytes: int = MIN_BYTES, references: Sequence[str] = ()
) -> Iterator[Document]:
    """Yield the first articles of a wiki's files as they would be read into a corpus.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "tea.xml")
    ...     _ = path.write_text("<mediawiki><page><title>Tea</title><text>[[Tea]]s</text></page></mediawiki>")
    ...     [article.text for article in first_articles([path], 1, min_bytes=1)]
    ['Teas']
    """
    files = WikiFiles.recognised(paths)
    yield from islice(_articles(files, min_bytes, references), n)


def _articles(files: WikiFiles, min_bytes: int, references: Sequence[str]) -> Iterator[Document]:
    remarks = Remarks()
    for dump, site in dumps_and_sites(files, references, remarks):
        for piece in dump.pieces(remarks):
            for run in piece.read(remarks):
                pages = read_run(run, site, dump.path, remarks, min_bytes=min_bytes)
                for row, title in enumerate(pages.titles):
                    start, end = pages.spans[row].tolist()
                    text = pages.data[start:end].tobytes().decode("utf-8", "replace")
                    yield Document(title, title, text, pages.labels[row], page=pages.pages[row])
    entries = CirrusReader(files.cirrus, min_bytes=min_bytes)
    yield from (entry for entry in entries if isinstance(entry, Document))


def _kind(path: Path) -> Kind:
    try:
        return kind_of(path)
    except BrokenFile:
        if compression(path) == "bz2":
            first = islice(DumpFile(path).blocks(0), _BLOCKS_LOOKED_AT)
            if any(b"<page>" in (block.content or b"") for block in first):
                return "xml"
        raise
