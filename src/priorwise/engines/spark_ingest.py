"""Make a corpus on Spark, from the splits of a reader or from a table, by the functions of the local engine."""

from __future__ import annotations

import json
import uuid
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.build.ingestion import shard_makers, ways_of_working
from priorwise.corpus.build.merge import CountedNames, TokenWork, added_up, largest_count, merge_names, renumbered
from priorwise.corpus.build.shards import AnyShard, StoredShard
from priorwise.corpus.build.wikipedia import wiki_tokenizer
from priorwise.corpus.build.writing import (
    IngestSummary,
    MakeShard,
    Reading,
    ShardSource,
    Split,
    Unfinished,
    write_corpus,
)
from priorwise.corpus.storage.manifest import this_tokenizer
from priorwise.corpus.storage.places import Store
from priorwise.corpus.texts import KeepText
from priorwise.counting import counted
from priorwise.engines.spark import FAILURE, Spark, answered, map_in_arrow, quiet, spark_errors
from priorwise.errors import InputError
from priorwise.readers.document import Document, added_remarks
from priorwise.readers.fields import Columns
from priorwise.wiki.siteinfo import SiteNames, site_names
from priorwise.wiki.wikitext import RULE_VERSION as WIKITEXT_RULES
from priorwise.wiki.wikitext import read_wikitext

SHARDS_PER_TASK = 16
"""Shards whose vocabularies a task merges before Spark counts: this many times less goes over the network."""

DONE = pa.schema({"split": pa.int32(), "told": pa.string()})
_COUNTED = pa.schema({"token": pa.string(), "documents": pa.int64(), "occurrences": pa.int64()})
_SIZES = pa.schema({"largest": pa.int64(), "entries": pa.int64()})
_WRITTEN = pa.schema({"group": pa.int32()})


@dataclass(frozen=True)
class SparkWork:
    """Spark as what makes the shards of a corpus; see :class:`~priorwise.corpus.build.writing.Work`.

    Each attempt at a split writes a folder of its own, and then a small file that says which attempt counts. So a task
    that is tried again, or run twice, does no harm; and what is done stays done when the whole job is killed.
    """

    spark: Spark

    def read(self, source: ShardSource, unfinished: Unfinished) -> Reading:
        """Make the shards of the splits that are not done yet."""
        store = unfinished.store
        splits = source.splits()
        done = finished_splits(store)
        tasks = [(number, split) for number, split in enumerate(splits) if number not in done]

        def tell(finished: int, _of: int) -> None:
            source.splits_done(len(done) + finished, len(splits))

        made = self.spark.run(tasks, partial(make_split, store), DONE, tell)
        return reading_of(store, done, made, source.remarks())

    def tokens(self, shards: Sequence[AnyShard], unfinished: Unfinished) -> TokenWork:
        return SparkTokens(self.spark, shards, unfinished.store)


def reading_of(store: Store, done: dict[int, Any], made: pa.Table, remarks: dict[str, int]) -> Reading:
    """Combine the shards of earlier and new splits."""
    now = {row["split"]: json.loads(row["told"]) for row in made.to_pylist()}
    told = [each for _, each in sorted({**done, **now}.items())]
    remarks = added_remarks([remarks, *(split["remarks"] for split in told)])
    shards = [StoredShard(store, name) for split in told for name in split["shards"]]
    return Reading(shards, sum(split["documents"] for split in done.values()), remarks)


def make_split(store: Store, task: tuple[int, Split]) -> Iterator[pa.RecordBatch]:
    """Make and write the shards of one split, and return where they are."""
    number, split = task
    told = written_split(store, number, split)
    yield pa.RecordBatch.from_pydict({"split": [number], "told": [json.dumps(told)]}, schema=DONE)


