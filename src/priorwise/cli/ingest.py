"""`priorwise ingest`: documents in, a corpus out."""

from __future__ import annotations

import click

from priorwise.cli import ingest_collections as collections
from priorwise.cli.ingest_records import folder, records
from priorwise.cli.ingest_table import table
from priorwise.cli.ingest_wikipedia import wikipedia


@click.group()
def ingest() -> None:
    """Read documents into a corpus.

    If a command is killed or interrupted, run it again: it continues where it was.
    """


for command in (
    records,
    folder,
    table,
    wikipedia,
    collections.reuters,
    collections.newsgroups,
    collections.ohsumed,
    collections.medline,
    collections.rcv1,
    collections.odp,
    collections.yahoo_qa,
):
    ingest.add_command(command)
