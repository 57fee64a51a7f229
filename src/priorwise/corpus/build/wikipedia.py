"""A wiki's dump files in, a corpus out: each worker decompresses, reads and counts a piece of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from priorwise.corpus.build.completion import complete as complete_from_tables
from priorwise.corpus.build.ingestion import Progress, ReaderSplit, shard_makers, ways_of_working
from priorwise.corpus.build.repeats import with_rows
from priorwise.corpus.build.shards import Allocate, AnyShard, Shard
from priorwise.corpus.build.writing import IngestSummary, Makers, MakeShard, Split, Work, write_corpus
from priorwise.corpus.storage.manifest import this_tokenizer
from priorwise.corpus.texts import KeepText, beginnings, longest_kept
from priorwise.errors import InputError
from priorwise.readers.addresses import found_files
from priorwise.readers.document import Document, Entry, Remarks, added_remarks
from priorwise.readers.opening import size_and_time
from priorwise.readers.records import PART_BYTES
from priorwise.text.normalisation import NormalTexts, normalise_texts
from priorwise.text.tokens import count_normal
from priorwise.wiki.cirrus import CirrusReader
from priorwise.wiki.dump import BZIP2_BYTES, XML_BYTES, DumpFile, Piece
from priorwise.wiki.pages import MIN_BYTES, WikiFiles, WikiPages, dumps_and_sites, read_run
from priorwise.wiki.siteinfo import SiteInfo
from priorwise.wiki.wikitext import RULE_VERSION

_TOLD = b"priorwise.told"
_REPORT_EVERY = 200


class WikiShards:
    """The shards of a wiki's files, in order."""

    def __init__(
        self,
        files: WikiFiles,
        references: Sequence[str],
        min_bytes: int,
        progress: Progress | None,
        keep_text: KeepText,
        *,
        inline_templates: bool = True,
    ) -> None:
        self._remarks = Remarks()
        self._min_bytes = min_bytes
        self._keep_text = keep_text
        self._longest = longest_kept(keep_text)
        self._dumps = dumps_and_sites(files, references, self._remarks, inline_templates=inline_templates)
        self.address = next((site.address for _, site in self._dumps if site.address), "")
        self._cirrus = CirrusReader(files.cirrus, min_bytes=min_bytes).parts()
        sizes = [dump.size for dump, _ in self._dumps] + [part.total_bytes for part in self._cirrus]
        self._before_tables = sum(sizes)
        self.total_bytes = self._before_tables + files.tables.total_bytes
        self._report = _Report(progress, self.total_bytes)

    def makers(self) -> Iterator[MakeShard]:
        before = 0
        for dump, site in self._dumps:
            for piece in dump.pieces(self._remarks):
                yield partial(self._shard, piece, site, before)
            before += dump.size
        for part in self._cirrus:
            yield from shard_makers(self._cirrus_entries(part, before), self._keep_text)
            before += part.total_bytes

    def splits(self) -> list[Split]:
        """Return a split for each piece of a dump that can be read from its middle, and for each other dump.

        CirrusSearch dumps that are neighbours share one, up to 64 MB.
        """
        found: list[Split] = []
        for dump, site in self._dumps:
            if dump.divisible:
                pieces = dump.pieces(self._remarks)
                found += [DumpSplit(dump, site, self._min_bytes, self._longest, piece) for piece in pieces]
            else:
                found.append(DumpSplit(dump, site, self._min_bytes, self._longest))
        return [*found, *(ReaderSplit(part, self._keep_text) for part in self._cirrus)]

    def remarks(self) -> dict[str, int]:
        """Return remarks about the files, in addition to those of each shard; called when all are made."""
        return {**self._remarks.lines(), **added_remarks(part.remarks for part in self._cirrus)}

    def splits_done(self, done: int, total: int) -> None:
        self._report(self._before_tables * done // max(1, total), 0)

    def tables_read(self, done: int, _total: int) -> None:
        """Tell how far the tables are that complete the categories."""
        self._report(self._before_tables + done, 0)

    def _shard(self, piece: Piece, site: SiteInfo, before: int) -> Shard:
        shard = shard_of_piece(piece, site, self._min_bytes, self._longest)
        self._report(before + piece.end, shard.documents.num_rows)
        return shard

    def _cirrus_entries(self, part: CirrusReader, before: int) -> Iterator[Entry]:
        documents = 0
        for number, entry in enumerate(part, start=1):
            yield entry
            documents += isinstance(entry, Document)
            if number % _REPORT_EVERY == 0:
                self._report(before + part.done_bytes, documents)
                documents = 0


@dataclass(slots=True)
class DumpSplit:
    """A piece of a dump, or all of it, to be read in another process."""

    dump: DumpFile
    site: SiteInfo
    min_bytes: int
    longest: int
    piece: Piece | None = None
    _remarks: Remarks = field(default_factory=Remarks)

    def makers(self) -> Iterator[MakeShard]:
        for piece in self.dump.pieces(self._remarks) if self.piece is None else [self.piece]:
            yield partial(shard_of_piece, piece, self.site, self.min_bytes, self.longest)

    def remarks(self) -> dict[str, int]:
        """Return remarks about the dump, in addition to those of each shard."""
        return self._remarks.lines()


def shard_of_piece(piece: Piece, site: SiteInfo, min_bytes: int, longest: int) -> Shard:
    """Decompress, read and count a piece of a dump, and keep this many bytes of each text."""
    remarks = Remarks()
    runs = piece.read(remarks)
    pages = [read_run(run, site, piece.dump.path, remarks, min_bytes=min_bytes) for run in runs]
    return shard_of_pages(pages, remarks, longest)


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


def shard_of_pages(runs: Sequence[WikiPages], remarks: Remarks, longest: int) -> Shard:
    """Count the tokens of some pages, and keep with them what there is to say about them, and so much of each text."""
    titles = [title for run in runs for title in run.titles]
    normal = _joined([normalise_texts(run.data, run.spans) for run in runs])
    for row in np.flatnonzero(normal.broken).tolist():
        remarks.add("texts with bytes that are not UTF-8, which separate words", titles[row])
    shard = Shard.from_counts(
        count_normal(normal),
        ids=titles,
        titles=titles,
        labels=[labels for run in runs for labels in run.labels],
        pages=[page for run in runs for page in run.pages],
        categories=[category for run in runs for category in run.categories],
        texts=[text for run in runs for text in beginnings(run.data, run.spans, longest)] if longest else None,
    )
    told = {"pages": sum(run.n_pages for run in runs), "remarks": remarks.to_json()}
    return replace(shard, documents=shard.documents.replace_schema_metadata({_TOLD: json.dumps(told).encode()}))


def count_pages(shards: Sequence[AnyShard]) -> tuple[int, Remarks]:
    """Return how many pages the dumps have in all, and what is to be said about them."""
    n_pages, remarks = 0, Remarks()
    for shard in shards:
        if told := (shard.documents.schema.metadata or {}).get(_TOLD):
            read = json.loads(told)
            n_pages += read["pages"]
            remarks.include(Remarks.from_json(read["remarks"]))
    return n_pages, remarks


def _joined(texts: Sequence[NormalTexts]) -> NormalTexts:
    if len(texts) == 1:
        return texts[0]
    starts = np.cumsum([0, *(len(text.data) for text in texts)])
    return NormalTexts(
        np.concatenate([text.data for text in texts]),
        np.concatenate([[0], *(text.bounds[1:] + start for text, start in zip(texts, starts[:-1], strict=True))]),
        np.concatenate([text.broken for text in texts]),
    )


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
    keep_text: KeepText = "lead",
    inline_templates: bool = True,
    work: Work | None = None,
) -> IngestSummary:
    """Read a wiki's dump files into a corpus folder.

    Documents are the articles: pages of namespace 0 that are neither redirects nor disambiguation
    pages, and long enough.
    A document's id is its title, its labels are the categories it is directly in. The graph of categories is kept.

    Parameters
    ----------
    paths : sequence of str or Path
        XML dumps (any number of parts; bzip2, gzip, xz, zstd or plain), CirrusSearch dumps, SQL dumps of
        ``categorylinks``, ``linktarget`` and ``page``; in any order, recognised by what they hold.
    path : str or Path
        The corpus folder to make, ``X.corpus``.
    references : sequence of str
        More headings after which a page is dropped, in addition to those known for the wiki's language.
    min_bytes : int
        Articles with less wikitext are left out.
    limit : int, optional
        Stop after this many articles.
    inline_templates : bool, default True
        Read what inline templates show, such as the name in ``{{ill|Name|ja}}``. Other templates
        leave a gap.
    workers, overwrite, progress, keep_text, work
        As in :func:`~priorwise.ingest`, but of each text its lead is kept by default.

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
    if min_bytes < 0 or (limit is not None and limit < 1):
        raise InputError("min_bytes must not be negative, and limit at least 1")
    files = WikiFiles.recognised(paths)
    files.tables.check()
    shards = WikiShards(files, references, min_bytes, progress, keep_text, inline_templates=inline_templates)
    told = Remarks()

    def complete(made: Sequence[AnyShard], allocate: Allocate) -> Sequence[AnyShard]:
        n_pages, remarks = count_pages(made)
        told.include(remarks)
        if limit is None:
            told.add("pages in the index that are not in the dumps", n=max(0, files.pages_in_indexes() - n_pages))
        if not files.tables.categorylinks:
            return made
        return complete_from_tables(made, files.tables, allocate, remarks=told, progress=shards.tables_read)

    return write_corpus(
        shards if limit is None else Makers(_first(shards.makers(), limit), shards.remarks),
        path,
        tokenizer=wiki_tokenizer(),
        fingerprint={
            "reader": "wikipedia",
            "files": [[str(given.resolve()), *size_and_time(given)] for given in found_files(paths)],
            "options": [sorted(references), min_bytes, limit, inline_templates],
            "pieces": [BZIP2_BYTES, XML_BYTES, PART_BYTES],
            "wikitext": RULE_VERSION,
            **ways_of_working(keep_text),
        },
        workers=workers,
        overwrite=overwrite,
        duplicates="first",
        complete=complete,
        told=told.lines,
        address=shards.address,
        work=work,
        total_bytes=shards.total_bytes,
    )


def wiki_tokenizer() -> dict[str, Any]:
    """Return what the manifest of a corpus made from a wiki says about its tokens."""
    return {**this_tokenizer(), "wikitext": RULE_VERSION}


def _first(makers: Iterator[MakeShard], limit: int) -> Iterator[MakeShard]:
    """Make shards one after the other until they have enough documents."""
    for make in makers:
        shard = make()
        rows = shard.documents.num_rows
        made = shard if rows <= limit else with_rows(shard, np.arange(limit))
        yield lambda made=made: made  # type: ignore[misc]
        limit -= rows
        if limit <= 0:
            return
