"""`priorwise review`: judge what a run found, best first; the ranking learns from every verdict."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from priorwise.cli.options import place, serves
from priorwise.cli.output import safe, show_table
from priorwise.counting import counted, rounded
from priorwise.errors import AlreadyExists, PriorwiseError


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--corpus", callback=place, help="Where the corpus is now, if it was moved.")
@click.option("--reviewer", help="Your name; the page asks for it otherwise.")
@click.option(
    "--ask",
    type=click.Choice(["best", "unsure", "mixed"]),
    default="best",
    show_default=True,
    help="Which document comes next: the best, the most unsure, or an unsure one every fourth time (mixed).",
)
@click.option("--terminal", is_flag=True, help="Judge here, a line for each verdict, instead of in the browser.")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    help="First judge this many random unread documents: if none is a member, recall is proved.",
)
@click.option(
    "--blind",
    is_flag=True,
    help="Measure instead: the first of both rankings mixed, origin and score hidden. Nothing is learned meanwhile.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=250,
    show_default=True,
    help="How many documents of each ranking to judge.",
)
@click.option(
    "--order",
    type=click.Choice(["shuffled", "title"]),
    default="shuffled",
    show_default=True,
    help="In which order, with --blind.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the shuffled order.")
@click.option(
    "--subcategories", is_flag=True, help="Judge documents of subcategories too, which count as members otherwise."
)
@click.option(
    "--teach",
    is_flag=True,
    help="Active learning: judge what teaches the model most, for `discover --verdicts`; statistics exclude it.",
)
@click.option("--export", type=click.Path(path_type=Path), help="Write an .xlsx or .csv to fill in, and end.")
@click.option("--import", "filled", type=click.Path(path_type=Path), help="Read one that was filled in, and end.")
@click.option("--results", "show_results", is_flag=True, help="Print the results so far, and end.")
@serves
def review(
    serve: Any,
    run: Path,
    corpus: Path | str | None,
    reviewer: str | None,
    teach: bool,
    blind: bool,
    ask: str,
    terminal: bool,
    sample: int | None,
    export: Path | None,
    filled: Path | None,
    show_results: bool,
    **choices: Any,
) -> None:
    """Judge the documents that RUN found, best first. The ranking learns from every verdict.

    Opens a page in the browser. One key saves a verdict and shows the next document. Verdicts are kept in the folder of
    the run. Without a browser: --terminal, or --export a sheet, fill it in and --import it. The estimate says how
    many members are still missing, and when it is safe to stop.

    With --blind it measures how good the rankings are. Only blind verdicts count in statistics.

    With --teach it begins with dissimilar documents that the model is least sure of. --top is then their number.
    """
    from priorwise.discovery import Run
    from priorwise.review.queue import Choices

    if export is not None and filled is not None:
        raise click.UsageError("--export writes a sheet and --import reads one: one at a time.")
    if blind and teach:
        raise click.UsageError("--blind measures and --teach does not: one of them.")
    if (blind or teach) and (terminal or sample is not None or ask != "best"):
        raise click.UsageError(
            "--terminal, --sample and --ask are for a review in rank order: leave out --blind, --teach."
        )
    mode = "blind" if blind else "teach" if teach else "rank"
    chosen = Choices(**choices)
    if export is not None or filled is not None:
        loaded = Run.load(run)
        _exchange(run, loaded, loaded.open_corpus(corpus), chosen, reviewer, mode, ask, export, filled)
    elif show_results:
        _print_results(run)
    elif terminal:
        session = _session(run, corpus, chosen, ask, sample)
        try:
            judge_in_terminal(session, reviewer or "me")
        finally:
            session.close()
    else:
        if sample is not None:
            _session(run, corpus, chosen, ask, sample).close()
        _serve(serve, run, corpus, chosen, reviewer, mode, ask)


def _session(run: Path, corpus: Any, chosen: Any, ask: str, sample: int | None) -> Any:
    from priorwise.review.session import Session

    session = Session.of_run(run, corpus, ask=ask, subcategories=chosen.subcategories)
    if sample is not None:
        session.sample(sample)
        click.echo(f"{counted(sample, 'unread document')} drawn at random. They come first.")
    return session


def _serve(
    serve: Any, run: Path, corpus: Path | str | None, chosen: Any, reviewer: str | None, mode: str, ask: str
) -> None:
    from urllib.parse import urlencode

    from priorwise.web.categories import key_of
    from priorwise.web.pages import bench_pages
    from priorwise.web.report import report_page
    from priorwise.web.review import review_page
    from priorwise.web.workspace import Workspace

    workspace = Workspace.of_run(run, corpus)
    page, asked = ("/review", {}) if mode == "blind" else ("/workbench", {"category": key_of(run.resolve().name)})
    asked |= {"reviewer": reviewer} if reviewer else {}
    pages = [*bench_pages(workspace, "unsure" if mode == "teach" else ask, chosen.subcategories)]
    serve(
        [review_page(workspace, chosen), *pages, report_page(workspace)],
        page + (f"?{urlencode(asked)}" if asked else ""),
    )


def _exchange(
    folder: Path,
    run: Any,
    corpus: Any,
    chosen: Any,
    reviewer: str | None,
    mode: str,
    ask: str,
    export: Path | None,
    filled: Path | None,
) -> None:
    from priorwise.review.queue import Item, items_of, read_sheet, teaching_items, write_sheet
    from priorwise.review.results import decisions
    from priorwise.review.verdicts import Verdicts, said_in

    if filled is not None and reviewer is None:
        raise click.UsageError("Say whose verdicts these are: --reviewer NAME.")
    if filled is not None:
        verdicts = Verdicts.of_run(folder)
        try:
            new = read_sheet(
                filled, reviewer or "", items_of(run, chosen), verdicts, others=_others(run, corpus), usual=mode
            )
        finally:
            verdicts.close()
        click.echo(f"{counted(new, 'verdict')} read from {filled}")
    if export is not None:
        if export.exists():
            raise AlreadyExists(export, not_a="sheet to overwrite")
        said = said_in(folder)
        if mode == "rank":
            session = _session(folder, corpus, chosen, ask, None)
            items = [Item(each.id, each.title) for each in session.next(chosen.top, reviewer=reviewer or "me")]
            session.close()
        elif mode == "teach":
            blind = decisions(each for each in said if each.is_blind)
            items = teaching_items(run, corpus, chosen, judged=blind)
        else:
            items = items_of(run, chosen)
        own = [each for each in said if each.reviewer == reviewer and each.is_blind is (mode == "blind")]
        write_sheet(export, items, corpus, own, chosen=mode)
        click.echo(f"{counted(len(items), 'document')} written to {export}; fill in the column 'verdict'")


def _others(run: Any, corpus: Any) -> list[str]:
    """Every document that a model may have chosen: all but members and those left out."""
    import numpy as np

    outside = set() if run.about.label is None else set(corpus.ids(corpus.members(run.about.label)))
    outside.update(run.about.given or (), run.about.left_out)
    return [id for id in corpus.ids(np.arange(corpus.n_documents)) if id not in outside]


def _print_session(run: Path) -> None:
    """What is found and missing, if anything was judged; nothing where the corpus or the log cannot be opened."""
    from priorwise.review.session import Session
    from priorwise.review.verdicts import said_in

    if not said_in(run):
        return
    try:
        session = Session.of_run(run)
    except PriorwiseError:
        return
    click.echo(in_short(session))
    session.close()


def _print_results(run: Path) -> None:
    from priorwise.review.results import results

    found = results(run)
    _print_session(run)
    if not found["reviewers"]:
        click.echo("Nobody has judged anything blindly yet, so precision is not known: priorwise review RUN --blind")
        return
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
        click.echo(f"Not blind, and in none of these figures: {counted(judged, 'document')}, {accepted:,} accepted")
    for pair in found["agreement"]:
        kappa = "is not defined"
        if pair["kappa"] is not None:
            kappa = f"{pair['kappa']:.3f} ({pair['low']:.3f} to {pair['high']:.3f})"
        click.echo(
            f"{safe(pair['first'])} and {safe(pair['second'])}: "
            f"{pair['agreed']:.1%} of {pair['documents']:,} the same, Cohen's κ {kappa}"
        )


WORDS = {"y": "yes", "n": "no", "u": "unsure", "s": "skip"}
HELP = "y yes   n no   u unsure   s skip   z undo   w why   t whole text   q quit   (a note may follow: n too general)"
SHOWN = 600
"""How many characters of a text are shown at once."""


def judge_in_terminal(session: Any, reviewer: str) -> None:
    """Ask about one document after the other until there is none, or no more input."""
    click.echo(HELP)
    document: Any = None
    while True:
        if document is None:
            found = session.next(1, reviewer=reviewer)
            if not found:
                click.echo("\nEvery document is judged.")
                break
            document = found[0]
            _show(session, document, SHOWN)
        click.echo("> ", nl=False)
        line = sys.stdin.readline()
        key, _, note = line.strip().partition(" ")
        if not line or key in ("q", "quit"):
            click.echo()
            break
        word = WORDS.get(key.lower(), key.lower())
        if word in WORDS.values():
            session.judge(document.id, word, reviewer=reviewer, note=note.strip() or None)
            click.echo(in_short(session))
            document = None
        elif word in ("z", "undo"):
            back = session.undo(reviewer)
            click.echo("Nothing to undo." if back is None else f"Undone: {safe(back)}")
            document = document if back is None else None
        elif word in ("w", "why"):
            from priorwise.cli.explain import print_explanation

            print_explanation(session.explain(document.id), 10)
        elif word in ("t", "text"):
            _show(session, document, None)
        else:
            click.echo(HELP)
    click.echo(f"{in_short(session)}\n{session.stop.reason}")


def in_short(session: Any) -> str:
    """How many were judged and found, and how many are estimated to be missing."""
    progress, missing = session.progress, session.missing
    return (
        f"{progress.judged:,} judged, {progress.found:,} found. Estimated missing: {rounded(missing.expected)} "
        f"(80% interval {rounded(missing.low)} to {rounded(missing.high)})."
    )


def _show(session: Any, document: Any, longest: int | None) -> None:

    row = session.corpus.row(document.id)
    text = session.corpus.text(row) or ""
    where = "drawn at random" if document.chosen == "random" else f"rank {document.rank:,}"
    chance = "" if document.probability is None else f", probability {document.probability:.2f}"
    click.echo(f"\n{safe(document.title, 200)} ({safe(document.id)}; {where}{chance})")
    if address := session.corpus.address(row):
        click.echo(safe(address))
    if text:
        short = text if longest is None else text[:longest]
        more = f" … ({counted(len(text) - len(short), 'more character')})" if len(short) < len(text) else ""
        click.echo(safe(" ".join(short.split())) + more)
