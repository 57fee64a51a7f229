"""`priorwise explore`: see what a prior does to a category."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from priorwise.cli.places import open_corpus, place, runs_beside
from priorwise.cli.serving import serves


@click.command()
@click.argument("corpus", callback=place)
@click.argument("label")
@click.option("--model", help="The kind of prior to begin with, such as beta, jelinek-mercer or presence.")
@click.option(
    "--documents", type=click.IntRange(4, 100_000), help="How many are points, all members first. [default: 20000]"
)
@click.option("--seed", type=click.IntRange(0, 2**31), help="Which others are drawn, and which are held out.")
@serves
def explore(
    serve: Any, corpus: Path | str, label: str, model: str | None, documents: int | None, seed: int | None
) -> None:
    """Show the documents of CORPUS between LABEL and everything else, under any prior.

    Every document is a point: how likely it is in the category, and how likely outside. Move the prior's numbers and
    watch the points move, beside precision, recall and F1 on documents the model has seen and on others.
    """
    from urllib.parse import urlencode

    from priorwise.view import setting_of
    from priorwise.web.pages import pages_of
    from priorwise.web.workspace import Workspace

    opened = open_corpus(corpus)
    opened.members(label)
    if model is not None:
        setting_of(model)
    given = {"label": label, "model": model, "documents": documents, "seed": seed}
    query = urlencode({name: value for name, value in given.items() if value is not None})
    serve(pages_of(Workspace(opened, folder=runs_beside(corpus))), f"/explore?{query}")
