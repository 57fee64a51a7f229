"""`priorwise discover`: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from priorwise.cli.engine_options import chooses_engine, place, using
from priorwise.cli.names import NAMES, read_prior, read_target


@click.command()
@click.argument("corpus", callback=place)
@click.argument("label", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The run folder to write.")
@click.option("--members", type=click.Path(path_type=Path), help="A file of ids, one per line, instead of a label.")
@click.option("--exclude", type=click.Path(path_type=Path), help="A file of ids to leave out altogether.")
@click.option(
    "--model",
    type=click.Choice(["auto", "presence"]),
    help="presence: naive Bayes, the fastest; auto: a regression on top of it, which finds more. "
    "[default: auto; presence if its prior is chosen]",
)
@click.option(
    "--description",
    help="A text about the category, or @FILE: it counts as one more member. [default: the label; '' for none]",
)
@click.option(
    "--prior",
    callback=read_prior,
    help="Take this prior: laplace, jeffreys, perks, or λ−,λ+ as in 22,4. [default: learn it]",
)
@click.option(
    "--centre",
    type=click.Choice(["collection", "uniform"]),
    help="What the prior's imagined documents hold: each token as often as the corpus does, or every token. "
    "[default: collection; uniform for a prior that is given]",
)
@click.option(
    "--target", callback=read_target, help=f"What a good prior is good at: {NAMES}. [default: average-precision]"
)
@click.option("--search", type=click.Choice(["exhaustive", "radial"]), help="How to look for it. [default: exhaustive]")
@click.option("--seeds", type=click.IntRange(min=1), help="How many samples of negatives to average over. [default: 5]")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The first seed.")
@click.option(
    "--negatives-per-positive",
    type=click.FloatRange(min=0, min_open=True),
    help="Train on samples of so many negatives per member. [default: all other documents]",
)
@click.option("--top", type=click.IntRange(min=1), default=1000, show_default=True, help="How many candidates to keep.")
@click.option("--show", type=click.IntRange(min=0), default=20, show_default=True, help="How many candidates to print.")
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
@click.option("--overwrite", is_flag=True, help="Replace the run folder if it is there already.")
@click.option("--threads", type=click.IntRange(min=1), help="All cores by default.")
@chooses_engine
def discover(
    corpus: Path | str,
    label: str | None,
    output: Path | None,
    members: Path | None,
    exclude: Path | None,
    description: str | None,
    verdicts: tuple[Path, ...],
    show: int,
    overwrite: bool,
    engine: str,
    master: str | None,
    **choices: Any,
) -> None:
    """Find the documents of CORPUS that are missing from the category LABEL.

    Learns the prior from the members, ranks every other document, best first, and puts the Laplace baseline beside it.
    """
    from priorwise.cli.output import progress_bar
    from priorwise.corpus import Corpus
    from priorwise.discovery import discover as run_discover
    from priorwise.discovery.run import check_output
    from priorwise.review.results import judged

    if output is not None:
        check_output(output, overwrite=overwrite)
    opened = Corpus.open(corpus)
    with using(engine, master) as spark, progress_bar("Learning the prior", total=1.0) as bar:
        run = run_discover(
            opened,
            label,
            members=_ids(members, opened) if members else None,
            exclude=_ids(exclude, opened) if exclude else (),
            description=_description(description),
            verdicts=judged(*verdicts) if verdicts else None,
            engine=spark,
            progress=lambda what, share: bar.update(description=what.capitalize(), completed=share),
            **choices,
        )
    if output is not None:
        # Saved before it is shown: whoever reads may stop reading.
        run.save(output, overwrite=overwrite)
    print_run(run, show)
    if output is not None:
        first = run.ranking.ids[:1]
        why = f" Why the first one: {_quoted('priorwise', 'explain', str(output), *first)}" if first else ""
        click.echo(f"\nWritten to {output}.{why}")


def print_run(run: Any, show: int) -> None:
    """What was learned, how it compares with Laplace, and the top of the ranking."""
    from priorwise.cli.output import safe, show_table
    from priorwise.discovery.words import in_words, regression_in_words

    about = run.about
    learned, loo = about["learned"], about["leave_one_out"]
    what = f"'{safe(about['label'])}'" if about["label"] is not None else "The list"
    click.echo(
        f"{what}: {about['members']:,} members, {learned['vocabulary']:,} tokens; "
        f"{about['corpus']['documents'] - about['members'] - about['excluded']:,} other documents"
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
    click.echo(f"\nLeave-one-out, {len(run.seeds)} sample{'s' * (len(run.seeds) > 1)} of negatives:")
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
        click.echo(f"\nThe first {min(show, len(run.ranking))} of {len(run.ranking):,} candidates:")
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
            safe(row["evidence"]),
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
    from priorwise.cli.output import counted

    n = about["categories"]
    if n == 0:
        return "No subcategory is known, so all candidates are new."
    subcategories = f"{n:,} subcategor{'y' if n == 1 else 'ies'}"
    depth = "at any depth" if about["depth"] is None else f"at most {counted(about['depth'], 'step')} below"
    found, laplace = about["learned"], about["laplace"]
    return (
        f"{counted(found['subcategory'], 'candidate')} in its {subcategories} ({depth}), {found['new']:,} new; "
        f"for Laplace {laplace['subcategory']:,} and {laplace['new']:,}"
    )


def _subcategory(row: dict[str, Any], label: str) -> str:
    """The subcategory that a candidate is in and the way to it, less the category itself, where all ways begin."""
    from priorwise.cli.output import safe
    from priorwise.discovery.standing import ARROW

    return f"({row['status']})" if row["path"] is None else safe(row["path"].removeprefix(label + ARROW), 60)


def _description(given: str | None) -> str | None:
    """A text as it is, or that of the file after an @."""
    from priorwise.errors import BrokenFile

    if given is None or not given.startswith("@"):
        return given
    path = Path(given[1:])
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BrokenFile(path, f"cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise BrokenFile(path, "not valid UTF-8") from error


def _ids(path: Path, corpus: Any) -> list[str]:
    """Ids from a file, one per line."""
    from priorwise.errors import BrokenFile, UnknownName

    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except FileNotFoundError as error:
        raise BrokenFile(path, "there is no such file") from error
    except UnicodeDecodeError as error:
        raise BrokenFile(path, "not valid UTF-8") from error
    ids = [line.strip() for line in lines if line.strip()]
    if not ids:
        raise BrokenFile(path, "there is no id in it")
    try:
        corpus.rows(ids)
    except UnknownName as error:
        raise BrokenFile(path, str(error)) from error
    return ids


def _quoted(*words: str) -> str:
    import shlex

    from priorwise.cli.output import safe

    return safe(shlex.join(words))
