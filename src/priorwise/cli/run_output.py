"""A run on the terminal."""

from __future__ import annotations

from typing import Any

import click

from priorwise.counting import counted

TO_JUDGE = 5
"""How many documents to propose."""

EVIDENCE_WIDTH = 90
"""Names of categories can be long; the whole line is in the ranking."""


def print_run(run: Any, show: int) -> None:
    """What was learned, how many members are missing, and the top of the ranking."""
    from priorwise.cli.output import safe, show_table
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
    from priorwise.cli.output import safe
    from priorwise.discovery.instructive import most_instructive

    rows = most_instructive(run, corpus, TO_JUDGE)
    click.echo(
        "\nJudge these first: they teach most." + (f" priorwise review {safe(str(output))} --teach" if output else "")
    )
    for row in rows:
        click.echo(f"  {safe(row['title'], 90)} ({safe(row['id'])})")


def _print_candidates(run: Any, show: int) -> None:
    from priorwise.cli.output import safe, show_table

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
    from priorwise.cli.output import safe
    from priorwise.discovery.status import ARROW

    return f"({row['status']})" if row["path"] is None else safe(row["path"].removeprefix(label + ARROW), 60)
