"""Guess what separates the labels in cells that hold several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from priorwise.readers.fields import json_array

PEEKED = 1000
"""Records to look at before the guess is made."""

_USUAL = 0.1
_CANDIDATES = ("\n", ";", "|", ",")
_NAMES = {"\n": "line breaks", ";": "';'", "|": "'|'", ",": "','"}


@dataclass(frozen=True, slots=True)
class Guess:
    """What separates labels, if anything; and what might, where that is not certain enough to split."""

    separator: str | None = None
    doubtful: str | None = None


def said(separator: str) -> str:
    """Return a separator as people would name it.

    Examples
    --------
    >>> said(";"), said(chr(10)), said(" / ")
    ("';'", 'line breaks', "' / '")
    """
    return _NAMES.get(separator, f"'{separator}'")


def guess_separator(cells: Iterable[object]) -> Guess:
    r"""Guess from the cells of a column.

    Semicolons, bars and line breaks hardly ever belong to a label, so one cell in ten is enough, or parts that recur in
    other cells. Commas often do ("Washington, D.C."), so they separate only where splitting leaves fewer distinct
    labels than there were distinct cells.

    Examples
    --------
    >>> guess_separator(["Krimi; Thriller", "Krimi", "Roman; Krimi"])
    Guess(separator=';', doubtful=None)
    >>> guess_separator(["Washington, D.C.", "Washington, D.C.", "Paris"])
    Guess(separator=None, doubtful=',')
    >>> guess_separator(["Tea", "Coffee"])
    Guess(separator=None, doubtful=None)
    """
    strings = [cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()]
    held = [cell for cell in strings if json_array(cell) is None]
    doubtful = None
    for separator in _CANDIDATES:
        split = [cell for cell in held if separator in cell.strip(separator)]
        if not split:
            continue
        recurs = _recurs(held, separator)
        enough = recurs if separator == "," else recurs or len(split) >= _USUAL * len(held)
        if enough and not _is_prose(split, separator):
            return Guess(separator)
        doubtful = doubtful or separator
    return Guess(doubtful=doubtful)


def _recurs(cells: list[str], separator: str) -> bool:
    """Return whether splitting leaves fewer distinct labels than cells, or at least labels that come again."""
    wholes = set(cells)
    parts = Counter(part for cell in wholes for part in {each.strip() for each in cell.split(separator)} if part)
    again = sum(n for n in parts.values() if n > 1)
    return len(parts) <= len(wholes) and again >= 2


def _is_prose(cells: list[str], separator: str) -> bool:
    """Return whether the parts are too long to be labels: someone chose a column of text."""
    lengths = sorted(len(part.strip()) for cell in cells for part in cell.split(separator))
    return lengths[len(lengths) // 2] > 80
