"""A folder on any file system: the disk, or what Arrow or fsspec reach by an address, such as ``s3://`` or ``hdfs://``."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from priorwise.readers.addresses import file_system, shown, with_ending


@dataclass(frozen=True, slots=True)
class Store:
    """Files under one address. It goes to other processes as it is: only the address does.

    Parameters
    ----------
    address : str
        A path, or an address with its scheme.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder)
    ...     store.put("a/b.txt", b"some bytes")
    ...     store.get("a/b.txt"), store.exists("a"), store.exists("c")
    (b'some bytes', True, False)
    """

    address: str

    def __str__(self) -> str:
        return shown(self.address)

    def beside(self, ending: str) -> Store:
        """Return the folder beside this one whose name has an ending more."""
        return Store(with_ending(self.address, ending))

    def path(self, name: str = "") -> str:
        """Return what its file system calls a file."""
        root = file_system(self.address)[1]
        return f"{root}/{name}" if name else root

    def exists(self, name: str = "") -> bool:
        """Return whether there is a file or a folder."""
        from pyarrow.fs import FileType

        return bool(self.files.get_file_info(self.path(name)).type != FileType.NotFound)

    def names(self, name: str = "") -> list[str]:
        """Return the names in a folder, sorted; none if it is not there."""
        from pyarrow.fs import FileSelector

        found = self.files.get_file_info(FileSelector(self.path(name), allow_not_found=True))
        return sorted(info.base_name for info in found)

    def get(self, name: str) -> bytes:
        """Read a file."""
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
        """The file system."""
        return file_system(self.address)[0]

    @property
    def is_local(self) -> bool:
        """Whether its files can be mapped."""
        return bool(self.files.type_name == "local")

    @property
    def has_objects(self) -> bool:
        """Whether it has objects, which are there when they are whole, and no folders."""
        return self.files.type_name in ("s3", "gcs")

    def _make_folder_of(self, name: str) -> None:
        folder = self.path(name).rpartition("/")[0]
        if folder and not self.has_objects:
            self.files.create_dir(folder, recursive=True)


def batches_of(store: Store, names: list[str]) -> Iterator[pa.RecordBatch]:
    """Yield the record batch of each of some Arrow files."""
    return (store.table(name) for name in names)
