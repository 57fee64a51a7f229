"""A wiki's dump files in, a corpus out: each worker decompresses, reads and counts a piece of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from priorwise.corpus.ingestion import IngestSummary, Progress, ways_of_working
from priorwise.corpus.manifest import this_tokenizer
from priorwise.corpus.repeats import with_rows
from priorwise.corpus.shards import AnyShard, MappedShard, Shard
from priorwise.corpus.write import MakeShard, write_corpus
from priorwise.errors import InputError
from priorwise.readers.dump import BZIP2_BYTES, XML_BYTES, Piece
from priorwise.readers.remarks import Remarks
from priorwise.readers.siteinfo import SiteInfo
from priorwise.readers.wiki_pages import WikiPages, read_run
from priorwise.readers.wikipedia import MIN_BYTES, WikiFiles, dumps_and_sites
from priorwise.text.normalisation import NormalTexts, normalise_texts
from priorwise.text.tokens import count_normal
from priorwise.text.wikitext import RULE_VERSION

_REMARKS = b"priorwise.remarks"


def ingest_wikipedia(
    paths: Sequence[str | Path],
    path: str | Path,
    *,
    references: Sequence[str] = (),
    min_bytes: int = MIN_BYTES,
    limit: int | None = None,
    workers: int | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> IngestSummary:
    """Read a wiki's dump files into a corpus folder.

    Documents are the articles: pages of namespace 0 that are no redirects, no disambiguation pages and not too short.
    A document's id is its title, its labels are the categories it is directly in. The graph of categories is kept.

    Parameters
    ----------
    paths : sequence of str or Path
        XML dumps (any number of parts; bzip2, gzip, xz, zstd or plain), CirrusSearch dumps, SQL dumps of
        ``categorylinks``, ``linktarget`` and ``page``; in any order, recognised by what they hold.
    path : str or Path
        The corpus folder to make, ``X.corpus``.
    references : sequence of str
        More headings from which on a page is dropped, beside those that the wiki's language is known to use.
    min_bytes : int
        Articles with less wikitext are left out.
    limit : int, optional
        Stop after so many articles.
    workers, overwrite, progress
        As in :func:`~priorwise.ingest`.

    Returns
    -------
    IngestSummary

    Examples
    --------
    >>> import tempfile
    >>> page = "<page><title>Tea</title><ns>0</ns><id>7</id><text>'''Tea''' [[Category:Drinks]]</text></page>"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dump = Path(folder, "tea.xml")
    ...     _ = dump.write_text(f"<mediawiki>{page}</mediawiki>")
    ...     ingest_wikipedia([dump], folder + "/tea.corpus", min_bytes=1).memberships
    1
    """
    begun = time.perf_counter()
    files = WikiFiles.recognised(paths)
    if min_bytes < 0 or (limit is not None and limit < 1):
        raise InputError("min_bytes must not be negative, and limit at least 1")
    remarks = Remarks()
    source = _Source(files, references, min_bytes, remarks, progress)
    makers = source.makers()
    completed: list[Remarks] = []

    def complete(shards: Sequence[MappedShard]) -> Sequence[AnyShard]:
        told = Remarks()
        for shard in shards:
            told.include(_remarks_of(shard))
        completed.append(told)
        return shards

    options = {"references": sorted(references), "min_bytes": min_bytes, "limit": limit}
    written = write_corpus(
        makers if limit is None else _first(makers, limit),
        Path(path),
        tokenizer={**this_tokenizer(), "wikitext": RULE_VERSION},
        fingerprint={
            "reader": {"kind": "wikipedia", "files": [_identity(given) for given in map(Path, paths)], **options},
            "pieces": [BZIP2_BYTES, XML_BYTES],
            **ways_of_working(),
        },
        remarks=remarks.lines,
        workers=workers,
        overwrite=overwrite,
        duplicates="first",
        complete=complete,
    )
    return IngestSummary(
        **asdict(written.manifest.counts),
        bytes=source.total_bytes,
        seconds=time.perf_counter() - begun,
        resumed=written.resumed,
        discarded=written.discarded,
        remarks={**completed[0].lines(), **written.remarks},
    )


class _Source:
    """The shards of a wiki's files, in order."""

    def __init__(
        self,
        files: WikiFiles,
        references: Sequence[str],
        min_bytes: int,
        remarks: Remarks,
        progress: Progress | None,
    ) -> None:
        self.files = files
        self.min_bytes = min_bytes
        self.remarks = remarks
        self.dumps = dumps_and_sites(files, references, remarks)
        self.total_bytes = sum(dump.size for dump, _ in self.dumps)
        self.report = _Report(progress, self.total_bytes)

    def makers(self) -> Iterator[MakeShard]:
        before = 0
        for dump, site in self.dumps:
            for piece in dump.pieces(self.remarks):
                yield partial(self._shard, piece, site, before)
            before += dump.size

    def _shard(self, piece: Piece, site: SiteInfo, before: int) -> Shard:
        remarks = Remarks()
        shard = _shard_of_pages(
            [read_run(run, site, piece.dump.path, remarks, min_bytes=self.min_bytes) for run in piece.read(remarks)],
            remarks,
        )
        self.report(before + piece.end, shard.documents.num_rows)
        return shard


class _Report:
    """Tells how far all workers together are; pieces may be done in any order."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total = progress, total
        self._done, self._documents = 0, 0
        self._lock = Lock()

    def __call__(self, done: int, documents: int) -> None:
        with self._lock:
            self._done = max(self._done, done)
            self._documents += documents
            if self._progress is not None:
                self._progress(self._done, self._total, self._documents)


def _shard_of_pages(runs: Sequence[WikiPages], remarks: Remarks) -> Shard:
    titles = [title for run in runs for title in run.titles]
    normal = _joined([normalise_texts(run.data, run.spans) for run in runs])
    for row in np.flatnonzero(normal.broken).tolist():
        remarks.add("texts with bytes that are no UTF-8, which separate words", titles[row])
    shard = Shard.from_counts(
        count_normal(normal),
        ids=titles,
        titles=titles,
        labels=[labels for run in runs for labels in run.labels],
        pages=[page for run in runs for page in run.pages],
        categories=[category for run in runs for category in run.categories],
    )
    told = {_REMARKS: json.dumps(remarks.to_json()).encode()}
    return replace(shard, documents=shard.documents.replace_schema_metadata(told))


def _joined(texts: Sequence[NormalTexts]) -> NormalTexts:
    if len(texts) == 1:
        return texts[0]
    starts = np.cumsum([0, *(len(text.data) for text in texts)])
    return NormalTexts(
        np.concatenate([text.data for text in texts]),
        np.concatenate([[0], *(text.bounds[1:] + start for text, start in zip(texts, starts[:-1], strict=True))]),
        np.concatenate([text.broken for text in texts]),
    )


def _remarks_of(shard: MappedShard) -> Remarks:
    told = (shard.documents.schema.metadata or {}).get(_REMARKS, b"{}")
    return Remarks.from_json(json.loads(told))


def _first(makers: Iterator[MakeShard], limit: int) -> Iterator[MakeShard]:
    """Make shards one after the other until they have enough documents."""
    for make in makers:
        shard = make()
        rows = shard.documents.num_rows
        yield partial(_same, shard if rows <= limit else with_rows(shard, np.arange(limit)))
        limit -= rows
        if limit <= 0:
            return


def _same(shard: Shard) -> Shard:
    return shard


def _identity(path: Path) -> list[Any]:
    status = path.stat()
    return [str(path.resolve()), status.st_size, status.st_mtime_ns]
