"""Make shards on several threads and merge them into a corpus, on the disk or in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from priorwise.corpus.build.copies import Copies, settle_copies
from priorwise.corpus.build.merge import merge
from priorwise.corpus.build.partial import claim
from priorwise.corpus.build.repeats import Duplicates, settle_repeats
from priorwise.corpus.build.scratch import Allocate
from priorwise.corpus.build.shards import AnyShard
from priorwise.corpus.build.work import Makers, MakeShard, Source, Threads, Unfinished, Work
from priorwise.corpus.storage.files import MemoryPlace
from priorwise.corpus.storage.manifest import Manifest
from priorwise.corpus.storage.read_from import ReadFrom
from priorwise.corpus.storage.remote import claim_address
from priorwise.corpus.storage.threads import in_order
from priorwise.readers.addresses import local_path

Complete = Callable[[Sequence[AnyShard], Allocate], Sequence[AnyShard]]


@dataclass(frozen=True, slots=True)
class Written:
    """What became of the shards: the corpus's manifest, and what a summary should say about the way there.

    ``resumed`` are the documents that an interrupted run had counted already, ``discarded`` says that one with other
    inputs was thrown away, ``remarks`` are the reader's, and how many documents shared an id.
    """

    manifest: Manifest
    resumed: int
    discarded: bool
    remarks: dict[str, int]


def write_corpus(
    shards: Iterable[MakeShard] | Source,
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
) -> Written:
    """Write a corpus folder from shards, resuming an interrupted attempt at the same.

    Parameters
    ----------
    shards : iterable of functions, or Source
        Each makes one shard. The functions are called on any thread and in any order, and not at all for shards that an
        interrupted attempt has written; only the iteration is in order.
    path : str or Path
        The corpus folder, or its address on another file system.
    tokenizer : dict or None
        What the manifest says about the tokens' origin.
    fingerprint : dict, optional
        Changes when the shards may have changed. Without one, nothing is resumed.
    told : function, optional
        What else to say about the input. Asked once, when all shards are complete.
    workers : int, optional
        Threads; all processors by default.
    overwrite : bool, default False
        Replace a corpus of that name, once the new one is whole.
    duplicates : {"error", "first", "last", "number"}
        What to do when documents have the same id: refuse them, keep the first or the last of them and leave out the
        others, or number the later ones (``a#2``).
    copies : {"keep", "drop", "join"}, optional
        What to do with near copies of an earlier document: keep and count them, leave them out, or leave them out and
        give their labels to the first. By default they are not looked for.
    complete : function, optional
        Called with all shards before they are merged, and with what gives scratch room; returns the shards to merge in
        their place, as many and with the same documents.
    address : str
        What comes before a page's title in its address.
    work : Work, optional
        Who makes the shards; threads of this process by default.
    read_from : ReadFrom, optional
        The files that are read, for results to be written into them.

    Returns
    -------
    Written
    """
    work = Threads(workers) if work is None else work
    source = shards if isinstance(shards, Source) else Makers(shards)
    with claim_any(path, overwrite=overwrite, fingerprint=fingerprint) as unfinished:
        reading = work.read(source, unfinished)
        whole = reading.shards if complete is None else complete(reading.shards, unfinished.allocate)
        whole, settled = settle_repeats(whole, duplicates, unfinished.thinned_shard)
        if copies is not None:
            whole, found = settle_copies(whole, copies, unfinished.thinned_shard)
            settled |= found
        remarks = {**told(), **reading.remarks, **settled}
        tokens = work.tokens(whole, unfinished)
        merged = merge(whole, unfinished.place(), tokenizer, unfinished.allocate, workers, address, tokens)
        manifest = replace(merged, remarks=remarks, source=None if read_from is None else read_from.recorded())
        unfinished.publish(manifest)
    return Written(manifest, reading.resumed, unfinished.discarded, remarks)


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
    workers: int | None = None,
    read_from: ReadFrom | None = None,
) -> tuple[Manifest, dict[str, pa.Buffer]]:
    """Make the same files in memory."""
    place = MemoryPlace()
    whole, settled = settle_repeats(list(in_order(shards, workers)), duplicates, lambda number: None)
    if copies is not None:
        whole, found = settle_copies(whole, copies, lambda number: None)
        settled |= found
    manifest = merge(whole, place, tokenizer, workers=workers)
    source = None if read_from is None else read_from.recorded()
    return replace(manifest, remarks={**told(), **settled}, source=source), place.buffers
