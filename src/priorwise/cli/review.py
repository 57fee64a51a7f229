"""`priorwise review`: judge what a run found, best first; the ranking learns from every verdict."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from priorwise.cli.options import COUNT, JSON, MOVED_CORPUS, PATH, SEED, Group, option, serves
from priorwise.cli.output import quoted, safe, say, show_json, show_table
from priorwise.counting import counted, rounded
from priorwise.errors import AlreadyExists, PriorwiseError

RUN = click.argument("run", type=PATH)
SHEET = click.argument("sheet", type=PATH)
REVIEWER = partial(option, "--reviewer")
ASK = option(
    "--ask",
    type=click.Choice(["best", "unsure", "mixed"]),
    default="best",
    help="Which document comes next: the best, the most unsure, or an unsure one every fourth time (mixed).",
)
_blind = partial(option, group="Blind evaluation and active learning")
CHOICES = (
    option(
        "--limit",
        "top",
        old="--top",
        type=COUNT,
        default=250,
        help="Judge at most this many documents; with --blind of each ranking.",
    ),
    option(
        "--subcategories", is_flag=True, help="Judge documents of subcategories, too. Otherwise they count as members."
    ),
    _blind(
        "--blind", is_flag=True, help="Measure: mix the first of both rankings, hide origin and score, learn nothing."
    ),
    _blind("--order", type=click.Choice(["shuffled", "title"]), default="shuffled", help="The order with --blind."),
    _blind("--seed", type=SEED, default=0, help="Where random draws start."),
    _blind(
        "--active",
        "teach",
        old="--teach",
        is_flag=True,
        help="Active learning: judge the documents that help the model most, for `discover --verdicts`.",
    ),
)


def chooses_documents(function: Any) -> Any:
    """Add the options that say which documents to judge, in this order."""
    for each in reversed(CHOICES):
        function = each(function)
    return function


@click.group(
    cls=Group,
    default="judge",
    old={"--export": "export", "--import": "import", "--results": "results"},
    options_metavar="RUN [OPTIONS]",
    subcommand_metavar="| COMMAND RUN ...",
)
def review() -> None:
    """Judge the documents that RUN found, best first. The ranking learns from every verdict.

    Opens a page in the browser. One key saves a verdict and shows the next document. Verdicts are kept in the folder of
    the run. The estimate says how many members are still missing, and when it is safe to stop.

    With --blind it measures how good the rankings are. Only blind verdicts count in statistics. With --active it begins
    with dissimilar documents that the model is least sure of.
    """


@review.command(
    short_help="Judge; the same as `priorwise review RUN`.",
    examples="review ml.run\nreview ml.run --terminal --reviewer Ada",
)
@RUN
@REVIEWER(help="Your name; the page asks for it otherwise.")
@ASK
@option("--terminal", is_flag=True, help="Judge here, a line for each verdict, instead of in the browser.")
@option(
    "--sample",
    type=COUNT,
    help="First judge this many random unread documents. The fewer are members, the higher the proved recall.",
)
@MOVED_CORPUS
@chooses_documents
@serves
def judge(
    serve: Any,
    run: Path,
    corpus: Path | str | None,
    reviewer: str | None,
    teach: bool,
    blind: bool,
    ask: str,
    terminal: bool,
    sample: int | None,
    **choices: Any,
) -> None:
    """Judge in the browser or the terminal; the same as `priorwise review RUN`."""
    from priorwise.review.queue import Choices

    mode = _mode(blind, teach)
    if mode != "rank" and (terminal or sample is not None or ask != "best"):
        raise click.UsageError("--terminal, --sample and --ask go without --blind and --active.")
    chosen = Choices(**choices)
    if terminal:
        session = _session(run, corpus, chosen, ask, sample)
        try:
            judge_in_terminal(session, reviewer or "me")
        finally:
            session.close()
        _say_next(run, session.corpus)
        return
    if sample is not None:
        _session(run, corpus, chosen, ask, sample).close()
    _serve(serve, run, corpus, chosen, reviewer, mode, ask)


@review.command("export", short_help="Write a sheet to fill in.", examples="review export ml.run sheet.xlsx")
@RUN
@SHEET
@REVIEWER(help="Your name: documents that you have judged come with your verdicts.")
@ASK
@MOVED_CORPUS
@chooses_documents
def export_sheet(
    run: Path,
    sheet: Path,
    corpus: Path | str | None,
    reviewer: str | None,
    ask: str,
    blind: bool,
    teach: bool,
    **choices: Any,
) -> None:
    """Write SHEET, an .xlsx or .csv file with the documents to judge. Fill in its column `verdict`."""
    from priorwise.discovery import Run
    from priorwise.durable import sweep
    from priorwise.review.queue import Choices, Item, items_of, teaching_items, write_sheet
    from priorwise.review.results import decisions
    from priorwise.review.verdicts import said_in

    loaded, chosen, mode = Run.load(run), Choices(**choices), _mode(blind, teach)
    opened = loaded.open_corpus(corpus)
    if sheet.exists():
        sweep(sheet)
        raise AlreadyExists(sheet, not_a="sheet to overwrite")
    verdicts = said_in(run)
    if mode == "rank":
        session = _session(run, opened, chosen, ask, None)
        items = [Item(each.id, each.title) for each in session.next(chosen.top, reviewer=reviewer or "me")]
        session.close()
    elif mode == "teach":
        items = teaching_items(loaded, opened, chosen, judged=decisions(each for each in verdicts if each.is_blind))
    else:
        items = items_of(loaded, chosen)
    own = [each for each in verdicts if each.reviewer == reviewer and each.is_blind is blind]
    write_sheet(sheet, items, opened, own, chosen=mode, overwrite=False)
    say(f"{counted(len(items), 'document')} written to {sheet}; fill in the column 'verdict'")


@review.command(
    "import", short_help="Read a sheet that was filled in.", examples="review import ml.run sheet.xlsx --reviewer Ada"
)
@RUN
@SHEET
@REVIEWER(required=True, help="Whose verdicts these are.")
@MOVED_CORPUS
@chooses_documents
def import_sheet(
    run: Path, sheet: Path, corpus: Path | str | None, reviewer: str, blind: bool, teach: bool, **choices: Any
) -> None:
    """Read the verdicts of SHEET, which `priorwise review export` wrote and somebody filled in."""
    from priorwise.discovery import Run
    from priorwise.review.queue import Choices, items_of, read_sheet
    from priorwise.review.verdicts import Verdicts

    loaded = Run.load(run)
    opened = loaded.open_corpus(corpus)
    verdicts = Verdicts.of_run(run)
    try:
        others = _others(loaded, opened)
        items = items_of(loaded, Choices(**choices))
        new = read_sheet(sheet, reviewer, items, verdicts, others=others, usual=_mode(blind, teach))
    finally:
        verdicts.close()
    say(f"{counted(new, 'verdict')} read from {sheet}")


@review.command(short_help="Show the results so far.", examples="review results ml.run\nreview results ml.run --json")
@RUN
@JSON
def results(run: Path, as_json: bool) -> None:
    """Show what was judged so far, how good the rankings are, and how far reviewers agree."""
    from priorwise.review.results import results as results_of

    if as_json:
        show_json(results_of(run))
    else:
        _print_results(run, results_of(run))


def _mode(blind: bool, teach: bool) -> str:
    if blind and teach:
        raise click.UsageError("--blind measures and --active does not: give one of them.")
    return "blind" if blind else "teach" if teach else "rank"


def _session(run: Path, corpus: Any, chosen: Any, ask: str, sample: int | None) -> Any:
    from priorwise.review.session import Session

    session = Session.of_run(run, corpus, ask=ask, subcategories=chosen.subcategories)
    if sample is not None:
        session.sample(sample)
        say(f"{counted(sample, 'unread document')} drawn at random. They come first.")
    return session


def _serve(
    serve: Any, run: Path, corpus: Path | str | None, chosen: Any, reviewer: str | None, mode: str, ask: str
) -> None:
    from urllib.parse import urlencode

    from priorwise.web.corpora import app_folder
    from priorwise.web.pages import bench_pages
    from priorwise.web.report import report_page
    from priorwise.web.review import review_page
    from priorwise.web.together import Invitations
    from priorwise.web.workspace import Workspace, key_of

    workspace = Workspace.of_run(run, corpus)
    page, asked = ("/review", {}) if mode == "blind" else ("/workbench", {"category": key_of(run.resolve().name)})
    asked |= {"reviewer": reviewer} if reviewer else {}
    invitations = Invitations.in_folder(app_folder())
    pages = bench_pages(workspace, "unsure" if mode == "teach" else ask, chosen.subcategories, invitations)
    serve(
        [review_page(workspace, chosen), *pages, report_page(workspace)],
        page + (f"?{urlencode(asked)}" if asked else ""),
        more=[invitations.mount(lambda _corpus: pages)],
    )
    _say_next(run, workspace.corpus)


def _say_next(run: Path, corpus: Any) -> None:
    """How to get the results out: a report and, if there is one, the file that the corpus was made from."""
    from priorwise.readers.opening import plain_suffix

    say(f"Next:\n  {quoted('report', str(run))}")
    files = [] if corpus.read_from is None else list(corpus.read_from.files)
    if len(files) == 1:
        stem, _, ending = files[0].partition(".")
        ending = "csv" if plain_suffix(Path(files[0])) in ONLY_READ else ending
        say(f"  {quoted('report', str(run), '--into', f'{stem}-new.{ending}')}")


ONLY_READ = {".xls", ".parquet", ".arrow", ".feather"}
"""Files whose rows are written into a new CSV file instead."""


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
    say(in_short(session))
    session.close()


NAMES = {"learned": "default", "laplace": "baseline"}


def _print_results(run: Path, found: Any) -> None:
    _print_session(run)
    if not found["reviewers"]:
        say(f"Nobody has judged blindly yet, so precision is not known: {quoted('review', str(run), '--blind')}")
        return
    words = ("yes", "no", "unsure", "subcategory", "unjudged")
    rankings = found["rankings"]
    is_done = not any(each["counts_at_k"]["unjudged"] for each in rankings.values())
    rows = []
    for name in ("learned", "laplace"):
        spread = rankings[name]["at_k" if is_done else "estimate"]
        figures = (
            ["", ""] if spread is None else [f"{spread['value']:.3f}", f"{spread['low']:.3f} to {spread['high']:.3f}"]
        )
        rows.append([NAMES[name], *figures, *(f"{rankings[name]['counts_at_k'][word]:,}" for word in words)])
    show_table(["", f"{'' if is_done else 'estimated '}precision@{found['k']}", "95% interval", *words], rows)
    if not is_done:
        say("\nNot all documents are judged yet. The estimates use those judged so far, which come in random order.")
    else:
        difference = found["difference"]
        say(
            f"\nDifference {difference['spread']['value']:+.3f} "
            f"({difference['spread']['low']:+.3f} to {difference['spread']['high']:+.3f}); "
            f"Fisher's exact test p = {difference['exact']:.3g}, t-test p = {difference['t_test']:.3g}; "
            f"area between the curves {found['area_between']:+.3f}"
        )
    for each in found["reviewers"]:
        said = ", ".join(f"{each[word]:,} {word}" for word in ("yes", "no", "unsure", "skip"))
        say(f"{safe(each['name'])}: {said}")
    if found["teachers"]:
        judged, accepted = len(found["progress"]["teaching"]), (found["progress"]["teaching"] or [0])[-1]
        say(f"Not blind, and in none of these figures: {counted(judged, 'document')}, {accepted:,} accepted")
    for pair in found["agreement"]:
        kappa = "is not defined"
        if pair["kappa"] is not None:
            kappa = f"{pair['kappa']:.3f} ({pair['low']:.3f} to {pair['high']:.3f})"
        say(
            f"{safe(pair['first'])} and {safe(pair['second'])}: "
            f"{pair['agreed']:.1%} of {pair['documents']:,} the same, Cohen's κ {kappa}"
        )


WORDS = {"y": "yes", "n": "no", "u": "unsure", "s": "skip"}
HELP = "y yes   n no   u unsure   s skip   z undo   w why   t whole text   q quit   (a note may follow: n too general)"
SHOWN = 600
"""How many characters of a text are shown at once."""


def judge_in_terminal(session: Any, reviewer: str) -> None:
    """Ask about one document after the other until there is none, or no more input."""
    say(HELP)
    document: Any = None
    while True:
        if document is None:
            found = session.next(1, reviewer=reviewer)
            if not found:
                say("\nEvery document is judged.")
                break
            document = found[0]
            _show(session, document, SHOWN)
        say("> ", nl=False)
        line = sys.stdin.readline()
        key, _, note = line.strip().partition(" ")
        if not line or key in ("q", "quit"):
            say()
            break
        word = WORDS.get(key.lower(), key.lower())
        if word in WORDS.values():
            session.judge(document.id, word, reviewer=reviewer, note=note.strip() or None)
            say(in_short(session))
            document = None
        elif word in ("z", "undo"):
            back = session.undo(reviewer)
            say("Nothing to undo." if back is None else f"Undone: {safe(back)}")
            document = document if back is None else None
        elif word in ("w", "why"):
            from priorwise.cli.explain import print_explanation

            print_explanation(session.explain(document.id), 10)
        elif word in ("t", "text"):
            _show(session, document, None)
        else:
            say(HELP)
    say(f"{in_short(session)}\n{session.stop.reason}")


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
    say(f"\n{safe(document.title, 200)} ({safe(document.id)}; {where}{chance})")
    if address := session.corpus.address(row):
        say(safe(address))
    if text:
        short = text if longest is None else text[:longest]
        more = f" … ({counted(len(text) - len(short), 'more character')})" if len(short) < len(text) else ""
        say(safe(" ".join(short.split())) + more)
