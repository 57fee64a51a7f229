"""What every `priorwise ingest` shares: its options, and how it shows what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any, Literal

import click

from priorwise.cli.engine_options import chooses_engine, using
from priorwise.cli.places import allow_large, named, place
from priorwise.counting import counted

OUTPUT = click.option(
    "-o",
    "--output",
    "output",
    metavar="PATH",
    callback=place,
    required=True,
    help="The corpus folder to write; with --engine spark it may be an address, such as s3://bucket/x.corpus.",
)
OVERWRITE = click.option("--overwrite", is_flag=True, help="Replace the corpus if it is there already.")
WORKERS = click.option("--workers", type=click.IntRange(min=1), help="Threads that count tokens; all cores by default.")


def keep_text(default: str) -> Callable[[Any], Any]:
    """Return the option that says how much of each text to keep."""
    return click.option(
        "--keep-text",
        type=click.Choice(["lead", "whole", "none"]),
        default=default,
        show_default=True,
        help="How much of each text to keep for people to read: 1,500 bytes, 100,000, or nothing.",
    )


@dataclass(frozen=True, slots=True)
class Writing:
    """Where a corpus goes and how it is written, as the options of a command say."""

    output: Path | str
    overwrite: bool
    workers: int | None
    keep_text: Literal["lead", "whole", "none"]
    engine: str = "local"
    master: str | None = None


def writes_corpus(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of :class:`Writing`, and hand them over as its first argument."""

    @OUTPUT
    @OVERWRITE
    @WORKERS
    @keep_text("whole")
    @allow_large
    @chooses_engine
    @wraps(command)
    def with_options(**options: Any) -> None:
        own = {each.name: options.pop(each.name) for each in fields(Writing)}
        command(Writing(**own), **options)

    return with_options


def ingest_reader(
    reader: Callable[[], Any], writing: Writing, duplicates: Literal["error", "first", "last", "number"] = "error"
) -> None:
    """Read a reader's documents into a corpus, under a bar, and say what came of it."""
    from priorwise.corpus import ingest as run_ingest

    with using(writing.engine, writing.master) as spark:
        run_and_show(
            writing.output,
            lambda progress: run_ingest(
                reader(),
                writing.output,
                workers=writing.workers,
                overwrite=writing.overwrite,
                progress=progress,
                duplicates=duplicates,
                keep_text=writing.keep_text,
                work=None if spark is None else spark.work,
            ),
        )


def run_and_show(output: Path | str, run: Callable[[Any], Any]) -> None:
    """Run an ingest, given what to tell of its progress, under a bar, and say what it did."""
    from priorwise.cli.output import progress_bar, safe

    with progress_bar(f"Reading into {Path(named(output)).name}") as bar:

        def show(done: int, total: int, documents: int) -> None:
            bar.update(completed=done, total=total or None, note=counted(documents, "document") if documents else "")

        try:
            summary = run(show)
        except KeyboardInterrupt:
            click.echo("Stopped. Run the same command again to continue.", err=True)
            raise
    speed = summary.documents / summary.seconds if summary.seconds else 0.0
    if summary.discarded:
        click.echo("An unfinished corpus of other inputs was discarded.")
    if summary.resumed:
        click.echo(f"Went on after {counted(summary.resumed, 'document')} done already.")
    # How much a table of Spark's takes is not known.
    read = f", {summary.bytes / 1e6 / max(summary.seconds, 1e-9):,.1f} MB/s" if summary.bytes else ""
    click.echo(
        f"{named(output)}: {counted(summary.documents, 'document')} in {summary.seconds:.1f} s "
        f"({speed:,.0f} documents/s{read})"
    )
    click.echo(
        f"{counted(summary.vocabulary, 'distinct token')}, {summary.tokens:,} in all documents; "
        f"{counted(summary.labels, 'label')}, {counted(summary.memberships, 'membership')}"
    )
    for remark, count in summary.remarks.items():
        click.echo(f"{safe(remark)}: {count:,}")
