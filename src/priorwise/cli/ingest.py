"""`priorwise ingest`: documents in, a corpus out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import click

OUTPUT = click.option(
    "-o", "--output", "output", type=click.Path(path_type=Path), required=True, help="The corpus folder to write."
)
OVERWRITE = click.option("--overwrite", is_flag=True, help="Replace the corpus if it is there already.")
WORKERS = click.option("--workers", type=click.IntRange(min=1), help="Threads that count tokens; all cores by default.")


@click.group()
def ingest() -> None:
    """Read documents into a corpus.

    A killed or interrupted command goes on where it was when it is given again.
    """


@ingest.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--text", default="text", show_default=True, help="The column with the text.")
@click.option("--id", "id_", default="id", show_default=True, help="The column with the id; numbered if there is none.")
@click.option("--title", default="title", show_default=True, help="The column with the title; the id if there is none.")
@click.option("--labels", default="labels", show_default=True, help="The column with the labels.")
@click.option("--separator", help="What stands between labels that come as one string, such as ';'.")
@click.option("--delimiter", help="What stands between columns, if not what the file's name says.")
@OUTPUT
@OVERWRITE
@WORKERS
def records(
    files: tuple[Path, ...],
    text: str,
    id_: str,
    title: str,
    labels: str,
    separator: str | None,
    delimiter: str | None,
    output: Path,
    overwrite: bool,
    workers: int | None,
) -> None:
    """Read JSONL, CSV, TSV, Parquet or Arrow FILES, plain or compressed (gzip, bz2, xz, zstd)."""
    from priorwise.readers.fields import Columns
    from priorwise.readers.records import RecordReader

    columns = Columns(text, id_, title, labels, separator)
    _ingest(lambda: RecordReader(files, columns, delimiter=delimiter), output, overwrite, workers)


@ingest.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--merge", is_flag=True, help="Files of the same name in several folders are one document with several labels."
)
@OUTPUT
@OVERWRITE
@WORKERS
def folder(folder: Path, merge: bool, output: Path, overwrite: bool, workers: int | None) -> None:
    """Read FOLDER: one sub-folder per label, one file per document."""
    from priorwise.readers.folder import FolderReader

    _ingest(lambda: FolderReader(folder, merge=merge), output, overwrite, workers)


def _ingest(
    reader: Callable[[], Any],
    output: Path,
    overwrite: bool,
    workers: int | None,
    duplicates: Literal["refuse", "first"] = "refuse",
) -> None:
    from priorwise.corpus import ingest as run_ingest

    run_and_show(
        output,
        lambda progress: run_ingest(
            reader(), output, workers=workers, overwrite=overwrite, progress=progress, duplicates=duplicates
        ),
    )


def run_and_show(output: Path, run: Callable[[Any], Any]) -> None:
    """Run an ingest, given what to tell of its progress, under a bar, and say what it did."""
    from priorwise.cli.output import counted, progress_bar, safe

    with progress_bar(f"Reading into {output.name}") as bar:

        def show(done: int, total: int, documents: int) -> None:
            bar.update(completed=done, total=total or None, note=f"{documents:,} documents")

        try:
            summary = run(show)
        except KeyboardInterrupt:
            click.echo("Stopped. The same command again goes on from here.", err=True)
            raise
    speed = summary.documents / summary.seconds if summary.seconds else 0.0
    if summary.discarded:
        click.echo("An unfinished corpus of other inputs was discarded.")
    if summary.resumed:
        click.echo(f"Went on after {counted(summary.resumed, 'document')} done already.")
    click.echo(
        f"{output}: {counted(summary.documents, 'document')} in {summary.seconds:.1f} s "
        f"({speed:,.0f} documents/s, {summary.bytes / 1e6 / max(summary.seconds, 1e-9):,.1f} MB/s)"
    )
    click.echo(
        f"{counted(summary.vocabulary, 'distinct token')}, {summary.tokens:,} in all documents; "
        f"{counted(summary.labels, 'label')}, {counted(summary.memberships, 'membership')}"
    )
    for remark, count in summary.remarks.items():
        click.echo(f"{count:,} {safe(remark)}")
