"""Write the files of a corpus, checksummed on the way, and compare the files of a folder with its description."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pyarrow as pa

from priorwise.errors import BrokenFile

DOCUMENTS, ID_ORDER, TOKENS = "documents.arrow", "id_order.arrow", "tokens.arrow"
VOCABULARY, TOKEN_ORDER, LABELS = "vocabulary.arrow", "token_order.arrow", "labels.arrow"
CATEGORIES, TEXTS, OTHERS = "categories.arrow", "texts.arrow", "others.arrow"
ADDRESS = b"priorwise.address"
"""In the metadata of the documents: what comes before a page's title in its address."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """How long a written file is, and its checksum."""

    bytes: int
    sha256: str


class CorpusPlace(Protocol):
    """Where the files of a corpus go: a folder or memory."""

    def write(self, name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> FileRecord:
        """Write one Arrow file."""

    def copy(self, name: str, content: pa.Buffer) -> None:
        """Write a file that is there as a whole."""


class FolderPlace:
    """Files in a folder, each forced to the disk before it counts as written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> FileRecord:
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


FILES, CHECKSUM = "files", "checksum"
"""What a description has more than its content: the record of each file, and a checksum of all the rest."""


def described(content: Mapping[str, Any], folder: Path, names: Iterable[str]) -> dict[str, Any]:
    """Return a description with the length and checksum of each file, and one checksum over itself."""
    files = {name: {"bytes": record.bytes, "sha256": record.sha256} for name, record in _records(folder, names)}
    # As it will be read again: JSON has no tuples, and no names that are numbers.
    whole = json.loads(json.dumps({**content, FILES: files}))
    return {**whole, CHECKSUM: _checksum(whole)}


def check_described(content: Mapping[str, Any], path: Path) -> None:
    """Raise `BrokenFile` if a description is not what was written.

    One without checksums, of an earlier priorwise, passes.
    """
    if CHECKSUM not in content:
        return
    if content[CHECKSUM] != _checksum({name: value for name, value in content.items() if name != CHECKSUM}):
        raise BrokenFile(path, "damaged: it does not match its own checksum")


def check_files(content: Mapping[str, Any], folder: Path, names: Iterable[str] | None = None) -> None:
    """Raise `BrokenFile`, naming the file, if a file of a folder is not what its description says."""
    records = content.get(FILES, {})
    for name in records if names is None else names:
        if name not in records:
            if records:
                raise BrokenFile(folder, f"damaged: its description does not name {name}")
            continue
        if Path(name).name != name or not (folder / name).is_file():
            raise BrokenFile(folder, f"damaged: {name} is missing")
        record = FileRecord(records[name]["bytes"], records[name]["sha256"])
        size = (folder / name).stat().st_size
        if size != record.bytes:
            raise BrokenFile(folder / name, f"damaged: {size:,} bytes, not {record.bytes:,}")
        if _record(folder / name) != record:
            raise BrokenFile(folder / name, "damaged: it does not match its checksum")


def _records(folder: Path, names: Iterable[str]) -> list[tuple[str, FileRecord]]:
    return [(name, _record(folder / name)) for name in sorted(names)]


def _record(path: Path) -> FileRecord:
    with path.open("rb") as file:
        return FileRecord(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def checksum_of(content: Mapping[str, Any]) -> str:
    """Return the checksum that manifests and models have over themselves."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(
        json.dumps(content, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")
    ).hexdigest()
