"""Documents in, a corpus out: read, count in shards on several threads, merge."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

from priorwise.corpus.build.copies import Copies
from priorwise.corpus.build.repeats import Duplicates
from priorwise.corpus.build.shards import Shard
from priorwise.corpus.build.work import MakeShard, Work
from priorwise.corpus.build.write import Complete, Written, write_corpus
from priorwise.corpus.storage.manifest import VERSION, this_tokenizer
from priorwise.corpus.storage.read_from import ReadFrom
from priorwise.corpus.texts import BYTES_PER_BLOCK, KeepText, longest_kept
from priorwise.readers.document import Document, Entry, Numbered, Reader, parts_of
from priorwise.readers.remarks import added_remarks

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

    @classmethod
    def of(cls, written: Written, begun: float, *, bytes: int = 0) -> Self:
        """Sum up what was written, since `begun` by the performance counter."""
        return cls(
            **asdict(written.manifest.counts),
            bytes=bytes,
            seconds=time.perf_counter() - begun,
            resumed=written.resumed,
            discarded=written.discarded,
            remarks=written.remarks,
        )


def ingest(
    reader: Reader,
    path: str | Path,
    *,
    workers: int | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    duplicates: Duplicates = "error",
    copies: Copies | None = None,
    complete: Complete | None = None,
    keep_text: KeepText = "whole",
    work: Work | None = None,
) -> IngestSummary:
    """Read documents into a corpus folder.

    Parameters
    ----------
    reader : Reader
        Such as :class:`~priorwise.RecordReader` or :class:`~priorwise.FolderReader`.
    path : str or Path
        The corpus folder to make, ``X.corpus``. With `work` on Spark it may be an address, such as ``s3://…``.
    workers : int, optional
        Threads that count tokens; all processors by default. The corpus does not depend on it, byte for byte.
    overwrite : bool, default False
        Replace a corpus of that name, once the new one is whole.
    progress : function, optional
        Called now and then with the bytes read, the bytes there are, and the documents read, which with `work` on
        Spark are not known before the end: 0.
    duplicates : {"error", "first", "last", "number"}
        What to do when documents have the same id: refuse them, keep the first or the last of them and leave out the
        others, or number the later ones (``a#2``). Whatever is done is counted in the summary.
    copies : {"keep", "drop", "join"}, optional
        What to do with near copies of an earlier document (nine tenths of their words are the same): keep and count
        them, leave them out, or leave them out and give their labels to the first. By default they are not looked for.
    complete : function, optional
        Called with all shards before they are merged; returns those to merge in their place.
    keep_text : {"whole", "lead", "none"}
        How much of each text to keep for people to read: at most 100,000 bytes, at most 1,500, or nothing.
    work : Work, optional
        Who does it: threads of this process by default, or ``Spark(…).work``. The corpus does not depend on it.

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
        ReaderShards(reader, keep_text, progress),
        path,
        tokenizer=this_tokenizer(),
        fingerprint=None if fingerprint is None else {"reader": fingerprint, **ways_of_working(keep_text)},
        workers=workers,
        overwrite=overwrite,
        duplicates=duplicates,
        copies=copies,
        complete=complete,
        work=work,
        read_from=ReadFrom.of(fingerprint),
    )
    return IngestSummary.of(written, begun, bytes=reader.total_bytes)


def shard_makers(entries: Iterable[Entry], keep_text: KeepText) -> Iterator[MakeShard]:
    """Cut a stream of documents into shards, for :func:`~priorwise.corpus.build.write.write_corpus`.

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
        texts += sum(len(str(value)) for value in entry.other.values())
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


class ReaderShards:
    """The shards of a reader's documents; a reader that has parts gives a split for each.

    Parameters
    ----------
    reader : Reader
    keep_text : {"whole", "lead", "none"}
        How much of each text to keep.
    progress : function, optional
        Called now and then with the bytes read, the bytes there are, and the documents read.
    """

    def __init__(self, reader: Reader, keep_text: KeepText, progress: Progress | None = None) -> None:
        self._reader, self._keep_text, self._progress = reader, keep_text, progress
        self._done_bytes, self._documents = 0, 0
        self._parts = parts_of(reader)

    def makers(self) -> Iterator[MakeShard]:
        """Yield functions that make the shards; none has documents of two parts."""
        for part in self._parts:
            if isinstance(part, Numbered) and part.first is None:
                part.first = self._documents
            yield from shard_makers(self._reported(part), self._keep_text)
            self._done_bytes += part.total_bytes

    def splits(self) -> list[ReaderSplit]:
        """Return a split for each part."""
        return [ReaderSplit(part, self._keep_text) for part in self._parts]

    def remarks(self) -> dict[str, int]:
        """Return the remarks of all parts."""
        return added_remarks(part.remarks for part in self._parts)

    def splits_done(self, done: int, total: int) -> None:
        """Tell how much is read, as if splits were equally long."""
        if self._progress is not None:
            all_bytes = self._reader.total_bytes
            self._progress(all_bytes * done // max(1, total), all_bytes, 0)

    def _reported(self, part: Reader) -> Iterator[Entry]:
        for number, entry in enumerate(part, start=1):
            yield entry
            self._documents += isinstance(entry, Document)
            if number % _REPORT_EVERY == 0:
                self._report(part)
        self._report(part)

    def _report(self, part: Reader) -> None:
        if self._progress is not None:
            done = self._done_bytes + min(part.done_bytes, part.total_bytes)
            self._progress(done, self._reader.total_bytes, self._documents)


@dataclass(frozen=True, slots=True)
class ReaderSplit:
    """Documents that one reader reads, in another process than the one that found them."""

    reader: Reader
    keep_text: KeepText

    def makers(self) -> Iterator[MakeShard]:
        """Yield functions that make its shards."""
        return shard_makers(self.reader, self.keep_text)

    def remarks(self) -> dict[str, int]:
        """Return the reader's remarks."""
        return self.reader.remarks
