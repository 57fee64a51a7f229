"""Write the files of a corpus: whole or not at all, checksummed on the way, a full disk said in a sentence."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

import pyarrow as pa


@dataclass(frozen=True, slots=True)
class FileRecord:
    """How long a written file is, and its checksum."""

    bytes: int
    sha256: str


class Place(Protocol):
    """Where the files of a corpus go: a folder or memory."""

    def write(self, name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> FileRecord:
        """Write one Arrow file."""
        ...

    def copy(self, name: str, content: pa.Buffer) -> None:
        """Write a file that is there as a whole."""
        ...


class FolderPlace:
    """Files in a folder, each forced to the disk before it counts as written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> FileRecord:
        """Write one Arrow file."""
        with (self.folder / name).open("wb") as file:
            record = write_arrow(file, schema, batches)
            file.flush()
            os.fsync(file.fileno())
        return record

    def copy(self, name: str, content: pa.Buffer) -> None:
        """Write a file that is there as a whole."""
        with (self.folder / name).open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


class MemoryPlace:
    """The same files, byte for byte, as buffers."""

    def __init__(self) -> None:
        self.buffers: dict[str, pa.Buffer] = {}

    def write(self, name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> FileRecord:
        """Write one Arrow file."""
        sink = pa.BufferOutputStream()
        record = write_arrow(sink, schema, batches)
        self.buffers[name] = sink.getvalue()
        return record

    def copy(self, name: str, content: pa.Buffer) -> None:
        """Keep a file that is there as a whole."""
        self.buffers[name] = content


class _Checksummed:
    """A file for Arrow to write to that keeps the checksum of what went through."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._sha256 = hashlib.sha256()
        self._bytes = 0
        self.closed = False

    def write(self, data: pa.Buffer) -> int:
        view = memoryview(data)
        self._file.write(view)
        self._sha256.update(view)
        self._bytes += view.nbytes
        return view.nbytes

    def tell(self) -> int:
        return self._bytes

    def flush(self) -> None:
        """Leave flushing to whoever opened the file."""

    def close(self) -> None:
        self.closed = True

    def record(self) -> FileRecord:
        return FileRecord(self._bytes, self._sha256.hexdigest())


def write_arrow(file: BinaryIO, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> FileRecord:
    """Write record batches to an open file, and return how long it is and its checksum."""
    checksummed = _Checksummed(file)
    with pa.ipc.new_file(checksummed, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return checksummed.record()
