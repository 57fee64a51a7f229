"""Any table that Spark reads as the input of a corpus: columns for id, title, text and labels."""

from __future__ import annotations

import json
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from priorwise.corpus.build.ingestion import IngestSummary, shard_makers, ways_of_working
from priorwise.corpus.build.merge import TokenWork
from priorwise.corpus.build.shards import AnyShard
from priorwise.corpus.build.wikipedia import wiki_tokenizer
from priorwise.corpus.build.writing import MakeShard, Reading, ShardSource, Unfinished, write_corpus
from priorwise.corpus.storage.manifest import this_tokenizer
from priorwise.corpus.storage.places import Store
from priorwise.corpus.texts import KeepText
from priorwise.counting import counted
from priorwise.engines.spark import Spark
from priorwise.engines.spark_ingest import DONE, SparkTokens, finished_splits, reading_of, written_split
from priorwise.engines.spark_tasks import answered, map_in_arrow, quiet
from priorwise.engines.wikimedia_tables import articles_of, is_content_table
from priorwise.errors import InputError
from priorwise.readers.document import Document
from priorwise.readers.fields import Columns
from priorwise.wiki.siteinfo import SiteNames, site_names
from priorwise.wiki.wikitext import RULE_VERSION as WIKITEXT_RULES
from priorwise.wiki.wikitext import read_wikitext

DOCUMENTS_PER_SPLIT = 1 << 14
"""About how many documents one task reads."""

REDIRECTS, DISAMBIGUATIONS = "redirects left out", "disambiguation pages left out"

_SAMPLED_PER_SPLIT = 64
_SPLIT, _ORDER = "priorwise_split", "priorwise_id"
_ROWS_AT_A_TIME = "512"
_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"


def ingest_frame(
    spark: Spark,
    frame: Any,
    path: str | Path,
    *,
    columns: Columns | None = None,
    keep_text: KeepText = "whole",
    overwrite: bool = False,
    wikitext: str | None = None,
) -> IngestSummary:
    """Read a table into a corpus folder; see :meth:`priorwise.engines.spark.Spark.ingest`.

    If the texts are wikitext, `wikitext` is the wiki's language.
    """
    begun = time.perf_counter()
    columns = columns or Columns()
    frame = spark.table(frame) if isinstance(frame, str) else frame
    with spark.said():
        if columns == Columns() and is_content_table(frame.columns):
            frame, wikitext = articles_of(frame)
    columns.check(frame.columns, "the table")
    if columns.id not in frame.columns:
        raise InputError(f"the table has no column '{columns.id}': rows have no order, so each document needs an id")
    names = site_names(wikitext) if wikitext is not None else None
    table = _Table(spark, frame.select(*columns.names_in(frame.columns)), columns, keep_text, names)
    fingerprint = {
        "kind": "table",
        "schema": frame.schema.json(),
        "files": sorted(frame.inputFiles()),
        "documents": table.n_documents,
        "cuts": table.cuts,
        "columns": asdict(columns),
        "wikitext": [WIKITEXT_RULES, wikitext] if wikitext is not None else None,
        **ways_of_working(keep_text),
    }
    written = write_corpus(
        table,
        path,
        tokenizer=this_tokenizer() if names is None else wiki_tokenizer(),
        fingerprint=fingerprint,
        overwrite=overwrite,
        work=_TableWork(spark, table),
    )
    return IngestSummary.of(written, begun)


