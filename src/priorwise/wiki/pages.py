"""Pages of a dump in, what a corpus needs of them out: articles as plain text, categories, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from priorwise.readers.document import CategoryPage
from priorwise.readers.remarks import Remarks
from priorwise.wiki.dump import Run
from priorwise.wiki.maintenance import HIDDEN_CATEGORIES
from priorwise.wiki.siteinfo import ARTICLE, CATEGORY, SiteInfo
from priorwise.wiki.wikitext import category_name, read_pages

_NO_UTF8 = "\ufffd"
"""What stands for it; no wiki allows it in a title otherwise."""


@dataclass(frozen=True, slots=True)
class WikiPages:
    """The articles and the categories' pages of a run of XML.

    Attributes
    ----------
    titles : list of str
        The articles' titles.
    pages : list of int
        Their numbers in the wiki's tables.
    spans : ndarray of int64, (articles, 2)
        Where each article's plain text begins and ends in ``data``.
    data : ndarray of uint8
        UTF-8 bytes.
    labels : list of lists of str
        The categories that each article's text names.
    categories : list of CategoryPage
    n_pages : int
        How many pages there are in all.
    """

    titles: list[str]
    pages: list[int]
    spans: NDArray[np.int64]
    data: NDArray[np.uint8]
    labels: list[list[str]]
    categories: list[CategoryPage]
    n_pages: int


def read_run(run: Run, site: SiteInfo, path: Path, remarks: Remarks, *, min_bytes: int) -> WikiPages:
    """Read the pages of a run: articles of at least so many bytes of wikitext, and categories.

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
    remarks.add("pages that are no wikitext left out", n=int(other_model.sum()))
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
            remarks.add("titles with bytes that are no UTF-8, which were replaced", f"{path.name}: {titles[row]}")

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
