"""A folder on any file system: the disk, or what Arrow or fsspec reach by an address, such as ``s3://`` or ``hdfs://``.

A corpus is mapped, so the files of one that lies elsewhere are copied to the disk when they are first asked for. The
copies are named after the corpus's checksum: a corpus that was made again is copied again.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from priorwise.corpus.storage.manifest import FILE_NAME, Manifest
from priorwise.durable import disk_errors_explained
from priorwise.errors import BrokenFile, CorpusError, DamagedCorpus, InputError
from priorwise.readers.addresses import (
    cache_folder,
    copied,
    file_system,
    is_address,
    reached,
    shown,
    was_address,
    with_ending,
)


@dataclass(frozen=True, slots=True)
class Store:
    """Files under one address. It goes to other processes as it is: only the address does."""

    address: str

    def __str__(self) -> str:
        return shown(self.address)

    def sibling(self, ending: str) -> Store:
        """Return the folder next to this one with an ending added to its name."""
        return Store(with_ending(self.address, ending))

    def path(self, name: str = "") -> str:
        """Return what its file system calls a file."""
        root = file_system(self.address)[1]
        return f"{root}/{name}" if name else root

    def exists(self, name: str = "") -> bool:
        from pyarrow.fs import FileType

        return bool(self.files.get_file_info(self.path(name)).type != FileType.NotFound)

    def names(self, name: str = "") -> list[str]:
        """Return the names in a folder, sorted; none if it is not there."""
        from pyarrow.fs import FileSelector

        found = self.files.get_file_info(FileSelector(self.path(name), allow_not_found=True))
        return sorted(info.base_name for info in found)

    def get(self, name: str) -> bytes:
        with self.files.open_input_stream(self.path(name), compression=None) as file:
            return bytes(file.read())

    def put(self, name: str, content: bytes) -> None:
        """Write a small file, whole or not at all; if others write it at the same time, one of them wins."""
        if self.has_objects:
            with self.write(name) as file:
                file.write(content)
            return
        draft = f"{name}.{uuid.uuid4().hex}"
        self._make_folder_of(name)
        with self.files.open_output_stream(self.path(draft), compression=None) as file:
            file.write(content)
        try:
            self.files.move(self.path(draft), self.path(name))
        except OSError:
            # Some file systems do not replace a file by renaming another.
            if not self.exists(name):
                raise
            self.files.delete_file(self.path(draft))

    def write(self, name: str) -> Any:
        """Open a file for writing, its folder made if need be."""
        self._make_folder_of(name)
        return self.files.open_output_stream(self.path(name), compression=None)

    def write_table(self, name: str, batch: pa.RecordBatch) -> None:
        """Write one record batch as an Arrow file."""
        with self.write(name) as file, pa.ipc.new_file(file, batch.schema) as writer:
            writer.write_batch(batch)

    def table(self, name: str, number: int = 0) -> pa.RecordBatch:
        """Read one record batch of an Arrow file: mapped if it is on the disk, so that it takes no memory."""
        file, batch = self.opened(name), None
        batch = pa.ipc.open_file(file).get_batch(number)
        file.close()
        return batch

    def opened(self, name: str) -> Any:
        """Open a file for reading anywhere in it."""
        if self.is_local:
            return pa.memory_map(self.path(name))
        return self.files.open_input_file(self.path(name))

    def remove(self, name: str = "") -> None:
        """Remove a folder and all in it, or a file, if it is there."""
        from pyarrow.fs import FileType

        kind = self.files.get_file_info(self.path(name)).type
        if kind == FileType.Directory:
            self.files.delete_dir(self.path(name))
        elif kind == FileType.File:
            self.files.delete_file(self.path(name))

    @property
    def files(self) -> Any:
        return file_system(self.address)[0]

    @property
    def is_local(self) -> bool:
        return bool(self.files.type_name == "local")

    @property
    def has_objects(self) -> bool:
        """Whether it has objects, which are there when they are whole, and no folders."""
        return self.files.type_name in ("s3", "gcs")

    def _make_folder_of(self, name: str) -> None:
        folder = self.path(name).rpartition("/")[0]
        if folder and not self.has_objects:
            self.files.create_dir(folder, recursive=True)


Progress = Callable[[int, int], None]
"""Told how many bytes are there, and how many there will be."""


class Fetched(Mapping[str, pa.Buffer]):
    """The files of a corpus elsewhere, each copied when it is first asked for."""

    def __init__(self, store: Store, manifest: Manifest) -> None:
        self._store, self._records = store, manifest.files
        self.folder = cache_folder() / "corpora" / manifest.checksum[:20]
        self._again: set[str] = set()
        self._mapped: dict[str, pa.Buffer] = {}

    def __getitem__(self, name: str) -> pa.Buffer:
        if name not in self._mapped:
            self._map(name)
        return self._mapped[name]

    def _map(self, name: str, tell: Callable[[int], None] = lambda n: None) -> None:
        record, store = self._records[name], self._store
        target = self.folder / name
        try:
            with disk_errors_explained(target), reached(store.address):
                copied(
                    lambda: store.files.open_input_file(store.path(name)),
                    target,
                    record.bytes,
                    sha256=record.sha256,
                    tell=tell,
                )
        except (BrokenFile, FileNotFoundError) as error:
            raise DamagedCorpus(f"{store} is damaged: {name} is missing or does not match its checksum") from error
        self._mapped[name] = pa.memory_map(str(target)).read_buffer()

    def discard(self, name: str) -> bool:
        """Throw a damaged copy away, so that it is made again; return False if that was done before."""
        if name in self._again:
            return False
        self._again.add(name)
        self._mapped.pop(name, None)
        (self.folder / name).unlink(missing_ok=True)
        return True

    def fetch(self, names: Iterable[str], progress: Progress) -> None:
        """Copy some files now, and tell how far it is."""
        wanted = [name for name in names if name not in self._mapped]
        total, done = sum(self._records[name].bytes for name in wanted), 0

        def tell(n: int) -> None:
            nonlocal done
            done += n
            progress(done, total)

        for name in wanted:
            self._map(name, tell)

    def __contains__(self, name: object) -> bool:
        return name in self._records

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)


def manifest_at(store: Store) -> Manifest:
    """Read the manifest of a corpus elsewhere."""
    with reached(store.address):
        if not store.exists(FILE_NAME):
            raise CorpusError(f"{store} is not a corpus folder: it has no {FILE_NAME}")
        return Manifest.parse(store.get(FILE_NAME), str(store))


def recorded_path(place: Any) -> Path:
    """Return the place of a corpus that a run names, if it is on this machine.

    To open an address means to contact its host and to sign the request with the user's keys. So an address counts
    only if the user gives it.
    """
    if not isinstance(place, str) or not place or "\0" in place:
        raise InputError("this run does not say where its corpus is; say where it is now (--corpus)")
    # Windows takes two slashes for another machine, and logs in there.
    elsewhere = is_address(place) or was_address(place) or (os.name == "nt" and place[:2] in ("//", "\\\\"))
    if elsewhere:
        raise InputError(
            f"this run names {shown(place)}, and addresses are not opened unasked; "
            "if you trust it, give it yourself (--corpus)"
        )
    return Path(place)
