"""The folder ``X.corpus.partial`` in which a corpus grows, until it is whole and takes its name.

A kill, Ctrl-C, or a cluster or an address that is gone leaves it, and the same call again goes on from the shards that
are there. Any other error removes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus.storage.files import FolderPlace
from priorwise.corpus.storage.manifest import FILE_NAME, Manifest
from priorwise.corpus.storage.places import Store
from priorwise.durable import (
    REPLACED,
    check_free,
    disk_errors_explained,
    draft_of,
    drafts_of,
    held,
    put_folder,
    remove,
    sibling,
    sync_folder,
    write_bytes,
)
from priorwise.errors import CorpusError, EngineFailed, Unreachable

PUBLISHED = "published"
"""The file in an unfinished corpus that names the checksum of the finished one."""

_ZEROS = np.zeros(1 << 18, np.uint32)


class PartialCorpus:
    """A corpus in the making; get one from :func:`claim`.

    Attributes
    ----------
    discarded : bool
        Whether an earlier attempt with other inputs lay here and was thrown away.
    """

    def __init__(self, target: Path, fingerprint: dict[str, Any] | None) -> None:
        self.target = target
        self.folder = sibling(target, ".partial")
        marker = self.folder / "inputs.json"
        wanted = json.dumps(fingerprint, sort_keys=True).encode()
        resumable = fingerprint is not None and marker.is_file() and marker.read_bytes() == wanted
        self.discarded = marker.is_file() and not resumable
        if not resumable:
            remove(self.folder)
            self.folder.mkdir(parents=True)
            write_bytes(marker, wanted)

    @property
    def store(self) -> Store:
        """The folder, as other processes can open it."""
        return Store(str(self.folder.absolute()))

    def shard(self, number: int) -> Path:
        """Return where a shard lies or will lie; it is there only when it is whole."""
        return self.folder / f"shard-{number:06d}"

    def thinned_shard(self, number: int) -> Path:
        """Return where a shard goes that is made again without some of its documents."""
        return self.folder / f"thinned-{number:06d}"

    def finished_shards(self) -> list[Path]:
        """Return the shards that are whole."""
        return sorted(self.folder.glob("shard-??????"))

    @property
    def reading(self) -> dict[str, Any] | None:
        """What :meth:`finish_reading` was told, or None while there is more to read."""
        marker = self.folder / "read.json"
        told: dict[str, Any] | None = json.loads(marker.read_bytes()) if marker.is_file() else None
        return told

    def finish_reading(self, told: dict[str, Any]) -> None:
        """Remember that every shard is there, with what the summary will say about the input."""
        write_bytes(self.folder / "read.json", json.dumps(told).encode())

    def allocate(self, name: str, size: int) -> NDArray[np.uint32]:
        """Return scratch room in a mapped file, for what may be larger than memory."""
        if not size:
            return np.empty(0, np.uint32)
        path = self.folder / f"{name}.scratch"
        with path.open("wb") as file:
            # A mapped file with holes that meets a full disk kills the process; one that is written raises an error.
            for written in range(0, size, _ZEROS.size):
                file.write(_ZEROS[: size - written].data)
        return np.memmap(path, np.uint32, "r+", shape=(size,))

    def place(self) -> FolderPlace:
        """Return where the finished files go; what an interrupted merge left there is removed."""
        merged = self.folder / "corpus"
        remove(merged)
        merged.mkdir()
        return FolderPlace(merged)

    def publish(self, manifest: Manifest) -> None:
        """Give the finished files their name; an older corpus of that name stays until this moment."""
        merged = self.folder / "corpus"
        write_bytes(merged / FILE_NAME, manifest.to_json())
        # Says, to whoever finds this folder after a kill or a power cut, that its work is done.
        write_bytes(self.folder / PUBLISHED, manifest.checksum.encode())
        put_folder(merged, self.target)
        left_over = draft_of(self.target)
        self.folder.rename(left_over)
        sync_folder(self.target.parent)
        remove(left_over)


@contextmanager
def claim(target: Path, *, overwrite: bool, fingerprint: dict[str, Any] | None) -> Iterator[PartialCorpus]:
    """Hold the right to write a corpus, for as long as the block lasts.

    Raises
    ------
    AlreadyExists
        The output is there and ``overwrite`` is false, or it is there and no corpus.
    InUse
        Another process is writing it at this moment.
    DiskFull
        No space is left.
    """
    with disk_errors_explained(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    with disk_errors_explained(target), held(target):
        _restore_replaced(target)
        _clear_published(target)
        check_free(target, FILE_NAME, "corpus", overwrite=overwrite)
        try:
            yield PartialCorpus(target, fingerprint)
        except (EngineFailed, Unreachable):
            # The input is not to blame, so what was done is kept.
            raise
        except Exception:
            remove(sibling(target, ".partial"))
            raise


def _clear_published(target: Path) -> None:
    """Remove what a process left that was killed after its corpus had taken its name."""
    for left_over in drafts_of(target):
        remove(left_over)
    marker = sibling(target, ".partial") / PUBLISHED
    # A corpus that cannot be read says nothing; it may be about to be replaced.
    with suppress(CorpusError):
        if marker.is_file() and marker.read_bytes() == Manifest.read(target).checksum.encode():
            remove(marker.parent)


def _restore_replaced(target: Path) -> None:
    replaced = sibling(target, REPLACED)
    if replaced.exists() and not target.exists():
        replaced.rename(target)
    remove(replaced)
