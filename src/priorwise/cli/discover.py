"""`priorwise discover`: the main job, and how a run is printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from priorwise.cli.names import SEE_ALL, read_prior, read_target
from priorwise.cli.options import chooses_engine, open_corpus, place, using
from priorwise.cli.output import progress_bar, safe, show_table
from priorwise.counting import counted
from priorwise.errors import BrokenFile, UnknownName


class _ModelNames(click.Choice[str]):
    """The models' names; an older name is still understood."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert("default" if value == "auto" else value, param, ctx)


MODEL_NAMES = _ModelNames(["default", "presence"])


@click.command()
@click.argument("corpus", callback=place)
@click.argument("label", required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The run folder to write; with many labels the table, whose name ends in .parquet or .csv.",
)
@click.option(
    "--members",
    type=click.Path(path_type=Path),
    help="A file of ids, one per line, or a list of PetScan or PagePile, instead of a label.",
)
@click.option("--labels-from", type=click.Path(path_type=Path), help="Many labels: a file of them, one per line.")
@click.option("--all-labels", is_flag=True, help="Many labels: every one of the corpus that has enough members.")
@click.option("--min-members", type=click.IntRange(min=2), help="How many are enough for --all-labels. [default: 50]")
@click.option(
    "--runs",
    type=click.Path(path_type=Path),
    help="Many labels: a folder with a run folder for each, instead of one table. If it is interrupted, the same "
    "command goes on.",
)
@click.option("--exclude", type=click.Path(path_type=Path), help="A file of ids to leave out altogether.")
@click.option(
    "--model",
    type=MODEL_NAMES,
    help="default: a regression that learns its prior from left-out members; presence: naive Bayes, faster, finds "
    "fewer. [default: default; presence if its prior is chosen, or for many labels]",
)
@click.option(
    "--words",
    help="Words that count for the category or against it, as '+oil:2 +crude -olive', @FILE, or @TABLE:COLUMN for a "
    "column of a spreadsheet. Write the:0 to ignore a word. How much they count is learned from left-out members.",
)
@click.option(
    "--description",
    help="A text about the category, or @FILE: its words count as far as that helps. [default: only the label counts, "
    "as one more member; '' for not even that]",
)
@click.option(
    "--prior-from",
    type=click.Path(path_type=Path),
    help="Start from the weights of an earlier run or model of the category.",
)
@click.option(
    "--text-only",
    is_flag=True,
    help="Use only the documents' words. [default: other categories that members carry count as evidence, too]",
)
@click.option(
    "--maintenance",
    is_flag=True,
    help="Count hidden and tracking categories of a wiki as evidence and for --all-labels, too. [default: leave them "
    "out]",
)
@click.option(
    "--prior",
    callback=read_prior,
    help="Use this prior of the presence model: laplace, jeffreys, perks, or λ−,λ+ as in 22,4. [default: learn it]",
)
@click.option(
    "--centre",
    type=click.Choice(["collection", "uniform"]),
    help="What the prior's imagined documents hold: each token as often as the corpus does, or every token. "
    "[default: collection; uniform for a prior that is given]",
)
@click.option(
    "--target",
    callback=read_target,
    help=f"The objective of a learned prior, as f0.5, ppv:0.5 or ppv@250 ({SEE_ALL}). [default: average-precision]",
)
@click.option("--search", type=click.Choice(["exhaustive", "radial"]), help="How to look for it. [default: exhaustive]")
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    help="How many samples of negatives to average over. [default: 5; many labels share one of 2,000]",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The first seed.")
@click.option(
    "--negatives-per-positive",
    type=click.FloatRange(min=0, min_open=True),
    help="Train on samples with this many other documents per member. [default: all]",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    help="How many candidates to keep. [default: 1000; 100 of each of many labels]",
)
@click.option(
    "--show",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Candidates to print. With many labels: how many labels to list.",
)
@click.option("--paper", is_flag=True, help="Exactly the paper's procedure.")
@click.option(
    "--subcategory-depth",
    type=click.IntRange(min=1),
    help="How many steps below the category a subcategory may be; documents outside them are new. [default: any]",
)
@click.option(
    "--verdicts",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Learn from the review of this run: accepted documents are members, rejected ones hard negatives.",
)
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    help="Write the file that the corpus was made of again, with the results and new labels, as this file.",
)
@click.option("--source", type=click.Path(path_type=Path), help="Where that file is now, if it was moved.")
@click.option(
    "--at-least",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="With --into: label documents of at least this probability.",
)
@click.option("--overwrite", is_flag=True, help="Replace the output if it is there already.")
@click.option("--threads", type=click.IntRange(min=1), help="All cores by default.")
@chooses_engine
def discover(
    corpus: Path | str,
    label: str | None,
    output: Path | None,
    members: Path | None,
    labels_from: Path | None,
    all_labels: bool,
    min_members: int | None,
    runs: Path | None,
    exclude: Path | None,
    words: str | None,
    description: str | None,
    prior_from: Path | None,
    verdicts: tuple[Path, ...],
    into: Path | None,
    source: Path | None,
    at_least: float,
    show: int,
    overwrite: bool,
    engine: str,
    master: str | None,
    **choices: Any,
) -> None:
    """Find the documents of CORPUS that are missing from the category LABEL.

    Learns a prior from the members, ranks every other document, best first, and estimates how many members are missing.

    With --words, --description or --prior-from there need be no members. Leave out LABEL to start from them alone.

    With --labels-from or --all-labels, does so for many categories in one pass over the corpus. They share the
    documents that judge their priors. A second table, NAME.labels.parquet or .csv, has a row for each label. With
    --seeds or --model default each category is learned as if it were alone.
    """
    if choices["top"] is None:
        del choices["top"]
    known = _known(words, description, prior_from)
    about_many = {"--min-members": min_members, "--runs": runs}
    if labels_from is not None or all_labels:
        from priorwise.cli.discover_many import ManyLabels, discover_many

        if label is not None or members is not None or verdicts or into is not None:
            raise click.UsageError("Many labels at once go without a LABEL, --members, --verdicts and --into.")
        many = ManyLabels(labels_from, all_labels, min_members, choices["maintenance"])
        many.check(output, runs, choices["subcategory_depth"], overwrite=overwrite)
        opened = open_corpus(corpus)
        excluded = _ids(exclude, opened) if exclude else []
        choices |= {"exclude": excluded, **known}
        with using(engine, master) as spark:
            discover_many(opened, many, output, runs, choices, show=show, overwrite=overwrite, engine=spark)
        return
    if needless := [name for name, value in about_many.items() if value is not None]:
        raise click.UsageError(f"{needless[0]} is about many labels: give --labels-from FILE or --all-labels, too.")
    choices |= known
    _discover_one(
        corpus,
        label,
        output,
        members=members,
        exclude=exclude,
        verdicts=verdicts,
        into=into,
        source=source,
        at_least=at_least,
        show=show,
        overwrite=overwrite,
        engine=engine,
        master=master,
        **choices,
    )


