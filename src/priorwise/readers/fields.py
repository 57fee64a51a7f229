"""Records to documents: which columns make one, what separates labels, and how to guess both."""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from priorwise.errors import InputError, UnknownName
from priorwise.readers.document import Document

LONGEST_RECORD = 1 << 30
"""Bytes of the longest record that is read."""

Numbered = Iterator[tuple[int, Mapping[str, Any]]]
"""Records, with the number of the line or row."""

LONGEST_KEPT = 10_000
"""Characters to keep of a value in a column other than the four."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a record make a document.

    Parameters
    ----------
    text : str or sequence of str
        The column with the text, or several whose texts follow one another. All must be there.
    id, title, labels : str
        The columns' names. They may be missing if they have the names given here; a name that the caller chose must be
        there.
    separator : str, optional
        What separates labels that come as one string. By default readers guess it from the data. An empty string means
        that each string is one label. A JSON array is recognised unless a separator is given.
    title_words : bool, default True
        Count the words of the title as words of the document. A title that is one of the text columns, or with which
        the text begins, counts once.
    keep : bool, default True
        Keep the other columns, so that they can be shown and exported.
    yes_no : bool, default False
        The column of labels says yes or no: its name is the one label. Readers set this for columns such as
        ``included``.

    Examples
    --------
    >>> Columns(labels="topics", separator="|").document({"text": "a b", "topics": "x|y"}, number=0).labels
    ['x', 'y']
    >>> columns = Columns(text=("abstract", "notes"))
    >>> columns.document({"abstract": "On tea.", "notes": "Read it.", "year": 1701}, number=0).other
    {'year': 1701}
    """

    text: str | Sequence[str] = "text"
    id: str = "id"
    title: str = "title"
    labels: str = "labels"
    separator: str | None = None
    title_words: bool = True
    keep: bool = True
    yes_no: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            # A tuple, or the one name in it, so that columns can be compared and hashed.
            names = tuple(self.text)
            object.__setattr__(self, "text", names[0] if len(names) == 1 else names)
        if not self.texts:
            raise InputError("name at least one column with text")

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,) if isinstance(self.text, str) else tuple(self.text)

    @property
    def required(self) -> list[str]:
        chosen = [(self.id, "id"), (self.title, "title"), (self.labels, "labels")]
        return [*self.texts, *(name for name, usual in chosen if name != usual)]

    def check(self, present: Collection[str], where: str) -> None:
        """Raise UnknownName if a column that must be there is not, InputError if one that is read is there twice."""
        listed = list(present)
        for name in (*self.texts, self.id, self.title, self.labels):
            if (times := listed.count(name)) > 1:
                raise InputError(f"{where} has {times} columns named '{name}': rename all but one of them")
        for name in self.required:
            if name not in present:
                raise unknown_column(name, present, where)

    def names_in(self, present: Collection[str]) -> list[str]:
        """Return those of the columns that are present, each once."""
        return [name for name in dict.fromkeys((*self.texts, self.id, self.title, self.labels)) if name in present]

    def document(self, record: Mapping[str, Any], number: int, place: int = 0) -> Document:
        """Make a document of a record; an error does not say where, because the caller knows.

        `number` names the document if the records have no ids; `place`, its line or row, if this one alone has none.
        """
        identity = self.identity(record, number, place)
        title = as_text(record.get(self.title), self.title)
        title = title if title.strip() else ""
        texts = [as_text(record.get(name), name) for name in self.texts]
        return Document(
            identity,
            title or identity,
            texts[0] if len(texts) == 1 else "\n".join(text for text in texts if text),
            self._labels(record.get(self.labels)),
            title_words=self.title_words and bool(title) and self.title not in self.texts,
            other=self._other(record) if self.keep else {},
            place=place,
        )

    def identity(self, record: Mapping[str, Any], number: int, place: int = 0) -> str:
        """Return the id of a record; parameters as in :meth:`document`."""
        if self.id not in record:
            return str(number)
        identity = as_text(record[self.id], self.id)
        return identity if identity.strip() else blank_id(place or number + 1)

    def split(self, value: str) -> list[Any]:
        """Return the labels of a cell that is one string, as they are written there."""
        if self.separator:
            return value.split(self.separator)
        listed = json_array(value)
        return [value] if listed is None else listed

    def _other(self, record: Mapping[str, Any]) -> dict[str, Any]:
        used = (*self.texts, self.id, self.title, self.labels)
        return {
            str(name): kept for name, value in record.items() if name not in used and (kept := _kept(value)) is not None
        }

    def _labels(self, value: Any) -> list[str]:
        if self.yes_no:
            return [self.labels] if _answer(value) in _YES else []
        if isinstance(value, str):
            value = self.split(value)
        elif value is None or isinstance(value, bytes | int | float):
            value = [value]
        elif not isinstance(value, Iterable) or isinstance(value, Mapping):
            raise InputError(f"the column '{self.labels}' holds {type(value).__name__}, not labels")
        labels = (as_text(item, self.labels).strip() for item in value)
        return list(dict.fromkeys(label for label in labels if label))


