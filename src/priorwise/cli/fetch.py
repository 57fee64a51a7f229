"""`priorwise fetch`: download the dump of a wiki."""

from __future__ import annotations

from pathlib import Path

import click

LARGE = 1_000_000_000


@click.command()
@click.argument("wiki")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The folder to write to. [default: WIKI]")
@click.option("--date", help="Which dump, such as 20260101. [default: the latest that is complete]")
@click.option("--categories", is_flag=True, help="Also fetch the tables that complete the categories.")
@click.option("--mirror", metavar="URL", help="Where to fetch from. [default: https://dumps.wikimedia.org]")
@click.option("--dry-run", is_flag=True, help="Show how much it is and how long it may take, and fetch nothing.")
@click.option("--yes", is_flag=True, help="Do not ask before fetching more than 1 GB.")
def fetch(
    wiki: str, output: Path | None, date: str | None, categories: bool, mirror: str | None, dry_run: bool, yes: bool
) -> None:
    """Download the dump of WIKI, such as simplewiki, dewiki or frwikisource.

    Size and time are shown first. A download that breaks off continues where it was when you give the command again,
    and every file is verified by its checksum.
    """
    from priorwise.cli.output import progress_bar
    from priorwise.wiki.fetch import WIKIMEDIA, fetch_dump, find_dump

    offer = find_dump(wiki, date=date, categories=categories, mirror=mirror or WIKIMEDIA)
    click.echo(offer.said)
    for file in offer.files:
        click.echo(f"  {file.name}  {file.bytes / 1e6:,.1f} MB")
    if dry_run:
        return
    if offer.bytes > LARGE and not yes:
        click.confirm("Fetch it?", default=True, abort=True)
    folder = output or Path(wiki)
    with progress_bar(f"Fetching {wiki}") as bar:
        paths = fetch_dump(
            offer,
            folder,
            lambda done, total: bar.update(completed=done, total=total),
            lambda name: bar.update(note=name),
        )
    click.echo(f"Verified. Read it with: priorwise ingest wikipedia {' '.join(map(str, paths))} -o {wiki}.corpus")