def written_split(store: Store, number: int, split: Split) -> dict[str, Any]:
    """Write the shards of one split, then the file that says so."""
    attempt = f"split-{number:06d}-{uuid.uuid4().hex}"
    names: list[str] = []
    documents = 0
    for make in split.makers():
        shard = make()
        names.append(f"{attempt}/{len(names):04d}")
        shard.put(store, names[-1])
        documents += shard.documents.num_rows
    told = {"shards": names, "documents": documents, "remarks": split.remarks()}
    store.put(f"done/{number:06d}.json", json.dumps(told).encode())
    return told


def finished_splits(store: Store) -> dict[int, Any]:
    """Return the reports of the finished splits."""
    names = [name for name in store.names("done") if name.endswith(".json")]
    return {int(name.removesuffix(".json")): json.loads(store.get(f"done/{name}")) for name in names}


class SparkTokens:
    """Tokens count_group by an aggregation and renumbered by tasks, as a `TokenWork` does."""

    def __init__(self, spark: Spark, shards: Sequence[AnyShard], store: Store) -> None:
        self._spark, self._store = spark, store
        stored = [shard.stored for shard in shards]
        numbered = list(enumerate(stored))
        self._groups = [numbered[i : i + SHARDS_PER_TASK] for i in range(0, len(numbered), SHARDS_PER_TASK)]
        self._names: pa.ChunkedArray | None = None

    @cached_property
    def _sizes(self) -> pa.Table:
        return self._spark.run(self._groups, measure_group, _SIZES)

    @property
    def largest(self) -> int:
        return int(pc.max(self._sizes["largest"]).as_py() or 0)

    @property
    def entries(self) -> int:
        return int(pc.sum(self._sizes["entries"]).as_py() or 0)

    def count(self) -> CountedNames:
        from pyspark.sql import functions as spark

        each = self._spark.map(self._groups, count_group, _COUNTED)
        # Spark compares strings by their bytes, as the local engine does. A failure has no token, and stays apart.
        total = each.groupBy("token").agg(
            spark.sum("documents").alias("documents"),
            spark.sum("occurrences").alias("occurrences"),
            spark.max(FAILURE).alias(FAILURE),
        )
        table = self._spark.collect(total.orderBy("token"))
        self._names = table["token"]
        return CountedNames(
            table["token"],
            table["documents"].to_numpy().astype(np.uint32),
            table["occurrences"].to_numpy().astype(np.uint64),
        )

    def batches(self, token_id: NDArray[np.uint32], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        assert self._names is not None
        # Where tasks look up the tokens: one file that each process maps, or reads once.
        with self._store.write("ids.arrow") as file:
            table = pa.table({"token": self._names, "id": pa.array(token_id)})
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
        self._spark.run(self._groups, partial(renumber_group, self._store, schema), _WRITTEN)
        numbers = [number for group in self._groups for number, shard in group if shard.tokens.num_rows]
        return (self._store.table(_final(number)) for number in numbers)


Group = Sequence[tuple[int, AnyShard]]


def count_group(group: Group) -> Iterator[pa.RecordBatch]:
    """Merge the vocabularies of some shards."""
    vocabularies = [shard.vocabulary for _, shard in group]
    merged = merge_names([vocabulary.column("token") for vocabulary in vocabularies])
    total = added_up(vocabularies, merged)
    columns = [total.names, total.frequency.astype(np.int64), total.occurrences.astype(np.int64)]
    yield from pa.table(columns, schema=_COUNTED).to_batches(max_chunksize=1 << 16)


def measure_group(group: Group) -> Iterator[pa.RecordBatch]:
    """Return the largest count of some shards, and how many there are."""
    entries = sum(len(shard.tokens.column("tokens").values) for _, shard in group)
    largest = max(largest_count(shard) for _, shard in group)
    yield pa.RecordBatch.from_pydict({"largest": [largest], "entries": [entries]}, schema=_SIZES)


def renumber_group(store: Store, schema: pa.Schema, group: Group) -> Iterator[pa.RecordBatch]:
    """Give the tokens of some shards their final ids."""
    merged = merge_names([shard.vocabulary.column("token") for _, shard in group])
    ids = _ids_of(store, merged.names)
    for place, (number, shard) in enumerate(group):
        if shard.tokens.num_rows:
            store.write_table(_final(number), renumbered(shard.tokens, ids[merged.of_shard(place)], schema))
    yield pa.RecordBatch.from_pydict({"group": [group[0][0]]}, schema=_WRITTEN)


def _ids_of(store: Store, names: pa.ChunkedArray) -> NDArray[np.uint32]:
    """Return the ids of names that are in the order of bytes, as the whole vocabulary does."""
    wanted = pa.concat_arrays([pa.array([], pa.string()), *names.chunks])
    ids = np.zeros(len(wanted), np.uint32)
    with store.opened("ids.arrow") as file:
        reader = pa.ipc.open_file(file)
        for number in range(reader.num_record_batches):
            batch = reader.get_batch(number)
            place = pc.index_in(batch.column("token"), value_set=wanted)
            hit = place.is_valid()
            ids[place.drop_null().to_numpy()] = batch.column("id").filter(hit).to_numpy()
    return ids


def _final(number: int) -> str:
    return f"tokens-{number:06d}.arrow"


SLOTS = "revision_content_slots"
_NEEDED = {"wiki_id", "page_namespace_id", "page_title", SLOTS}


def is_content_table(columns: list[str]) -> bool:
    """Return whether a table has the columns of Wikimedia's ``mediawiki_content_current``."""
    return set(columns) >= _NEEDED


def articles_of(frame: Any) -> tuple[Any, str]:
    """Return the articles of one wiki as id, title and text, and the wiki's language.

    These are the pages of namespace 0 whose main slot holds visible wikitext. As from a dump, a document's id is its
    title.
    """
    from pyspark.sql import functions as column

    wikis = sorted(str(row[0]) for row in frame.select("wiki_id").distinct().limit(3).collect())
    if len(wikis) != 1:
        there = f"has pages of several wikis ({', '.join(wikis)} …)" if wikis else "has no row"
        raise InputError(f"the table {there}: choose one, as in frame.where(\"wiki_id = 'enwiki'\")")
    main = column.col(SLOTS)["main"]
    wanted = (column.col("page_namespace_id") == 0) & (main["content_model"] == "wikitext")
    if "revision_content_is_visible" in frame.columns:
        wanted &= column.col("revision_content_is_visible")
    title = column.translate("page_title", "_", " ")
    chosen = frame.where(wanted).select(title.alias("id"), title.alias("title"), main["content_body"].alias("text"))
    return chosen, wikis[0].removesuffix("wiki")


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
    columns = columns or Columns()
    frame = spark.table(frame) if isinstance(frame, str) else frame
    with spark_errors():
        if columns == Columns() and is_content_table(frame.columns):
            frame, wikitext = articles_of(frame)
    columns.check(frame.columns, "the table")
    if columns.id not in frame.columns:
        raise InputError(f"the table has no column '{columns.id}': rows have no order, so each document needs an id")
    names = site_names(wikitext) if wikitext is not None else None
    table = _Table(frame.select(*columns.names_in(frame.columns)), columns, keep_text, names)
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
    return write_corpus(
        table,
        path,
        tokenizer=this_tokenizer() if names is None else wiki_tokenizer(),
        fingerprint=fingerprint,
        overwrite=overwrite,
        work=_TableWork(spark, table),
    )


class _Table:
    """A table, cut into splits by its ids: the documents of the corpus are in the order of their ids."""

    def __init__(self, frame: Any, columns: Columns, keep_text: KeepText, names: SiteNames | None) -> None:
        from pyspark.sql import functions as column

        self.columns, self.keep_text, self.names = columns, keep_text, names
        self.frame = frame.withColumn(_ORDER, column.col(columns.id).cast("string"))
        with spark_errors():
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
        raise InputError("only Spark can read this table")

    def splits(self) -> Sequence[Any]:
        raise InputError("only Spark can read this table")

    def remarks(self) -> dict[str, int]:
        return {}

    def splits_done(self, done: int, total: int) -> None:
        """No-op: a table reports no progress."""


@dataclass(frozen=True)
class _TableWork(SparkWork):
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
