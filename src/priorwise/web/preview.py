"""What a file holds before it is read: its first rows, which column is what, and what will be left out or changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from priorwise.counting import counted
from priorwise.errors import BrokenFile
from priorwise.readers.fields import PEEKED, Columns, guess_columns, said
from priorwise.readers.opening import Opening, opened
from priorwise.readers.records import RecordReader, settled

SHOWN = 10
LONGEST_CELL = 160
_WIKI = b"<mediawiki"
_HEAD = 4096


def is_wiki(path: Path) -> bool:
    """Return whether a file is the dump of a wiki."""
    try:
        with opened(path, lambda n: None) as stream:
            return _WIKI in stream.read(_HEAD)
    except BrokenFile:
        return False


def preview(path: Path, opening: Opening, chosen: Mapping[str, str]) -> dict[str, Any]:
    """Look at the first thousand records of a file.

    Parameters
    ----------
    path : Path
    opening : Opening
        How to open it.
    chosen : mapping
        The columns for ``id``, ``title``, ``text`` and ``labels``, and the ``separator``, as far as somebody chose
        them. The others are guessed.
    """
    reader = RecordReader([path], opening=replace(opening, join=False))
    reader.checked = False
    head = [dict(record) for _, _, record in islice(reader.records(), PEEKED + 1)]
    if not head:
        raise BrokenFile(path.name, "there is no record in it")
    whole, head = len(head) <= PEEKED, head[:PEEKED]
    names = list(dict.fromkeys(name for record in head for name in record))
    columns = columns_of(chosen, guess_columns(head))
    columns.check(names, "the file")
    guess = settled(columns, head)
    columns = replace(columns, separator=columns.separator if guess.separator is None else guess.separator)
    documents = [columns.document(record, number, number + 1) for number, record in enumerate(head)]
    labels = Counter(label for document in documents for label in document.labels)
    return {
        "columns": [str(name) for name in names],
        "rows": [[_cell(record.get(name)) for name in names] for record in head[:SHOWN]],
        "roles": {
            "id": columns.id if columns.id in names else "",
            "title": columns.title if columns.title in names else "",
            "text": columns.texts[0],
            "labels": columns.labels if columns.labels in names else "",
        },
        "separator": columns.separator or "",
        "separator_said": said(columns.separator) if columns.separator else "",
        "looked_at": len(head),
        "whole": whole,
        "categories": [{"label": label, "documents": size} for label, size in labels.most_common(8)],
        "n_categories": len(labels),
        "unlabelled": sum(not document.labels for document in documents),
        "remarks": _remarks(columns, names, head, documents),
    }


def columns_of(chosen: Mapping[str, str], guessed: Columns) -> Columns:
    """Return the columns that somebody chose; the others are as guessed. An empty string means that there is none."""
    roles = {role: chosen.get(role, getattr(guessed, role)) for role in ("id", "title", "text", "labels")}
    roles = {role: name for role, name in roles.items() if name}
    return Columns(**roles, separator=chosen.get("separator"))


def _remarks(columns: Columns, names: list[Any], head: list[dict[str, Any]], documents: list[Any]) -> list[str]:
    found = []
    if empty := sum(not document.text.strip() and not document.title_words for document in documents):
        found.append(
            f"{counted(empty, 'row')} without text: read as {'an empty document' if empty == 1 else 'empty documents'}"
        )
    if columns.id not in names:
        found.append("no column for the id: rows are numbered")
    else:
        ids = [columns.identity(record, number, number + 1) for number, record in enumerate(head)]
        if repeated := len(ids) - len(set(ids)):
            found.append(f"{counted(repeated, 'row')} with an id that an earlier row has: numbered, such as “7#2”")
        if blank := sum(not str(record.get(columns.id) or "").strip() for record in head):
            found.append(f"{counted(blank, 'row')} without an id: named by {'its' if blank == 1 else 'their'} row")
    if columns.labels not in names:
        found.append("no column for the categories: make a category yourself, from examples")
    return found


def _cell(value: Any) -> str:
    shown = "; ".join(map(str, value)) if isinstance(value, list | tuple | set) else "" if value is None else str(value)
    return shown if len(shown) <= LONGEST_CELL else shown[: LONGEST_CELL - 1] + "…"
