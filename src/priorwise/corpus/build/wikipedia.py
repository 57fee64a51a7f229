"""A wiki's dump files in, a corpus out: each worker decompresses, reads and counts a piece of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from priorwise.corpus.build.completion import complete as complete_from_tables
from priorwise.corpus.build.ingestion import IngestSummary, Progress, ways_of_working
from priorwise.corpus.build.repeats import with_rows
from priorwise.corpus.build.scratch import Allocate
from priorwise.corpus.build.shards import AnyShard, Shard
from priorwise.corpus.build.wiki_shards import WikiShards, told_by
from priorwise.corpus.build.work import Makers, MakeShard, Work
from priorwise.corpus.build.write import write_corpus
from priorwise.corpus.storage.manifest import this_tokenizer
from priorwise.corpus.texts import KeepText
from priorwise.errors import InputError
from priorwise.readers.record_parts import PART_BYTES
from priorwise.readers.remarks import Remarks
from priorwise.readers.remote_file import found_files
from priorwise.wiki.dump import BZIP2_BYTES, XML_BYTES
from priorwise.wiki.pages import MIN_BYTES, WikiFiles
from priorwise.wiki.wikitext import RULE_VERSION


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
    inline_templates : bool, default True
        Read what templates show that stand in a sentence, such as the name in ``{{ill|Name|ja}}``. Other templates
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
    begun = time.perf_counter()
    if min_bytes < 0 or (limit is not None and limit < 1):
        raise InputError("min_bytes must not be negative, and limit at least 1")
    files = WikiFiles.recognised(paths)
    files.tables.check()
    shards = WikiShards(files, references, min_bytes, progress, keep_text, inline_templates=inline_templates)
    told = Remarks()

    def complete(made: Sequence[AnyShard], allocate: Allocate) -> Sequence[AnyShard]:
        n_pages, remarks = told_by(made)
        told.include(remarks)
        if limit is None:
            told.add("pages in the index that are not in the dumps", n=max(0, files.pages_in_indexes() - n_pages))
        if not files.tables.categorylinks:
            return made
        return complete_from_tables(made, files.tables, allocate, remarks=told, progress=shards.tables_read)

    written = write_corpus(
        shards if limit is None else Makers(_first(shards.makers(), limit), shards.remarks),
        path,
        tokenizer=wiki_tokenizer(),
        fingerprint={
            "reader": "wikipedia",
            "files": [_identity(given) for given in found_files(paths)],
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
    )
    return IngestSummary.of(written, begun, bytes=shards.total_bytes)


def wiki_tokenizer() -> dict[str, Any]:
    """Return what the manifest of a corpus made from a wiki says about its tokens."""
    return {**this_tokenizer(), "wikitext": RULE_VERSION}


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
