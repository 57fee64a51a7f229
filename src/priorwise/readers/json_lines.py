"""JSON lines: all of a file, or those that begin in a range of its bytes, so that several can read one file at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priorwise.errors import BrokenFile
from priorwise.readers.compressed import opened
from priorwise.readers.fields import unknown_column

if TYPE_CHECKING:
    from priorwise.readers.records import RecordReader

LONGEST_RECORD = 1 << 30
_CHUNK = 1 << 20

Numbered = Iterator[tuple[int, Mapping[str, Any]]]
"""Records, with the number of the line or row."""


def json_lines(reader: RecordReader, path: Path) -> Numbered:
    """Yield the records of a file, or of its lines that are to be read."""
    reader.says(path, "JSON lines")
    columns, seen = reader.columns, set[str]()
    begins = reader.lines is None or not reader.lines.start

    def broken(reason: str, number: int) -> BrokenFile:
        return BrokenFile(path, reason, line=reader.line(path, number))

    for number, line in _lines(reader, path):
        if len(line) > LONGEST_RECORD:
            raise broken(f"the record is longer than {LONGEST_RECORD:,} bytes", number)
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except UnicodeDecodeError as error:
            raise broken("the text is not valid UTF-8", number) from error
        except (ValueError, RecursionError) as error:
            raise broken(f"not valid JSON ({error})", number) from error
        if not isinstance(record, dict):
            raise broken(f"a JSON object on each line was expected, not {type(record).__name__}", number)
        if begins and not seen and reader.checked:
            for name in columns.texts:
                if name not in record:
                    raise unknown_column(name, record.keys(), str(path))
        seen.update(record)
        yield number, record
    if seen and reader.checked:
        # Records may leave out what is empty, so only the end tells that a column is in none of them.
        _check_columns(reader, path, seen)


def _lines(reader: RecordReader, path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that begin in the range that is to be read, numbered from 1; of one too long, its beginning."""
    start, end = (0, None) if reader.lines is None else (reader.lines.start, reader.lines.stop)
    # A line that is under way where the range begins belongs to the range before; one byte earlier tells whether it is.
    place, at_line = (start - 1, False) if start else (0, True)
    number = 0
    with opened(path, reader.tell, place) as stream:
        while (end is None or place < end) and (line := stream.readline(LONGEST_RECORD + 1 if at_line else _CHUNK)):
            place += len(line)
            if at_line:
                number += 1
                yield number, line.removeprefix(b"\xef\xbb\xbf") if place == len(line) else line
            at_line = line.endswith(b"\n")


def lines_before(path: Path, byte: int) -> int:
    """Return how many lines of a file begin before a byte of it."""
    if not byte:
        return 0
    number, rest = 1, byte - 1
    with opened(path, lambda n: None) as stream:
        while piece := stream.read(min(_CHUNK, rest)):
            number, rest = number + piece.count(b"\n"), rest - len(piece)
    return number


def _check_columns(reader: RecordReader, path: Path, seen: set[str]) -> None:
    """Raise UnknownName for a column that no record of the file has; a part of the file asks the rest of it."""
    if reader.lines is not None:
        seen.update(name for name in reader.columns.required if name not in seen and _is_named(name, path))
    reader.columns.check(sorted(seen), str(path))


def _is_named(name: str, path: Path) -> bool:
    """Return whether a file holds a name as JSON spells it, with letters beyond ASCII as they are or escaped."""
    spelled = [json.dumps(name, ensure_ascii=ascii_only).encode() for ascii_only in (False, True)]
    kept = max(map(len, spelled)) - 1
    with opened(path, lambda n: None) as stream:
        end = b""
        while piece := stream.read(_CHUNK):
            piece = end + piece
            if any(each in piece for each in spelled):
                return True
            end = piece[-kept:]
    return False
