"""Lists for the tools that wikis' editors use, out and in."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from priorwise.charts.markup import shown
from priorwise.corpus import Corpus
from priorwise.errors import BrokenFile, InputError
from priorwise.exports.write_back import Result, results_of
from priorwise.readers.opening import LONGEST_LIST, Opening, small_list, small_text
from priorwise.readers.records import rows_of

_ITEM = re.compile(r"(?:https?://(?:www\.)?wikidata\.org/(?:entity|wiki)/)?(Q[1-9]\d*)")
_ITEM_COLUMNS = ("wikibase_item", "wikidata", "wikidata item", "item", "qid")
_PROPERTY = re.compile(r"P[1-9]\d*")
_LINK = re.compile(r"\[\[\s*:?\s*([^\[\]|#]+?)\s*(?:[|#][^\[\]]*)?\]\]")

_LONGEST_TITLE = 255
"""In bytes; MediaWiki knows no longer ones."""

# What MediaWiki does not allow in a title: signs of its own, what it reads as other characters, signatures, and paths.
_NO_TITLE = re.compile(
    r"[#<>\[\]|{}\x00-\x1f\x7f\ufffd]|%[0-9A-Fa-f]{2}|&[A-Za-z0-9\x80-\uffff]+;|&#|~~~|^:|^\s*$|^\.{1,2}$|^\.{1,2}/|/\.{1,2}(/|$)"
)

Rows = Iterable[Result | Mapping[str, Any]]


def is_title(title: str, space: str = "") -> bool:
    """Return whether a page of a wiki can have this title, after the name of its namespace."""
    long = len((space + title).encode("utf-8", "replace")) > _LONGEST_TITLE
    return not long and _NO_TITLE.search(title) is None and shown(title) == title


def link(title: str, space: str = "") -> str:
    """Return a link to a page; a title that no page of a wiki can have becomes plain text."""
    if not is_title(title, space):
        return f"<nowiki>{escape(' '.join(shown(title).split()), quote=False)}</nowiki>"
    return f"[[:{space}{title}]]"


def wikitext_list(results: Rows, statuses: Collection[str] = ("accepted",), heading: str | None = None) -> str:
    """Return a list of links to paste into a page of a wiki, under a heading if it is given."""
    found = sorted((each for each in results_of(results).values() if each.status in statuses), key=lambda r: r.order)
    lines = [] if heading is None else [f"== {heading} =="]
    return "".join(f"{line}\n" for line in [*lines, *(f"* {link(each.title or each.id)}" for each in found)])


def chosen(results: Rows, statuses: Collection[str] = ("accepted",)) -> Iterator[tuple[Result, str]]:
    """Yield results of some statuses with their titles, best first; a title that no wiki can have is left out."""
    found = [each for each in results_of(results).values() if each.status in statuses]
    for each in sorted(found, key=lambda each: each.order):
        title = (each.title or each.id).strip()
        if is_title(title):
            yield each, title


def page_list(results: Rows, statuses: Collection[str] = ("accepted",)) -> str:
    """Return titles, one in each line: what PetScan takes as a manual list and PagePile as a new pile."""
    return "".join(f"{title}\n" for _, title in chosen(results, statuses))


def pywikibot_list(results: Rows, statuses: Collection[str] = ("accepted",)) -> str:
    """Return links, one in each line, for ``pwb category add -file:LIST -to:"CATEGORY"``."""
    return "".join(f"[[{title}]]\n" for _, title in chosen(results, statuses))


def item_of(identity: str, other: Mapping[str, Any]) -> str | None:
    """Return a document's item of Wikidata: its id, or what a column with a usual name says.

    Examples
    --------
    >>> item_of("Tea", {"Wikidata": "http://www.wikidata.org/entity/Q6097"})
    'Q6097'
    """
    columns = {str(name).lower(): value for name, value in other.items()}
    candidates = [identity, *(str(columns.get(name) or "") for name in _ITEM_COLUMNS)]
    found = next(filter(None, (_ITEM.fullmatch(each.strip()) for each in candidates)), None)
    return None if found is None else found[1]


def quick_statements(items: Iterable[str | None], statement: tuple[str, str]) -> str:
    """Return commands for QuickStatements; documents without an item have none."""
    name, value = statement
    if not _PROPERTY.fullmatch(name) or not _ITEM.fullmatch(value):
        raise InputError(f"a statement is a property and an item, such as P921 and Q2539, not '{name}' and '{value}'")
    listed = list(items)
    if listed and not any(listed):
        why = "none of these documents has an item of Wikidata, which QuickStatements needs"
        raise InputError(f"{why}: an id such as Q42, or a column 'Wikidata' with one")
    return "".join(f"{item}\t{name}\t{value}\n" for item in dict.fromkeys(filter(None, listed)))


def edits(results: Rows, category: str, statuses: Collection[str] = ("accepted",), space: str = "Category") -> str:
    r"""Return what would be added to which page: a dry run, for people to read.

    Examples
    --------
    >>> print(edits([Result("Tea", "accepted", 1, 0.9)], "Hot drinks"), end="")
    Tea: + [[Category:Hot drinks]]  (rank 1, probability 0.9)
    """
    lines = []
    for each, title in chosen(results, statuses):
        known = [f"rank {each.rank}"] if each.rank is not None else []
        known += [f"probability {each.probability:.2g}"] if each.probability is not None else []
        lines.append(f"{title}: + [[{space}:{category}]]" + (f"  ({', '.join(known)})" if known else "") + "\n")
    return "".join(lines)


def read_page_list(path: str | Path) -> list[str]:
    r"""Return the titles in a list of pages.

    The list is one of PetScan's or PagePile's, in any of their formats, or has a title in each line. Titles come as a
    corpus of a wiki has them: with spaces, and each once.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "list.txt")
    ...     _ = path.write_text("* [[:Green tea]]\n* [[Milk|milk]]\n", "utf-8")
    ...     read_page_list(path)
    ['Green tea', 'Milk']
    """
    file = Path(path)
    text = small_text(file, LONGEST_LIST, "list of pages")
    titles = list(dict.fromkeys(title for title in map(_title, _titles(file, text)) if title))
    if not titles:
        raise BrokenFile(file, "there is no title of a page in it")
    return titles


def pages_in(path: str | Path, corpus: Corpus) -> tuple[list[str], int]:
    """Return the ids of the documents that a list of pages names by their titles, and how many pages are not there.

    If one of the names is the id of a document, the file is a list of ids with a mistake in it, and nothing is found.
    """
    try:
        titles = read_page_list(path)
    except BrokenFile:
        return [], 0
    known = corpus.titles(np.arange(corpus.n_documents))
    rows = {title: row for row, title in reversed(list(enumerate(known)))}
    found = [rows[title] for title in titles if title in rows]
    ids = corpus.ids(found)
    return ([] if set(ids) & set(small_list(Path(path), "id")) else ids), len(titles) - len(found)


def _titles(path: Path, text: str) -> Iterator[str]:
    start = text.lstrip()
    if start.startswith(("{", "[")) and not start.startswith("[["):
        try:
            yield from _in_json(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise BrokenFile(path, f"not valid JSON ({error})") from error
        return
    first = start.partition("\n")[0].lower()
    for delimiter in (",", "\t"):
        if "title" in [cell.strip().strip('"') for cell in first.split(delimiter)] and delimiter in first:
            for _, row in rows_of(path, Opening(format="csv", delimiter=delimiter)):
                yield next(str(value) for name, value in row.items() if name.lower() == "title")
            return
    for line in text.splitlines():
        links = _LINK.findall(line)
        if links:
            yield from links
        else:
            # PagePile writes a title and the number of its namespace, with a tab between them.
            yield line.partition("\t")[0]


def _in_json(value: Any) -> Iterator[str]:
    """Yield the titles in what PetScan or PagePile answer: a list of titles, or objects that have one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _in_json(item)
    elif isinstance(value, dict):
        if isinstance(value.get("title"), str):
            yield value["title"]
        elif isinstance(value.get("page_title"), str):
            yield value["page_title"]
        else:
            for name in ("pages", "*", "a"):
                if isinstance(value.get(name), list | dict):
                    yield from _in_json(value[name])
            if isinstance(value.get("pages"), dict):
                yield from (title for title in value["pages"] if isinstance(title, str))


def _title(written: str) -> str:
    return " ".join(written.replace("_", " ").split())
