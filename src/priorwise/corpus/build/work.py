"""Who makes the shards of a corpus: threads of this process, or an engine elsewhere. The shards are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from priorwise.corpus.build.partial import PartialCorpus
from priorwise.corpus.build.shards import AnyShard, MappedShard, Shard, StoredShard
from priorwise.corpus.build.token_work import TokensHere, TokenWork
from priorwise.corpus.storage.files import Place
from priorwise.corpus.storage.manifest import Manifest
from priorwise.corpus.storage.places import Store
from priorwise.corpus.storage.threads import in_order
from priorwise.errors import InputError

MakeShard = Callable[[], Shard]


class Split(Protocol):
    """Part of an input that is read on its own. It goes to another process by pickling, and is read there."""

    def makers(self) -> Iterator[MakeShard]:
        """Yield functions that make its shards, to be called one after the other."""
        ...

    def remarks(self) -> dict[str, int]:
        """Return what is to be said about it; asked when all its shards are made."""
        ...


@runtime_checkable
class Source(Protocol):
    """An input: as one stream, or as splits. Both give the same shards in the same order."""

    def makers(self) -> Iterator[MakeShard]:
        """Yield functions that make the shards; each may be called on any thread."""
        ...

    def splits(self) -> Sequence[Split]:
        """Return the splits, in order."""
        ...

    def remarks(self) -> dict[str, int]:
        """Return what is to be said about the input beside what splits say; asked when all shards are made."""
        ...

    def splits_done(self, done: int, total: int) -> None:
        """Hear how many of the splits are done, from whoever reads them elsewhere."""
        ...


class Unfinished(Protocol):
    """A corpus in the making, on the disk or at an address."""

    discarded: bool

    @property
    def store(self) -> Store:
        """Where the work lies."""
        ...

    def allocate(self, name: str, size: int) -> NDArray[Any]:
        """Return scratch room."""
        ...

    def thinned_shard(self, number: int) -> Path | StoredShard:
        """Return where a shard goes that is made again without some of its documents."""
        ...

    def place(self) -> Place:
        """Return where the finished files go."""
        ...

    def publish(self, manifest: Manifest) -> None:
        """Make a corpus of the finished files."""
        ...


@dataclass(frozen=True, slots=True)
class Reading:
    """All shards, how many documents were counted in an earlier attempt, and what is to be said about the input."""

    shards: Sequence[AnyShard]
    resumed: int = 0
    remarks: dict[str, int] = field(default_factory=dict)


class Work(Protocol):
    """Makes the shards of an input, and merges their tokens."""

    def read(self, source: Source, unfinished: Unfinished) -> Reading:
        """Make the shards, but for those that an earlier attempt has made."""
        ...

    def tokens(self, shards: Sequence[AnyShard], unfinished: Unfinished) -> TokenWork:
        """Return what counts and renumbers the tokens of all shards."""
        ...


@dataclass(frozen=True, slots=True)
class Makers:
    """Shards that are not to be had in splits."""

    shards: Iterable[MakeShard]
    told: Callable[[], dict[str, int]] = dict

    def makers(self) -> Iterator[MakeShard]:
        """Yield functions that make the shards."""
        return iter(self.shards)

    def splits(self) -> Sequence[Split]:
        """Refuse: what is in this process can only be read here."""
        raise InputError("this input can only be read by the local engine")

    def remarks(self) -> dict[str, int]:
        """Return what is to be said about the input."""
        return self.told()

    def splits_done(self, done: int, total: int) -> None:
        """Hear nothing: there are no splits."""


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of this process; all processors by default."""

    workers: int | None = None

    def read(self, source: Source, unfinished: Unfinished) -> Reading:
        """Make the shards, but for those that are there."""
        if not isinstance(unfinished, PartialCorpus):
            raise InputError(
                "the local engine writes a corpus to the disk, and Corpus.open(…).save(ADDRESS) copies it; "
                "or let Spark write it: --engine spark"
            )
        done = unfinished.finished_shards()
        resumed = sum(MappedShard(folder).documents.num_rows for folder in done)
        if unfinished.reading is None:
            n_shards = sum(1 for _ in in_order(_writers(source.makers(), unfinished), self.workers))
            unfinished.finish_reading({"shards": n_shards, "remarks": source.remarks()})
        reading = unfinished.reading or {}
        made = [MappedShard(unfinished.shard(number)) for number in range(reading["shards"])]
        return Reading(made, resumed, reading["remarks"])

    def tokens(self, shards: Sequence[AnyShard], unfinished: Unfinished) -> TokenWork:
        """Return what counts and renumbers the tokens of all shards."""
        return TokensHere(shards, unfinished.allocate, self.workers)


def _writers(shards: Iterable[MakeShard], unfinished: PartialCorpus) -> Iterator[Callable[[], None]]:
    for number, make in enumerate(shards):
        folder = unfinished.shard(number)
        yield _nothing if folder.is_dir() else partial(_write, make, folder)


def _write(make: MakeShard, folder: Path) -> None:
    make().write(folder)


def _nothing() -> None:
    """Stand in for a shard that is there already."""