class _Table:
    """A table, cut into splits by its ids: the documents of the corpus stand in the order of their ids."""

    def __init__(
        self, spark: Spark, frame: Any, columns: Columns, keep_text: KeepText, names: SiteNames | None
    ) -> None:
        from pyspark.sql import functions as column

        self.columns, self.keep_text, self.names = columns, keep_text, names
        self.frame = frame.withColumn(_ORDER, column.col(columns.id).cast("string"))
        with spark.said():
            blank = (column.coalesce(column.trim(column.col(_ORDER)), column.lit("")) == "").cast("long")
            rows, blanks = self.frame.agg(column.count("*"), column.sum(blank)).first()
            if blanks:
                raise InputError(f"{counted(blanks, 'row')} of the table without an id: every document needs an id")
            self.n_documents = int(rows)
            # Whether an id is among the sample depends on the id alone, so the next attempt cuts at the same places.
            every = max(1, DOCUMENTS_PER_SPLIT // _SAMPLED_PER_SPLIT)
            sampled = self.frame.where(column.pmod(column.xxhash64(_ORDER), column.lit(every)) == 0).select(_ORDER)
            ids = sorted(row[0] for row in sampled.collect() if row[0] is not None)
        self.cuts: list[str] = ids[_SAMPLED_PER_SPLIT::_SAMPLED_PER_SPLIT]

    def makers(self) -> Iterator[MakeShard]:
        """Refuse: only Spark reads its tables."""
        raise InputError("only Spark can read this table")

    def splits(self) -> Sequence[Any]:
        """Refuse: a table's rows come through Spark."""
        raise InputError("only Spark can read this table")

    def remarks(self) -> dict[str, int]:
        """Return nothing: a faulty row is an error."""
        return {}

    def splits_done(self, done: int, total: int) -> None:
        """No-op: a table reports no progress."""


@dataclass(frozen=True)
class _TableWork:
    spark: Spark
    table: _Table

    def read(self, source: ShardSource, unfinished: Unfinished) -> Reading:
        from pyspark.sql import functions as column

        table, store = self.table, unfinished.store
        done = finished_splits(store)
        n_splits = len(table.cuts) + 1
        cuts, write = table.cuts, _WriteRows(store, table.columns, table.keep_text, table.names)
        with quiet():
            number = column.udf(lambda identity: bisect_right(cuts, identity or ""), "int")(_ORDER)
        rows = table.frame.withColumn(_SPLIT, number)
        if done:
            rows = rows.where(~column.col(_SPLIT).isin(sorted(done)))
        ordered = rows.repartition(n_splits, _SPLIT).sortWithinPartitions(_SPLIT, _ORDER)
        conf = self.spark.session.conf
        usual = conf.get(_BATCH)
        # Texts may be long, so ten thousand of them may be too much for a worker.
        conf.set(_BATCH, _ROWS_AT_A_TIME)
        try:
            made = self.spark.collect(map_in_arrow(ordered, write, DONE))
        finally:
            conf.set(_BATCH, usual)
        return reading_of(store, done, made, {})

    def tokens(self, shards: Sequence[AnyShard], unfinished: Unfinished) -> TokenWork:
        return SparkTokens(self.spark, shards, unfinished.store)


@dataclass(frozen=True)
class _WriteRows:
    """Rows in the order of splits and ids in, shards written."""

    store: Store
    columns: Columns
    keep_text: KeepText
    names: SiteNames | None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Write each split of a partition. Our own errors are returned, not raised."""
        yield from answered(lambda: self._written(batches), DONE)

    def _written(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (row for batch in batches for row in batch.to_pylist())
        for number, group in groupby(rows, key=lambda row: row[_SPLIT]):
            split = _Rows(self.keep_text)
            split.documents = self._documents(group, split.told)
            told = written_split(self.store, number, split)
            yield pa.RecordBatch.from_pydict({"split": [number], "told": [json.dumps(told)]}, schema=DONE)

    def _documents(self, rows: Iterable[dict[str, Any]], told: dict[str, int]) -> Iterator[Document]:
        for row in rows:
            try:
                document = self.columns.document(row, 0)
            except (InputError, UnicodeDecodeError) as error:
                raise InputError(f"the row with {self.columns.id} '{row[_ORDER]}': {error}") from error
            if self.names is not None:
                article = read_wikitext(document.text, self.names)
                if article.is_redirect or article.is_disambiguation:
                    what = REDIRECTS if article.is_redirect else DISAMBIGUATIONS
                    told[what] = told.get(what, 0) + 1
                    continue
                document.text, document.labels = article.text, [*document.labels, *article.categories]
                # As in a wiki's dump, whose articles begin with their titles.
                document.title_words = False
            yield document


@dataclass(slots=True)
class _Rows:
    keep_text: KeepText
    documents: Iterable[Document] = ()
    told: dict[str, int] = field(default_factory=dict)

    def makers(self) -> Iterator[MakeShard]:
        return shard_makers(self.documents, self.keep_text)

    def remarks(self) -> dict[str, int]:
        return self.told
