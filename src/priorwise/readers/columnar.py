"""Parquet and Arrow files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from priorwise.errors import BrokenFile
from priorwise.readers.arrow_messages import MAGIC, unpacked_size
from priorwise.readers.compressed import anywhere, compression, file_size, plain_suffix, spooled
from priorwise.readers.guarded import Allowance
from priorwise.readers.json_lines import Numbered

if TYPE_CHECKING:
    from priorwise.readers.records import RecordReader

_ROWS_AT_A_TIME = 512
_ROWS_OF_PARQUET = 64
"""Few, because each may repeat a long value that the file holds once."""


def parquet(reader: RecordReader, path: Path) -> Numbered:
    """Yield the rows of a Parquet file, or of some of its row groups."""
    reader.says(path, "Parquet")
    with spooled(path, reader.tell) as plain, _columnar(path):
        file = pq.ParquetFile(anywhere(plain), memory_map=True)
        names = _wanted(reader, file.schema_arrow, path)
        allowance = Allowance(path, file_size(plain))
        allowance.foresee(_unpacked(file, names))
        batches = file.iter_batches(
            batch_size=_ROWS_OF_PARQUET, columns=names, use_threads=False, row_groups=reader.row_groups
        )
        yield from _rows(reader, path, batches, file.metadata.num_rows, allowance)


def _unpacked(file: pq.ParquetFile, names: Sequence[str]) -> int:
    """Return how many bytes some columns have when they are decompressed, as the file itself says."""
    groups = (file.metadata.row_group(number) for number in range(file.metadata.num_row_groups))
    columns = (group.column(number) for group in groups for number in range(group.num_columns))
    return sum(column.total_uncompressed_size for column in columns if column.path_in_schema.split(".")[0] in names)


def arrow(reader: RecordReader, path: Path) -> Numbered:
    """Yield the rows of an Arrow file or stream."""
    reader.says(path, "Arrow")
    with spooled(path, reader.tell) as plain, _columnar(path), _mapped(plain) as mapped:
        # A file is a stream between two marks; without the second one it is not whole.
        start = len(MAGIC) if mapped.read(6) == MAGIC[:6] else 0
        if start:
            mapped.seek(0)
            pa.ipc.open_file(mapped)
        allowance = Allowance(path, file_size(plain))
        mapped.seek(start)
        if plain is anywhere(plain):
            allowance.foresee(unpacked_size(mapped))
        mapped.seek(start)
        source = pa.ipc.open_stream(mapped)
        names = _wanted(reader, source.schema, path)
        yield from _rows(reader, path, (batch.select(names) for batch in source), None, allowance)


def _mapped(path: Path) -> Any:
    file = anywhere(path)
    return pa.memory_map(str(path)) if file is path else pa.PythonFile(file, mode="r")


def _wanted(reader: RecordReader, schema: pa.Schema, path: Path) -> list[str]:
    reader.check(schema.names, path)
    names = reader.columns.names_in(schema.names)
    if not reader.columns.keep:
        return names
    # Vectors and blobs are nothing to show beside a document.
    return [field.name for field in schema if field.name in names or _can_be_kept(field.type)]


def _can_be_kept(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _can_be_kept(kind.value_type)
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return text or number or pa.types.is_boolean(kind) or pa.types.is_temporal(kind)


def _rows(
    reader: RecordReader, path: Path, batches: Iterable[pa.RecordBatch], total: int | None, allowance: Allowance
) -> Numbered:
    number = 0
    before, size = reader.done_bytes, file_size(path) if compression(path) is None else 0
    for batch in batches:
        allowance.spend(batch.nbytes)
        for start in range(0, batch.num_rows, _ROWS_AT_A_TIME):
            part = batch.slice(start, _ROWS_AT_A_TIME)
            try:
                part.validate(full=True)
            except pa.ArrowInvalid as error:
                raise BrokenFile(path, f"row {number + 1} or one soon after is not valid ({error})") from error
            for record in part.to_pylist():
                number += 1
                yield number, record
            reader.done_bytes = before + size * number // (total or batch.num_rows)


@contextmanager
def _columnar(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise BrokenFile(path, f"not a readable {plain_suffix(path)[1:]} file ({error})") from error
    except (ValueError, OverflowError) as error:
        # A date or a time that Python has no value for.
        if isinstance(error, BrokenFile) or type(error) not in (ValueError, OverflowError):
            raise
        raise BrokenFile(path, f"a value in it cannot be read ({error})") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise BrokenFile(path, f"the {plain_suffix(path)[1:]} file is damaged ({error})") from error
