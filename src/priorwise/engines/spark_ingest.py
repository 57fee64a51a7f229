"""Make the shards of a corpus on Spark, and merge their tokens there: the functions are those of the local engine."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from priorwise.corpus.build.merge import CountedNames, TokenWork, added_up, largest_count, merge_names, renumbered
from priorwise.corpus.build.shards import AnyShard, StoredShard
from priorwise.corpus.build.writing import Reading, ShardSource, Split, Unfinished
from priorwise.corpus.storage.places import Store, batches_of
from priorwise.engines.spark import Spark
from priorwise.engines.spark_tasks import FAILURE
from priorwise.readers.document import added_remarks

SHARDS_PER_TASK = 16
"""Shards whose vocabularies a task merges before Spark counts: so many times less goes over the network."""

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
        """Return what counts and renumbers the tokens of all shards."""
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
    """Tokens counted by an aggregation and renumbered by tasks, as a `TokenWork` does."""

    def __init__(self, spark: Spark, shards: Sequence[AnyShard], store: Store) -> None:
        self._spark, self._store = spark, store
        stored = [shard.stored for shard in shards]
        numbered = list(enumerate(stored))
        self._groups = [numbered[i : i + SHARDS_PER_TASK] for i in range(0, len(numbered), SHARDS_PER_TASK)]
        self._names: pa.ChunkedArray | None = None

    @cached_property
    def _sizes(self) -> pa.Table:
        return self._spark.run(self._groups, measured, _SIZES)

    @property
    def largest(self) -> int:
        """The largest count."""
        return int(pc.max(self._sizes["largest"]).as_py() or 0)

    @property
    def entries(self) -> int:
        """How many counts there are."""
        return int(pc.sum(self._sizes["entries"]).as_py() or 0)

    def count(self) -> CountedNames:
        """Count the tokens of all shards."""
        from pyspark.sql import functions as spark

        each = self._spark.map(self._groups, counted, _COUNTED)
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
        """Yield the documents of each shard."""
        assert self._names is not None
        # Where tasks look up the tokens: one file that each process maps, or reads once.
        with self._store.write("ids.arrow") as file:
            table = pa.table({"token": self._names, "id": pa.array(token_id)})
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
        self._spark.run(self._groups, partial(renumber_group, self._store, schema), _WRITTEN)
        numbers = [number for group in self._groups for number, shard in group if shard.tokens.num_rows]
        return batches_of(self._store, [_final(number) for number in numbers])


Group = Sequence[tuple[int, AnyShard]]


def counted(group: Group) -> Iterator[pa.RecordBatch]:
    """Merge the vocabularies of some shards."""
    vocabularies = [shard.vocabulary for _, shard in group]
    merged = merge_names([vocabulary.column("token") for vocabulary in vocabularies])
    total = added_up(vocabularies, merged)
    columns = [total.names, total.frequency.astype(np.int64), total.occurrences.astype(np.int64)]
    yield from pa.table(columns, schema=_COUNTED).to_batches(max_chunksize=1 << 16)


def measured(group: Group) -> Iterator[pa.RecordBatch]:
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
    """Return the ids of names that stand in the order of bytes, as the whole vocabulary does."""
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
