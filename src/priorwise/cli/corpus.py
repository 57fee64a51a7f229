"""`priorwise corpus`: what is in there."""

from __future__ import annotations

from pathlib import Path

import click

from priorwise.cli.places import named, open_corpus, place
from priorwise.counting import counted


@click.command()
@click.argument("corpus", callback=place)
@click.option("--search", "query", help="Show the labels whose name is similar to this.")
@click.option("--category", help="Show the members of this category, what it is in, and its subcategories.")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="How many steps below the category to show.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many labels, members or subcategories to show.",
)
@click.option("--verify", is_flag=True, help="Read every file, compare its checksum and check its structure.")
def corpus(corpus: Path | str, query: str | None, category: str | None, depth: int, top: int, verify: bool) -> None:
    """Show the size of CORPUS, its vocabulary and its largest labels."""
    from priorwise.cli.category import print_category
    from priorwise.cli.output import safe, show_table

    opened = open_corpus(corpus)
    if verify:
        opened.verify()
        click.echo("Every file matches its checksum and has a sound structure.")
    if query is not None:
        found = opened.search_labels(query, limit=top)
        if not found:
            click.echo(f"No label is like '{safe(query)}'.")
            return
        show_table(["label", "members"], [[safe(label, 80), f"{size:,}"] for label, size in found])
        return
    if category is not None:
        print_category(opened, category, depth=depth, top=top)
        return
    per_document = opened.n_tokens / opened.n_documents if opened.n_documents else 0.0
    click.echo(f"{named(corpus)}: {counted(opened.n_documents, 'document')}")
    click.echo(f"  vocabulary   {counted(opened.n_vocabulary, 'distinct token')}")
    click.echo(
        f"  tokens       {opened.n_tokens:,} ({per_document:.0f} distinct ones per document), "
        f"{opened.n_occurrences:,} with repeats"
    )
    click.echo(f"  labels       {opened.n_labels:,} on {counted(opened.n_memberships, 'membership')}")
    if len(opened.graph):
        click.echo(
            f"  categories   {len(opened.graph):,} in the graph, {counted(opened.graph.n_links, 'link')} between them"
        )
    click.echo(f"  checksum     {opened.checksum}")
    largest = opened.largest_labels(top)
    if largest:
        click.echo("\nLargest labels:")
        show_table(["label", "members"], [[safe(label, 80), f"{size:,}"] for label, size in largest])
