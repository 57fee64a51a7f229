"""`priorwise ingest records` and `folder`: documents in common formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from priorwise.cli import places
from priorwise.cli.ingest_options import Writing, ingest_reader, writes_corpus
from priorwise.cli.record_options import reads_records


@click.command()
@click.argument("files", nargs=-1, required=True, callback=places.files)
@reads_records()
@click.option(
    "--duplicate-ids",
    type=click.Choice(["number", "first", "last", "error"]),
    default="number",
    show_default=True,
    help="What to do with rows that share an id: number the later ones, keep the first or the last, or refuse them.",
)
@click.option("--drop-columns", is_flag=True, help="Do not keep the other columns.")
@click.option("--no-join", is_flag=True, help="Keep records of bibliographies apart that are the same publication.")
@writes_corpus
def records(writing: Writing, files: tuple[Path, ...], columns: Any, opening: Any, duplicate_ids: Any) -> None:
    """Read FILES of records into a corpus.

    \b
    Tables          CSV, TSV, Excel (.xlsx, .xls), LibreOffice (.ods)
    Bibliographies  RIS, PubMed (.nbib), BibTeX, EndNote (.xml)
    Databases       SQLite, DuckDB, with --query
    Data            JSON lines, Parquet, Arrow

    Files may be compressed (gzip, bz2, xz, zstd), and - is the standard input. How each file was read, and every row
    that was left out or changed, is counted at the end.
    """  # noqa: D301
    from priorwise.readers.records import RecordReader

    ingest_reader(lambda: RecordReader(files, columns, opening), writing, duplicate_ids)


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
