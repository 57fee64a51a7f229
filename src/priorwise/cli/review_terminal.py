"""Judge in the terminal: a line for each verdict, also from a pipe."""

from __future__ import annotations

import sys
from typing import Any

import click

from priorwise.counting import counted, rounded

WORDS = {"y": "yes", "n": "no", "u": "unsure", "s": "skip"}
HELP = "y yes   n no   u unsure   s skip   z undo   w why   t whole text   q quit   (a note may follow: n too general)"
SHOWN = 600
"""How many characters of a text are shown at once."""


def judge_in_terminal(session: Any, reviewer: str) -> None:
    """Ask about one document after the other until there is none, or no more input."""
    from priorwise.cli.output import safe

    click.echo(HELP)
    document: Any = None
    while True:
        if document is None:
            found = session.next(1, reviewer=reviewer)
            if not found:
                click.echo("\nEvery document is judged.")
                break
            document = found[0]
            _show(session, document, SHOWN)
        click.echo("> ", nl=False)
        line = sys.stdin.readline()
        key, _, note = line.strip().partition(" ")
        if not line or key in ("q", "quit"):
            click.echo()
            break
        word = WORDS.get(key.lower(), key.lower())
        if word in WORDS.values():
            session.judge(document.id, word, reviewer=reviewer, note=note.strip() or None)
            click.echo(in_short(session))
            document = None
        elif word in ("z", "undo"):
            back = session.undo(reviewer)
            click.echo("Nothing to undo." if back is None else f"Undone: {safe(back)}")
            document = document if back is None else None
        elif word in ("w", "why"):
            from priorwise.cli.explain import print_explanation

            print_explanation(session.explain(document.id), 10)
        elif word in ("t", "text"):
            _show(session, document, None)
        else:
            click.echo(HELP)
    click.echo(f"{in_short(session)}\n{session.stop.reason}")


def in_short(session: Any) -> str:
    """How many were judged and found, and how many are estimated to be missing."""
    progress, missing = session.progress, session.missing
    return (
        f"{progress.judged:,} judged, {progress.found:,} found. Estimated missing: {rounded(missing.expected)} "
        f"(80% interval {rounded(missing.low)} to {rounded(missing.high)})."
    )


def _show(session: Any, document: Any, longest: int | None) -> None:
    from priorwise.cli.output import safe

    row = session.corpus.row(document.id)
    text = session.corpus.text(row) or ""
    where = "drawn at random" if document.chosen == "random" else f"rank {document.rank:,}"
    chance = "" if document.probability is None else f", probability {document.probability:.2f}"
    click.echo(f"\n{safe(document.title, 200)} ({safe(document.id)}; {where}{chance})")
    if address := session.corpus.address(row):
        click.echo(safe(address))
    if text:
        short = text if longest is None else text[:longest]
        more = f" … ({counted(len(text) - len(short), 'more character')})" if len(short) < len(text) else ""
        click.echo(safe(" ".join(short.split())) + more)
