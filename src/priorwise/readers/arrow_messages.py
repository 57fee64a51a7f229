"""Read the record batches of an Arrow file as they lie there: mapped, never unpacked.

Priorwise writes its Arrow files uncompressed. A stranger's file may be compressed, and then three megabytes can become
thirty gigabytes. So each message is looked at before it is read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pyarrow as pa

MAGIC = b"ARROW1\0\0"
"""With this an Arrow file begins; a stream has no such mark."""

_HEADER, _HEADER_TYPE, _BUFFERS, _COMPRESSION = 2, 1, 2, 3
"""The slots of these fields in the tables ``Message`` and ``RecordBatch`` of Arrow's own format."""

_DICTIONARY = 2
"""The type of a message with a dictionary, which has the table of its values in its second slot."""


def read_batches(data: pa.Buffer) -> tuple[pa.Schema, list[pa.RecordBatch]]:
    """Return the columns and the record batches of an Arrow file, as views of its bytes.

    Raises
    ------
    ValueError
        It is no Arrow file, or one that priorwise does not write: compressed, or with dictionaries.

    Examples
    --------
    >>> sink = pa.BufferOutputStream()
    >>> with pa.ipc.new_file(sink, pa.schema({"a": pa.int32()})) as writer:
    ...     writer.write_batch(pa.record_batch({"a": pa.array([1, 2], pa.int32())}))
    >>> schema, batches = read_batches(sink.getvalue())
    >>> schema.names, batches[0].num_rows
    (['a'], 2)
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
            if _is_compressed(message.metadata.to_pybytes()):
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
