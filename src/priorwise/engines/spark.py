"""Apache Spark as an engine: tasks in, record batches out. Only this package imports Spark."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus import Corpus, IngestSummary
from priorwise.corpus.texts import KeepText
from priorwise.engines.engine import Answer, Item, Masks
from priorwise.engines.java import use_java
from priorwise.engines.masters import check_master
from priorwise.engines.passes import Progress
from priorwise.engines.spark_tasks import ANSWERS, FAILURE, Batches, Called, answered, made_again, map_in_arrow, said
from priorwise.errors import MissingExtra
from priorwise.ranking.scorer import Scorer, Top

if TYPE_CHECKING:
    from priorwise.corpus.build.writing import Work
    from priorwise.engines.spark_progress import TasksDone


@dataclass(frozen=True)
class Spark:
    """Spark as an engine.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
        :meth:`start` makes one. On a cluster, every executor needs this priorwise and must reach the files.

    Examples
    --------
    Any table becomes a corpus, and a category is ranked, both on Spark; without Spark they would be the same.

    >>> spark = Spark.start("local[2]")  # doctest: +SKIP
    >>> rows = [(str(n), "goal match" if n % 3 else "law court", "sport" if n in (1, 2, 4) else "") for n in range(30)]
    >>> frame = spark.session.createDataFrame(rows, "id string, text string, labels string")  # doctest: +SKIP
    >>> spark.ingest(frame, "news.corpus", separator=";").documents  # doctest: +SKIP
    30
    >>> run = discover(Corpus.open("news.corpus"), "sport", model="presence", engine=spark)  # doctest: +SKIP
    >>> run.ranking.ids[:3]  # doctest: +SKIP
    ['10', '11', '13']
    >>> spark.stop()  # doctest: +SKIP
    """

    session: Any

    @classmethod
    def start(cls, master: str | None = None, **options: str) -> Spark:
        """Take the session that is active, or start one.

        Parameters
        ----------
        master : str, optional
            Such as ``local[4]``, ``spark://host:7077``, ``yarn`` or ``k8s://…``. By default what Spark is set up for,
            which is all cores of this machine if nothing is.
        options : str
            Spark's own settings, such as ``**{"spark.executor.memory": "8g"}``.
        """
        session_type = _session_type()
        active = session_type.getActiveSession()
        if active is not None and master is None:
            return cls(active)
        if master is not None:
            check_master(master)
        # Python's own executable, or a task would be run by whatever `python3` is.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        use_java()
        builder = session_type.builder.appName("priorwise").config("spark.ui.showConsoleProgress", "false")
        if master is not None:
            builder = builder.master(master)
        for name, value in options.items():
            builder = builder.config(name, value)
        with said(f"Spark could not be started{'' if master is None else f' with the master {master}'}"):
            session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        return cls(session)

    def stop(self) -> None:
        """Stop the session."""
        self.session.stop()

    @cached_property
    def work(self) -> Work:
        """What ``ingest(…, work=)`` takes."""
        from priorwise.engines.spark_ingest import SparkWork

        return SparkWork(self)

    @property
    def parallelism(self) -> int:
        """How many tasks can run at once, as far as Spark knows."""
        return int(self.session.sparkContext.defaultParallelism)

    def said(self) -> AbstractContextManager[None]:
        """Turn the errors of Spark and of Java into ours."""
        return said("Spark broke off")

    def table(self, name: str, where: str | None = None) -> Any:
        """Return a table that the session knows, or those of its rows for which a condition holds."""
        with said(f"Spark cannot read the table {name}"):
            frame = self.session.table(name)
            return frame if where is None else frame.where(where)

    def ingest(
        self,
        frame: Any,
        path: str | Path,
        *,
        text: str | Sequence[str] = "text",
        id: str = "id",
        title: str = "title",
        labels: str = "labels",
        separator: str | None = None,
        title_words: bool = True,
        wikitext: bool = False,
        language: str = "en",
        keep_text: KeepText = "whole",
        overwrite: bool = False,
    ) -> IngestSummary:
        """Read any table into a corpus folder; its documents stand in the order of their ids.

        Parameters
        ----------
        frame : pyspark.sql.DataFrame or str
            From Parquet, Iceberg, a query, anything; or the name of a table that the session knows. One of Wikimedia's
            tables of content, ``mediawiki_content_current``, is taken as it is: the articles of one wiki.
        path : str or Path
            The corpus folder to make, where driver and executors can write: a path that all share, or an address.
        text, id, title, labels : str
            The columns; ``labels`` may be an array. There must be an id, and no two rows with the same.
        separator : str, optional
            What separates labels that come as one string; without one, each string is one label.
        title_words : bool, default True
            Count the words of the title as words of the document; never for wikitext, which begins with them.
        wikitext : bool
            The texts are wikitext: markup is taken out, the categories they name are labels, and redirects and
            disambiguation pages are left out. Choose the articles' namespace yourself, by ``frame.where(…)``.
        language : str
            The wiki's language, which says what it calls its categories.
        keep_text, overwrite
            As in :func:`~priorwise.ingest`.
        """
        from priorwise.engines.spark_frames import ingest_frame
        from priorwise.readers.fields import Columns

        columns = Columns(text, id, title, labels, separator, title_words)
        return ingest_frame(
            self,
            frame,
            path,
            columns=columns,
            wikitext=language if wikitext else None,
            keep_text=keep_text,
            overwrite=overwrite,
        )

    def call(self, function: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer]:
        """Call a function with each item; the function, the items and the answers go between processes."""
        table = self.run(list(enumerate(items)), Called(function), ANSWERS)
        answers = dict(zip(table["number"].to_pylist(), table["answer"].to_pylist(), strict=True))
        return [pickle.loads(answers[number]) for number in range(len(items))]

    def rank_corpus(
        self,
        corpus: Corpus,
        scorers: Sequence[Scorer],
        *,
        top: int,
        skip: Masks = None,
        progress: Progress | None = None,
    ) -> list[Top]:
        """Rank every document under each scorer, as ``rank_corpus`` of the local engine does."""
        from priorwise.engines.spark_ranking import rank_on_spark

        return rank_on_spark(self, corpus, scorers, top=top, skip=skip, progress=progress)

    def score_corpus(self, corpus: Corpus, scorer: Scorer) -> NDArray[np.float64]:
        """Score every document."""
        from priorwise.engines.spark_ranking import score_on_spark

        return score_on_spark(self, corpus, scorer)

    def map(self, tasks: Sequence[Any], work: Callable[[Any], Batches], schema: pa.Schema) -> Any:
        """Return a data frame of what each task gives, one partition for each.

        `work` is a function of a module, or a picklable object; what all tasks share is best made a part of it, for it
        is broadcast. An error of ours in a task is not tried again there: :meth:`collect` raises it here.
        """
        # A process that runs several tasks unpacks this once.
        shared = self.session.sparkContext.broadcast((work, list(tasks)))

        def run(batches: Batches) -> Iterator[pa.RecordBatch]:
            own_work, own_tasks = shared.value
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    yield from answered(lambda n=number: own_work(own_tasks[n]), schema)  # type: ignore[misc]

        return map_in_arrow(self.session.range(0, len(tasks), 1, max(1, len(tasks))), run, schema)

    def collect(self, frame: Any) -> pa.Table:
        """Return the results of tasks in any order; raise the error of a failed one."""
        with self.said():
            table = frame.toArrow()
        failed = table.column(FAILURE).drop_null()
        if len(failed):
            raise made_again(failed[0].as_py())
        return table.drop_columns([FAILURE])

    def run(
        self,
        tasks: Sequence[Any],
        work: Callable[[Any], Batches],
        schema: pa.Schema,
        progress: TasksDone | None = None,
    ) -> pa.Table:
        """Run tasks, report how many are done, and return their results in any order."""
        if not tasks:
            return schema.empty_table()
        from priorwise.engines.spark_progress import watched

        with watched(self.session.sparkContext, len(tasks), progress):
            return self.collect(self.map(tasks, work, schema))


def _session_type() -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingExtra("pyspark", "spark") from error
    return SparkSession
