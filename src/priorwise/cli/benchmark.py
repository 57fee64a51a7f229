"""`priorwise benchmark hidden`: methods compared where the truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from priorwise.cli.engine_options import chooses_engine, using
from priorwise.cli.places import named, open_corpus, place
from priorwise.counting import counted


@click.group()
def benchmark() -> None:
    """Compare methods."""


@benchmark.command()
@click.argument("corpus", callback=place)
@click.option(
    "--labels", multiple=True, help="A category; give it again for more. [default: all that are large enough]"
)
@click.option(
    "--min-members", type=click.IntRange(min=4), default=100, show_default=True, help="Leave smaller ones out."
)
@click.option(
    "--hide",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.5,
    show_default=True,
    help="The share of the members to hide.",
)
@click.option(
    "--known", "keep", type=click.IntRange(min=2), help="How many members stay known, instead of a share: 5, say."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Which members are hidden.")
@click.option("--methods", multiple=True, help="Only methods whose name contains this; give it again for more.")
@click.option(
    "--centre",
    type=click.Choice(["collection", "uniform"]),
    default="collection",
    show_default=True,
    help="The centre of learned priors; the default target is tried with both.",
)
@click.option("--tuned", is_flag=True, help="Also scikit-learn's models with C chosen by cross-validation.")
@click.option("--every-target", is_flag=True, help="Also presence naive Bayes with every other target.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A CSV file for the figures of every category.")
@chooses_engine
def hidden(
    corpus: Path | str,
    labels: tuple[str, ...],
    min_members: int,
    hide: float,
    keep: int | None,
    seed: int,
    methods: tuple[str, ...],
    centre: str,
    tuned: bool,
    every_target: bool,
    output: Path | None,
    engine: str,
    master: str | None,
) -> None:
    """Hide members of each category, and count how many each method finds again at the top of its ranking."""
    from priorwise.cli.output import progress_bar
    from priorwise.discovery.hidden import BASELINE, HERE, all_methods, eligible_labels, hidden_members, summarise
    from priorwise.errors import InputError, NotEnoughData, UnknownName

    if output is not None and not (output.parent.is_dir() and not output.is_dir()):
        raise InputError(f"{output} cannot be written: it is a folder, or its folder does not exist")
    opened = open_corpus(corpus)
    wanted = list(dict.fromkeys(labels)) or eligible_labels(opened, min_members)
    if not wanted:
        raise NotEnoughData(f"no label of {named(corpus)} has {counted(min_members, 'member')}; lower --min-members")
    with using(engine, master) as spark:
        known = all_methods(every_target=every_target, centre=centre, tuned=tuned, engine=spark or HERE)
        for part in methods:
            if not any(part in method.name for method in known):
                raise UnknownName("method", part, [method.name for method in known], complete=True)
        chosen = [m for m in known if not methods or m.name == BASELINE or any(part in m.name for part in methods)]
        with progress_bar("Hidden members", total=len(wanted) * len(chosen)) as bar:
            done = 0

            def show(label: str, method: str) -> None:
                nonlocal done
                bar.update(description=f"{label}: {method}", completed=done)
                done += 1

            results = list(hidden_members(opened, wanted, chosen, hide=hide, keep=keep, seed=seed, progress=show))
    how = f"{hide:.0%} of the members hidden" if keep is None else f"{keep} members known, the others hidden"
    click.echo(f"{counted(len(wanted), 'category')} of {named(corpus)}, {how}, mean over categories")
    print_summary(summarise(results), len(wanted))
    if output is not None:
        _write(results, output)


def print_summary(summaries: list[Any], n_labels: int) -> None:
    """One row per method, best first, with the paired test against Laplace."""
    from priorwise.cli.output import show_table
    from priorwise.discovery.hidden import BASELINE, MEASURES

    base = next(summary for summary in summaries if summary.method == BASELINE).means["ppv@250"]
    rows = []
    for summary in summaries:
        against = summary.against
        ratio = f"{summary.means['ppv@250'] / base:.2f}" if base else "–"
        rows.append(
            [
                summary.method,
                *(f"{summary.means[measure]:.3f}" for measure in MEASURES),
                ratio,
                f"{against.ahead}/{against.behind}",
                f"{against.t_test:.2g}",
                f"{against.wilcoxon:.2g}",
                f"{summary.seconds / n_labels:.2f}",
            ]
        )
    show_table(["method", *MEASURES, "× Laplace", "ahead/behind", "p (t)", "p (Wilcoxon)", "s/category"], rows)
    click.echo(
        f"Ratio, ahead/behind and tests: PPV@250 against '{BASELINE}', paired over {counted(n_labels, 'category')}."
    )


def _write(results: list[Any], output: Path) -> None:
    from priorwise.corpus.storage.whole_files import whole_file
    from priorwise.tables import csv_writer

    with whole_file(output) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        write_row = csv_writer(file, ["label", "known", "hidden", "method", *results[0].measures, "seconds"])
        for each in results:
            write_row([each.label, each.known, each.hidden, each.method, *each.measures.values(), each.seconds])
