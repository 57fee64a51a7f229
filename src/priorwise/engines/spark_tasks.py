"""What the driver and Spark's tasks exchange: record batches, including our own errors."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from priorwise.errors import EngineFailed, PriorwiseError

ANSWERS = pa.schema({"number": pa.int32(), "answer": pa.binary()})

Batches = Iterable[pa.RecordBatch]
FAILURE = "priorwise_failure"
"""An extra column of every task's result: one of our errors, to be raised on the driver."""


@dataclass(frozen=True)
class Called:
    """A function as the work of tasks; its answers are pickled."""

    function: Callable[[Any], Any]

    def __call__(self, task: tuple[int, Any]) -> Iterator[pa.RecordBatch]:
        """Yield the answer for one item."""
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
            nothing = pa.nulls(batch.num_rows, pa.binary())
            yield pa.RecordBatch.from_arrays([*batch.cast(schema).columns, nothing], schema=whole)
    except PriorwiseError as error:
        columns = [pa.nulls(1, field.type) for field in schema]
        yield pa.RecordBatch.from_arrays([*columns, pa.array([_portable(error)], pa.binary())], schema=whole)


def _portable(error: PriorwiseError) -> bytes:
    """Return an error as bytes, because some cannot be rebuilt from their message."""
    return pickle.dumps((type(error), error.args, error.__dict__))


def made_again(content: bytes) -> PriorwiseError:
    """Return the error that a task sent."""
    kind, said, more = pickle.loads(content)
    error: PriorwiseError = kind.__new__(kind)
    error.args = said
    error.__dict__.update(more)
    return error


def _with_failure(schema: pa.Schema) -> pa.Schema:
    return schema.append(pa.field(FAILURE, pa.binary()))


@contextmanager
def said(what: str) -> Iterator[None]:
    """Turn the errors of Spark and of Java into ours."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = next((line for line in lines if "Error" in line or "Exception" in line), lines[0] if lines else "")
        raise EngineFailed(f"{what}: {reason}") from error
