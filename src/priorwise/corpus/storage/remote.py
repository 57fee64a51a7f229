"""A corpus in the making at an address, such as ``s3://bucket/X.corpus``: what is done is kept, and goes on from there.

There are no locks and no renamed folders there. The manifest is written last, and a folder without one is no corpus.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus.build.shards import StoredShard
from priorwise.corpus.storage.files import FileRecord, write_arrow
from priorwise.corpus.storage.manifest import FILE_NAME, Manifest
from priorwise.corpus.storage.places import Store
from priorwise.errors import AlreadyExists, EngineFailed, Unreachable
from priorwise.readers.addresses import reached, with_ending


class StorePlace:
    """Files in a store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def write(self, name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> FileRecord:
        """Write one Arrow file."""
        with self.store.write(name) as file:
            return write_arrow(file, schema, batches)

    def copy(self, name: str, content: pa.Buffer) -> None:
        """Write a file that is there as a whole."""
        with self.store.write(name) as file:
            file.write(content)


class RemotePartial:
    """A corpus in the making at an address; get one from :func:`claim_address`.

    Attributes
    ----------
    store : Store
        What is not yet the corpus.
    discarded : bool
        Whether an earlier attempt with other inputs lay here and was thrown away.
    """

    def __init__(self, address: str, fingerprint: dict[str, Any] | None, scratch: Path) -> None:
        self._target = Store(with_ending(address, ""))
        self.store = self._target.beside(".partial")
        self._scratch = scratch
        wanted = json.dumps(fingerprint, sort_keys=True).encode()
        there = self.store.exists("inputs.json")
        resumable = fingerprint is not None and there and self.store.get("inputs.json") == wanted
        self.discarded = there and not resumable
        if not resumable:
            self.store.remove()
            self.store.put("inputs.json", wanted)

    def thinned_shard(self, number: int) -> StoredShard:
        """Return where a shard goes that is made again without some of its documents."""
        return StoredShard(self.store, f"thinned-{number:06d}")

    def allocate(self, name: str, size: int) -> NDArray[np.uint32]:
        """Return scratch room in a mapped file on this machine."""
        if not size:
            return np.empty(0, np.uint32)
        return np.memmap(self._scratch / f"{name}.scratch", np.uint32, "w+", shape=(size,))

    def place(self) -> StorePlace:
        """Return where the finished files go."""
        self._target.remove(FILE_NAME)
        return StorePlace(self._target)

    def publish(self, manifest: Manifest) -> None:
        """Make a corpus of the finished files."""
        self._target.put(FILE_NAME, manifest.to_json())
        self.store.remove()


@contextmanager
def claim_address(address: str, *, overwrite: bool, fingerprint: dict[str, Any] | None) -> Iterator[RemotePartial]:
    """Write a corpus at an address; nobody else may do so at the same time."""
    target = Store(with_ending(address, ""))
    with tempfile.TemporaryDirectory() as scratch, reached(address):
        if target.exists(FILE_NAME) and not overwrite:
            raise AlreadyExists(str(target))
        if not target.exists(FILE_NAME) and target.names() and not target.beside(".partial").exists():
            raise AlreadyExists(str(target), not_a="corpus")
        unfinished = RemotePartial(address, fingerprint, Path(scratch))
        try:
            yield unfinished
        except (EngineFailed, Unreachable, OSError):
            # What broke off may go on; what is wrong with the input stays wrong.
            raise
        except Exception:
            unfinished.store.remove()
            raise
