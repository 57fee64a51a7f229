"""A corpus in the making: shards made by threads or an engine, merged, and published whole, on the disk or elsewhere.

On the disk it grows in the folder ``X.corpus.partial``. A kill, Ctrl-C, or a cluster or an address that is gone leaves
it, and the same call again continues from the shards that are there. Any other error removes it. At an address there
are no locks and no renamed folders: the manifest is written last, and a folder without one is not a corpus.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus.build.copies import Copies, settle_copies
from priorwise.corpus.build.merge import TokensHere, TokenWork, merge
from priorwise.corpus.build.repeats import Duplicates, settle_repeats
from priorwise.corpus.build.shards import Allocate, AnyShard, MappedShard, Shard, StoredShard
from priorwise.corpus.storage.files import FileRecord, FolderPlace, MemoryPlace, write_arrow
from priorwise.corpus.storage.manifest import FILE_NAME, Manifest
from priorwise.corpus.storage.places import Store
from priorwise.corpus.storage.read_from import ReadFrom
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
from priorwise.errors import AlreadyExists, CorpusError, EngineFailed, InputError, Unreachable
from priorwise.processors import in_order
from priorwise.readers.addresses import local_path, reached, with_ending

PUBLISHED = "published"
"""The file in an unfinished corpus that names the checksum of the finished one."""

_ZEROS = np.zeros(1 << 18, np.uint32)


class PartialCorpus:
    """A corpus in the making; get one from :func:`claim`."""

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

    @property
    def reading(self) -> dict[str, Any] | None:
        """What :meth:`finish_reading` was told, or None while there is more to read."""
        marker = self.folder / "read.json"
        return json.loads(marker.read_bytes()) if marker.is_file() else None

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
    """Hold the right to write a corpus, for as long as the block lasts."""
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


class StorePlace:
    """Files in a store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def write(self, name: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> FileRecord:
        with self.store.write(name) as file:
            return write_arrow(file, schema, batches)

    def copy(self, name: str, content: pa.Buffer) -> None:
        with self.store.write(name) as file:
            file.write(content)


class RemotePartial:
    """A corpus in the making at an address; get one from :func:`claim_address`."""

    def __init__(self, address: str, fingerprint: dict[str, Any] | None, scratch: Path) -> None:
        self._target = Store(with_ending(address, ""))
        self.store = self._target.sibling(".partial")
        self._scratch = scratch
        wanted = json.dumps(fingerprint, sort_keys=True).encode()
        there = self.store.exists("inputs.json")
        resumable = fingerprint is not None and there and self.store.get("inputs.json") == wanted
        self.discarded = there and not resumable
        if not resumable:
            self.store.remove()
            self.store.put("inputs.json", wanted)

    def thinned_shard(self, number: int) -> StoredShard:
        return StoredShard(self.store, f"thinned-{number:06d}")

    def allocate(self, name: str, size: int) -> NDArray[np.uint32]:
        if not size:
            return np.empty(0, np.uint32)
        return np.memmap(self._scratch / f"{name}.scratch", np.uint32, "w+", shape=(size,))

    def place(self) -> StorePlace:
        self._target.remove(FILE_NAME)
        return StorePlace(self._target)

    def publish(self, manifest: Manifest) -> None:
        self._target.put(FILE_NAME, manifest.to_json())
        self.store.remove()


@contextmanager
def claim_address(address: str, *, overwrite: bool, fingerprint: dict[str, Any] | None) -> Iterator[RemotePartial]:
    """Write a corpus at an address; nobody else may do so at the same time."""
    target = Store(with_ending(address, ""))
    with tempfile.TemporaryDirectory() as scratch, reached(address):
        if target.exists(FILE_NAME) and not overwrite:
            raise AlreadyExists(str(target))
        if not target.exists(FILE_NAME) and target.names() and not target.sibling(".partial").exists():
            raise AlreadyExists(str(target), not_a="corpus")
        unfinished = RemotePartial(address, fingerprint, Path(scratch))
        try:
            yield unfinished
        except (EngineFailed, Unreachable, OSError):
            # An interrupted ingest can continue; a fault in the input stays.
            raise
        except Exception:
            unfinished.store.remove()
            raise


MakeShard = Callable[[], Shard]


class Split(Protocol):
    """Part of an input that is read on its own. It goes to another process by pickling, and is read there."""

    def makers(self) -> Iterator[MakeShard]:
        """Yield functions that make its shards, to be called one after the other."""

    def remarks(self) -> dict[str, int]:
        """Return what is to be said about it; asked when all its shards are made."""


@runtime_checkable
class ShardSource(Protocol):
    """An input: as one stream, or as splits. Both give the same shards in the same order."""

    def makers(self) -> Iterator[MakeShard]:
        """Yield functions that make the shards; each may be called on any thread."""

    def splits(self) -> Sequence[Split]:
        """Return the splits, in order."""

    def remarks(self) -> dict[str, int]:
        """Return remarks about the input, in addition to those of splits; called when all shards are made."""

    def splits_done(self, done: int, total: int) -> None:
        """Hear how many of the splits are done, from whoever reads them elsewhere."""


Unfinished = PartialCorpus | RemotePartial
"""A corpus in the making, on the disk or at an address."""


@dataclass(frozen=True, slots=True)
class Reading:
    """All shards, how many documents were counted in an earlier attempt, and what is to be said about the input."""

    shards: Sequence[AnyShard]
    resumed: int = 0
    remarks: dict[str, int] = field(default_factory=dict)


class Work(Protocol):
    """Makes the shards of an input, and merges their tokens."""

    def read(self, source: ShardSource, unfinished: Unfinished) -> Reading:
        """Make the shards, but for those that an earlier attempt has made."""

    def tokens(self, shards: Sequence[AnyShard], unfinished: Unfinished) -> TokenWork:
        """Return what counts and renumbers the tokens of all shards."""


@dataclass(frozen=True, slots=True)
class Makers:
    """Shards that are not to be had in splits."""

    shards: Iterable[MakeShard]
    told: Callable[[], dict[str, int]] = dict

    def makers(self) -> Iterator[MakeShard]:
        return iter(self.shards)

    def splits(self) -> Sequence[Split]:
        """Refuse: what is in this process can only be read here."""
        raise InputError("this input can only be read by the local engine")

    def remarks(self) -> dict[str, int]:
        return self.told()

    def splits_done(self, done: int, total: int) -> None:
        """Hear nothing: there are no splits."""


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of this process; all processors by default."""

    workers: int | None = None

    def read(self, source: ShardSource, unfinished: Unfinished) -> Reading:
        if not isinstance(unfinished, PartialCorpus):
            raise InputError(
                "the local engine writes a corpus to the disk, and Corpus.open(…).save(ADDRESS) copies it; "
                "or let Spark write it: --engine spark"
            )
        resumed = sum(MappedShard(folder).documents.num_rows for folder in unfinished.folder.glob("shard-??????"))
        if unfinished.reading is None:
            writers = (partial(_write, make, unfinished.shard(n)) for n, make in enumerate(source.makers()))
            n_shards = sum(1 for _ in in_order(writers, self.workers))
            unfinished.finish_reading({"shards": n_shards, "remarks": source.remarks()})
        reading = unfinished.reading or {}
        made = [MappedShard(unfinished.shard(number)) for number in range(reading["shards"])]
        return Reading(made, resumed, reading["remarks"])

    def tokens(self, shards: Sequence[AnyShard], unfinished: Unfinished) -> TokenWork:
        return TokensHere(shards, unfinished.allocate, self.workers)


def _write(make: MakeShard, folder: Path) -> None:
    if not folder.is_dir():
        make().write(folder)


Complete = Callable[[Sequence[AnyShard], Allocate], Sequence[AnyShard]]


@dataclass(frozen=True, slots=True)
class IngestSummary:
    """What an ingest did.

    ``tokens`` counts each distinct token of each document, ``bytes`` is the size of the input, ``resumed`` the number
    of documents that an interrupted run had counted already, ``discarded`` whether one of other inputs was thrown away,
    and ``remarks`` what was done to the input that its owner should know, with how often.
    """

    documents: int
    tokens: int
    occurrences: int
    vocabulary: int
    labels: int
    memberships: int
    bytes: int
    seconds: float
    resumed: int = 0
    discarded: bool = False
    remarks: dict[str, int] = field(default_factory=dict)


def write_corpus(
    shards: Iterable[MakeShard] | ShardSource,
    path: str | Path,
    *,
    tokenizer: dict[str, Any] | None,
    fingerprint: dict[str, Any] | None = None,
    told: Callable[[], dict[str, int]] = dict,
    workers: int | None = None,
    overwrite: bool = False,
    duplicates: Duplicates = "error",
    copies: Copies | None = None,
    complete: Complete | None = None,
    address: str = "",
    work: Work | None = None,
    read_from: ReadFrom | None = None,
    total_bytes: int = 0,
) -> IngestSummary:
    """Write a corpus folder from shards, resuming an interrupted attempt at the same."""
    begun = time.perf_counter()
    work = Threads(workers) if work is None else work
    source = shards if isinstance(shards, ShardSource) else Makers(shards)
    with claim_any(path, overwrite=overwrite, fingerprint=fingerprint) as unfinished:
        reading = work.read(source, unfinished)
        whole = reading.shards if complete is None else complete(reading.shards, unfinished.allocate)
        whole, settled = _settle(whole, duplicates, copies, unfinished.thinned_shard)
        remarks = {**told(), **reading.remarks, **settled}
        tokens = work.tokens(whole, unfinished)
        merged = merge(whole, unfinished.place(), tokenizer, unfinished.allocate, workers, address, tokens)
        manifest = replace(merged, remarks=remarks, source=None if read_from is None else read_from.recorded())
        unfinished.publish(manifest)
    return IngestSummary(
        **asdict(manifest.counts),
        bytes=total_bytes,
        seconds=time.perf_counter() - begun,
        resumed=reading.resumed,
        discarded=unfinished.discarded,
        remarks=remarks,
    )


def _settle(
    shards: Sequence[AnyShard],
    duplicates: Duplicates,
    copies: Copies | None,
    folder_of: Callable[[int], Path | StoredShard | None],
) -> tuple[list[AnyShard], dict[str, int]]:
    settled, remarks = settle_repeats(shards, duplicates, folder_of)
    if copies is None:
        return settled, remarks
    settled, found = settle_copies(settled, copies, folder_of)
    return settled, remarks | found


def claim_any(
    path: str | Path, *, overwrite: bool, fingerprint: dict[str, Any] | None
) -> AbstractContextManager[Unfinished]:
    """Hold the right to write a corpus, on the disk or at an address."""
    on_disk = local_path(path)
    if on_disk is None:
        return claim_address(str(path), overwrite=overwrite, fingerprint=fingerprint)
    return claim(on_disk, overwrite=overwrite, fingerprint=fingerprint)


def corpus_in_memory(
    shards: Iterable[MakeShard],
    *,
    tokenizer: dict[str, Any] | None,
    duplicates: Duplicates = "error",
    copies: Copies | None = None,
    told: Callable[[], dict[str, int]] = dict,
    read_from: ReadFrom | None = None,
) -> tuple[Manifest, dict[str, pa.Buffer]]:
    """Make the same files in memory."""
    place = MemoryPlace()
    whole, settled = _settle(list(in_order(shards, None)), duplicates, copies, lambda number: None)
    manifest = merge(whole, place, tokenizer)
    source = None if read_from is None else read_from.recorded()
    return replace(manifest, remarks={**told(), **settled}, source=source), place.buffers
