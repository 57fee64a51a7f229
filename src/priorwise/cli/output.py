"""Messages, tables, JSON and progress on the terminal. Text from documents is never run as a terminal's command."""

from __future__ import annotations

import codecs
import shlex
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

QUIET = "priorwise.quiet"
"""Set in a context if only errors are wanted."""

SPELLED = {"λ": "lambda", "−": "-", "–": "-", "…": "...", "×": "x", "›": ">"}


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


def quoted(*words: str) -> str:
    """Return a command of priorwise as a shell takes it, safe to print."""
    return safe(shlex.join(["priorwise", *words]))


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


def is_quiet() -> bool:
    """Whether the command was called with -q."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


def only_json(wanted: bool) -> None:
    """If JSON is wanted, print nothing else from here on."""
    if wanted:
        click.get_current_context().meta[QUIET] = True


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a message, unless only errors are wanted."""
    if not is_quiet():
        click.echo(text, err=err, nl=nl)


def show_json(content: Any) -> None:
    """Print a result for programs; numbers that JSON does not know are null."""
    import json

    click.echo(json.dumps(_plain(content), indent=2, ensure_ascii=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and (value != value or abs(value) == float("inf")) else value


def show_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, left: Sequence[int] = (0,), filled: bool = False
) -> None:
    """Print aligned columns; those in `left` to the left, the others to the right; with `filled`, no empty ones."""
    shown = [i for i in range(len(headings)) if not filled or any(row[i] for row in rows)]
    widths = {i: max(_width(headings[i]), *(_width(row[i]) for row in rows), 0) for i in shown}
    for row in [headings, *rows]:
        cells = []
        for i, width in widths.items():
            space = " " * (width - _width(row[i]))
            cells.append(row[i] + space if i in left else space + row[i])
        say("  " + "  ".join(cells).rstrip())


def _width(text: str) -> int:
    """How many columns a text takes: letters of Chinese, Japanese and Korean take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


@contextmanager
def progress_bar(description: str, *, total: float | None = None) -> Iterator[ProgressBar]:
    """A bar on standard error while it is a terminal, else nothing; yields an object with `update(…)`."""
    if not sys.stderr.isatty() or is_quiet():
        yield ProgressBar(None)
        return
    bar = click.progressbar(
        length=STEPS,
        label=safe(description, 40),
        file=sys.stderr,
        show_eta=total is not None,
        show_percent=True,
        item_show_func=lambda note: note,
    )
    try:
        with bar:
            yield ProgressBar(bar, total)
    finally:
        click.echo("\x1b[1A\x1b[2K", nl=False, err=True)


STEPS = 1000
"""How finely a bar is divided."""


class ProgressBar:
    """A bar that may have no terminal to be drawn on."""

    def __init__(self, bar: Any, total: float | None = None) -> None:
        self.bar, self.total, self.done = bar, total, 0.0

    def update(
        self,
        *,
        description: str | None = None,
        completed: float | None = None,
        advance: float = 0,
        total: float | None = None,
        note: str | None = None,
    ) -> None:
        """Set what is done, of how much, and what is said about it."""
        self.total = total or self.total
        self.done = self.done + advance if completed is None else completed
        if self.bar is None:
            return
        if description is not None:
            self.bar.label = safe(description, 40)
        reached = min(STEPS, int(STEPS * self.done / self.total)) if self.total else 0
        self.bar.make_step(reached - self.bar.pos)
        self.bar.current_item = self.bar.current_item if note is None else safe(note, 40)
        self.bar.render_progress()
