"""Cut files of records into parts that can be read at once: neighbouring files, or row groups of a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from priorwise.readers.compressed import compression, plain_suffix

if TYPE_CHECKING:
    from priorwise.readers.records import RecordReader

PART_BYTES = 1 << 26
"""A part is at least so long, as it lies on the disk, unless nothing is left."""

_PARQUET = (".parquet", ".pq")


def record_parts(reader: RecordReader) -> Sequence[RecordReader]:
    """Return the parts of a reader, in order.

    They depend on the files alone, not on who reads them. Where all files before a part are Parquet, it is known how
    many records they have; elsewhere the part's ``first`` is None, and its documents must have ids.
    """
    if reader.row_groups is not None or reader.total_bytes <= PART_BYTES:
        return [reader]
    parts: list[RecordReader] = []
    held: list[Path] = []
    held_bytes = 0
    number: int | None = 0

    def close() -> None:
        nonlocal held, held_bytes
        if held:
            parts.append(_part(reader, held, None))
            held, held_bytes = [], 0

    for path in reader.paths:
        groups = list(_row_groups(path))
        if len(groups) < 2:
            held.append(path)
            held_bytes += path.stat().st_size
            if held_bytes >= PART_BYTES:
                close()
            continue
        close()
        parts += [_part(reader, [path], rows) for rows in groups]
    close()
    for part in parts:
        part.first = number
        rows = [_rows(path, part.row_groups) for path in part.paths]
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


def _part(reader: RecordReader, paths: list[Path], row_groups: list[int] | None) -> RecordReader:
    part = copy(reader)
    part.paths, part.row_groups = paths, row_groups
    part.become_part()
    return part


def _row_groups(path: Path) -> Iterator[list[int]]:
    """Yield neighbouring row groups of a Parquet file that are long enough together; nothing of any other file."""
    metadata = _metadata(path)
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


def _rows(path: Path, row_groups: Sequence[int] | None) -> int | None:
    metadata = _metadata(path)
    if metadata is None:
        return None
    chosen = range(metadata.num_row_groups) if row_groups is None else row_groups
    return sum(metadata.row_group(group).num_rows for group in chosen)


def _metadata(path: Path) -> pq.FileMetaData | None:
    """Return what a Parquet file says of itself; a damaged one says nothing here, and its reader says why."""
    if plain_suffix(path) not in _PARQUET or compression(path) is not None:
        return None
    try:
        return pq.read_metadata(path)
    except (pa.ArrowException, OSError):
        return None
