"""A run on the terminal."""

from __future__ import annotations

from typing import Any

import click

from priorwise.counting import counted

EVIDENCE_WIDTH = 90
"""Names of labels can be long; the whole line is in the ranking."""


def print_run(run: Any, show: int) -> None:
    """What was learned, how it compares with Laplace, and the top of the ranking."""
    from priorwise.cli.output import safe, show_table
    from priorwise.discovery.words import in_words, regression_in_words

    about = run.about
    learned, loo = about["learned"], about["leave_one_out"]
    what = f"'{safe(about['label'])}'" if about["label"] is not None else "The list"
    click.echo(
        f"{what}: {counted(about['members'], 'member')}, {counted(learned['vocabulary'], 'token')}; "
        f"{counted(about['corpus']['documents'] - about['members'] - about['excluded'], 'other document')}"
    )
    origin = "Given" if about["procedure"]["given"] else "Learned"
    click.echo(
        f"{origin} prior: λ− = {learned['lambda_negative']:g}, λ+ = {learned['lambda_positive']:g}; "
        f"scores are divided by length^{learned['length_power']:g}"
    )
    click.echo(in_words(run.prior))
    if about["regression"] is not None:
        click.echo(regression_in_words(about))
    if learned["remark"]:
        click.echo(f"Note: {learned['remark']}.")
    click.echo(f"\nLeave-one-out, {counted(len(run.seeds), 'sample')} of negatives:")
    # With a second stage, what is predicted is what that stage predicts.
    ranks = about["regression"] is None
    show_table(
        ["", loo["target"], "members found", *(["predicted positive"] if ranks else [])],
        [
            [
                name,
                f"{loo[key]['score']:.4f}",
                f"{loo[key]['sensitivity']:.1%}",
                *([f"{about['predicted_positive'][key]:,}"] if ranks else []),
            ]
            for name, key in (("learned", "learned"), ("Laplace", "laplace"))
        ],
    )
    if not ranks:
        positive = about["predicted_positive"]
        click.echo(f"Predicted positive: {positive['learned']:,} by the regression, {positive['laplace']:,} by Laplace")
    if about.get("subcategories") is not None:
        click.echo(f"\n{_counted_standings(about['subcategories'])}")
    if show:
        click.echo(f"\nThe first {min(show, len(run.ranking))} of {counted(len(run.ranking), 'candidate')}:")
        _print_candidates(run, show)


def _print_candidates(run: Any, show: int) -> None:
    from priorwise.cli.output import safe, show_table

    has_graph = run.about.get("subcategories") is not None
    headings = ["rank", "score", "prob.", "Laplace", "title", "subcategory", "strongest tokens"]
    rows = [
        [
            str(row["rank"]),
            f"{row['score']:.3f}",
            f"{row['probability']:.2f}",
            f"{row['baseline_rank']:,}",
            safe(row["title"], 40),
            _subcategory(row, run.about["label"]) if has_graph else "",
            safe(row["evidence"], EVIDENCE_WIDTH),
        ]
        for row in run.ranking.rows(show)
    ]
    shown = [column for column, heading in enumerate(headings) if has_graph or heading != "subcategory"]
    show_table(
        [headings[column] for column in shown],
        [[row[column] for column in shown] for row in rows],
        left=range(4, len(shown)),
    )


def _counted_standings(about: dict[str, Any]) -> str:
    n = about["categories"]
    if n == 0:
        return "No subcategory is known, so all candidates are new."
    depth = "at any depth" if about["depth"] is None else f"at most {counted(about['depth'], 'step')} below"
    found, laplace = about["learned"], about["laplace"]
    return (
        f"{counted(found['subcategory'], 'candidate')} in its {counted(n, 'subcategory')} ({depth}), "
        f"{found['new']:,} new; "
        f"for Laplace {laplace['subcategory']:,} and {laplace['new']:,}"
    )


def _subcategory(row: dict[str, Any], label: str) -> str:
    """The subcategory that a candidate is in and the way to it, less the category itself, where all ways begin."""
    from priorwise.cli.output import safe
    from priorwise.discovery.standing import ARROW

    return f"({row['status']})" if row["path"] is None else safe(row["path"].removeprefix(label + ARROW), 60)
