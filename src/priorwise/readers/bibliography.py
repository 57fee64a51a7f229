"""What records of all bibliographies have in common, and which of them are the same publication."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

JOINED = "records joined with an earlier one of the same publication, by their {}"
MARK = "priorwise: "
"""What begins the keywords that we write into a bibliography; they are no labels when it is read again."""

_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>\[\]]+")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_SHORTEST_TITLE = 10


def doi_in(value: str) -> str:
    """Return the DOI in a string in lower case, without an address before it; empty if there is none.

    Examples
    --------
    >>> doi_in("https://doi.org/10.1000/ABC.1"), doi_in("10.1000/x [doi]"), doi_in("none")
    ('10.1000/abc.1', '10.1000/x', '')
    """
    found = _DOI.search(value)
    return found[0].rstrip(".,;").lower() if found else ""


def keywords_of(values: Iterable[str]) -> list[str]:
    """Return keywords one by one: some programs write all of them into one field.

    Examples
    --------
    >>> keywords_of(["Tea; Milk"]), keywords_of(["Tea", "Lead, white"])
    (['Tea', 'Milk'], ['Tea', 'Lead, white'])
    """
    given = [value for value in values if value.strip() and not value.startswith(MARK)]
    separator = ";"
    if len(given) == 1 and ";" not in given[0] and given[0].count(",") >= 1:
        separator = ","
    parts = (part.strip() for value in given for part in re.split(rf"[{separator}\n]", value))
    return list(dict.fromkeys(part for part in parts if part and not part.startswith(MARK)))


def bibliographic(
    *,
    title: str,
    text: str,
    keywords: Sequence[str],
    authors: Sequence[str],
    year: str,
    journal: str,
    doi: str,
    pmid: str,
    key: str = "",
    rest: Mapping[str, Any] | None = None,
    **more: str,
) -> dict[str, Any]:
    """Return a record; its id is the DOI, the PMID or the key that its file gives it, whichever comes first."""
    found = _YEAR.search(year)
    record: dict[str, Any] = {
        "id": doi or pmid or key,
        "title": title,
        "text": text,
        "labels": keywords_of(keywords),
        "authors": "; ".join(authors),
        "year": found[0] if found else year,
        "journal": journal,
        "doi": doi,
        "pmid": pmid,
    }
    if key and key != record["id"]:
        record["key"] = key
    record |= {name: value for name, value in more.items() if value}
    return record | {tag: values[0] if len(values) == 1 else values for tag, values in (rest or {}).items() if values}


@dataclass(slots=True)
class Publication:
    """All records of one publication, put together."""

    place: Any
    record: dict[str, Any]
    members: list[Any] = field(default_factory=list)

    def add(self, record: Mapping[str, Any]) -> None:
        """Fill in what is missing; of two abstracts the longer one stays, and keywords are added."""
        own = self.record
        labels = [*own["labels"], *record["labels"]]
        by_name = {label.casefold(): label for label in reversed(labels)}
        kept = list(dict.fromkeys(by_name[label.casefold()] for label in labels))
        text = max((own["text"], record["text"]), key=len)
        self.record = {**record, **{name: value for name, value in own.items() if value}, "labels": kept, "text": text}


class Joining:
    """Joins records that are the same publication: by DOI, by PMID, then by title, year and first author.

    Two records with different DOIs are never joined by their titles: an erratum has the title of its article.

    Examples
    --------
    >>> one = bibliographic(title="On tea", text="", keywords=[], authors=[], year="", journal="", doi="10.1234/x",
    ...                     pmid="")
    >>> joining = Joining()
    >>> joining.add("line 1", one), joining.add("line 9", dict(one, text="It was drunk."))
    (None, 'DOI')
    >>> [publication.record["text"] for publication in joining]
    ['It was drunk.']
    """

    def __init__(self) -> None:
        self._publications: list[Publication] = []
        self._by_key: dict[tuple[str, ...], Publication] = {}

    def __iter__(self) -> Iterator[Publication]:
        return iter(self._publications)

    def add(self, place: Any, record: dict[str, Any]) -> str | None:
        """Add a record; return what it was joined by, or None if it is a new publication."""
        keys = _keys(record)
        for name, key in keys.items():
            known = self._by_key.get((name, *key))
            if known is None or (name.startswith("title") and _differ(known.record, record)):
                continue
            known.add(record)
            known.members.append(place)
            for other, value in keys.items():
                self._by_key.setdefault((other, *value), known)
            return name
        publication = Publication(place, record, [place])
        self._publications.append(publication)
        for name, key in keys.items():
            self._by_key.setdefault((name, *key), publication)
        return None


def _keys(record: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    keys: dict[str, tuple[str, ...]] = {}
    if record["doi"]:
        keys["DOI"] = (record["doi"],)
    if record["pmid"]:
        keys["PMID"] = (record["pmid"],)
    title, author = _letters(record["title"]), _letters(re.split(r"[,;\s]", record["authors"].strip(), maxsplit=1)[0])
    if len(title) >= _SHORTEST_TITLE and record["year"] and author:
        keys["title, year and first author"] = (title, record["year"], author)
    return keys


def _differ(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return any(one[name] and other[name] and one[name] != other[name] for name in ("doi", "pmid"))


def _letters(text: str) -> str:
    """Return letters and digits alone, without accents and case: databases differ in the rest."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if c.isalnum())