def json_array(value: str) -> list[Any] | None:
    """Return the items of a string that is a JSON array, and None if it is not one."""
    if not value.startswith("["):
        return None
    try:
        listed = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return listed if isinstance(listed, list) else None


def blank_id(place: int) -> str:
    """Return the id of a record whose own is blank."""
    return f"row {place}"


def numbered_ids(repeated: Iterable[str], taken: set[str]) -> list[str]:
    """Return new ids for documents whose id an earlier one has; none of them is among those taken, which grow."""
    times: dict[str, int] = {}
    names: list[str] = []
    for identity in repeated:
        number = times.get(identity, 1) + 1
        while f"{identity}#{number}" in taken:
            number += 1
        times[identity] = number
        names.append(f"{identity}#{number}")
        taken.add(names[-1])
    return names


def as_text(value: Any, column: str) -> str:
    """Return a value as text: nothing is empty, a number is written out, anything with parts is a mistake."""
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, Mapping | list | tuple | set):
        raise InputError(f"the column '{column}' holds a {type(value).__name__}, not text")
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        # Spreadsheets and data frames with gaps have no whole numbers, but people do.
        return str(int(value))
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


def _kept(value: Any) -> Any:
    """Return a value of another column as JSON can hold it; None if there is nothing to keep."""
    if isinstance(value, str):
        value = value if len(value) <= LONGEST_KEPT else value[:LONGEST_KEPT] + "…"
        return value or None
    if value is None or isinstance(value, bytes) or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    if isinstance(value, list | tuple | set):
        items = [kept for item in value if (kept := _kept(item)) is not None]
        return items if sum(len(str(item)) for item in items) <= LONGEST_KEPT else None
    if isinstance(value, Mapping):
        entries = {str(name): kept for name, item in value.items() if (kept := _kept(item)) is not None}
        return entries if len(str(entries)) <= LONGEST_KEPT else None
    try:
        return as_text(value, "") or None
    except UnicodeDecodeError:
        return None


def unknown_column(name: str, present: Collection[str], where: str) -> UnknownName:
    """Return the error for a column that is not there; it names those that are."""
    unknown = UnknownName("column", name, present)
    there = ", ".join(f"'{column}'" for column in list(present)[:30]) + (", …" if len(present) > 30 else "")
    stop = "" if unknown.message.endswith("?") else "."
    unknown.message += f"{stop} The columns of {where} are {there}" if present else f"{stop} {where} has no columns"
    if name == "text" and len(present) > 1:
        unknown.message += (
            ".\nName the column with the text: --text NAME (in Python, Corpus.from_records(…, text=NAME))"
        )
    if len(present) == 1 and (likely := _likely_delimiter(next(iter(present)))) is not None:
        shown = r"\t" if likely == "\t" else likely
        unknown.message += f".\nAll of its header is one column: are the columns separated by '{shown}'?"
        unknown.message += f" Then give --delimiter '{shown}'"
    return unknown


def _likely_delimiter(header: str) -> str | None:
    likely = max(";,\t|", key=header.count)
    return likely if likely in header else None


PEEKED = 1000
"""Records to look at before the guess is made."""

_USUAL = 0.1
_CANDIDATES = ("\n", ";", "|", ",")
_NAMES = {"\n": "line breaks", ";": "';'", "|": "'|'", ",": "','"}


@dataclass(frozen=True, slots=True)
class Guess:
    """What separates labels, if anything; what might, where that is not certain enough; whether they say yes or no."""

    separator: str | None = None
    doubtful: str | None = None
    yes_no: bool = False

    def applied(self, columns: Columns) -> Columns:
        """Return the columns as guessed."""
        return replace(columns, separator=self.separator or columns.separator, yes_no=self.yes_no or columns.yes_no)


def said(separator: str) -> str:
    """Return a separator as people would name it."""
    return _NAMES.get(separator, f"'{separator}'")


