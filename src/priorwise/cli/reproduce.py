"""`priorwise reproduce`: a paper's experiment, the published number beside ours."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from priorwise.counting import counted

if TYPE_CHECKING:
    from priorwise.papers.data import Data
    from priorwise.papers.experiment import Experiment


@click.command()
@click.argument("name", metavar="bernoulli|knowledge|presence|sparse|webscale|all")
@click.option(
    "--data", type=click.Path(path_type=Path), help="The folder with the collections. [default: PRIORWISE_DATA]"
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="The folder for the page, its figures, and all that is finished on the way.",
)
@click.option("--only", multiple=True, help="A part of the experiment, such as a collection; give it again for more.")
@click.option("--quick", is_flag=True, help="Do with less: coarser grids, fewer repetitions.")
@click.option("--anew", is_flag=True, help="Forget what an earlier run has finished.")
def reproduce(name: str, data: Path | None, output: Path, only: tuple[str, ...], quick: bool, anew: bool) -> None:
    """Run a paper's experiment again, and put the published number beside ours; or all of them.

    What is finished is kept in the output folder at once: stopped and started again with the same command, it goes on
    where it was. In the end NAME.md and NAME.json are there, and the figures as PNG files. `all` runs every experiment
    with what data there is, says what it had to leave out, and writes one page of all, all.md.

    \b
      priorwise reproduce bernoulli --data DIR -o results
      priorwise reproduce webscale --data DIR -o results --only onet
      priorwise reproduce all --data DIR -o results
    """  # noqa: D301, click asks for the character itself
    from priorwise.errors import InputError, UnknownName
    from priorwise.papers.data import Data, data_folder
    from priorwise.papers.experiment import HOMES, find_experiment
    from priorwise.papers.page import write_whole

    options = ["--quick"] * quick
    if name not in (*HOMES, "all"):
        raise UnknownName("experiment", name, [*HOMES, "all"], complete=True)
    if name != "all":
        experiment = find_experiment(name)
        parts = experiment.chosen(only)
        collections = Data(data_folder(data), output / "corpora")
        for needed in dict.fromkeys(each for part in parts for each in experiment.parts[part]):
            collections.path(needed)
        command = _command(name, [*(word for part in only for word in ("--only", part)), *options])
        _run(experiment, parts, collections, output, command, quick=quick, anew=anew)
        return
    if only:
        raise InputError("'all' runs every part there is data for; --only goes with one experiment")
    collections = Data(data_folder(data), output / "corpora")
    pages, missing = [], {}
    for each in map(find_experiment, HOMES):
        parts, without = each.possible(collections)
        missing.update({f"{each.name}, {part}": why for part, why in without.items()})
        if parts:
            chosen = [word for part in parts for word in ("--only", part)] if without else []
            command = _command(each.name, [*chosen, *options])
            pages.append((each, _run(each, parts, collections, output, command, quick=quick, anew=anew)))
    if not pages:
        raise InputError(f"{collections.folder} has none of the collections; see docs/results for what is looked for")
    page = write_whole(pages, missing, output, _command("all", options))
    for part, why in missing.items():
        click.echo(f"left out: {part}: {why}", err=True)
    click.echo(f"\nAll {len(pages)} experiments on one page: {page}")


def _command(name: str, options: list[str]) -> str:
    return shlex.join(["priorwise", "reproduce", name, "--data", "DIR", *options])


def _run(
    experiment: Experiment,
    parts: tuple[str, ...],
    collections: Data,
    output: Path,
    command: str,
    *,
    quick: bool,
    anew: bool,
) -> str:
    """Run one experiment, write its files, say what was found, and return its page."""
    from priorwise.cli.output import progress_bar
    from priorwise.papers.experiment import Session
    from priorwise.papers.page import to_text, write_page
    from priorwise.papers.results import Results

    results = Results(output / f"{experiment.name}.cells.jsonl", quick=quick)
    if anew:
        results.forget()
    with progress_bar(experiment.title, total=1.0) as bar:
        session = Session(
            collections,
            results,
            lambda what, share: bar.update(description=what, completed=share),
            parts,
            quick,
        )
        findings = experiment.run(session)
    remarks = write_page(experiment, findings, output, command)
    click.echo(to_text(findings))
    for remark in remarks:
        click.echo(f"\n{remark}", err=True)
    page = output / f"{experiment.name}.md"
    click.echo(
        f"\n{counted(results.computed, 'cell')} computed, {results.reused:,} from an earlier run; the page is {page}"
    )
    return page.read_text(encoding="utf-8")
