"""Cut files of records into parts that can be read at once: neighbouring files, row groups, or ranges of lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from priorwise.readers.compressed import anywhere, compression
from priorwise.readers.json_lines import LONGEST_RECORD

if TYPE_CHECKING:
    from priorwise.readers.records import RecordReader

PART_BYTES = 1 << 26
"""A part is at least so long, as it lies on the disk, unless nothing is left."""


def record_parts(reader: RecordReader) -> Sequence[RecordReader]:
    """Return the parts of a reader, in order.

    They depend on the files and columns alone, not on who reads them. Where all files before a part are Parquet, it is
    known how many records they have; elsewhere the part's ``first`` is None, and its documents must have ids.
    """
    if reader.is_part or reader.joins or reader.total_bytes <= PART_BYTES:
        return [reader]
    reader.settle()
    parts: list[RecordReader] = []
    held: list[Path] = []
    held_bytes = 0
    number: int | None = 0

    def close() -> None:
        nonlocal held, held_bytes
        if held:
            parts.append(_part(reader, held))
            held, held_bytes = [], 0

    for path in reader.paths:
        pieces = [_part(reader, [path], row_groups=rows) for rows in _row_groups(reader, path)]
        pieces += [_part(reader, [path], lines=lines) for lines in _ranges_of_lines(reader, path)]
        if len(pieces) < 2:
            held.append(path)
            held_bytes += path.stat().st_size
            if held_bytes >= PART_BYTES:
                close()
            continue
        close()
        parts += pieces
    close()
    for part in parts:
        part.first = number
        rows = [_rows(reader, path, part.row_groups) for path in part.paths]
        number = None if number is None or None in rows else number + sum(n for n in rows if n is not None)
    return parts if len(parts) > 1 else [reader]


def neighbours(sizes: Sequence[int]) -> list[slice]:
    """Cut files into parts of neighbours that are long enough together.

    Examples
    --------
    >>> neighbours([PART_BYTES, 1, PART_BYTES - 1, 7])
    [slice(0, 1, None), slice(1, 3, None), slice(3, 4, None)]
    """
    parts: list[slice] = []
    begin = held_bytes = 0
    for end, size in enumerate(sizes, start=1):
        held_bytes += size
        if held_bytes >= PART_BYTES or end == len(sizes):
            parts.append(slice(begin, end))
            begin, held_bytes = end, 0
    return parts


def _part(
    reader: RecordReader, paths: list[Path], *, row_groups: list[int] | None = None, lines: range | None = None
) -> RecordReader:
    part = copy(reader)
    part.paths, part.row_groups, part.lines = paths, row_groups, lines
    part.become_part()
    return part


def _ranges_of_lines(reader: RecordReader, path: Path) -> Iterator[range]:
    """Yield ranges of the bytes of a plain file of JSON lines; none if its documents must be numbered, in order."""
    if reader.opening.format_of(path) != "jsonl" or compression(path) is not None:
        return
    n = path.stat().st_size // PART_BYTES
    if n > 1 and _has_ids(reader, path):
        yield from (range(i * PART_BYTES, (i + 1) * PART_BYTES) for i in range(n - 1))
        yield range((n - 1) * PART_BYTES, path.stat().st_size)


def _has_ids(reader: RecordReader, path: Path) -> bool:
    """Return whether the first record has an id; what cannot be read has none here, and its reader says why."""
    with path.open("rb") as file:
        first = file.readline(LONGEST_RECORD)
    try:
        return reader.columns.id in json.loads(first.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, TypeError, RecursionError):
        return False


def _row_groups(reader: RecordReader, path: Path) -> Iterator[list[int]]:
    """Yield neighbouring row groups of a Parquet file that are long enough together; nothing of any other file."""
    metadata = _metadata(reader, path)
    if metadata is None:
        return
    held: list[int] = []
    held_bytes = 0
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        held.append(group)
        held_bytes += sum(row_group.column(i).total_compressed_size for i in range(row_group.num_columns))
        if held_bytes >= PART_BYTES:
            yield held
            held, held_bytes = [], 0
    if held:
        yield held


def _rows(reader: RecordReader, path: Path, row_groups: Sequence[int] | None) -> int | None:
    metadata = _metadata(reader, path)
    if metadata is None:
        return None
    chosen = range(metadata.num_row_groups) if row_groups is None else row_groups
    return sum(metadata.row_group(group).num_rows for group in chosen)


def _metadata(reader: RecordReader, path: Path) -> pq.FileMetaData | None:
    """Return what a Parquet file says of itself; a damaged one says nothing here, and its reader says why."""
    if reader.opening.format_of(path) != "parquet" or compression(path) is not None:
        return None
    try:
        return pq.read_metadata(anywhere(path))
    except (pa.ArrowException, OSError):
        return None
