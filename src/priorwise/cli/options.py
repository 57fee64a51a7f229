"""What commands are made of: options with headings and old names, help with examples, and options many share."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from priorwise.cli.output import QUIET, progress_bar, say
from priorwise.readers.opening import FORMATS

PATH: Any = click.Path(path_type=Path)
COUNT = click.IntRange(min=1)
SEED = click.IntRange(min=0)


class Option(click.Option):
    """An option with a heading in the help, and the names it had before, which work for one more release."""

    def __init__(self, *names: Any, group: str = "", old: str = "", **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.group, self.old = group, old.split()

    def make_metavar(self, ctx: click.Context) -> str:
        """Write N for numbers, whatever their range."""
        return "N" if isinstance(self.type, click.IntRange | click.FloatRange) else super().make_metavar(ctx)

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Leave out ranges; a number outside is refused with them."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Also understand the old names."""
        shown = self.opts
        self.opts = [*shown, *self.old]
        try:
            super().add_to_parser(parser, ctx)
        finally:
            self.opts = shown


class Choice(click.Choice[str]):
    """A choice whose values had other names before; each is handed over as the library calls it."""

    def __init__(self, values: Sequence[str], old: Mapping[str, str] | None = None, **library: str) -> None:
        super().__init__(values)
        self.old, self.library = old or {}, library

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the library's name of a value."""
        found = super().convert(self.old.get(value, value), param, ctx)
        return self.library.get(found.replace("-", "_"), found)


