"""`priorwise simulate`: whole reviews replayed against known labels."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from priorwise.cli.engine_options import load_pandas
from priorwise.cli.output import progress_bar, safe, show_table
from priorwise.cli.places import open_corpus, place, runs_beside
from priorwise.counting import counted


def _parts(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _words(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[str, ...]:
    return _parts(value)


def _numbers(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in _parts(value))
    except ValueError as error:
        raise click.BadParameter(f"'{value}' is no list of whole numbers such as 1,2,5") from error


@click.command()
@click.argument("corpus", callback=place)
@click.argument("labels", nargs=-1, required=True, metavar="LABEL...")
@click.option(
    "--known",
    callback=_numbers,
    metavar="NUMBERS",
    default="1",
    show_default=True,
    help="From how many members to start: 1,2,5 tries each. With --title it may be 0.",
)
@click.option("--title", "about", help="A text about the category that is known at the start, such as its title.")
@click.option("--seeds", type=click.IntRange(min=1), default=5, show_default=True, help="Reviews from other starts.")
@click.option(
    "--against",
    callback=_words,
    metavar="METHODS",
    default="",
    help="Compare with these: asreview (its default, if ASReview 3 is installed), svm, bmi, squares.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The folder for results. [default: CORPUS.simulation]"
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def simulate(
    corpus: Path | str,
    labels: tuple[str, ...],
    known: tuple[int, ...],
    about: str | None,
    seeds: int,
    against: tuple[str, ...],
    output: Path | None,
    as_json: bool,
) -> None:
    """Replay reviews of categories whose members are known, and measure how early the members are found.

    Every verdict is what the label says, and the ranking is learned again after each one. The same command continues a
    simulation that was stopped.
    """
    from priorwise.review.simulation import simulate as replay

    if "asreview" in against and find_spec("asreview") is not None:
        load_pandas()
    opened = open_corpus(corpus)
    folder = output or runs_beside(corpus).with_suffix(".simulation")
    total = len(dict.fromkeys(labels)) * len(known) * seeds * (1 + len(against))
    with progress_bar("Simulating", total=total) as bar:
        simulation = replay(
            opened,
            labels,
            known=known,
            seeds=seeds,
            against=against,
            about=about,
            path=folder,
            progress=lambda what: bar.update(advance=1, note=safe(what, 40)),
        )
    pictures = {}
    for number, label in enumerate(simulation.labels, start=1):
        pictures[label] = folder / f"recall-{number}.svg"
        simulation.chart(label).save(pictures[label])
    if as_json:
        click.echo(json.dumps(simulation.as_json(), indent=2, ensure_ascii=False))
        return
    if not simulation.fresh:
        click.echo(f"{folder} is up to date: {counted(len(simulation.replays), 'review')}.")
    for label in simulation.labels:
        for start in simulation.starts:
            _show(simulation, opened, label, start)
        click.echo(f"Recall curves: {pictures[label]}\n")
    if len(simulation.methods) > 1:
        _show_tests(simulation)


def _show(simulation: Any, corpus: Any, label: str, start: int) -> None:
    """One category: metrics by method, and the members that took longest to find."""
    columns = {method: simulation.means(label=label, method=method, known=start) for method in simulation.methods}
    one = simulation.chosen(label, known=start)[0]
    click.echo(
        f"{safe(label)}: {counted(len(one.found), 'member')} to find among {counted(one.documents, 'document')}, "
        f"{counted(start, 'member')} known, {counted(len(simulation.chosen(label, one.method, start)), 'review')}"
    )
    rows = [[name, *(_written(name, *columns[method][name]) for method in columns)] for name in columns[one.method]]
    show_table(["metric", *columns], rows)
    last = simulation.latest(label, known=start)[:3]
    titles = corpus.titles(corpus.rows([id for id, _ in last]))
    shown = "; ".join(f"{safe(title, 50)} ({place:,.0f})" for (_, place), title in zip(last, titles, strict=True))
    click.echo(f"  Found last, by mean place: {shown}")


def _written(name: str, mean: float, spread: float) -> str:
    digits = 0 if name == "last member" else 3
    return f"{mean:,.{digits}f} ± {spread:,.{digits}f}"


def _show_tests(simulation: Any) -> None:
    """Paired tests of our method against each other one."""
    several = len(simulation.labels) > 1
    rows = []
    for method in simulation.methods[1:]:
        for metric in ("WSS@95", "ATD"):
            test = simulation.compared(method, metric)
            rows.append(
                [
                    method,
                    metric,
                    f"{test.difference:+.4f}",
                    f"{test.ahead} : {test.behind}",
                    f"{test.t_test:.3f}",
                    f"{test.wilcoxon:.3f}",
                ]
            )
    click.echo(f"priorwise compared with others, a pair for each {'category' if several else 'review'}:")
    show_table(["against", "metric", "gain", "ahead : behind", "p (t-test)", "p (Wilcoxon)"], rows, left=(0, 1))
