"""`priorwise app`, and `priorwise` alone: the whole job in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import click

from priorwise.cli.places import open_corpus, place, runs_beside
from priorwise.cli.serving import serves


@click.command()
@click.argument("corpus", required=False, callback=place)
@click.option("--runs", type=click.Path(path_type=Path), help="Where runs are kept. [default: CORPUS with .runs]")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the app keeps corpora. [default: PRIORWISE_FOLDER, or ~/priorwise]",
)
@serves
def app(serve: Any, corpus: Path | str | None, runs: Path | None, folder: Path | None) -> None:
    """Bring a file, complete a category and download the result, in the browser.

    CORPUS is a corpus, or a file to make one of: CSV, Excel, RIS, BibTeX, JSON lines, a dump of a wiki. Without it, the
    page asks for one.
    """
    from priorwise.web.openapi import openapi_route
    from priorwise.web.pages import corpus_pages, documented_pages
    from priorwise.web.shelf import Shelf, app_folder
    from priorwise.web.start import start_page

    shelf = Shelf(folder or app_folder())
    start = "/"
    if isinstance(corpus, Path) and corpus.is_file():
        start = "/start?" + urlencode({"upload": shelf.given_file(corpus)})
    elif corpus is not None:
        name = shelf.add(open_corpus(corpus), corpus, runs or runs_beside(corpus))
        start = f"/c/{quote(name)}/library"
    pages = [start_page(shelf)]
    serve(pages, start, corpora=corpus_pages(shelf), more=[openapi_route(pages, documented_pages)])
