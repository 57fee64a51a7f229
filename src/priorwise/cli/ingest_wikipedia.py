"""`priorwise ingest wikipedia`: a wiki's dump files in, a corpus out."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from priorwise.cli import places
from priorwise.cli.engine_options import chooses_engine, using
from priorwise.cli.ingest_options import OVERWRITE, WORKERS, keep_text, run_and_show

PREVIEWED = 3


@click.command()
@click.argument("files", nargs=-1, required=True, callback=places.files)
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    callback=places.place,
    help="The corpus folder to write, or its address, with --engine spark.",
)
@click.option(
    "--min-bytes",
    type=click.IntRange(min=0),
    default=300,
    show_default=True,
    help="Leave out articles with less wikitext.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Stop after this many articles.")
@click.option(
    "--references-heading",
    "references",
    multiple=True,
    help="Another heading that begins the references, from which on a page is dropped; may be given again.",
)
@click.option("--no-inline-templates", is_flag=True, help="Leave out templates such as {{ill}} and {{convert}}.")
@click.option("--dry-run", is_flag=True, help="Show the first articles as they would be read, and write nothing.")
@OVERWRITE
@WORKERS
@keep_text("lead")
@chooses_engine
def wikipedia(
    files: tuple[Path, ...],
    output: Path | str | None,
    min_bytes: int,
    limit: int | None,
    references: tuple[str, ...],
    no_inline_templates: bool,
    dry_run: bool,
    overwrite: bool,
    workers: int | None,
    keep_text: Literal["lead", "whole", "none"],
    engine: str,
    master: str | None,
) -> None:
    """Read the dump FILES of Wikipedia or another MediaWiki, in any order.

    XML dumps (pages-articles, in one file or many; bzip2, gzip, xz, zstd or plain), CirrusSearch dumps, and the SQL
    dumps of categorylinks, linktarget and page, which complete the categories: files are recognised by what they hold.
    """
    if dry_run:
        _preview(files, min_bytes, references, limit or PREVIEWED)
        return
    if output is None:
        raise click.UsageError("Missing option '-o' / '--output'.")
    from priorwise.corpus.build.wikipedia import ingest_wikipedia

    with using(engine, master) as spark:
        run_and_show(
            output,
            lambda progress: ingest_wikipedia(
                files,
                output,
                references=references,
                min_bytes=min_bytes,
                limit=limit,
                workers=workers,
                overwrite=overwrite,
                progress=progress,
                keep_text=keep_text,
                inline_templates=not no_inline_templates,
                work=None if spark is None else spark.work,
            ),
        )


def _preview(files: tuple[Path, ...], min_bytes: int, references: tuple[str, ...], n: int) -> None:
    from priorwise.cli.output import safe
    from priorwise.wiki.wikipedia import first_articles

    for document in first_articles(files, n, min_bytes=min_bytes, references=references):
        click.echo(f"== {safe(document.title)} ==\n")
        click.echo("\n".join(safe(line) for line in document.text.splitlines()))
        click.echo("\nCategories: " + ("; ".join(map(safe, [*document.labels, *document.added])) or "none") + "\n")
