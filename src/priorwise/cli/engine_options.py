"""`--engine` and `--master`: where a command does its work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click


def chooses_engine(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options `engine` and `master`."""
    engine = click.option(
        "--engine",
        type=click.Choice(["local", "spark"]),
        default="local",
        show_default=True,
        help="Work on this machine, or on Apache Spark; the result is the same.",
    )
    master = click.option(
        "--master",
        help="The cluster of --engine spark, such as spark://host:7077 or yarn. [default: as Spark is set up]",
    )
    return engine(master(command))


@contextmanager
def using(engine: str, master: str | None) -> Iterator[Any]:
    """Yield Spark, stopped in the end, or None for this machine."""
    if engine == "local":
        if master is not None:
            raise click.UsageError("--master is the address of a Spark cluster; it needs --engine spark.")
        yield None
        return
    from priorwise.engines.spark import Spark

    load_pandas()
    spark = Spark.start(master)
    try:
        yield spark
    finally:
        spark.stop()


def load_pandas() -> None:
    """Load pandas, which commands are spared otherwise, because Spark or ASReview asks for it."""
    hiding = [finder for finder in sys.meta_path if getattr(finder, "package", None) == "pandas"]
    for finder in hiding:
        sys.meta_path.remove(finder)
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        from priorwise.errors import MissingExtra

        raise MissingExtra("pandas", "spark") from error
    finally:
        sys.meta_path[:0] = hiding
