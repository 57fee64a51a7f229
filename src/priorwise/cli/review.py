"""`priorwise review`: judge what a run found, blindly and quickly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from priorwise.cli.places import place
from priorwise.cli.serving import serves
from priorwise.counting import counted


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--corpus", callback=place, help="Where the corpus is now, if it was moved.")
@click.option("--reviewer", help="Your name; the page asks for it otherwise.")
@click.option(
    "--top", type=click.IntRange(min=1), default=250, show_default=True, help="Only the first so many of each ranking."
)
@click.option(
    "--order", type=click.Choice(["shuffled", "title"]), default="shuffled", show_default=True, help="In which order."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the shuffled order.")
@click.option(
    "--subcategories", is_flag=True, help="Judge documents of subcategories too, which count as members otherwise."
)
@click.option(
    "--teach",
    is_flag=True,
    help="Judge what teaches the model most, for `discover --verdicts`; it counts in no statistic.",
)
@click.option("--export", type=click.Path(path_type=Path), help="Write an .xlsx or .csv to fill in, and end.")
@click.option("--import", "filled", type=click.Path(path_type=Path), help="Read one that was filled in, and end.")
@click.option("--results", "show_results", is_flag=True, help="Print what came of it so far, and end.")
@serves
def review(
    serve: Any,
    run: Path,
    corpus: Path | str | None,
    reviewer: str | None,
    teach: bool,
    export: Path | None,
    filled: Path | None,
    show_results: bool,
    **choices: Any,
) -> None:
    """Judge the documents that RUN found: both rankings mixed, origin and score hidden.

    Opens a page in the browser: one key judges and goes on to the next document, and each verdict is on the disk before
    it does. Verdicts are kept in the folder of the run. Without a browser: --export a sheet, fill it in, --import it.

    With --teach the documents come in another order: those that the model is least sure of first, and not many that are
    alike. --top is then how many there are.
    """
    from priorwise.discovery import Run
    from priorwise.review.queue import Choices

    if export is not None and filled is not None:
        raise click.UsageError("--export writes a sheet and --import reads one: one at a time.")
    chosen = Choices(**choices)
    if export is not None or filled is not None:
        loaded = Run.load(run)
        _exchange(run, loaded, loaded.open_corpus(corpus), chosen, reviewer, teach, export, filled)
    elif show_results:
        _print_results(run)
    else:
        _serve(serve, run, corpus, chosen, reviewer, teach)


def _serve(serve: Any, run: Path, corpus: Path | str | None, chosen: Any, reviewer: str | None, teach: bool) -> None:
    from urllib.parse import urlencode

    from priorwise.web.review import review_page
    from priorwise.web.workspace import Workspace

    workspace = Workspace.of_run(run, corpus)
    asked = {**({"reviewer": reviewer} if reviewer else {}), **({"teach": 1} if teach else {})}
    start = "/review" + (f"?{urlencode(asked)}" if asked else "")
    serve([review_page(workspace, chosen)], start)


def _exchange(
    folder: Path,
    run: Any,
    corpus: Any,
    chosen: Any,
    reviewer: str | None,
    teach: bool,
    export: Path | None,
    filled: Path | None,
) -> None:
    from priorwise.errors import AlreadyExists
    from priorwise.review.queue import items_of
    from priorwise.review.reading import said_in
    from priorwise.review.results import decisions
    from priorwise.review.sheet import read_sheet, write_sheet
    from priorwise.review.teaching import teaching_items
    from priorwise.review.verdicts import Verdicts

    if filled is not None and reviewer is None:
        raise click.UsageError("Say whose verdicts these are: --reviewer NAME.")
    if filled is not None:
        verdicts = Verdicts.of_run(folder)
        try:
            new = read_sheet(
                filled, reviewer or "", items_of(run, chosen), verdicts, others=run.ranking.ids, blind=not teach
            )
        finally:
            verdicts.close()
        click.echo(f"{counted(new, 'verdict')} read from {filled}")
    if export is not None:
        if export.exists():
            raise AlreadyExists(export, not_a="sheet to overwrite")
        said = said_in(folder)
        blind = decisions(each for each in said if each.is_blind)
        items = teaching_items(run, corpus, chosen, judged=blind) if teach else items_of(run, chosen)
        own = [each for each in said if each.reviewer == reviewer and each.is_blind is not teach]
        write_sheet(export, items, corpus, own, chosen="teach" if teach else "blind")
        click.echo(f"{counted(len(items), 'document')} written to {export}; fill in the column 'verdict'")


def _print_results(run: Path) -> None:
    from priorwise.cli.output import safe, show_table
    from priorwise.review.results import results

    found = results(run)
    words = ("yes", "no", "unsure", "subcategory", "unjudged")
    rows = []
    for name in ("learned", "laplace"):
        ranking, spread = found["rankings"][name], found["rankings"][name]["at_k"]
        interval = f"{spread['low']:.3f} to {spread['high']:.3f}"
        rows.append(
            [name, f"{spread['value']:.3f}", interval, *(f"{ranking['counts_at_k'][word]:,}" for word in words)]
        )
    show_table(["", f"PPV@{found['k']}", "95% interval", *words], rows)
    difference = found["difference"]
    click.echo(
        f"\nDifference {difference['spread']['value']:+.3f} "
        f"({difference['spread']['low']:+.3f} to {difference['spread']['high']:+.3f}); "
        f"Fisher's exact test p = {difference['exact']:.3g}, t-test p = {difference['t_test']:.3g}; "
        f"area between the curves {found['area_between']:+.3f}"
    )
    for each in found["reviewers"]:
        said = ", ".join(f"{each[word]:,} {word}" for word in ("yes", "no", "unsure", "skip"))
        click.echo(f"{safe(each['name'])}: {said}")
    if found["teachers"]:
        judged, accepted = len(found["progress"]["teaching"]), (found["progress"]["teaching"] or [0])[-1]
        click.echo(f"To teach, and in none of these figures: {counted(judged, 'document')}, {accepted:,} accepted")
    for pair in found["agreement"]:
        kappa = "is not defined"
        if pair["kappa"] is not None:
            kappa = f"{pair['kappa']:.3f} ({pair['low']:.3f} to {pair['high']:.3f})"
        click.echo(
            f"{safe(pair['first'])} and {safe(pair['second'])}: "
            f"{pair['agreed']:.1%} of {pair['documents']:,} the same, Cohen's κ {kappa}"
        )
