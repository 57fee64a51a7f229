"""Documents in, a corpus out: read, count in shards on several threads, merge."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from priorwise.corpus.manifest import VERSION, this_tokenizer
from priorwise.corpus.shards import Shard
from priorwise.corpus.texts import BYTES_PER_BLOCK, KeepText, longest_kept
from priorwise.corpus.write import Complete, MakeShard, write_corpus
from priorwise.readers.document import Document, Entry, Reader

DOCUMENTS_PER_SHARD = 1 << 14
CHARACTERS_PER_SHARD = 1 << 24
_REPORT_EVERY = 200

Progress = Callable[[int, int, int], None]


@dataclass(frozen=True, slots=True)
class IngestSummary:
    """What an ingest did.

    Attributes
    ----------
    documents, tokens, occurrences, vocabulary, labels, memberships : int
        The sizes of the corpus; ``tokens`` counts each distinct token of each document.
    bytes : int
        The size of the input on the disk.
    seconds : float
        How long it took.
    resumed : int
        How many documents an interrupted run had counted already.
    discarded : bool
        Whether an interrupted run of other inputs was thrown away.
    remarks : dict
        What was done to the input that its owner should know, with how often.
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


def ingest(
    reader: Reader,
    path: str | Path,
    *,
    workers: int | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    duplicates: Literal["refuse", "first"] = "refuse",
    complete: Complete | None = None,
    keep_text: KeepText = "whole",
) -> IngestSummary:
    """Read documents into a corpus folder.

    Parameters
    ----------
    reader : Reader
        Such as :class:`~priorwise.RecordReader` or :class:`~priorwise.FolderReader`.
    path : str or Path
        The corpus folder to make, ``X.corpus``.
    workers : int, optional
        Threads that count tokens; all processors by default. The corpus does not depend on it, byte for byte.
    overwrite : bool, default False
        Replace a corpus of that name, once the new one is whole.
    progress : function, optional
        Called now and then with the bytes read, the bytes there are, and the documents read.
    duplicates : {"refuse", "first"}
        What to do when documents have the same id: refuse them, or keep the first and leave out the others.
    complete : function, optional
        Called with all shards before they are merged; returns those to merge in their place.
    keep_text : {"whole", "lead", "none"}
        How much of each text to keep for people to read: at most 100,000 bytes, at most 1,500, or nothing.

    Returns
    -------
    IngestSummary

    Notes
    -----
    A killed or interrupted call leaves ``X.corpus.partial``; the same call again goes on from there. A shard closes at
    16,384 documents or 16 million characters, so a worker needs some 300 MB at most, however long the input.

    Examples
    --------
    >>> import tempfile
    >>> from priorwise.readers.document import Stream
    >>> documents = Stream([Document("1", "One", "to be"), Document("2", "Two", "or not to be")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ingest(documents, folder + "/hamlet.corpus").vocabulary
    4
    """
    begun = time.perf_counter()
    fingerprint = reader.fingerprint()
    written = write_corpus(
        shard_makers(_reported(reader, progress), keep_text),
        Path(path),
        tokenizer=this_tokenizer(),
        fingerprint=None if fingerprint is None else {"reader": fingerprint, **ways_of_working(keep_text)},
        remarks=lambda: reader.remarks,
        workers=workers,
        overwrite=overwrite,
        duplicates=duplicates,
        complete=complete,
    )
    return IngestSummary(
        **asdict(written.manifest.counts),
        bytes=reader.total_bytes,
        seconds=time.perf_counter() - begun,
        resumed=written.resumed,
        discarded=written.discarded,
        remarks=written.remarks,
    )


def shard_makers(entries: Iterable[Entry], keep_text: KeepText) -> Iterator[MakeShard]:
    """Cut a stream of documents into shards, for :func:`~priorwise.corpus.write.write_corpus`.

    Examples
    --------
    >>> [make().documents.num_rows for make in shard_makers([Document("1", "One", "to be")], "whole")]
    [1]
    """
    longest = longest_kept(keep_text)
    held: list[Entry] = []
    characters = 0
    for entry in entries:
        held.append(entry)
        characters += _characters(entry)
        if len(held) >= DOCUMENTS_PER_SHARD or characters >= CHARACTERS_PER_SHARD:
            yield partial(Shard.from_documents, held, longest)
            held, characters = [], 0
    if held:
        yield partial(Shard.from_documents, held, longest)


def _characters(entry: Entry) -> int:
    if isinstance(entry, Document):
        texts = len(entry.text) + len(entry.id) + len(entry.title) + sum(map(len, entry.labels))
    else:
        texts = len(entry.name) + sum(map(len, entry.parents))
    return texts + sum(map(len, entry.added))


def ways_of_working(keep_text: KeepText) -> dict[str, Any]:
    """Return what beside the input decides how the shards come out."""
    return {
        "format": VERSION,
        "tokenizer": this_tokenizer(),
        "shard": [DOCUMENTS_PER_SHARD, CHARACTERS_PER_SHARD],
        "texts": [longest_kept(keep_text), BYTES_PER_BLOCK],
    }


def _reported(reader: Reader, progress: Progress | None) -> Iterator[Entry]:
    documents = 0
    for number, entry in enumerate(reader, start=1):
        yield entry
        documents += isinstance(entry, Document)
        if progress is not None and number % _REPORT_EVERY == 0:
            progress(reader.done_bytes, reader.total_bytes, documents)
    if progress is not None:
        progress(reader.done_bytes, reader.total_bytes, documents)
