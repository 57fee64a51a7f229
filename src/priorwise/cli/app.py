"""The commands that open the browser: `priorwise app`, and `priorwise` alone; `priorwise explore`."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import click

from priorwise.cli.options import PATH, command, open_corpus, option, place, runs_beside, serves


@command(examples="app\napp articles.csv")
@click.argument("corpus", required=False, callback=place)
@option("--runs", type=PATH, help="Where runs are kept. [default: CORPUS with .runs]")
@option("--folder", type=PATH, help="Where the app keeps corpora. [default: PRIORWISE_FOLDER, or ~/priorwise]")
@serves
def app(serve: Any, corpus: Path | str | None, runs: Path | None, folder: Path | None) -> None:
    """Bring a file, complete a category and download the result, in the browser.

    CORPUS is a corpus, or a file to make one of: CSV, Excel, RIS, BibTeX, JSON lines, the dump of a wiki. Without it,
    the page asks for one.
    """
    from priorwise.web.corpora import Corpora, app_folder
    from priorwise.web.openapi import openapi_route
    from priorwise.web.pages import corpus_pages, documented_pages
    from priorwise.web.start import start_page
    from priorwise.web.together import Invitations

    corpora = Corpora(folder or app_folder())
    start = "/"
    if isinstance(corpus, Path) and corpus.is_file():
        start = "/start?" + urlencode({"upload": corpora.given_file(corpus)})
    elif corpus is not None:
        name = corpora.add(open_corpus(corpus), corpus, runs or runs_beside(corpus))
        start = f"/c/{quote(name)}/library"
    pages = [start_page(corpora)]
    invitations = Invitations.in_folder(corpora.folder)
    pages_by_name = corpus_pages(corpora, invitations)
    more = [openapi_route(pages, documented_pages), invitations.mount(pages_by_name)]
    serve(pages, start, corpora=pages_by_name, more=more)


@command(examples='explore articles.corpus "Machine learning"\nexplore ml.run')
@click.argument("corpus", metavar="CORPUS|RUN", callback=place)
@click.argument("label", metavar="[CATEGORY]", required=False)
@option("--model", help="The model to begin with: default (which ranks), beta, jelinek-mercer, presence and others.")
@option("--words", help='Keywords to begin with, such as "+oil:2 -olive".')
@option("--documents", type=click.IntRange(4, 100_000), help="How many points, all members first. [default: 20000]")
@option("--seed", type=click.IntRange(0, 2**31), help="Where random draws start.")
@serves
def explore(
    serve: Any, corpus: Path | str, label: str | None, model: str | None, words: str | None, **drawn: Any
) -> None:
    """Move a prior, and see how the model tells CATEGORY from other documents.

    Every document is a point. Move the numbers of the prior, or type keywords, and watch the points move, next to
    precision, recall and F1 on documents the model has seen and on others. The page lists the words whose weight
    changes most. Naive Bayes models are one click away.

    The page opens at the prior that the model learns from the category's members. Give a RUN instead of a corpus and a
    category, and it opens at the prior that the run learned.
    """
    from priorwise.explorer import setting_of
    from priorwise.web.pages import pages_of

    model = "members" if model == "default" else model
    given = {"label": label, "model": model, "keywords": words, **drawn}
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
            raise click.UsageError("The explorer shows a category, but this run started from a list of members.")
        if label not in (None, run.about.label):
            raise click.UsageError(f"This run is about '{run.about.label}'; leave the category out.")
        ranks = run.stages[-1]
        numbers = zip(ranks.prior.parameters, ranks.prior.numbers, strict=True)
        about = {"label": run.about.label, "run": path.resolve().name, "model": ranks.explored}
        return Workspace.of_run(path), {**about, **{each.name: f"{value:.4g}" for each, value in numbers}}
    if label is None:
        raise click.UsageError("Name the category: priorwise explore CORPUS CATEGORY.")
    opened = open_corpus(path)
    opened.members(label)
    return Workspace(opened, folder=runs_beside(path)), {}