def guess_separator(cells: Iterable[object]) -> Guess:
    """Guess from the cells of a column.

    Semicolons, bars and line breaks hardly ever belong to a label, so one cell in ten is enough, or parts that recur in
    other cells. Commas often do ("Washington, D.C."), so they separate only where splitting leaves fewer distinct
    labels than there were distinct cells.
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


_OPPOSITES = {
    "": "1", "0": "1", "-1": "1", "no": "yes", "n": "y", "false": "true",
    "exclude": "include", "excluded": "included", "irrelevant": "relevant",
}  # fmt: skip
_YES = {*_OPPOSITES.values(), "x"}
_VERDICTS = {"include", "included", "inclusion", "relevant"}


def says_yes_or_no(name: str, cells: Iterable[object]) -> bool:
    """Return whether a column is a verdict, as in the files of systematic reviews: by its name and all of its cells."""
    answers = {_answer(cell) for cell in cells} if _VERDICTS & set(_plain(name).split()) else set()
    return answers <= _YES | set(_OPPOSITES) and bool(answers & _YES)


def as_yes(cell: Any) -> Any:
    """Return the cell of a verdict as *yes*, in the way it is written."""
    if (answer := _answer(cell)) in _YES:
        return cell
    if isinstance(cell, bool | int | float):
        return type(cell)(1)
    opposite, written = _OPPOSITES.get(answer, "1"), str(cell or "")
    return opposite.upper() if written.isupper() else opposite.title() if written.istitle() else opposite


def _answer(cell: object) -> str:
    return re.sub(r"\.0+$", "", _shown(cell).strip().casefold())


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


_USUAL_NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "identifier", "key", "doi", "pmid", "isbn", "uri", "record", "record id", "call number", "shelf mark"),
    "title": ("title", "name", "heading", "headline", "titel", "titre", "titulo", "titolo"),
    "text": ("text", "abstract", "body", "content", "description", "summary", "fulltext", "full text", "resumen",
             "zusammenfassung", "beschreibung", "note", "notes"),
    "labels": ("labels", "label", "categories", "category", "subjects", "subject", "tags", "keywords", "topics",
               "topic", "genre", "genres", "class", "included", "label included", "final included", "relevant",
               "schlagwort", "schlagworter", "kategorie", "kategorien"),
}  # fmt: skip
_SHORTEST_TEXT = 20
"""A column with fewer characters than this, on average, is not taken for the text."""
_LONG = 40
"""A column with more characters than this in a cell, on average, may be text."""


def find_columns(columns: Columns, records: Sequence[Mapping[str, Any]], roles: Collection[str]) -> dict[str, Any]:
    """Guess the columns of some roles, where records have none of the name they should have.

    Without a text, contents count, too. With one, only names do: a column that merely looks like labels is not taken.
    """
    names = {name for record in records for name in record}
    own = {"text": columns.texts} | {role: (getattr(columns, role),) for role in ("title", "labels", "id")}
    missing = [role for role in own if role in roles and not names.issuperset(own[role])]
    taken = {name for role, each in own.items() if role not in missing for name in each}
    guess = guess_columns(records, by_content="text" in missing)
    found = {role: getattr(guess, role) for role in missing}
    found = {role: name for role, name in found.items() if name in names and name not in taken}
    lengths = [len(str(record.get(found["text"]) or "")) for record in records if "text" in found]
    return {} if lengths and fmean(lengths) < _SHORTEST_TEXT else found


def with_usual_columns(columns: Columns, records: Sequence[Mapping[str, Any]]) -> Columns:
    """Return the columns with others of a usual name for the title, labels and id that records do not have."""
    usual = Columns()
    unnamed = [role for role in ("title", "labels", "id") if getattr(columns, role) == getattr(usual, role)]
    return replace(columns, **find_columns(columns, records, unnamed))


def guess_columns(records: Sequence[Mapping[str, Any]], *, by_content: bool = True) -> Columns:
    """Guess from a column's name first, and from what is in it otherwise, if `by_content`.

    A table without a column that looks like text has its title as text. What is not found keeps its usual name, which
    means that there is none.
    """
    names = list(dict.fromkeys(name for record in records for name in record))
    cells = {name: [_shown(record.get(name)) for record in records] for name in names}
    found: dict[str, Any] = {}
    for role in ("text", "title", "labels", "id"):
        free = [name for name in names if name not in found.values()]
        by_name = [name for wanted in _USUAL_NAMES[role] for name in free if _plain(name) == wanted]
        likely = next((name for name in by_name if any(cells[name])), None)
        if likely is None and by_content:
            likely = _by_content(role, free, cells)
        if likely is not None:
            found[role] = likely
    if by_content and "text" not in found and names:
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
