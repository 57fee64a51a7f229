"""A corpus as a notebook shows it: its sizes, and its largest labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from priorwise.charts import Markup, element

if TYPE_CHECKING:
    from priorwise.corpus.corpus import Corpus


def corpus_html(corpus: Corpus, top: int = 10) -> Markup:
    """Return the corpus as HTML; it is escaped, whatever the labels hold.

    Examples
    --------
    >>> from priorwise.corpus import Corpus
    >>> print(corpus_html(Corpus.from_texts(["a b"]))[:60])
    <div><p><b>Corpus</b> in memory: 1 document, 2 distinct toke
    """
    what = repr(corpus).removeprefix("<Corpus ").removesuffix(">")
    rows = [
        element("tr", element("td", element("bdi", label)), element("td", f"{size:,}"))
        for label, size in corpus.largest_labels(top)
    ]
    heading = element("tr", [element("th", name, scope="col") for name in ("largest labels", "members")])
    table = element("table", element("thead", heading), element("tbody", rows)) if rows else None
    return element("div", element("p", element("b", "Corpus"), f" {what}"), table)
