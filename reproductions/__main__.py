"""`python -m reproductions`: run a paper's experiment and compare our numbers with the published ones."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from priorwise.cli.output import progress_bar, safe, spell_out
from priorwise.counting import counted
from priorwise.errors import InputError, PriorwiseError, UnknownName
from reproductions.data import Data, data_folder
from reproductions.experiment import NAMES, Experiment, Session, find_experiment
from reproductions.page import to_text, write_page, write_whole
from reproductions.results import Results


class _Refused(click.ClickException):
    exit_code = 2


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("name", metavar="|".join([*NAMES, "all"]))
@click.option(
    "--data", type=click.Path(path_type=Path), help="The folder with the collections. [default: PRIORWISE_DATA]"
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="The folder for the page, its figures and every finished number.",
)
@click.option("--only", multiple=True, help="A part of the experiment, such as a collection. Repeat it for more.")
@click.option("--quick", is_flag=True, help="Use coarser grids and fewer repetitions.")
@click.option("--anew", is_flag=True, help="Discard what an earlier run has finished.")
def reproduce(name: str, data: Path | None, output: Path, only: tuple[str, ...], quick: bool, anew: bool) -> None:
    """Run a paper's experiment again and compare our numbers with the published ones.

    Each number is saved in the output folder as soon as it is finished. If you stop a run, the same command continues
    it. In the end the folder has NAME.md, NAME.json and the figures as SVG files. `all` runs every experiment that
    there is data for, lists what it left out, and writes one page with all of them, all.md.

    \b
      python -m reproductions bernoulli --data DIR -o results
      python -m reproductions webscale --data DIR -o results --only onet
      python -m reproductions all --data DIR -o results
    """  # noqa: D301, click asks for the character itself
    spell_out(sys.stdout, sys.stderr)
    try:
        if name not in (*NAMES, "all"):
            raise UnknownName("experiment", name, [*NAMES, "all"], complete=True)
        if name == "all":
            _reproduce_all(data, output, only, quick=quick, anew=anew)
        else:
            _reproduce_one(name, data, output, only, quick=quick, anew=anew)
    except PriorwiseError as error:
        raise _Refused(safe(str(error))) from error


def _reproduce_one(
    name: str, data: Path | None, output: Path, only: tuple[str, ...], *, quick: bool, anew: bool
) -> None:
    experiment = find_experiment(name)
    parts = experiment.chosen(only)
    collections = Data(data_folder(data), output / "corpora")
    for needed in dict.fromkeys(each for part in parts for each in experiment.parts[part]):
        collections.path(needed)
    _run(experiment, parts, collections, output, _command(name, only, quick), quick=quick, anew=anew)


def _reproduce_all(data: Path | None, output: Path, only: tuple[str, ...], *, quick: bool, anew: bool) -> None:
    if only:
        raise InputError("'all' runs every part there is data for; --only goes with one experiment")
    collections = Data(data_folder(data), output / "corpora")
    pages, missing = [], {}
    for each in map(find_experiment, NAMES):
        parts, without = each.possible(collections)
        missing.update({f"{each.name}, {part}": why for part, why in without.items()})
        if parts:
            command = _command(each.name, parts if without else (), quick)
            pages.append((each, _run(each, parts, collections, output, command, quick=quick, anew=anew)))
    if not pages:
        raise InputError(f"{collections.folder} has none of the collections; see docs/results for what is looked for")
    page = write_whole(pages, missing, output, _command("all", (), quick))
    for part, why in missing.items():
        click.echo(f"left out: {part}: {why}", err=True)
    click.echo(f"\nAll {len(pages)} experiments on one page: {page}")


def _command(name: str, only: tuple[str, ...], quick: bool) -> str:
    parts = [word for part in only for word in ("--only", part)]
    return shlex.join(["python", "-m", "reproductions", name, "--data", "DIR", *parts, *["--quick"] * quick])


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
    """Run one experiment, write its files, print what was found, and return its page."""
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
    write_page(experiment, findings, output, command)
    click.echo(to_text(findings))
    page = output / f"{experiment.name}.md"
    click.echo(
        f"\n{counted(results.computed, 'cell')} computed, {results.reused:,} from an earlier run; the page is {page}"
    )
    return page.read_text(encoding="utf-8")


if __name__ == "__main__":
    reproduce(prog_name="python -m reproductions")
