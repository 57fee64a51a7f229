"""`priorwise report`: what runs found and how good they are, as a page, tables and lists."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from priorwise.cli.options import COUNT, MOVED_CORPUS, OVERWRITE, PATH, command, option
from priorwise.cli.output import say
from priorwise.counting import counted
from priorwise.errors import InputError

PAGES = (".html", ".htm")
LISTS = ("pages", "pywikibot", "quickstatements", "edits")
STATUSES = ("accepted", "rejected", "unsure", "unjudged", "member")


@command(examples="report ml.run\nreport ml.run -o ml.xlsx --status accepted")
@click.argument("runs", nargs=-1, required=True, type=PATH, metavar="RUN...")
@option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=PATH,
    help="What to write, by its ending; may be repeated. .html: the report. .csv, .tsv, .xlsx, .jsonl: all results. "
    ".ris, .nbib: results as keywords. .wiki, .txt: a list of what was accepted. [default: RUN with .html]",
)
@option("--into", type=PATH, help="Write a copy of the corpus's source file, with results and new labels.")
@option("--source", type=PATH, help="Where the source file is now, if it was moved.")
@option("--at-least", type=click.FloatRange(0, 1), help="With --into: label unjudged documents this probable, too.")
@option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice(STATUSES),
    help="Only these documents; may be repeated. [default: all; accepted in lists for wikis]",
)
@option(
    "--list",
    "listed",
    type=click.Choice(LISTS),
    help="What a .txt holds: titles for PetScan and PagePile, links for Pywikibot, commands for QuickStatements, or a "
    "dry run of the edits. Printed if no .txt is given. [default: pages]",
)
@option("--statement", metavar="P=Q", help="What QuickStatements adds, such as P921=Q2539.")
@MOVED_CORPUS
@option("--show", "top", old="--top", type=COUNT, default=50, help="How many candidates of each run to show.")
@OVERWRITE
def report(
    runs: tuple[Path, ...],
    outputs: tuple[Path, ...],
    into: Path | None,
    source: Path | None,
    at_least: float | None,
    statuses: tuple[str, ...],
    listed: str | None,
    statement: str | None,
    corpus: Path | str | None,
    top: int,
    overwrite: bool,
) -> None:
    """Write a report about one or more RUNs: one HTML file that needs no network and no script.

    It shows the precision of both rankings and whether their difference is more than chance, what was learned and what
    it means, the first candidates with their evidence, and how to make the run again. It says which parts
    need a review, until there is one. With several runs, the categories are compared first.

    Other endings write the results themselves: what was accepted, rejected, unsure and not judged, and the members
    known before.
    """
    from priorwise.durable import check_free_files, whole_files
    from priorwise.exports.finished import LEFT_OUT, write_draft
    from priorwise.report.page import report_html
    from priorwise.report.subject import subjects_of
    from priorwise.review.export import write_into

    if into is not None and len(runs) > 1:
        raise click.UsageError("--into is about one RUN: write one after the other, each into the file before.")
    printed = None if any(path.suffix.lower() == ".txt" for path in outputs) else listed
    if not outputs and into is None and printed is None:
        outputs = (runs[0].with_suffix(".html") if len(runs) == 1 else Path("report.html"),)
    paths = [*outputs, *([into] if into is not None else [])]
    if len({path.resolve() for path in paths}) < len(paths):
        raise click.UsageError("One file is to hold two things; name another for one of them.")
    kinds = _kinds(outputs, listed)
    check_free_files(paths, overwrite=overwrite)
    subjects = subjects_of(runs, corpus)
    wanted = [kind for kind in (*kinds.values(), printed) if kind not in ("html", None)]
    found = _finished(subjects, corpus, wanted, statuses) if wanted or into is not None else []
    lines: list[str] = []
    with whole_files(paths, overwrite=overwrite) as drafts:
        for path, draft in drafts.items():
            if path == into:
                told = write_into(found[0], path, source=source, at_least=at_least, draft=draft)
                lines.append(into_line(path, told, found[0].label))
            elif kinds[path] == "html":
                draft.write_text(report_html(subjects, top=top), encoding="utf-8", newline="")
                size = draft.stat().st_size / 1000
                lines.append(f"{path}: {counted(len(subjects), 'run')}, {size:,.0f} kB")
            else:
                counts = write_draft(draft, kinds[path], found, statuses or None, _statement(statement))
                lines.append(f"{path}: {_counts(counts)}")
    for line in lines:
        say(line)
    if printed is not None:
        with TemporaryDirectory() as folder:
            draft = Path(folder, "list")
            counts = write_draft(draft, printed, found, statuses or None, _statement(statement))
            click.echo(draft.read_text("utf-8"), nl=False)
        if number := counts.get(LEFT_OUT.get(printed, "")):
            say(f"{counted(number, 'document')} {LEFT_OUT[printed]}", err=True)
    if found and any(each.corpus is None for each in found):
        say("Members known before are left out: the corpus is not where it was (--corpus).", err=True)


def into_line(path: Path, told: Any, label: str | None, chosen: str = "") -> str:
    """Say what was written into somebody's file."""
    missed = f", {counted(told.rows - told.found, 'row')} without a result" if told.found < told.rows else ""
    added = "no label added: the run has no category"
    if label is not None:
        added = f"the label '{label}' added to {told.labelled:,}{chosen}"
    return f"{path}: {counted(told.rows, 'row')}{missed}; {added}"


def _finished(
    subjects: Sequence[Any], corpus: Any, kinds: Sequence[str | None], statuses: tuple[str, ...]
) -> list[Any]:
    from priorwise.exports import LISTS as ACCEPTED
    from priorwise.review.export import check_accepted, finished_of

    found = [finished_of(subject.path, corpus, subject.name) for subject in subjects]
    if statuses == ("accepted",) or (not statuses and any(kind in ACCEPTED for kind in kinds)):
        check_accepted(found, subjects[0].path)
    return found


def _counts(counts: dict[str, int]) -> str:
    words = {"member": "known before"}
    return ", ".join(f"{number:,} {words.get(status, status)}" for status, number in counts.items()) or "no document"


def _statement(given: str | None) -> tuple[str, str] | None:
    if given is None:
        return None
    name, equals, value = given.partition("=")
    if not equals:
        raise click.UsageError("--statement is a property and an item, as in P921=Q2539.")
    return name.strip(), value.strip()


def _kinds(outputs: Sequence[Path], listed: str | None) -> dict[Path, str]:
    """Return which file is to hold what."""
    from priorwise.exports.finished import kind_of

    kinds = {}
    for path in outputs:
        try:
            kind = "html" if path.suffix.lower() in PAGES else kind_of(path)
        except InputError as error:
            raise click.UsageError(f"{error}; .html is the report.") from error
        kinds[path] = listed or kind if kind == "pages" else kind
    return kinds
