"""A small made-up wiki: the made-up documents as a MediaWiki dump, with redirects and a graph of categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from xml.sax.saxutils import escape, quoteattr

from priorwise.discovery.made_up import TOPICS, DemoDocument, make_documents

PARENTS = {
    "Astronomy": "Sciences",
    "Geology": "Sciences",
    "Gardening": "Crafts",
    "Cookery": "Crafts",
    "Printing": "Crafts",
    "Weaving": "Crafts",
    "Navigation": "Transport",
    "Railways": "Transport",
    "Chess": "Pastimes",
    "Castles": "Buildings",
}
"""Where each topic's category is; those are in *Knowledge*."""

IN_SUBCATEGORY = 0.3
"""The share of the documents left out of a category that are in its subcategory, *History of* the topic."""

ALIAS = " (name)"
"""How the title of a redirect ends."""

_HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>A made-up wiki</sitename>
    <dbname>madeupwiki</dbname>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="10" case="first-letter">Template</namespace>
      <namespace key="14" case="first-letter">Category</namespace>
    </namespaces>
  </siteinfo>
"""
_PAGE = """  <page>
    <title>{title}</title>
    <ns>{namespace}</ns>
    <id>{number}</id>{redirect}
    <revision>
      <id>{number}</id>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text xml:space="preserve">{text}</text>
    </revision>
  </page>
"""
_ARTICLE = """{{{{Infobox
| name     = {title}
| image    = {number}.jpg
| caption  = what stands in a template is no part of the text
}}}}
'''{title}''' is an article of a made-up wiki.<ref>Made up.</ref> {text}

== References ==
<references />
{categories}"""


def write_wiki(path: Path, n_articles: int = 6000, *, left_out: float = 0.5, seed: int = 0) -> list[DemoDocument]:
    """Write a MediaWiki dump of made-up articles, and return what they are.

    The articles are those of :func:`~priorwise.discovery.made_up.make_documents`. Part of those that are left out of
    their category are in its subcategory. Every tenth article has a redirect. As in any wiki, no two articles have the
    same title, and the title is the id.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     articles = write_wiki(Path(folder, "wiki.xml"), 50)
    ...     Path(folder, "wiki.xml").read_text("utf-8").count("<page>") > 50
    True
    >>> len({article.title for article in articles})
    50
    """
    articles = wiki_articles(n_articles, left_out=left_out, seed=seed)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(_HEAD)
        for number, (title, namespace, text) in enumerate(_pages(articles), start=1):
            is_redirect = text.startswith("#REDIRECT")
            redirect = f"\n    <redirect title={quoteattr(title.removesuffix(ALIAS))} />" if is_redirect else ""
            named = {"title": escape(title), "namespace": namespace, "number": number}
            file.write(_PAGE.format(**named, redirect=redirect, text=escape(text)))
        file.write("</mediawiki>\n")
    return articles


def wiki_articles(n_articles: int = 6000, *, left_out: float = 0.5, seed: int = 0) -> list[DemoDocument]:
    """Return made-up documents with titles of their own; some that lack a label are in its subcategory."""
    random = Random(seed)
    taken: Counter[str] = Counter()
    articles = []
    for document in make_documents(n_articles, left_out=left_out, seed=seed):
        taken[document.title] += 1
        again = f" ({taken[document.title]})" if taken[document.title] > 1 else ""
        missing = [topic for topic in document.truth if topic not in document.labels]
        below = [subcategory(topic) for topic in missing if random.random() < IN_SUBCATEGORY]
        title = document.title + again
        articles.append(replace(document, id=title, title=title, labels=document.labels + below))
    return articles


def subcategory(topic: str) -> str:
    """The name of a topic's subcategory."""
    return f"History of {topic.lower()}"


def category_graph() -> dict[str, list[str]]:
    """Return the categories, each with those it is in."""
    graph = {topic: [PARENTS[topic]] for topic in TOPICS}
    graph |= {subcategory(topic): [topic, "History"] for topic in TOPICS}
    return graph | {name: ["Knowledge"] for name in ("History", *dict.fromkeys(PARENTS.values()))}


def _pages(articles: list[DemoDocument]) -> Iterator[tuple[str, int, str]]:
    """Yield title, namespace and wikitext of each page."""
    for name, parents in category_graph().items():
        yield f"Category:{name}", 14, f"What is about {name.lower()}.\n" + _links(parents)
    for number, article in enumerate(articles):
        text = _ARTICLE.format(
            title=article.title, number=number, text=_wikitext(article.text), categories=_links(article.labels)
        )
        yield article.title, 0, text
        if number % 10 == 0:
            yield article.title + ALIAS, 0, f"#REDIRECT [[{article.title}]]"


def _wikitext(text: str) -> str:
    """Put some words into links, and the rest into paragraphs."""
    words = text.split()
    words[::25] = [f"[[{word.capitalize()}|{word}]]" for word in words[::25]]
    return "\n\n".join(" ".join(words[start : start + 60]) for start in range(0, len(words), 60))


def _links(categories: list[str]) -> str:
    return "".join(f"[[Category:{name}]]\n" for name in categories)
