"""`priorwise ingest table`: a table that Spark knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from priorwise.cli.engine_options import using
from priorwise.cli.ingest_options import OUTPUT, OVERWRITE, keep_text, run_and_show
from priorwise.cli.record_options import reads_records


@click.command()
@click.argument("name")
@click.option("--where", metavar="SQL", help="Take the rows for which this holds, as in \"wiki_id = 'enwiki'\".")
@reads_records(opens=False)
@click.option("--wikitext", is_flag=True, help="The texts are wikitext; the categories they name are labels.")
@click.option("--language", default="en", show_default=True, help="The language of the wiki.")
@OUTPUT
@OVERWRITE
@keep_text("whole")
@click.option(
    "--engine", type=click.Choice(["spark"]), default="spark", show_default=True, help="Only Spark can read it."
)
@click.option("--master", help="The cluster, such as spark://host:7077 or yarn. [default: as Spark is set up]")
def table(
    name: str,
    where: str | None,
    columns: Any,
    wikitext: bool,
    language: str,
    output: Path | str,
    overwrite: bool,
    keep_text: Literal["lead", "whole", "none"],
    engine: str,
    master: str | None,
) -> None:
    """Read the table NAME of Spark's catalogue, such as news.articles.

    The documents are sorted by their ids. Wikimedia's tables of content are recognised; only choose the wiki.
    """
    with using(engine, master) as spark:
        frame = spark.table(name, where)
        run_and_show(
            output,
            lambda _progress: spark.ingest(
                frame,
                output,
                text=columns.text,
                id=columns.id,
                title=columns.title,
                labels=columns.labels,
                separator=columns.separator,
                title_words=columns.title_words,
                wikitext=wikitext,
                language=language,
                keep_text=keep_text,
                overwrite=overwrite,
            ),
        )