def _discover_one(
    corpus: Path | str,
    label: str | None,
    output: Path | None,
    *,
    members: Path | None,
    exclude: Path | None,
    verdicts: tuple[Path, ...],
    into: Path | None,
    source: Path | None,
    at_least: float,
    show: int,
    overwrite: bool,
    engine: str,
    master: str | None,
    **choices: Any,
) -> None:
    from priorwise.discovery import discover as run_discover
    from priorwise.discovery.run import check_output
    from priorwise.review.results import judged

    if output is not None:
        check_output(output, overwrite=overwrite)
    opened = open_corpus(corpus)
    if into is not None:
        from priorwise.review.export import check_into

        check_into(opened, into, source, overwrite=overwrite)
    with using(engine, master) as spark, progress_bar("Learning the prior", total=1.0) as bar:
        run = run_discover(
            opened,
            label,
            members=_ids(members, opened) if members else None,
            exclude=_ids(exclude, opened) if exclude else (),
            verdicts=judged(*verdicts) if verdicts else None,
            engine=spark,
            progress=lambda what, share: bar.update(description=what.capitalize(), completed=share),
            **choices,
        )
    if output is not None:
        # Saved before it is printed: the reader may close the pipe.
        run.save(output, overwrite=overwrite)
    print_run(run, show)
    if run.missing is None and not run.ranking.has_probabilities:
        print_what_to_judge(run, opened, output)
    if output is not None:
        first = run.ranking.ids[:1]
        why = f" Why the first one: {_quoted('priorwise', 'explain', str(output), *first)}" if first else ""
        click.echo(f"\nWritten to {output}.{why}")
    if into is not None:
        from priorwise.cli.report import into_line
        from priorwise.review.export import finished, write_into

        found = finished(run, opened, {})
        told = write_into(found, into, source=source, at_least=at_least, overwrite=overwrite)
        click.echo(f"\n{into_line(into, told, found.label)} (probability {at_least:g} or more)")


def _known(words: str | None, description: str | None, prior_from: Path | None) -> dict[str, Any]:
    """What somebody knows, read from files where it is in files."""
    known: dict[str, Any] = {"words": _words(words), "description": _text(description, "description")}
    if prior_from is not None:
        from priorwise.discovery.run import load_model

        known["prior_from"] = load_model(prior_from)
    return known


def _words(given: str | None) -> Any:
    """Keywords as they are given, of a file, or of a column of a table."""
    if given is not None and given.startswith("@"):
        from priorwise.priors.keywords import column_keywords, split_column

        path, column = split_column(given[1:])
        if column is not None:
            return column_keywords(path, column)
    return _text(given, "list of words")


