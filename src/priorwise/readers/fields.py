"""Turn a record, whatever its file format, into a document."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from priorwise.errors import InputError, UnknownName
from priorwise.readers.document import Document


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a record make a document.

    Parameters
    ----------
    text, id, title, labels : str
        The columns' names. The text must be there. The others may be missing if they have the names given here; a name
        that the caller chose must be there.
    separator : str, optional
        What stands between labels that come as one string. Without one, a string is a single label, unless it is a JSON
        array.

    Examples
    --------
    >>> Columns(labels="topics", separator="|").document({"text": "a b", "topics": "x|y"}, number=0).labels
    ['x', 'y']
    """

    text: str = "text"
    id: str = "id"
    title: str = "title"
    labels: str = "labels"
    separator: str | None = None

    @property
    def required(self) -> list[str]:
        """The columns that must be there."""
        chosen = [(self.id, "id"), (self.title, "title"), (self.labels, "labels")]
        return [self.text, *(name for name, usual in chosen if name != usual)]

    def check(self, present: Collection[str], where: str) -> None:
        """Raise UnknownName if a column that must be there is not among those present."""
        for name in self.required:
            if name not in present:
                raise unknown_column(name, present, where)

    def names_in(self, present: Collection[str]) -> list[str]:
        """Return those of the columns that are present, each once."""
        return [name for name in dict.fromkeys((self.text, self.id, self.title, self.labels)) if name in present]

    def document(self, record: Mapping[str, Any], number: int) -> Document:
        """Make a document of a record.

        Parameters
        ----------
        record : mapping
        number : int
            Names the document if it has no id.

        Raises
        ------
        InputError
            A value that cannot be used, without saying where: the caller knows.
        """
        identity = str(number)
        if self.id in record:
            identity = as_text(record[self.id], self.id)
            if not identity:
                raise InputError(f"the column '{self.id}' is empty here, and every document needs an id")
        title = as_text(record.get(self.title), self.title) or identity
        return Document(
            identity, title, as_text(record.get(self.text), self.text), self._labels(record.get(self.labels))
        )

    def _labels(self, value: Any) -> list[str]:
        if isinstance(value, str):
            value = self._split(value)
        elif value is None or isinstance(value, bytes | int | float):
            value = [value]
        elif not isinstance(value, Iterable) or isinstance(value, Mapping):
            raise InputError(f"the column '{self.labels}' holds {type(value).__name__}, not labels")
        return [label for item in value if (label := as_text(item, self.labels).strip())]

    def _split(self, value: str) -> list[Any]:
        if self.separator:
            return value.split(self.separator)
        if value.startswith("["):
            try:
                listed = json.loads(value)
            except ValueError:
                return [value]
            if isinstance(listed, list):
                return listed
        return [value]


def as_text(value: Any, column: str) -> str:
    """Return a value as text: nothing is empty, a number is written out, anything with parts is a mistake.

    Examples
    --------
    >>> as_text(None, "text"), as_text(7, "id")
    ('', '7')
    """
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, Mapping | list | tuple | set):
        raise InputError(f"the column '{column}' holds a {type(value).__name__}, not text")
    return str(value)


def unknown_column(name: str, present: Collection[str], where: str) -> UnknownName:
    """Return the error for a column that is not there; it names those that are.

    Examples
    --------
    >>> print(unknown_column("txt", ["text", "id"], "news.csv"))
    no column 'txt'; did you mean 'text'? The columns of news.csv are 'text', 'id'
    """
    unknown = UnknownName("column", name, present)
    there = ", ".join(f"'{column}'" for column in list(present)[:30]) + (", …" if len(present) > 30 else "")
    stop = "" if unknown.message.endswith("?") else "."
    unknown.message += f"{stop} The columns of {where} are {there}" if present else f"{stop} {where} has no columns"
    return unknown
