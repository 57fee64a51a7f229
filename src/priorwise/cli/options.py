"""Options and arguments that several commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click

from priorwise.cli.output import progress_bar
from priorwise.errors import MissingExtra
from priorwise.readers.formats import FORMATS


def place(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Path | str | None:
    """Return a path, or the address of a folder elsewhere as it is: a path would lose one of its slashes."""
    return value if value is None or "://" in value else Path(value)


def given_files(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the files that are meant; what a shell does not expand, because it is an address, is expanded here."""
    if not any("://" in value for value in values):
        return tuple(map(Path, values))
    from priorwise.readers.remote_file import found_files

    return tuple(found_files(values))


def _lift_limits(_ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        from priorwise.readers.guarded import ALLOW_LARGE as VARIABLE

        # In the environment, so that other processes of this job see it too.
        os.environ[VARIABLE] = "1"


ALLOW_LARGE = click.option(
    "--allow-large",
    is_flag=True,
    expose_value=False,
    callback=_lift_limits,
    help="Read files that expand to more than 200 times their size; only if you trust them.",
)


def named(path: Path | str) -> str:
    """Return a path or an address as it may be shown: without keys and options.

    Examples
    --------
    >>> named("s3://key:secret@bucket/x.corpus?region=eu-west-1"), named(Path("x.corpus"))
    ('s3://bucket/x.corpus', 'x.corpus')
    """
    from priorwise.readers.addresses import shown

    return shown(str(path))


def open_corpus(path: Path | str) -> Any:
    """Open a corpus; one that lies elsewhere is copied here first, under a bar, unless it was before."""
    from priorwise.corpus import Corpus

    corpus = Corpus.open(path)
    if corpus.path is None:
        with progress_bar(f"Fetching {corpus.store}") as bar:
            corpus.fetch(lambda done, total: bar.update(completed=done, total=total or None))
    return corpus


def runs_beside(corpus: Path | str) -> Path:
    """Return where the runs of a corpus are kept if nothing is said: beside it, or here if it lies elsewhere.

    Examples
    --------
    >>> str(runs_beside(Path("data/x.corpus"))), str(runs_beside("s3://bucket/x.corpus"))
    ('data/x.runs', 'x.runs')
    """
    if isinstance(corpus, Path):
        # "." and ".." are names of no folder, and have no ending.
        return (corpus if corpus.name not in ("", "..") else corpus.resolve()).with_suffix(".runs")
    return Path(corpus.partition("?")[0].rstrip("/").rpartition("/")[2]).with_suffix(".runs")


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
        raise MissingExtra("pandas", "spark") from error
    finally:
        sys.meta_path[:0] = hiding


_OPENING = [
    click.option(
        "--read-as",
        "format",
        type=click.Choice(list(FORMATS)),
        help="What the files hold, if their names do not say it or say it wrong.",
    ),
    click.option(
        "--delimiter", help=r"What separates columns in CSV files, such as ';' or '\t'. [default: recognised]"
    ),
    click.option("--encoding", help="How text files are encoded, such as windows-1252. [default: recognised]"),
    click.option("--quote", help="The character around cells in CSV files, or 'none'. [default: recognised]"),
    click.option(
        "--sheet", help="The sheet of a spreadsheet, by name or number. [default: the first with the columns]"
    ),
    click.option("--query", metavar="SQL", help="The query for a SQLite or DuckDB database."),
]
_COLUMNS = [
    click.option(
        "--text",
        "text",
        multiple=True,
        default=("text",),
        show_default="text",
        help="The column with the text; may be given again for more than one.",
    ),
    click.option(
        "--id",
        "id",
        default="id",
        show_default=True,
        help="The column with the id; rows are numbered if there is none.",
    ),
    click.option(
        "--title", default="title", show_default=True, help="The column with the title; the id if there is none."
    ),
    click.option("--no-title-words", is_flag=True, help="Do not count the words of the title as text."),
]


def _label_options(flag: str) -> list[Any]:
    return [
        click.option(flag, "labels_column", default="labels", show_default=True, help="The column with the labels."),
        click.option(
            "--separator",
            help="What separates labels in one cell, such as ';'; 'none' if each cell is one label. [default: guessed]",
        ),
    ]


def reads_records(
    *, labels: str | None = "--labels", opens: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command these options, and hand them over as `columns` and, if it opens files, `opening`.

    `labels` is what the option for the column of labels is called; without one, labels are not read.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def with_records(**options: Any) -> None:
            from priorwise.readers.fields import Columns
            from priorwise.readers.opening import Opening

            columns = {name: options.pop(name) for name in ("text", "id", "title")}
            columns["title_words"] = not options.pop("no_title_words")
            if labels is not None:
                columns["labels"] = options.pop("labels_column")
                separator = options.pop("separator")
                columns["separator"] = "" if separator == "none" else separator
            if opens:
                names = ("format", "delimiter", "encoding", "quote", "sheet", "query")
                join = not options.pop("no_join", False)
                options["opening"] = Opening(**{name: options.pop(name) for name in names}, join=join)
            keep = not options.pop("drop_columns", False)
            command(columns=Columns(**columns, keep=keep), **options)

        decorated = with_records
        for option in reversed([*_COLUMNS, *(_label_options(labels) if labels else []), *(_OPENING if opens else [])]):
            decorated = option(decorated)
        return decorated

    return decorate


def serves(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a server, and hand them over as ``serve``: call it with the pages to serve."""

    @click.option(
        "--port", type=click.IntRange(0, 65535), help="The port; 0 means any free one. [default: 8421, if free]"
    )
    @click.option(
        "--host",
        default="127.0.0.1",
        show_default=True,
        help="The address to listen on; one that other machines can reach asks for a token.",
    )
    @click.option(
        "--token", envvar="PRIORWISE_TOKEN", help="The token that readers need. [default: generated, if needed]"
    )
    @click.option("--browser/--no-browser", default=True, help="Open the page in the browser.")
    @wraps(command)
    def with_options(port: int | None, host: str, token: str | None, browser: bool, **others: Any) -> None:
        def serve(pages: Sequence[Any], start: str = "/", **others: Any) -> None:
            from priorwise.web.serving import Place
            from priorwise.web.serving import serve as run_server

            run_server(pages, Place(host, port, token), start=start, browser=browser, say=click.echo, **others)

        command(serve=serve, **others)

    return with_options
