"""What is known of the categories: keywords, entries of the Factbook, scope notes of MeSH."""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from priorwise.errors import BrokenFile
from priorwise.text.tokens import tokens

YEAR = "1996"
"""Of the Factbook's edition that the paper reads."""

COMMON = 0.1
"""Terms in so large a part of the Factbook's entries are field names and phrases that all entries have."""

_TEXT = r"N'((?:[^']|'')*)'"
_COUNTRY = re.compile(rf"\((\d+), {YEAR}, {_TEXT}, {_TEXT}")
_FIELD = re.compile(rf"\(\d+, \d+, (\d+), {_TEXT}, {_TEXT}\)")


def factbook(folder: Path) -> dict[str, str]:
    """Read the text of each country of the 1996 edition, by its name in lower case."""
    names = {number: name.lower() for number, _, name in _COUNTRY.findall(_read(folder / "countries.sql.gz"))}
    entries: dict[str, list[str]] = {}
    for number, name, content in _FIELD.findall(_read(folder / f"country_fields_{YEAR}.sql.gz")):
        if number in names:
            entries.setdefault(names[number], []).append(f"{name} {content}".replace("''", "'"))
    if not entries:
        raise BrokenFile(folder, f"there is no entry of {YEAR} in its files")
    return {name: "\n".join([name, *fields]) for name, fields in entries.items()}


def scope_notes(folder: Path) -> dict[str, str]:
    """Read the name, the synonyms and the scope note of each disease heading that has a note."""
    path = folder / "CTD_diseases.tsv.gz"
    lines = (line for line in _read(path).splitlines() if not line.startswith("#"))
    rows = [row for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if len(row) > 7 and row[3]]
    if not rows:
        raise BrokenFile(path, "there is no heading with a definition in it")
    return {row[0]: "\n".join([row[0], row[3], row[7].replace("|", "\n")]) for row in rows}


def _read(path: Path) -> str:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return file.read()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise BrokenFile(path, f"it cannot be read: {error}") from None


def without_common(texts: Mapping[str, str]) -> dict[str, str]:
    """Leave out of each text the tokens that are in a tenth of the texts or more.

    Examples
    --------
    >>> found = without_common({str(k): f"area {name}" for k, name in enumerate("abcdefghijkl")})
    >>> found["0"], found["11"]
    ('a', 'l')
    """
    read = {name: tokens(text) for name, text in texts.items()}
    holding = Counter(token for found in read.values() for token in set(found))
    return {
        name: " ".join(token for token in found if holding[token] < COMMON * len(texts)) for name, found in read.items()
    }


def count_texts(texts: Iterable[str], words: Sequence[str], word: Callable[[str], str]) -> Any:
    """Count the words of each text as a split counts those of documents; words of no training document are left out.

    Examples
    --------
    >>> count_texts(["Teas, tea and oil"], ["oil", "tea"], lambda token: token.rstrip("s")).toarray().tolist()
    [[1.0, 2.0]]
    """
    from scipy.sparse import csr_matrix

    place = {name: i for i, name in enumerate(words)}
    counted = [Counter(place[name] for token in tokens(text) if (name := word(token)) in place) for text in texts]
    starts = np.cumsum([0, *map(len, counted)])
    columns = [column for row in counted for column in row]
    return csr_matrix(
        (np.array([count for row in counted for count in row.values()], dtype=np.float64), columns, starts),
        shape=(len(counted), len(words)),
    )
