"""The options that say how files of records are opened, and which columns make a document."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from priorwise.readers.formats import FORMATS

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
    click.option("--sheet", help="The sheet of a spreadsheet, by name or number. [default: the first with a table]"),
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
