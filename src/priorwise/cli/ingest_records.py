"""`priorwise ingest records` and `folder`: documents in common formats."""

from __future__ import annotations

from pathlib import Path

import click

from priorwise.cli import places
from priorwise.cli.ingest_options import Writing, ingest_reader, writes_corpus


@click.command()
@click.argument("files", nargs=-1, required=True, callback=places.files)
@click.option("--text", default="text", show_default=True, help="The column with the text.")
@click.option("--id", "id_", default="id", show_default=True, help="The column with the id; numbered if there is none.")
@click.option("--title", default="title", show_default=True, help="The column with the title; the id if there is none.")
@click.option("--labels", default="labels", show_default=True, help="The column with the labels.")
@click.option("--separator", help="What stands between labels that come as one string, such as ';'.")
@click.option("--delimiter", help="What stands between columns, if not what the file's name says.")
@writes_corpus
def records(
    writing: Writing,
    files: tuple[Path, ...],
    text: str,
    id_: str,
    title: str,
    labels: str,
    separator: str | None,
    delimiter: str | None,
) -> None:
    """Read JSONL, CSV, TSV, Parquet or Arrow FILES, plain or compressed (gzip, bz2, xz, zstd)."""
    from priorwise.readers.fields import Columns
    from priorwise.readers.records import RecordReader

    columns = Columns(text, id_, title, labels, separator)
    ingest_reader(lambda: RecordReader(files, columns, delimiter=delimiter), writing)


@click.command()
@click.argument("folder", callback=places.place)
@click.option(
    "--merge", is_flag=True, help="Files of the same name in several folders are one document with several labels."
)
@writes_corpus
def folder(writing: Writing, folder: Path | str, merge: bool) -> None:
    """Read FOLDER: one sub-folder per label, one file per document."""
    from priorwise.readers.folder import FolderReader

    if isinstance(folder, str):
        raise click.UsageError("A folder of files is read from the disk, not from an address; records are from either.")
    ingest_reader(lambda: FolderReader(folder, merge=merge), writing)
