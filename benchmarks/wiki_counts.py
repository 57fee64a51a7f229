"""Articles, categories and memberships of a dump, counted by regular expressions and by priorwise.

python benchmarks/wiki_counts.py DUMP.xml.xz
"""

from __future__ import annotations

import argparse
import html
import re
import tempfile
from pathlib import Path

from measure import table

from priorwise.corpus import Corpus
from priorwise.corpus.build.wikipedia import ingest_wikipedia
from priorwise.readers.opening import opened
from priorwise.wiki.wikitext import category_name

PAGE = re.compile(r"<page>(.*?)</page>", re.DOTALL)
TITLE = re.compile(r"<title>(.*?)</title>")
TEXT = re.compile(r"<text[^>]*>(.*?)</text>", re.DOTALL)
NUMBER = re.compile(r"<ns>(-?\d+)</ns>")
PREFIX = re.compile(r'<namespace key="-?[1-9]\d*"[^>]*>([^<]+)</namespace>')
MODEL = re.compile(r"<model>(?!wikitext)")
LINK = re.compile(r"\[\[\s*Category\s*:\s*([^\]|]+)", re.IGNORECASE)
NO_MARKUP = re.compile(r"<!--.*?-->|<nowiki>.*?</nowiki>", re.DOTALL | re.IGNORECASE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", type=Path)
    dump = parser.parse_args().dump
    with opened(dump, lambda n: None) as stream:
        xml = stream.read().decode("utf-8", "replace")
    prefixes = {name.lower() for name in PREFIX.findall(xml[:20_000])}
    articles: dict[str, str] = {}
    n_pages, n_category_pages = 0, 0
    for match in PAGE.finditer(xml):
        n_pages += 1
        page = match[1]
        found, number = TEXT.search(page), NUMBER.search(page)
        title = html.unescape(TITLE.search(page)[1])
        text = html.unescape(found[1]) if found else ""
        prefix = title.partition(":")[0].lower() if ":" in title else ""
        in_space = number[1] != "0" if number else prefix in prefixes
        n_category_pages += prefix == "category"
        is_redirect = text.lstrip().lower().startswith("#redirect") or "<redirect" in page
        if not in_space and not is_redirect and not MODEL.search(page):
            articles.setdefault(title, text)
    raw = {title: LINK.findall(text) for title, text in articles.items()}
    shown = {title: LINK.findall(NO_MARKUP.sub("", text)) for title, text in articles.items()}
    named = {title: {category_name(name) for name in names} - {""} for title, names in shown.items()}

    with tempfile.TemporaryDirectory() as folder:
        ingest_wikipedia([dump], Path(folder, "x.corpus"), min_bytes=0)
        corpus = Corpus.open(Path(folder, "x.corpus"))
        ours = {title: set(corpus.labels_of(row)) for row, title in enumerate(corpus.titles(range(len(corpus))))}
        graph = len(corpus.graph)
    left_out = set(articles) - set(ours)
    both = set(articles) & set(ours)
    compared = [
        ("with a category", lambda labels: sum(bool(labels[title]) for title in both)),
        ("categories", lambda labels: len(set().union(*(labels[title] for title in both)))),
        ("memberships", lambda labels: sum(len(labels[title]) for title in both)),
    ]
    rows = [
        ["pages", f"{n_pages:,}", ""],
        ["category pages", f"{n_category_pages:,}", f"{graph:,} categories in the graph, named ones included"],
        ["articles, no redirects", f"{len(articles):,}", f"{len(ours):,} and {len(left_out):,} disambiguation pages"],
        ["… with a category", f"{sum(map(bool, raw.values())):,}", ""],
        ["… names as written", f"{len({name for names in raw.values() for name in names}):,}", ""],
        ["… but for comments and nowiki, as titles", f"{len(set().union(*named.values())):,}", ""],
        *([f"in both: {what}", f"{count(named):,}", f"{count(ours):,}"] for what, count in compared),
    ]
    table([dump.name, "regular expressions", "priorwise"], rows)
    different = [(t, named[t] - ours[t], ours[t] - named[t]) for t in sorted(both) if named[t] != ours[t]]
    print(f"\n{len(different):,} articles differ; the first:")
    for title, only_theirs, only_ours in different[:12]:
        print(f"- {title}: only by expression {sorted(only_theirs)[:3]}, only by priorwise {sorted(only_ours)[:3]}")


if __name__ == "__main__":
    main()