def _be_quiet(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[QUIET] = True


class Command(click.Command):
    """A command whose help has examples and groups of options; each can be told to be quiet."""

    def __init__(self, *args: Any, examples: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.examples = [f"priorwise {line.strip()}" for line in examples.splitlines() if line.strip()]
        quiet = ("-q", "--quiet"), "Print only errors and the output of --json."
        self.params.append(Option(quiet[0], is_flag=True, expose_value=False, callback=_be_quiet, help=quiet[1]))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Say how an option is called now, if its old name is used."""
        given = {word.partition("=")[0] for word in args}
        renamed = [(old, each.opts[-1]) for each in self.params if isinstance(each, Option) for old in each.old]
        rest = super().parse_args(ctx, args)
        for old, new in renamed:
            if old in given and not ctx.resilient_parsing:
                say(f"Note: {old} is now called {new}. The old name works for one more release.", err=True)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run it, and spare the user .4 s: pyarrow tries once to import pandas, and ignores one that is too old."""
        if "pandas" not in sys.modules:
            old = sys.modules["pandas"] = ModuleType("pandas")
            old.__version__ = "0"  # type: ignore[attr-defined]
            with warnings.catch_warnings(action="ignore"):
                import_module("pyarrow").scalar(0)
            del sys.modules["pandas"]
        return super().invoke(ctx)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        _write_examples(self.examples, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list for each heading."""
        groups: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                general = {"--quiet", "--help"} & set(param.opts)
                heading = "General" if general else getattr(param, "group", "") or "Options"
                groups.setdefault(heading, []).append(record)
        groups["General"] = groups.pop("General")
        for heading, records in groups.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def _write_examples(lines: Sequence[str], formatter: click.HelpFormatter) -> None:
    if lines:
        with formatter.section("Examples" if len(lines) > 1 else "Example"):
            for line in lines:
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")


class Group(click.Group):
    """Several commands under one name. With `default`, that one is meant where none is named."""

    command_class = Command

    def __init__(
        self, *args: Any, default: str | None = None, old: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self.default, self.old = default, old or {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default command first, or the command that an old option has become."""
        asks_help = [word for word in args if word in ctx.help_option_names]
        if self.default and args and args[0] not in self.commands and args != asks_help:
            named = {word.partition("=")[0]: word for word in args}
            earlier = next((flag for flag in self.old if flag in named), None)
            if earlier is None:
                return super().parse_args(ctx, [self.default, *args])
            # A command that was an option before: its value becomes an argument.
            value = named[earlier].partition("=")[2]
            rest = [value if word == named[earlier] else word for word in args]
            args = [self.old[earlier], *(word for word in rest if word)]
        return super().parse_args(ctx, args)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        commands = [each for each in self.commands.values() if isinstance(each, Command) and each.examples]
        _write_examples([each.examples[0] for each in commands[:4]], formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the options of the default command, too."""
        if self.default:
            self.commands[self.default].format_options(ctx, formatter)
            self.format_commands(ctx, formatter)
        else:
            super().format_options(ctx, formatter)


option = partial(click.option, cls=Option)
command = partial(click.command, cls=Command)

OVERWRITE = option("--overwrite", is_flag=True, help="Replace the output if it exists.")
JSON = option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")


def place(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Path | str | None:
    """Return a path, or the address of a folder elsewhere as it is: a path would lose one of its slashes."""
    return value if value is None or "://" in value else Path(value)


CORPUS = click.argument("corpus", callback=place)
MOVED_CORPUS = option("--corpus", callback=place, help="Where the corpus is now, if it was moved.")


def given_files(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the files that are meant; what a shell does not expand, because it is an address, is expanded here."""
    if not any("://" in value for value in values):
        return tuple(map(Path, values))
    from priorwise.readers.addresses import found_files

    return tuple(found_files(values))


def _lift_limits(_ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        from priorwise.readers.opening import ALLOW_LARGE as VARIABLE

        # In the environment, so that other processes of this job see it too.
        os.environ[VARIABLE] = "1"


ALLOW_LARGE = option(
    "--allow-large",
    is_flag=True,
    expose_value=False,
    callback=_lift_limits,
    group="Opening files",
    help="Read files that expand to more than 200 times their size. Only if you trust them.",
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
    """Return where the runs of a corpus are kept by default: next to it, or here if it lies elsewhere.

    Examples
    --------
    >>> str(runs_beside(Path("data/x.corpus"))), str(runs_beside("s3://bucket/x.corpus"))
    ('data/x.runs', 'x.runs')
    """
    if isinstance(corpus, Path):
        # "." and ".." are names of no folder, and have no ending.
        return (corpus if corpus.name not in ("", "..") else corpus.resolve()).with_suffix(".runs")
    return Path(corpus.partition("?")[0].rstrip("/").rpartition("/")[2]).with_suffix(".runs")


MASTER = option(
    "--master",
    group="Where to compute",
    help="The cluster of --engine spark, such as spark://host:7077 or yarn. [default: as Spark is set up]",
)


def chooses_engine(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options `engine` and `master`."""
    engine = option(
        "--engine",
        type=click.Choice(["local", "spark"]),
        default="local",
        group="Where to compute",
        help="Compute on this machine, or on Apache Spark. The result is the same.",
    )
    return engine(MASTER(function))


@contextmanager
def using(engine: str, master: str | None) -> Iterator[Any]:
    """Yield Spark, stopped in the end, or None for this machine."""
    if engine == "local":
        if master is not None:
            raise click.UsageError("--master is the address of a Spark cluster. It needs --engine spark.")
        yield None
        return
    from priorwise.engines.spark import Spark

    spark = Spark.start(master)
    try:
        yield spark
    finally:
        spark.stop()


_column = partial(option, group="Columns")
_opening = partial(option, group="Opening files")
_COLUMNS = [
    _column("--text", multiple=True, default=("text",), help="The column with the text. Repeat it for more than one."),
    _column("--id", "id", default="id", help="The column with the id. Rows are numbered if there is none."),
    _column("--title", default="title", help="The column with the title. The id if there is none."),
    _column("--no-title-words", is_flag=True, help="Do not count the words of the title as text."),
]
_LABELS = [
    _column("--labels", "labels_column", old="--label-column", default="labels", help="The column with the labels."),
    _column(
        "--separator", help="Separates labels in a cell, such as ';'. 'none' if a cell is one label. [default: guessed]"
    ),
]
_OPENING = [
    _opening(
        "--read-as", "format", type=click.Choice(list(FORMATS)), help="The kind of file, if its name does not show it."
    ),
    _opening("--delimiter", help=r"Separates columns in CSV files, such as ';' or '\t'. [default: recognised]"),
    _opening("--encoding", help="How text files are encoded, such as windows-1252. [default: recognised]"),
    _opening("--quote", help="The character around cells in CSV files, or 'none'. [default: recognised]"),
    _opening("--sheet", help="The sheet of a spreadsheet, by name or number. [default: the first with the columns]"),
    _opening("--query", metavar="SQL", help="The query for a SQLite or DuckDB database."),
]


def reads_records(*, labels: bool = True, opens: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command these options, and hand them over as `columns` and, if it opens files, `opening`."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def with_records(**options: Any) -> None:
            from priorwise.readers.fields import Columns
            from priorwise.readers.opening import Opening

            columns = {name: options.pop(name) for name in ("text", "id", "title")}
            columns["title_words"] = not options.pop("no_title_words")
            if labels:
                columns["labels"] = options.pop("labels_column")
                separator = options.pop("separator")
                columns["separator"] = "" if separator == "none" else separator
            if opens:
                names = ("format", "delimiter", "encoding", "quote", "sheet", "query")
                join = not options.pop("no_join", False)
                options["opening"] = Opening(**{name: options.pop(name) for name in names}, join=join)
            keep = not options.pop("drop_columns", False)
            function(columns=Columns(**columns, keep=keep), **options)

        decorated = with_records
        for each in reversed([*_COLUMNS, *(_LABELS if labels else []), *(_OPENING if opens else [])]):
            decorated = each(decorated)
        return decorated

    return decorate


_server = partial(option, group="The page")


def serves(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a server, and hand them over as ``serve``: call it with the pages to serve."""

    @_server("--port", type=click.IntRange(0, 65535), help="The port. 0 means any free one. [default: 8421, if free]")
    @_server("--host", default="127.0.0.1", help="The address to listen on. If others can reach it, they need a token.")
    @_server("--token", envvar="PRIORWISE_TOKEN", help="The token that readers need. [default: generated, if needed]")
    @_server("--browser/--no-browser", default=True, help="Open the page in the browser.")
    @wraps(function)
    def with_options(port: int | None, host: str, token: str | None, browser: bool, **others: Any) -> None:
        def serve(pages: Sequence[Any], start: str = "/", **others: Any) -> None:
            from priorwise.web.serving import Place
            from priorwise.web.serving import serve as run_server

            run_server(pages, Place(host, port, token), start=start, browser=browser, say=click.echo, **others)

        function(serve=serve, **others)

    return with_options
