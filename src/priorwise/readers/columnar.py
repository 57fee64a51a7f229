"""Parquet and Arrow files; what a stranger's file unpacks to is looked at before it is unpacked."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.errors import BrokenFile
from priorwise.readers.fields import Numbered
from priorwise.readers.opening import Allowance, anywhere, compression, file_size, plain_suffix, spooled

if TYPE_CHECKING:
    from priorwise.readers.records import RecordReader


MAGIC = b"ARROW1\0\0"
"""With this an Arrow file begins; a stream has no such mark."""

_HEADER, _HEADER_TYPE, _BUFFERS, _COMPRESSION = 2, 1, 2, 3
"""The slots of these fields in the tables ``Message`` and ``RecordBatch`` of Arrow's own format."""

_DICTIONARY = 2
"""The type of a message with a dictionary, which has the table of its values in its second slot."""


def read_batches(data: pa.Buffer, *, checked: bool = False) -> tuple[pa.Schema, list[pa.RecordBatch]]:
    """Return the columns and the record batches of an Arrow file, as views of its bytes.

    Of a file that was `checked` before it is known that it is not compressed.
    """
    if data.size < len(MAGIC) or data.slice(0, len(MAGIC)).to_pybytes() != MAGIC:
        raise ValueError("it is not an Arrow file")
    batches = []
    try:
        # An Arrow file is a stream between two marks. Its footer says where each batch begins, but could lie.
        messages = pa.ipc.MessageReader.open_stream(pa.BufferReader(data.slice(len(MAGIC))))
        schema = pa.ipc.read_schema(messages.read_next_message())
        for message in messages:
            if message.type != "record batch":
                raise ValueError("it has dictionaries, which priorwise does not write")
            if not checked and _is_compressed(message.metadata.to_pybytes()):
                raise ValueError("it is compressed, which priorwise does not do")
            batches.append(pa.ipc.read_record_batch(message, schema))
    except (pa.ArrowException, OSError, StopIteration, struct.error) as error:
        raise ValueError(f"it cannot be read ({' '.join(str(error).split())})") from error
    return schema, batches


def unpacked_size(stream: Any) -> int:
    """Return how many bytes the compressed batches of an Arrow stream unpack to, as the stream itself says.

    Nothing is unpacked. Each compressed buffer begins with its size, and Arrow makes room for that much.
    """
    total = 0
    with suppress(StopIteration):
        messages = pa.ipc.MessageReader.open_stream(stream)
        while True:
            message = messages.read_next_message()
            metadata = message.metadata.to_pybytes()
            try:
                total += sum(_sizes(metadata, message.body)) if _is_compressed(metadata) else 0
            except struct.error as error:
                raise pa.ArrowInvalid("its description is damaged") from error
    return total


def _sizes(metadata: bytes, body: pa.Buffer) -> Iterator[int]:
    table = _batch(metadata)
    place = None if table is None else _field(metadata, table, _BUFFERS)
    if place is None:
        return
    vector = place + struct.unpack_from("<I", metadata, place)[0]
    data = memoryview(body)
    for number in range(struct.unpack_from("<I", metadata, vector)[0]):
        start, length = struct.unpack_from("<qq", metadata, vector + 4 + 16 * number)
        if length >= 8 and 0 <= start <= len(data) - 8:
            yield max(0, struct.unpack_from("<q", data, start)[0])


def _is_compressed(metadata: bytes) -> bool:
    table = _batch(metadata)
    return table is not None and _field(metadata, table, _COMPRESSION) is not None


def _batch(metadata: bytes) -> int | None:
    """Return where the table of a record batch is, or of the values of a dictionary."""
    message: int = struct.unpack_from("<I", metadata)[0]
    place, kind = _field(metadata, message, _HEADER), _field(metadata, message, _HEADER_TYPE)
    if place is None or kind is None:
        return None
    table = place + struct.unpack_from("<I", metadata, place)[0]
    if metadata[kind] == _DICTIONARY:
        values = _field(metadata, table, 1)
        return None if values is None else values + struct.unpack_from("<I", metadata, values)[0]
    return int(table)


def _field(metadata: bytes, table: int, slot: int) -> int | None:
    """Return where a field of a FlatBuffers table is, or None if the table does not have it."""
    fields = table - struct.unpack_from("<i", metadata, table)[0]
    place = 4 + 2 * slot
    if place + 2 > struct.unpack_from("<H", metadata, fields)[0]:
        return None
    offset: int = struct.unpack_from("<H", metadata, fields + place)[0]
    return table + offset if offset else None


_ROWS_AT_A_TIME = 512
_ROWS_OF_PARQUET = 64
"""Few, because each may repeat a long value that the file holds once."""


def parquet(reader: RecordReader, path: Path) -> Numbered:
    """Yield the rows of a Parquet file, or of some of its row groups."""
    # Loaded when needed: opening a corpus does not need it.
    import pyarrow.parquet as pq

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


def _unpacked(file: Any, names: Sequence[str]) -> int:
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
    # Vectors and blobs are nothing to show with a document.
    return [field.name for field in schema if field.name in names or _can_be_kept(field.type)]


def _can_be_kept(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _can_be_kept(kind.value_type)
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return text or number or pa.types.is_boolean(kind) or pa.types.is_temporal(kind)


def _expanded(column: pa.Array) -> int:
    """Return the bytes that a column has when each repeated value is written out."""
    return int(np.maximum(_sizes_written_out(column), 0).sum()) if _shares(column.type) else int(column.nbytes)


def _shares(kind: pa.DataType) -> bool:
    """Return whether several rows of a type may have the same bytes."""
    views = (pa.types.is_string_view, pa.types.is_binary_view, pa.types.is_list_view, pa.types.is_large_list_view)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind) or any(is_view(kind) for is_view in views):
        return True
    return any(_shares(kind.field(number).type) for number in range(kind.num_fields))


def _sizes_written_out(array: pa.Array) -> NDArray[np.int64]:
    """Return the bytes of each value; what cannot be measured one by one counts as the largest that it may be."""
    kind, n = array.type, len(array)
    if n > _MOST_ROWS:
        raise ValueError(f"{n:,} rows in one batch")
    if pa.types.is_dictionary(kind):
        inner = _sizes_written_out(array.dictionary)
        places = array.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        return inner[np.clip(places, 0, len(inner) - 1)] if len(inner) else np.zeros(n, np.int64)
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        # A view begins with its length.
        views = np.frombuffer(array.buffers()[1] or b"", np.int32).reshape(-1, 4)
        return views[array.offset : array.offset + n, 0].astype(np.int64)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        offsets = array.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
        summed = np.concatenate([[0], np.cumsum(_sizes_written_out(array.values))])
        places = np.clip(offsets, 0, len(summed) - 1)
        return summed[places[1:]] - summed[places[:-1]]
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
        return np.asarray(pc.binary_length(array).fill_null(0).to_numpy(zero_copy_only=False), np.int64)
    if not _shares(kind):
        return np.full(n, -(-array.nbytes // max(n, 1)), np.int64)
    return np.full(n, array.nbytes, np.int64)


_MOST_ROWS = 1 << 31


def _rows(
    reader: RecordReader, path: Path, batches: Iterable[pa.RecordBatch], total: int | None, allowance: Allowance
) -> Numbered:
    number = 0
    before, size = reader.done_bytes, file_size(path) if compression(path) is None else 0
    for batch in batches:
        allowance.spend(sum(_expanded(column) for column in batch.columns))
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
