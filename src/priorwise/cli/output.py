"""Tables and progress on the terminal. Text from documents is shown as text, never as commands to the terminal."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click


def safe(text: str, width: int | None = None) -> str:
    r"""Make a text from a document safe to print on one line.

    Examples
    --------
    >>> safe("red\x1b[31m alert")
    'red�[31m alert'
    >>> safe("two\nlines")
    'two lines'
    >>> safe("a long title", 7)
    'a long…'
    """
    shown = "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in text)
    return shown if width is None or len(shown) <= width else shown[: width - 1] + "…"


SPELLED = {"λ": "lambda", "−": "-", "–": "-", "…": "...", "×": "x", "›": ">"}


def spell_out(*streams: Any) -> None:
    """Let streams print what their encoding lacks: our own signs in other words, other people's as question marks."""
    codecs.register_error("priorwise", _spelled)
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="priorwise")


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(SPELLED.get(c, "?") for c in error.object[error.start : error.end]), error.end


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, left: Sequence[int] = (0,)) -> None:
    """Print aligned columns; those in `left` to the left, the others to the right."""
    widths = [max(len(heading), *(len(row[i]) for row in rows), 0) for i, heading in enumerate(headings)]
    for row in [headings, *rows]:
        cells = [
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  " + "  ".join(cells).rstrip())


@contextmanager
def progress_bar(description: str, *, total: float | None = None) -> Iterator[Any]:
    """A bar on standard error while it is a terminal, else nothing; yields an object with `update(…)`."""
    if not sys.stderr.isatty():
        yield _Silent()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = [
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[note]}", markup=False),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Bar(bars, bars.add_task(safe(description), total=total, note=""))


class _Silent:
    def update(self, **changes: Any) -> None:
        """Show nothing."""


class _Bar:
    def __init__(self, bars: Any, task: Any) -> None:
        self.bars = bars
        self.task = task

    def update(self, **changes: Any) -> None:
        """Set description, completed, total or note."""
        if "description" in changes:
            changes["description"] = safe(changes["description"])
        self.bars.update(self.task, **changes)