def _text(given: str | None, what: str) -> str | None:
    """A text as it is, or that of the file after an @."""
    if given is None or not given.startswith("@"):
        return given
    from priorwise.readers.small_texts import LONGEST_LIST, small_text

    return small_text(Path(given[1:]), LONGEST_LIST, what)


def _ids(path: Path, corpus: Any) -> list[str]:
    """Ids from a file, one per line."""
    from priorwise.readers.small_texts import small_list

    ids = small_list(path, "id")
    try:
        corpus.rows(ids)
    except UnknownName as error:
        from priorwise.exports.wikis import pages_in

        pages, elsewhere = pages_in(path, corpus)
        if not pages:
            raise BrokenFile(path, str(error)) from error
        if elsewhere:
            click.echo(f"{path}: {elsewhere:,} of its pages are not in the corpus", err=True)
        return pages
    return ids


def _quoted(*words: str) -> str:
    import shlex

    return safe(shlex.join(words))


TO_JUDGE = 5
"""How many documents to propose."""

EVIDENCE_WIDTH = 90
"""Names of categories can be long; the whole line is in the ranking."""


def print_run(run: Any, show: int) -> None:
    """What was learned, how many members are missing, and the top of the ranking."""
    from priorwise.discovery.stage import NARROWS

    about, ranker = run.about, run.ranker
    what = f"'{safe(about.label)}'" if about.label is not None else about.unnamed.capitalize()
    click.echo(f"{what}: {counted(about.members, 'member')}, {counted(about.others, 'other document')}")
    for sentence in ranker.describe():
        click.echo(sentence)
    for stage in run.stages[:-1]:
        if stage.role == NARROWS:
            click.echo(f"{stage.title.capitalize()} chose which documents to read.")
    table = ranker.table()
    if table is not None and len(table.rows) <= 2:
        click.echo(f"\n{table.caption}:")
        show_table(list(table.headings), [list(row) for row in table.rows])
    if ranker.predicted is not None:
        predicted = f"Predicted members: {ranker.predicted:,} by {ranker.title}"
        click.echo(f"{predicted}, {run.compared.predicted:,} by {run.compared.title}")
    if about.subcategories is not None:
        click.echo(f"\n{_count_statuses(about.subcategories)}")
    if show:
        click.echo(f"\nThe first {min(show, len(run.ranking))} of {counted(len(run.ranking), 'candidate')}:")
        _print_candidates(run, show)


def print_what_to_judge(run: Any, corpus: Any, output: Any) -> None:
    """The documents whose verdicts would teach a start without members most."""
    from priorwise.discovery.instructive import most_instructive

    rows = most_instructive(run, corpus, TO_JUDGE)
    click.echo(
        "\nJudge these first: they teach most." + (f" priorwise review {safe(str(output))} --teach" if output else "")
    )
    for row in rows:
        click.echo(f"  {safe(row['title'], 90)} ({safe(row['id'])})")


def _print_candidates(run: Any, show: int) -> None:

    has_graph = run.about.subcategories is not None
    headings = ["rank", "score", "prob.", "baseline", "title", "subcategory", "strongest words"]
    rows = [
        [
            str(row["rank"]),
            f"{row['score']:.3f}",
            "" if row["probability"] is None else f"{row['probability']:.2f}",
            f"{row['baseline_rank']:,}",
            safe(row["title"], 40),
            _subcategory(row, run.about.label) if has_graph else "",
            safe(row["evidence"], EVIDENCE_WIDTH),
        ]
        for row in run.ranking.rows(show)
    ]
    absent = {"subcategory": not has_graph, "prob.": not run.ranking.has_probabilities}
    shown = [column for column, heading in enumerate(headings) if not absent.get(heading)]
    show_table(
        [headings[column] for column in shown],
        [[row[column] for column in shown] for row in rows],
        left=range(headings.index("title") - absent["prob."], len(shown)),
    )


def _count_statuses(about: Any) -> str:
    if about.categories == 0:
        return "No subcategory is known, so all candidates are new."
    depth = "at any depth" if about.depth is None else f"at most {counted(about.depth, 'step')} below"
    found, baseline = about.candidates["ranking"], about.candidates["baseline"]
    return (
        f"{counted(found['subcategory'], 'candidate')} in its {counted(about.categories, 'subcategory')} ({depth}), "
        f"{found['new']:,} new; for the baseline {baseline['subcategory']:,} and {baseline['new']:,}"
    )


def _subcategory(row: dict[str, Any], label: str) -> str:
    """The subcategory that a candidate is in and the way to it, less the category itself, where all ways begin."""
    from priorwise.discovery.status import ARROW

    return f"({row['status']})" if row["path"] is None else safe(row["path"].removeprefix(label + ARROW), 60)
