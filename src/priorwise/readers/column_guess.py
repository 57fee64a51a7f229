"""Guess which columns of a table hold the id, the title, the text and the labels of a document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from priorwise.readers.fields import Columns, as_text
from priorwise.readers.separators import guess_separator

_NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "identifier", "key", "doi", "pmid", "isbn", "uri", "record", "record id", "call number", "shelf mark"),
    "title": ("title", "name", "heading", "headline", "titel", "titre", "titulo", "titolo"),
    "text": ("text", "abstract", "body", "content", "description", "summary", "fulltext", "full text", "resumen",
             "zusammenfassung", "beschreibung", "note", "notes"),
    "labels": ("labels", "label", "categories", "category", "subjects", "subject", "tags", "keywords", "topics",
               "topic", "genre", "genres", "class", "schlagwort", "schlagworter", "kategorie", "kategorien"),
}  # fmt: skip
_LONG = 40
"""A column with more characters than this in a cell, on average, may be text."""


def guess_columns(records: Sequence[Mapping[str, Any]]) -> Columns:
    """Guess from a column's name first, and from what is in it otherwise.

    A table without a column that looks like text has its title as text. What is not found keeps its usual name, which
    means that there is none.

    Examples
    --------
    >>> rows = [{"Nr": 1, "Titel": "On tea", "Abstract": "Tea is a drink.", "Subjects": "Drinks; Plants"},
    ...         {"Nr": 2, "Titel": "On milk", "Abstract": "Milk is one, too.", "Subjects": "Drinks"}]
    >>> found = guess_columns(rows)
    >>> found.id, found.title, found.text, found.labels
    ('Nr', 'Titel', 'Abstract', 'Subjects')
    """
    names = list(dict.fromkeys(name for record in records for name in record))
    cells = {name: [_shown(record.get(name)) for record in records] for name in names}
    found: dict[str, Any] = {}
    for role in ("text", "title", "labels", "id"):
        free = [name for name in names if name not in found.values()]
        by_name = [name for wanted in _NAMES[role] for name in free if _plain(name) == wanted]
        likely = next((name for name in by_name if any(cells[name])), None) or _by_content(role, free, cells)
        if likely is not None:
            found[role] = likely
    if "text" not in found and names:
        found["text"] = found.get("title") or max(names, key=lambda name: fmean(map(len, cells[name])))
    return Columns(**found)


def _by_content(role: str, names: Sequence[str], cells: Mapping[str, Sequence[str]]) -> str | None:
    if role == "text":
        longest = max(names, key=lambda name: fmean(map(len, cells[name])), default=None)
        return longest if longest is not None and fmean(map(len, cells[longest])) > _LONG else None
    for name in names:
        held = [cell for cell in cells[name] if cell]
        if not held:
            continue
        distinct, length = len(set(held)) / len(held), fmean(map(len, held))
        if role == "id" and distinct > 0.95 and len(held) > 0.9 * len(cells[name]) and length < 30 and name == names[0]:
            return name
        if role == "title" and distinct > 0.8 and 8 < length < 200 and any(" " in cell for cell in held):
            return name
        if role == "labels" and length < 100 and guess_separator(held).separator is not None:
            return name
    return None


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.casefold().replace("ö", "o").replace("ü", "u")).strip()


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple | set):
        return "; ".join(map(str, value))
    return str(value) if isinstance(value, Mapping) else as_text(value, "") if not isinstance(value, bytes) else ""
