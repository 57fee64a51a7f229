"""`priorwise reproduce`: a paper's experiment, the published number beside ours."""

from __future__ import annotations

import shlex
from pathlib import Path

import click


@click.command()
@click.argument("name", metavar="bernoulli|knowledge|sparse|webscale")
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
    r"""Run a paper's experiment again, and put the published number beside ours.

    What is finished is kept in the output folder at once: stopped and started again with the same command, it goes on
    where it was. In the end NAME.md and NAME.json are there, and the figures as PNG files.

    \b
      priorwise reproduce bernoulli --data DIR -o results
      priorwise reproduce webscale --data DIR -o results --only onet
    """
    from priorwise.cli.output import progress_bar
    from priorwise.papers.data import Data, data_folder
    from priorwise.papers.experiment import Session, find_experiment
    from priorwise.papers.page import to_text, write_page
    from priorwise.papers.results import Results

    experiment = find_experiment(name)
    parts = experiment.chosen(only)
    collections = Data(data_folder(data), output / "corpora")
    for needed in dict.fromkeys(each for part in parts for each in experiment.parts[part]):
        collections.path(needed)
    results = Results(output / f"{name}.cells.jsonl", quick=quick)
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
    words = ["priorwise", "reproduce", name, "--data", "DIR", *(word for part in only for word in ("--only", part))]
    remarks = write_page(experiment, findings, output, shlex.join([*words, *(["--quick"] if quick else [])]))
    click.echo(to_text(findings))
    for remark in remarks:
        click.echo(f"\n{remark}", err=True)
    click.echo(
        f"\n{results.computed:,} cells computed, {results.reused:,} from an earlier run; the page is {output / name}.md"
    )
