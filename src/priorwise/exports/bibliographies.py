"""Bibliographies with results as keywords, which Zotero shows as tags and EndNote keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priorwise.exports.result import Result
from priorwise.readers.bibliography import MARK
from priorwise.readers.bibtex import all_entries, parsed
from priorwise.readers.opening import Opening
from priorwise.readers.tagged import Tagged, encoding_of, nbib_records, numbered_lines, ris_records

if TYPE_CHECKING:
    from priorwise.exports.write_back import Added

_TAGS = {"ris": "KW  - ", "nbib": "OT  - "}
_FIELDS = {
    "ris": {"id": "ID", "title": "TI", "text": "AB", "authors": "AU", "year": "PY", "journal": "T2", "doi": "DO"}
    | {"url": "UR", "volume": "VL", "issue": "IS", "issn": "SN", "language": "LA", "publisher": "PB"},
    "nbib": {"title": "TI  ", "text": "AB  ", "authors": "FAU ", "year": "DP  ", "journal": "JT  "}
    | {"volume": "VI  ", "issue": "IP  ", "language": "LA  "},
}


def keywords_for(result: Result, label: str, *, gains: bool) -> list[str]:
    """Return the keywords that say what is known about a record, and its label if it gets that."""
    status, rank, probability = result.cells()
    words = [f"{MARK}{label}: {status}"]
    words += [f"{MARK}{label}: rank {rank}"] if rank != "" else []
    words += [f"{MARK}{label}: probability {probability}"] if probability != "" else []
    return [*([label] if gains else []), *words]


def _keywords_in(added: Added, row: int) -> list[str]:
    result = added.results[row]
    return [] if result is None else keywords_for(result, added.label, gains=added.gains(row))


def record_text(kind: str, record: Mapping[str, Any], keywords: Iterable[str]) -> str:
    """Return one record of RIS or of PubMed's format.

    Parameters
    ----------
    kind : {"ris", "nbib"}
    record : mapping
        Under the names that all bibliographies share here: ``id``, ``title``, ``text``, ``authors``, ``year``, ….
    keywords : iterable of str

    Examples
    --------
    >>> record_text("ris", {"id": "10.1000/a", "title": "On tea"}, ["Tea"]).splitlines()
    ['TY  - GEN', 'ID  - 10.1000/a', 'TI  - On tea', 'KW  - Tea', 'ER  - ', '']
    """
    # PubMed knows no other ids; a record must begin with this line all the same.
    number = record.get("pmid") or (record["id"] if str(record["id"]).isdecimal() else "")
    lines = [f"TY  - {record.get('type') or 'GEN'}"] if kind == "ris" else [f"PMID- {number}"]
    for name, tag in _FIELDS[kind].items():
        value = record.get(name) or ""
        values = str(value).split("; ") if name == "authors" else [value]
        lines += [f"{tag}{'  ' if kind == 'ris' else ''}- {each}" for each in values if each]
    if kind == "nbib" and record.get("doi"):
        lines.append(f"LID - {record['doi']} [doi]")
    lines += [f"{_TAGS[kind]}{word}" for word in keywords]
    lines = [" ".join(str(line).split("\n")).replace("\r", " ") for line in lines]
    return "\n".join([*lines, *(["ER  - "] if kind == "ris" else [])]) + "\n\n"


def write_tagged(path: Path, draft: Path, added: Added, opening: Opening, kind: str) -> None:
    """Write RIS or PubMed's format with more keywords; those of an earlier export for the same label are replaced."""
    encoding = encoding_of(path, opening.encoding)
    tag = _TAGS[kind]
    lines = dict(numbered_lines(path, encoding))
    read = ris_records if kind == "ris" else nbib_records
    row = 0
    for record in list(read(lines.items())):
        if isinstance(record, Tagged):
            _mark(record, lines, tag, _keywords_in(added, row), f"{MARK}{added.label}: ")
            row += 1
    with draft.open("w", encoding=encoding.codec, newline="") as file:
        file.writelines(lines.values())


def _mark(record: Tagged, lines: dict[int, str], tag: str, words: list[str], earlier: str) -> None:
    numbers = range(record.line, record.line + len(record.lines))
    known = set(record.all("KW", "OT"))
    for number in numbers:
        if lines[number].startswith(f"{tag}{earlier}"):
            lines[number] = ""
    end = next((line[len(line.rstrip("\r\n")) :] for line in record.lines if line.endswith("\n")), "\n")
    new = "".join(f"{tag}{word}{end}" for word in words if word.startswith(MARK) or word not in known)
    # After the last line that says something, and before the record's end.
    said = [number for number in numbers if lines[number].strip() and not lines[number].startswith("ER ")]
    last = said[-1] if said else record.line
    line = lines[last]
    lines[last] = (line if line.endswith("\n") else line + end) + new if new else line


def write_bibtex(path: Path, draft: Path, added: Added, opening: Opening) -> None:
    """Write BibTeX with more keywords; all else stays as it is written."""
    encoding = encoding_of(path, opening.encoding)
    text = "".join(line for _, line in numbered_lines(path, encoding))
    written, at = [], 0
    for row, entry in enumerate(all_entries(parsed(path, opening.encoding))):
        words = _keywords_in(added, row)
        start = text.find(entry.raw, at) if words else -1
        if start < 0:
            continue
        body = entry.raw.rstrip()
        end = start + len(body)
        known = next((field.value for field in entry.fields if field.key.lower() in ("keywords", "keyword")), "")
        earlier = f"{MARK}{added.label}: "
        kept = [part.strip() for part in str(known).replace(";", ",").split(",")]
        listed = [part for part in kept if part and not part.startswith(earlier)]
        new = ", ".join(dict.fromkeys([*listed, *words]))
        changed = _with_keywords(body, new)
        written += [text[at:start], changed]
        at = end
    with draft.open("w", encoding=encoding.codec, newline="") as file:
        file.write("".join(written) + text[at:])


def _with_keywords(entry: str, keywords: str) -> str:
    """Replace the field of keywords, or add one at the end of an entry."""
    import re

    found = re.search(r"(?im)^(\s*keywords?\s*=\s*)(\{[^{}]*\}|\"[^\"]*\")", entry)
    if found:
        return f"{entry[: found.start(2)]}{{{keywords}}}{entry[found.end(2) :]}"
    head = entry[: entry.rfind("}")].rstrip().removesuffix(",")
    return f"{head},\n  keywords = {{{keywords}}}\n}}"
