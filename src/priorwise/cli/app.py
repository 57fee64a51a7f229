"""The commands that open the browser: `priorwise app`, and `priorwise` alone; `priorwise explore`."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import click

from priorwise.cli.options import open_corpus, place, runs_beside, serves


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


@click.command()
@click.argument("corpus", metavar="CORPUS|RUN", callback=place)
@click.argument("label", required=False)
@click.option("--model", help="The model to begin with: members (which ranks), beta, jelinek-mercer, presence, ….")
@click.option("--words", help='Keywords to begin with, such as "+oil:2 -olive".')
@click.option(
    "--documents", type=click.IntRange(4, 100_000), help="How many are points, all members first. [default: 20000]"
)
@click.option("--seed", type=click.IntRange(0, 2**31), help="Which others are drawn, and which are held out.")
@serves
def explore(
    serve: Any,
    corpus: Path | str,
    label: str | None,
    model: str | None,
    words: str | None,
    documents: int | None,
    seed: int | None,
) -> None:
    """Show the documents of CORPUS, and how the model that ranks tells LABEL from everything else.

    Every document is a point. Move the numbers of the prior, or type keywords, and watch the points move, next to
    precision, recall and F1 on documents the model has seen and on others. The words whose weight changes most are
    listed. Naive Bayes models are one click away.

    The page opens at the prior that the model learns from the category's members. Give the folder of a RUN instead of a
    corpus and a label, and it opens at the prior that the run learned.
    """
    from urllib.parse import urlencode

    from priorwise.explorer import setting_of
    from priorwise.web.pages import pages_of

    given = {"label": label, "model": model, "keywords": words, "documents": documents, "seed": seed}
    workspace, about = _workspace(corpus, label)
    given = {**about, **{name: value for name, value in given.items() if value is not None}}
    setting_of(str(given.get("model", "members")), keywords=words or "")
    serve(pages_of(workspace), f"/explore?{urlencode(given)}")


def _workspace(path: Path | str, label: str | None) -> tuple[Any, dict[str, Any]]:
    """Open a corpus, or a run with its corpus; return what the address says about it."""
    from priorwise.discovery.run import MARKER, Run
    from priorwise.web.workspace import Workspace

    if isinstance(path, Path) and (path / MARKER).is_file():
        run = Run.load(path)
        if run.about.label is None:
            raise click.UsageError("the explorer shows a category, and this run has a list of members instead")
        if label not in (None, run.about.label):
            raise click.UsageError(f"this run is about '{run.about.label}'; give no other label")
        ranks = run.stages[-1]
        numbers = zip(ranks.prior.parameters, ranks.prior.numbers, strict=True)
        about = {"label": run.about.label, "run": path.resolve().name, "model": ranks.explored}
        return Workspace.of_run(path), {**about, **{each.name: f"{value:.4g}" for each, value in numbers}}
    if label is None:
        raise click.UsageError("name the category: priorwise explore CORPUS LABEL")
    opened = open_corpus(path)
    opened.members(label)
    return Workspace(opened, folder=runs_beside(path)), {}
