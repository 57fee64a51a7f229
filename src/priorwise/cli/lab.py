"""The commands that measure: `priorwise benchmark hidden` and `priorwise simulate`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from priorwise.cli.discover import CENTRES
from priorwise.cli.options import (
    CORPUS,
    COUNT,
    JSON,
    OVERWRITE,
    PATH,
    SEED,
    Group,
    chooses_engine,
    command,
    named,
    open_corpus,
    option,
    runs_beside,
    using,
)
from priorwise.cli.output import progress_bar, safe, say, show_json, show_table
from priorwise.counting import counted
from priorwise.errors import InputError, NotEnoughData, UnknownName


@click.group(cls=Group)
def benchmark() -> None:
    """Compare methods."""


@benchmark.command(examples='benchmark hidden articles.corpus --category "Machine learning" --known 5')
@CORPUS
@option(
    "--category", "labels", old="--labels", multiple=True, help="May be repeated. [default: all that are large enough]"
)
@option("--min-members", type=click.IntRange(min=4), default=100, help="Leave smaller categories out.")
@option("--hide", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.5, help="The share to hide.")
@option("--known", "keep", type=click.IntRange(min=2), help="How many members stay known, instead of a share.")
@option("--seed", type=SEED, default=0, help="Where random draws start.")
@option("--methods", multiple=True, help="Only methods whose name contains this. May be repeated.")
@option(
    "--centre",
    type=CENTRES,
    default="corpus-wide",
    help="The centre of learned priors; the default objective is tried with both.",
)
@option("--tuned", is_flag=True, help="Also scikit-learn's models with C chosen by cross-validation.")
@option(
    "--every-objective",
    "every_target",
    old="--every-target",
    is_flag=True,
    help="Also presence naive Bayes with every other objective.",
)
@option("-o", "--output", type=PATH, help="A CSV file for the figures of every category.")
@OVERWRITE
@JSON
@chooses_engine
def hidden(
    corpus: Path | str,
    labels: tuple[str, ...],
    min_members: int,
    hide: float,
    keep: int | None,
    seed: int,
    methods: tuple[str, ...],
    output: Path | None,
    overwrite: bool,
    as_json: bool,
    engine: str,
    master: str | None,
    **chosen: Any,
) -> None:
    """Hide members of each category, and count how many each method finds again at the top of its ranking."""
    from priorwise.discovery.hidden import BASELINE, HERE, all_methods, eligible_labels, hidden_members, summarise

    if output is not None:
        from priorwise.durable import check_free_files

        if output.is_dir() or not output.parent.is_dir():
            raise InputError(f"{output} cannot be written: it is a folder, or its folder does not exist")
        check_free_files([output], overwrite=overwrite)
    opened = open_corpus(corpus)
    wanted = list(dict.fromkeys(labels)) or eligible_labels(opened, min_members)
    if not wanted:
        raise NotEnoughData(f"no category of {named(corpus)} has {counted(min_members, 'member')}; lower --min-members")
    with using(engine, master) as spark:
        known = all_methods(engine=spark or HERE, **chosen)
        for part in methods:
            if not any(part in method.name for method in known):
                raise UnknownName("method", part, [method.name for method in known], complete=True)
        tried = [m for m in known if not methods or m.name == BASELINE or any(part in m.name for part in methods)]
        with progress_bar("Hidden members", total=len(wanted) * len(tried)) as bar:
            done = 0

            def show(label: str, method: str) -> None:
                nonlocal done
                bar.update(description=f"{label}: {method}", completed=done)
                done += 1

            results = list(hidden_members(opened, wanted, tried, hide=hide, keep=keep, seed=seed, progress=show))
    if output is not None:
        _write(results, output, overwrite=overwrite)
    if as_json:
        show_json({"categories": len(wanted), "methods": [asdict(each) for each in summarise(results)]})
        return
    how = f"{hide:.0%} of the members hidden" if keep is None else f"{keep} members known, the others hidden"
    say(f"{counted(len(wanted), 'category')} of {named(corpus)}, {how}, mean over categories")
    print_summary(summarise(results), len(wanted))


def print_summary(summaries: list[Any], n_labels: int) -> None:
    """One row per method, best first, with the paired test against the baseline."""
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
    measures = [name.replace("ppv", "precision") for name in MEASURES]
    show_table(["method", *measures, "× baseline", "ahead/behind", "p (t)", "p (Wilcoxon)", "s/category"], rows)
    say(
        f"Ratio, ahead/behind and tests: precision@250 against '{BASELINE}', "
        f"paired over {counted(n_labels, 'category')}."
    )


def _write(results: list[Any], output: Path, *, overwrite: bool) -> None:
    from priorwise.durable import whole_file
    from priorwise.tables import csv_writer

    with whole_file(output, overwrite=overwrite) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        write_row = csv_writer(file, ["label", "known", "hidden", "method", *results[0].measures, "seconds"])
        for each in results:
            write_row([each.label, each.known, each.hidden, each.method, *each.measures.values(), each.seconds])


def _parts(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _words(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[str, ...]:
    return _parts(value)


def _numbers(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in _parts(value))
    except ValueError as error:
        raise click.BadParameter(f"'{value}' is not a list of whole numbers such as 1,2,5") from error


@command(examples="simulate reviews.corpus included --known 1,2 --repeats 3")
@CORPUS
@click.argument("labels", nargs=-1, required=True, metavar="CATEGORY...")
@option(
    "--known",
    callback=_numbers,
    metavar="NUMBERS",
    default="1",
    help="From how many members to start: 1,2,5 tries each. With --description it may be 0.",
)
@option("--description", "about", old="--title", help="A text about the category that is known at the start.")
@option("--repeats", "seeds", old="--seeds", type=COUNT, default=5, help="Reviews from other random starts.")
@option(
    "--against",
    callback=_words,
    metavar="METHODS",
    default="",
    help="Compare with these: asreview (its default, if ASReview 3 is installed), svm, bmi, squares.",
)
@option("-o", "--output", type=PATH, help="The folder for results. [default: CORPUS.simulation]")
@JSON
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
        show_json(simulation.as_json())
        return
    if not simulation.fresh:
        say(f"{folder} is up to date: {counted(len(simulation.replays), 'review')}.")
    for label in simulation.labels:
        for start in simulation.starts:
            _show(simulation, opened, label, start)
        say(f"Recall curves: {pictures[label]}\n")
    if len(simulation.methods) > 1:
        _show_tests(simulation)


def _show(simulation: Any, corpus: Any, label: str, start: int) -> None:
    """One category: metrics by method, and the members that took longest to find."""
    columns = {method: simulation.means(label=label, method=method, known=start) for method in simulation.methods}
    one = simulation.chosen(label, known=start)[0]
    say(
        f"{safe(label)}: {counted(len(one.found), 'member')} to find among {counted(one.documents, 'document')}, "
        f"{counted(start, 'member')} known, {counted(len(simulation.chosen(label, one.method, start)), 'review')}"
    )
    rows = [[name, *(_written(name, *columns[method][name]) for method in columns)] for name in columns[one.method]]
    show_table(["metric", *columns], rows)
    last = simulation.latest(label, known=start)[:3]
    titles = corpus.titles(corpus.rows([id for id, _ in last]))
    shown = "; ".join(f"{safe(title, 50)} ({place:,.0f})" for (_, place), title in zip(last, titles, strict=True))
    say(f"  Found last, by mean place: {shown}")


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
    say(f"priorwise compared with others, a pair for each {'category' if several else 'review'}:")
    show_table(["against", "metric", "gain", "ahead : behind", "p (t-test)", "p (Wilcoxon)"], rows, left=(0, 1))
