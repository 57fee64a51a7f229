"""Bibliographies with results as keywords, which Zotero shows as tags and EndNote keeps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from priorwise.readers.bibliography import MARK
from priorwise.readers.bibtex import all_entries, parsed
from priorwise.readers.opening import Opening
from priorwise.readers.tagged import Tagged, encoding_of, nbib_records, numbered_lines, ris_records

if TYPE_CHECKING:
    from priorwise.exports.write_back import Added

_TAGS = {"ris": "KW  - ", "nbib": "OT  - "}


def keywords_for(added: Added, row: int) -> list[str]:
    """Return the keywords that say what is known about a record, and its label if it gets that."""
    result = added.results[row]
    if result is None:
        return []
    status, rank, probability = result.cells()
    words = [f"{MARK}{added.label}: {status}"]
    words += [f"{MARK}{added.label}: rank {rank}"] if rank != "" else []
    words += [f"{MARK}{added.label}: probability {probability}"] if probability != "" else []
    return [*([added.label] if added.gains(row) else []), *words]


def write_tagged(path: Path, draft: Path, added: Added, opening: Opening, kind: str) -> None:
    """Write RIS or PubMed's format with more keywords; those of an earlier export for the same label are replaced."""
    encoding = encoding_of(path, opening.encoding)
    tag = _TAGS[kind]
    lines = dict(numbered_lines(path, encoding))
    read = ris_records if kind == "ris" else nbib_records
    row = 0
    for record in list(read(lines.items())):
        if isinstance(record, Tagged):
            _mark(record, lines, tag, keywords_for(added, row), f"{MARK}{added.label}: ")
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
        words = keywords_for(added, row)
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
