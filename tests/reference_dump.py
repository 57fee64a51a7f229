"""A dump's articles and categories, slowly and literally: the XML by a parser of XML, one page after the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from xml.etree import ElementTree

import numpy as np

from priorwise.corpus import Corpus
from priorwise.readers.document import Document
from priorwise.text.tokens import tokens
from priorwise.wiki.siteinfo import SiteNames, site_names
from priorwise.wiki.wikitext import category_name, read_wikitext

OTHER_NAMESPACES = "pages of other namespaces left out"
NO_WIKITEXT = "pages that are not wikitext, left out"
REDIRECTS = "redirects left out"
DISAMBIGUATION = "disambiguation pages left out"


@dataclass
class Wiki:
    """What a corpus should hold: articles in order, categories with their parents, and how many pages were left out."""

    articles: list[Document] = field(default_factory=list)
    categories: dict[str, set[str]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)


def read_dumps(dumps: Sequence[bytes], min_bytes: int, references: Sequence[str] = ()) -> Wiki:
    wiki = Wiki()
    for xml in dumps:
        root = ElementTree.fromstring(xml)
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
        language = root.get("{http://www.w3.org/XML/1998/namespace}lang", "")
        namespaces = {n.text or "": int(n.get("key", "")) for n in root.iter("namespace")}
        names = local_names(language, namespaces, references)
        for page in root.iter("page"):
            add_page(wiki, page, names, namespaces, min_bytes)
    return wiki


def local_names(language: str, namespaces: dict[str, int], references: Sequence[str]) -> SiteNames:
    known = site_names(language)
    return replace(
        known,
        category=known.category | {name.lower() for name, key in namespaces.items() if key == 14},
        file=known.file | {name.lower() for name, key in namespaces.items() if key == 6},
        references=known.references | {heading.lower() for heading in references},
    )


def add_page(
    wiki: Wiki, page: ElementTree.Element, names: SiteNames, namespaces: dict[str, int], min_bytes: int
) -> None:
    title = page.findtext("title", "").replace("_", " ").strip()
    number = int(page.findtext("id", "0"))
    namespace = page.findtext("ns")
    if namespace is None:
        by_name = {name.lower(): key for name, key in namespaces.items()}
        prefix = title.partition(":")[0].lower() if ":" in title else ""
        namespace = str(by_name.get(prefix, 14 if prefix == "category" else 6 if prefix in ("file", "image") else 0))
    if namespace not in ("0", "14"):
        wiki.left_out[OTHER_NAMESPACES] += 1
        return
    last = page.findall("revision")[-1]
    if last.findtext("model", "wikitext") != "wikitext":
        wiki.left_out[NO_WIKITEXT] += 1
        return
    source = last.findtext("text", "")
    read = read_wikitext(source, names)
    if page.find("redirect") is not None or read.is_redirect:
        wiki.left_out[REDIRECTS] += 1
    elif namespace == "14":
        wiki.categories.setdefault(category_name(title.partition(":")[2]), set()).update(read.categories)
    elif read.is_disambiguation:
        wiki.left_out[DISAMBIGUATION] += 1
    elif len(source.encode()) < min_bytes:
        wiki.left_out[f"pages of less than {min_bytes} bytes left out"] += 1
    else:
        wiki.articles.append(Document(title, title, read.text, read.categories, page=number))


def without_repeats(articles: Iterable[Document]) -> list[Document]:
    """The first article of each title."""
    first: dict[str, Document] = {}
    for article in articles:
        first.setdefault(article.title, article)
    return list(first.values())


def expected_contents(wiki: Wiki) -> dict[str, Any]:
    """What :func:`contents` should return for the corpus of a wiki."""
    articles = without_repeats(wiki.articles)
    named = set(wiki.categories).union(*wiki.categories.values())
    return {
        "titles": [article.title for article in articles],
        "counts": [dict(Counter(tokens(article.text))) for article in articles],
        "labels": [sorted(set(article.labels), key=str.encode) for article in articles],
        "graph": {name: sorted(wiki.categories.get(name, ()), key=str.encode) for name in named},
    }


def contents(corpus: Corpus) -> dict[str, Any]:
    rows = np.arange(len(corpus))
    return {
        "titles": corpus.titles(rows),
        "counts": [counts_of(corpus, row) for row in rows.tolist()],
        "labels": [corpus.labels_of(row) for row in rows.tolist()],
        "graph": {name: corpus.graph.parents(name) for name in corpus.graph.names.to_pylist()},
    }


def counts_of(corpus: Corpus, row: int) -> dict[str, int]:
    _, numbers, counts = corpus.take_counts([row])
    return dict(zip(corpus.token_names(numbers), counts.tolist(), strict=True))


def unescaped(text: str) -> str:
    """XML's five entities and numbers of characters; what XML does not allow is U+FFFD, all else stays as it is."""

    def number(digits: str, base: int) -> str:
        point = int(digits, base)
        return "\ufffd" if point == 0 or 0xD800 <= point <= 0xDFFF or point > 0x10FFFF else chr(point)

    def meant(found: re.Match[str]) -> str:
        if found[1]:
            return {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}[found[1]]
        return number(found[2], 10) if found[2] else number(found[3], 16)

    return re.sub(r"&(?:(lt|gt|amp|quot|apos)|#([0-9]+)|#[xX]([0-9a-fA-F]+));", meant, text)
