"""`priorwise app`: all pages over one corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from priorwise.cli.places import open_corpus, place, runs_beside
from priorwise.cli.serving import serves


@click.command()
@click.argument("corpus", callback=place)
@click.option("--runs", type=click.Path(path_type=Path), help="Where runs are kept. [default: CORPUS with .runs]")
@serves
def app(serve: Any, corpus: Path | str, runs: Path | None) -> None:
    """Open CORPUS in the browser: find a category, complete it, review what was found."""
    from priorwise.web.pages import pages_of
    from priorwise.web.workspace import Workspace

    opened = open_corpus(corpus)
    serve(pages_of(Workspace(opened, folder=runs or runs_beside(corpus))))
