"""Accepted candidates as lists for an editor: a spreadsheet, and wikitext to paste into a page."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from priorwise.charts.markup import shown
from priorwise.corpus.whole_files import write_texts
from priorwise.errors import InputError
from priorwise.report.parts import command, path_word
from priorwise.report.subject import Subject
from priorwise.tables import BYTE_ORDER_MARK, csv_writer

COLUMNS = ("category", "title", "id", "page", "rank", "laplace_rank", "probability", "status", "path", "evidence")

_LONGEST_TITLE = 255
"""In bytes; MediaWiki knows no longer ones."""

# What MediaWiki does not allow in a title: signs of its own, what it reads as other characters, signatures, and paths.
_NO_TITLE = re.compile(
    r"[#<>\[\]|{}\x00-\x1f\x7f\ufffd]|%[0-9A-Fa-f]{2}|&[A-Za-z0-9\x80-\uffff]+;|&#|~~~|^:|^\s*$|^\.{1,2}$|^\.{1,2}/|/\.{1,2}(/|$)"
)


def accepted_csv(subjects: Sequence[Subject]) -> str:
    """Return the accepted candidates of runs as CSV; no cell is a formula, whatever the titles hold."""
    lines = io.StringIO()
    lines.write(BYTE_ORDER_MARK)
    write_row = csv_writer(lines, COLUMNS)
    for subject in _reviewed(subjects):
        for each in subject.accepted():
            write_row(_cell(value) for value in _values(subject, each))
    return lines.getvalue()


def accepted_wikitext(subjects: Sequence[Subject]) -> str:
    """Return the accepted candidates of runs as lists of links, one under each category if there are several runs."""
    parts = []
    for subject in _reviewed(subjects):
        if len(subjects) > 1:
            parts.append(f"== {link(subject.name, 'Category:')} ==")
        parts += [f"* {link(each['title'])}" for each in subject.accepted()]
    return "".join(f"{part}\n" for part in parts)


def link(title: str, space: str = "") -> str:
    """Return a link to a page; a title that no page of a wiki can have becomes plain text.

    Examples
    --------
    >>> print(link("Random forest"), link("Image:Cat.png"), link("Chess", "Category:"))
    [[:Random forest]] [[:Image:Cat.png]] [[:Category:Chess]]
    >>> print(link("a]] {{delete}}"), link("<b>"))
    <nowiki>a]] {{delete}}</nowiki> <nowiki>&lt;b&gt;</nowiki>
    """
    whole = space + title
    if _NO_TITLE.search(title) or len(whole.encode("utf-8", "replace")) > _LONGEST_TITLE or shown(title) != title:
        return f"<nowiki>{escape(' '.join(shown(title).split()), quote=False)}</nowiki>"
    return f"[[:{whole}]]"


def write_csv(subjects: Sequence[Subject], path: str | Path, *, overwrite: bool = False) -> int:
    """Write the accepted candidates as CSV, and return how many there are."""
    write_texts({Path(path): accepted_csv(subjects)}, overwrite=overwrite)
    return sum(len(subject.accepted()) for subject in subjects)


def write_wikitext(subjects: Sequence[Subject], path: str | Path, *, overwrite: bool = False) -> int:
    """Write the accepted candidates as wikitext, and return how many there are."""
    write_texts({Path(path): accepted_wikitext(subjects)}, overwrite=overwrite)
    return sum(len(subject.accepted()) for subject in subjects)


def _reviewed(subjects: Sequence[Subject]) -> Sequence[Subject]:
    if not any(each["decided"] for subject in subjects for each in subject.results["documents"]):
        first = command("priorwise", "review", path_word(str(subjects[0].path)))
        raise InputError(f"nobody has judged these candidates yet, so none is accepted; first: {first}")
    return subjects


def _values(subject: Subject, row: dict[str, Any]) -> list[Any]:
    return [subject.name, *(row[name] for name in COLUMNS[1:])]


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return shown(value)
    return round(value, 4) if isinstance(value, float) else value
