"""`priorwise report`: what runs found and how good they are, as one file."""

from __future__ import annotations

from pathlib import Path

import click

from priorwise.cli.places import place
from priorwise.counting import counted

KINDS = {".html": "html", ".htm": "html", ".csv": "csv", ".wiki": "wikitext", ".wikitext": "wikitext"}


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The report: .html; or a list of what was accepted: .csv, .wiki. [default: RUN with .html]",
)
@click.option("--csv", "as_csv", type=click.Path(path_type=Path), help="Also write what was accepted, as CSV.")
@click.option(
    "--wikitext",
    "as_wikitext",
    type=click.Path(path_type=Path),
    help="Also write it as links: * [[:Title]].",
)
@click.option("--corpus", callback=place, help="Where the corpus is now, if it was moved.")
@click.option(
    "--top", type=click.IntRange(min=1), default=50, show_default=True, help="How many candidates of each run to show."
)
@click.option("--overwrite", is_flag=True, help="Replace files that are there already.")
def report(
    runs: tuple[Path, ...],
    output: Path | None,
    as_csv: Path | None,
    as_wikitext: Path | None,
    corpus: Path | str | None,
    top: int,
    overwrite: bool,
) -> None:
    """Write a report about one or more RUNs: one HTML file that needs no network and no script.

    It shows the precision of both rankings and whether their difference is more than chance, what was learned and what
    it means, the first candidates with their evidence, and how to make the run again. What needs a review is said to be
    missing until there is one. With several runs, the categories are compared first.
    """
    from priorwise.corpus.whole_files import check_files, write_texts
    from priorwise.report.lists import accepted_csv, accepted_wikitext
    from priorwise.report.page import report_html
    from priorwise.report.subject import subjects_of

    wanted = _wanted(runs, output, {"csv": as_csv, "wikitext": as_wikitext})
    check_files(list(wanted.values()), overwrite=overwrite)
    subjects = subjects_of(runs, corpus)
    makers = {
        "html": lambda: report_html(subjects, top=top),
        "csv": lambda: accepted_csv(subjects),
        "wikitext": lambda: accepted_wikitext(subjects),
    }
    texts = {path: makers[kind]() for kind, path in wanted.items()}
    write_texts(texts, overwrite=overwrite)
    accepted = sum(len(subject.accepted()) for subject in subjects)
    for kind, path in wanted.items():
        size = f"{counted(len(subjects), 'run')}, {path.stat().st_size / 1000:,.0f} kB"
        click.echo(f"{path}: {size if kind == 'html' else counted(accepted, 'accepted candidate')}")


def _wanted(runs: tuple[Path, ...], output: Path | None, lists: dict[str, Path | None]) -> dict[str, Path]:
    """Return which file is to hold what."""
    wanted = {kind: path for kind, path in lists.items() if path is not None}
    if output is None and not wanted:
        output = runs[0].with_suffix(".html") if len(runs) == 1 else Path("report.html")
    if output is not None:
        kind = KINDS.get(output.suffix.lower())
        if kind is None:
            raise click.UsageError(f"{output.name} should end in .html, .csv or .wiki, which says what it holds.")
        if kind in wanted:
            raise click.UsageError(f"Both {output} and {wanted[kind]} are to hold the same; name one of them.")
        wanted[kind] = output
    if len({path.resolve() for path in wanted.values()}) < len(wanted):
        raise click.UsageError("One file is to hold two things; name another for one of them.")
    return wanted
