"""What `priorwise corpus --category` shows: a category's members, what it is in, and what is in it."""

from __future__ import annotations

from typing import Any

import click

from priorwise.counting import counted

ORIGINS = ("written in the document", "added by a template or a table", "of unknown origin")


def print_category(corpus: Any, name: str, *, depth: int, top: int) -> None:
    """The members, the parents, and the subcategories as a tree; at most `top` of each."""
    from priorwise.cli.output import safe

    name = corpus.label_named(name)
    _check_known(corpus, name)
    members = corpus.members(name)
    click.echo(f"{safe(name)}: {counted(len(members), 'member')}{_origins(corpus.member_origins(name))}")
    for title in corpus.titles(members[:top]):
        click.echo(f"  {safe(title, 80)}")
    _print_rest(len(members) - top)
    if not len(corpus.graph):
        click.echo("\nThis corpus has no category graph, so nothing is known about subcategories.")
        return
    if name not in corpus.graph:
        click.echo("\nNo page of a category is about it or names it, so nothing is known about subcategories.")
        return
    parents, below = corpus.graph.parents(name), corpus.graph.descendants(name, depth)
    click.echo(f"\nIn {counted(len(parents), 'category')}:" if parents else "\nIn no other category.")
    for parent in parents[:top]:
        click.echo(f"  {safe(parent, 80)}")
    _print_rest(len(parents) - top)
    if below.num_rows:
        _print_tree(corpus, name, below, depth, top)
    else:
        click.echo("\nNo subcategory.")


def _print_tree(corpus: Any, name: str, below: Any, depth: int, top: int) -> None:
    from priorwise.cli.output import safe, show_table

    n = below.num_rows
    click.echo(f"\n{counted(n, 'subcategory')}, at most {counted(depth, 'step')} below:")
    # The nearest ones are kept, so each of those that are kept has the one above it.
    inside: dict[str, list[dict[str, Any]]] = {}
    for row in below.slice(0, top).to_pylist():
        inside.setdefault(row["through"], []).append(row)
    rows, waiting = [], inside.get(name, [])[::-1]
    while waiting:
        row = waiting.pop()
        shown = "  " * (row["depth"] - 1) + safe(row["category"], 80)
        rows.append([shown, f"{len(corpus.members(row['category'])):,}"])
        waiting += inside.get(row["category"], [])[::-1]
    show_table(["category", "members"], rows)
    _print_rest(n - top)


def _check_known(corpus: Any, name: str) -> None:
    """Raise an error with the nearest names of labels and of categories that have no members of their own."""
    from priorwise.errors import UnknownName

    try:
        corpus.members(name)
    except UnknownName as error:
        near = dict.fromkeys(near for near, _ in [*corpus.search_labels(name), *corpus.graph.search(name)])
        raise UnknownName("category", name, near) from error


def _origins(origins: Any) -> str:
    import numpy as np

    counts = np.bincount(origins, minlength=len(ORIGINS)).tolist()
    said = [f"{count:,} {what}" for count, what in zip(counts, ORIGINS, strict=True) if count]
    return f" ({', '.join(said)})" if said else ""


def _print_rest(number: int) -> None:
    if number > 0:
        click.echo(f"  … and {number:,} more; --top shows more of them")
