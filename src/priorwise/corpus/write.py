"""Make shards on several threads and merge them into a corpus, on the disk or in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from priorwise.corpus.files import MemoryPlace
from priorwise.corpus.manifest import Manifest
from priorwise.corpus.merge import merge
from priorwise.corpus.partial import PartialCorpus, claim
from priorwise.corpus.repeats import without_repeats
from priorwise.corpus.scratch import Allocate
from priorwise.corpus.shards import AnyShard, MappedShard, Shard
from priorwise.corpus.threads import in_order

MakeShard = Callable[[], Shard]
Complete = Callable[[Sequence[MappedShard], Allocate], Sequence[AnyShard]]


@dataclass(frozen=True, slots=True)
class Written:
    """What became of the shards: the corpus's manifest, and what a summary should say about the way there.

    ``resumed`` are the documents that an interrupted run had counted already, ``discarded`` says that one with other
    inputs was thrown away, ``remarks`` are the reader's, and how many documents were left out as repeats.
    """

    manifest: Manifest
    resumed: int
    discarded: bool
    remarks: dict[str, int]


def write_corpus(
    shards: Iterable[MakeShard],
    path: Path,
    *,
    tokenizer: dict[str, Any] | None,
    fingerprint: dict[str, Any] | None = None,
    remarks: Callable[[], dict[str, int]] = dict,
    workers: int | None = None,
    overwrite: bool = False,
    duplicates: Literal["refuse", "first"] = "refuse",
    complete: Complete | None = None,
    address: str = "",
) -> Written:
    """Write a corpus folder from shards, resuming an interrupted attempt at the same.

    Parameters
    ----------
    shards : iterable of functions
        Each makes one shard. The functions are called on any thread and in any order, and not at all for shards that an
        interrupted attempt has written; only the iteration is in order.
    path : Path
        The corpus folder.
    tokenizer : dict or None
        What the manifest says about the tokens' origin.
    fingerprint : dict, optional
        Changes when the shards may have changed. Without one, nothing is resumed.
    remarks : function, optional
        Asked once, when all shards are made.
    workers : int, optional
        Threads; all processors by default.
    overwrite : bool, default False
        Replace a corpus of that name, once the new one is whole.
    duplicates : {"refuse", "first"}
        What to do when documents have the same id: refuse them, or keep the first and leave out the others.
    complete : function, optional
        Called with all shards before they are merged, and with what gives scratch room; returns the shards to merge in
        their place, as many and with the same documents.
    address : str
        What comes before a page's title in its address.

    Returns
    -------
    Written
    """
    with claim(path, overwrite=overwrite, fingerprint=fingerprint) as unfinished:
        done = unfinished.finished_shards()
        resumed = sum(MappedShard(folder).documents.num_rows for folder in done)
        if unfinished.reading is None:
            n_shards = sum(1 for _ in in_order(_writers(shards, unfinished), workers))
            unfinished.finish_reading({"shards": n_shards, "remarks": remarks()})
        reading = unfinished.reading or {}
        made = [MappedShard(unfinished.shard(number)) for number in range(reading["shards"])]
        whole: Sequence[AnyShard] = made if complete is None else complete(made, unfinished.allocate)
        left_out: dict[str, int] = {}
        if duplicates == "first":
            whole, left_out = without_repeats(whole, unfinished.thinned_shard)
        manifest = merge(whole, unfinished.place(), tokenizer, unfinished.allocate, workers, address)
        unfinished.publish(manifest)
    return Written(manifest, resumed, unfinished.discarded, {**reading["remarks"], **left_out})


def corpus_in_memory(
    shards: Iterable[MakeShard], *, tokenizer: dict[str, Any] | None, workers: int | None = None
) -> tuple[Manifest, dict[str, pa.Buffer]]:
    """Make the same files in memory."""
    place = MemoryPlace()
    manifest = merge(list(in_order(shards, workers)), place, tokenizer, workers=workers)
    return manifest, place.buffers


def _writers(shards: Iterable[MakeShard], unfinished: PartialCorpus) -> Iterator[Callable[[], None]]:
    for number, make in enumerate(shards):
        folder = unfinished.shard(number)
        yield _nothing if folder.is_dir() else partial(_write, make, folder)


def _write(make: MakeShard, folder: Path) -> None:
    make().write(folder)


def _nothing() -> None:
    """Stand in for a shard that is there already."""
