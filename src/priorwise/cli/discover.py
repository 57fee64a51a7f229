"""`priorwise discover`: the main job, and how a run is printed."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from priorwise.cli.names import SEE_ALL, parse_objective, parse_presence_prior
from priorwise.cli.options import (
    CORPUS,
    COUNT,
    PATH,
    SEED,
    Choice,
    chooses_engine,
    command,
    open_corpus,
    option,
    runs_beside,
    using,
)
from priorwise.cli.output import progress_bar, quoted, safe, say, show_json, show_table
from priorwise.counting import counted
from priorwise.errors import AlreadyExists, BrokenFile, UnknownName
from priorwise.version import __version__

TO_JUDGE = 5
"""How many documents to propose."""

EVIDENCE_WIDTH = 90
"""Names of categories can be long; the whole line is in the ranking."""

CENTRES = Choice(["corpus-wide", "uniform"], old={"collection": "corpus-wide"}, corpus_wide="collection")

_many = partial(option, group="Many categories")
_evidence = partial(option, group="What counts")
_prior = partial(option, group="Model and prior")
_output = partial(option, group="Output")


@command(
    examples="""
    discover articles.corpus "Machine learning"
    discover articles.corpus "Oil" --words "+crude:2 -olive" -o oil.run
    discover articles.corpus --all-categories -o missing.csv
    """
)
@CORPUS
@click.argument("label", metavar="[CATEGORY]", required=False)
@option(
    "-o",
    "--output",
    type=PATH,
    help="Where to keep the run. Many categories: a .csv or .parquet. [default: next to CORPUS]",
)
@option(
    "--words",
    help='Keywords: "+oil:2 +crude -olive the:0" (for, against, ignored), @FILE, or @TABLE:COLUMN of a table.',
)
@option("--description", help="A text about the category, or @FILE. [default: its name; '' for nothing]")
@option(
    "--members",
    type=PATH,
    help="Instead of CATEGORY: a file of ids or titles, one per line, or a list of PetScan or PagePile.",
)
@option("--verdicts", type=PATH, multiple=True, help="Learn from the review of this run. May be repeated.")
@option("--show", type=click.IntRange(min=0), default=20, help="Candidates to print; categories, if there are many.")
@_output("--keep", "top", old="--top", type=COUNT, help="Candidates to keep. [default: 1000; 100 for each of many]")
@_output("--into", type=PATH, help="Write a copy of the corpus's source file, with results and new labels.")
@_output("--source", type=PATH, help="Where the source file is now, if it was moved.")
@_output("--at-least", type=click.FloatRange(0, 1), default=0.5, help="With --into: label documents this probable.")
@_output("--overwrite", is_flag=True, help="Replace the output if it exists.")
@_output("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@_evidence("--prior-from", type=PATH, help="Start from the weights of an earlier run or model of the category.")
@_evidence("--exclude", type=PATH, help="A file of ids to leave out altogether.")
@_evidence("--text-only", is_flag=True, help="Use only words, not the other categories of members, as evidence.")
@_evidence("--maintenance", is_flag=True, help="Use a wiki's hidden and tracking categories, too.")
@_evidence(
    "--depth",
    "subcategory_depth",
    old="--subcategory-depth",
    type=COUNT,
    help="How many steps below a subcategory may be. [default: any]",
)
@_prior(
    "--model",
    type=Choice(["default", "presence"], old={"auto": "default"}),
    help="default: a regression that learns its prior from left-out members. presence: naive Bayes; faster, finds "
    "fewer. [default: default; presence if its options are given]",
)
@_prior(
    "--prior",
    help="Use this prior of the presence model: laplace, jeffreys, perks, or two strengths as in 22,4. [default: "
    "learn it]",
)
@_prior(
    "--centre",
    type=CENTRES,
    help="The centre of the presence prior: each word's rate in the corpus, or all words alike. [default: "
    "corpus-wide; uniform with --prior]",
)
@_prior(
    "--objective",
    "target",
    old="--target",
    help=f"What a learned presence prior is best at, such as f0.5 or precision@250 ({SEE_ALL}). [default: "
    "average-precision]",
)
@_prior(
    "--prior-search",
    "search",
    old="--search",
    type=click.Choice(["exhaustive", "radial"]),
    help="How to search for it. [default: exhaustive]",
)
@_prior(
    "--repeats",
    "seeds",
    old="--seeds",
    type=COUNT,
    help="Samples of other documents to average over. [default: 5; 1 shared by many categories]",
)
@_prior(
    "--others-per-member",
    "negatives_per_positive",
    old="--negatives-per-positive",
    type=click.FloatRange(min=0, min_open=True),
    help="Train on samples with this many other documents per member. [default: all]",
)
@_prior("--paper", is_flag=True, help="Use exactly the paper's procedure.")
@_prior("--seed", type=SEED, default=0, help="Where random draws start.")
@_many(
    "--all-categories", "all_labels", old="--all-labels", is_flag=True, help="Every category that has enough members."
)
@_many("--categories-from", "labels_from", old="--labels-from", type=PATH, help="A file of categories, one per line.")
@_many("--min-members", type=click.IntRange(min=2), help="How many members are enough. [default: 50]")
@_many(
    "--runs", type=PATH, help="Keep a run for each in this folder, instead of one table. If interrupted, run it again."
)
@option("--threads", type=COUNT, group="Where to compute", help="[default: all cores]")
@chooses_engine
@click.pass_context
def discover(ctx: click.Context, /, corpus: Path | str, label: str | None, **options: Any) -> None:
    """Find the documents of CORPUS that are missing from CATEGORY.

    Learns a prior from the members, ranks every other document, best first, and estimates how many members are missing.
    The run is kept in a folder. The same command again says that it is up to date.

    Without members, start from --words, --description or --prior-from; CATEGORY may then be left out. For many
    categories, see --all-categories; with --model presence they are learned in one pass.
    """
    known = {
        "words": _words(options.pop("words")),
        "description": _text(options.pop("description"), "description"),
    }
    if options["top"] is None:
        del options["top"]
    options["prior"] = parse_presence_prior(options["prior"])
    options["target"] = parse_objective(options["target"])
    where = {name: options.pop(name) for name in ("output", "runs", "show", "overwrite", "as_json", "engine", "master")}
    given = {name: options.pop(name) for name in ("members", "verdicts", "into", "source", "at_least")}
    exclude, prior_from = options.pop("exclude"), options.pop("prior_from")
    asked = _asked(ctx, known)
    file, every, enough = (options.pop(name) for name in ("labels_from", "all_labels", "min_members"))
    if file is None and not every:
        for name, value in {"--min-members": enough, "--runs": where["runs"]}.items():
            if value is not None:
                raise click.UsageError(
                    f"{name} is about many categories: give --all-categories or --categories-from FILE."
                )
        del where["runs"]
        options |= known
        _discover_one(corpus, label, asked, exclude=exclude, prior_from=prior_from, **where, **given, **options)
        return
    from priorwise.cli.discover_many import ManyLabels, discover_many

    if label is not None or given["members"] is not None or given["verdicts"] or given["into"] is not None:
        raise click.UsageError("Many categories go without CATEGORY, --members, --verdicts and --into.")
    many = ManyLabels(file, every, enough, options["maintenance"])
    many.check(where["output"], where["runs"], options["subcategory_depth"], overwrite=where["overwrite"])
    opened = open_corpus(corpus)
    asked["the corpus"] = opened.checksum
    options |= {**known, "exclude": _ids(exclude, opened), "prior_from": _model(prior_from)}
    with using(where.pop("engine"), where.pop("master")) as spark:
        discover_many(opened, many, options, asked=asked, engine=spark, **where)


def _discover_one(
    corpus: Path | str,
    label: str | None,
    asked: dict[str, str],
    *,
    output: Path | None,
    members: Path | None,
    exclude: Path | None,
    prior_from: Path | None,
    verdicts: tuple[Path, ...],
    into: Path | None,
    source: Path | None,
    at_least: float,
    show: int,
    overwrite: bool,
    as_json: bool,
    engine: str,
    master: str | None,
    **choices: Any,
) -> None:
    from priorwise.discovery import discover as run_discover
    from priorwise.discovery.run import check_output
    from priorwise.review.results import judged

    if output is not None and output.exists() and not overwrite:
        # Refused before the work, as far as it can be seen without the corpus.
        if not _asked_before(output):
            check_output(output, overwrite=False)
        known = {name: value for name, value in asked.items() if name != "the category"}
        _kept(corpus, label, output, {**_asked_before(output), **known}, overwrite=False)
    opened = open_corpus(corpus)
    learned_from = judged(*verdicts) if verdicts else None
    asked["the corpus"] = opened.checksum
    if label is not None:
        asked["the category"] = opened.label_named(label)
    if learned_from is not None:
        asked["--verdicts"] = _digest(repr(learned_from).encode())
    path, run, remark = _kept(corpus, label, output, asked, overwrite=overwrite)
    if into is not None:
        from priorwise.review.export import check_into

        check_into(opened, into, source, overwrite=overwrite)
    if run is None:
        check_output(path, overwrite=overwrite)
        with using(engine, master) as spark, progress_bar("Learning the prior", total=1.0) as bar:
            run = run_discover(
                opened,
                label,
                members=_ids(members, opened) if members else None,
                exclude=_ids(exclude, opened),
                prior_from=_model(prior_from),
                verdicts=learned_from,
                engine=spark,
                progress=lambda what, share: bar.update(description=what.capitalize(), completed=share),
                **choices,
            )
        run = replace(run, about=replace(run.about, asked=asked))
        # Saved before it is printed: the reader may close the pipe.
        path.parent.mkdir(parents=True, exist_ok=True)
        run.save(path, overwrite=overwrite)
    else:
        say(f"{path} is up to date.\n", err=as_json)
    if as_json:
        show_json({"run": str(path), **run_as_json(run, show)})
    else:
        _print_kept(run, opened, path, show, remark)
    if into is not None:
        from priorwise.cli.report import into_line
        from priorwise.review.export import finished, write_into

        found = finished(run, opened, {}, "" if run.about.label else path.stem)
        told = write_into(found, into, source=source, at_least=at_least, overwrite=overwrite)
        say("\n" + into_line(into, told, found.label, f" (probability {at_least:g} or more)"), err=as_json)


def _print_kept(run: Any, corpus: Any, path: Path, show: int, remark: str) -> None:
    print_run(run, show)
    if run.missing is None and not run.ranking.has_probabilities:
        from priorwise.discovery.instructive import most_instructive

        say(f"\nJudging these first helps the model most: {quoted('review', str(path), '--active')}")
        for row in most_instructive(run, corpus, TO_JUDGE):
            say(f"  {safe(row['title'], 90)} ({safe(row['id'])})")
    say(f"\nKept in {safe(str(path))}.{remark} Next:")
    say(f"  {quoted('review', str(path))}")
    if run.ranking.ids[:1]:
        say(f"  {quoted('explain', str(path), *run.ranking.ids[:1])}")


NOT_ASKED = {"corpus", "output", "show", "into", "source", "at_least", "overwrite", "as_json", "threads", "engine"}
NOT_ASKED |= {"master", "verdicts", "words", "description"}
"""Options that do not change a run, or that are recorded by what they hold."""


def _asked(ctx: click.Context, known: dict[str, Any]) -> dict[str, str]:
    """What a run depends on, by option: the same again is up to date."""
    asked = {"the version": __version__}
    asked |= {f"--{name}": str(text) for name, text in known.items() if text is not None}
    for param in ctx.command.params:
        source = ctx.get_parameter_source(param.name or "")
        if param.name in NOT_ASKED or param.name not in ctx.params or source is click.core.ParameterSource.DEFAULT:
            continue
        value = ctx.params[param.name]
        name = "the category" if param.name == "label" else param.opts[-1]
        asked[name] = _digest(_content(value)) if isinstance(value, Path) else str(value)
    return asked


def _content(path: Path) -> bytes:
    """The content of a file; of a run or a model, the file that has the checksums of the others."""
    described = [path / name for name in ("run.json", "model.json") if (path / name).is_file()]
    return b"".join(each.read_bytes() for each in described or [path] if each.is_file())


def _digest(content: bytes) -> str:
    from hashlib import sha256

    return sha256(content).hexdigest()


def _kept(
    corpus: Path | str, label: str | None, output: Path | None, asked: dict[str, str], *, overwrite: bool
) -> tuple[Path, Any, str]:
    """Return where the run goes, the run if it is there already, and what to say about an earlier one."""
    from priorwise.discovery.many import file_name
    from priorwise.discovery.run import Run
    from priorwise.durable import sweep

    folder = runs_beside(corpus)
    if not os.access(folder.absolute().parent, os.W_OK):
        folder = Path(folder.name)
    stem, number, remark = folder / file_name(label or "described").lower(), 1, ""
    while True:
        path = output or Path(f"{stem}{'' if number == 1 else f'-{number}'}.run")
        if overwrite or not path.exists():
            return path, None, remark
        before = _asked_before(path)
        changed = [name for name in dict.fromkeys([*asked, *before]) if before.get(name) != asked.get(name)]
        if not changed:
            sweep(path)
            return path, Run.load(path), ""
        if output is not None:
            if before:
                raise AlreadyExists(path, changed=changed)
            return path, None, ""
        if before:
            remark = f" Compared with {safe(str(path))}, this changed: {', '.join(changed)}."
        number += 1


def _asked_before(path: Path) -> dict[str, str]:
    from priorwise.discovery.run import read_description

    try:
        return read_description(path).get("asked") or {}
    except (BrokenFile, OSError):
        return {}


def _model(path: Path | None) -> Any:
    if path is None:
        return None
    from priorwise.discovery.run import load_model

    return load_model(path)


def _words(given: str | None) -> Any:
    """Keywords as they are given, of a file, or of a column of a table."""
    if given is not None and given.startswith("@"):
        from priorwise.priors.keywords import column_keywords, split_column

        path, column = split_column(given[1:])
        if column is not None:
            return column_keywords(path, column)
    return _text(given, "list of words")


def _text(given: str | None, what: str) -> str | None:
    """A text as it is, or that of the file after an @."""
    if given is None or not given.startswith("@"):
        return given
    from priorwise.readers.opening import LONGEST_LIST, small_text

    return small_text(Path(given[1:]), LONGEST_LIST, what)


def _ids(path: Path | None, corpus: Any) -> list[str]:
    """Ids from a file, one per line; none without a file."""
    if path is None:
        return []
    from priorwise.readers.opening import small_list

    ids = small_list(path, "id")
    try:
        corpus.rows(ids)
    except UnknownName as error:
        from priorwise.exports.wikis import pages_in

        pages, elsewhere = pages_in(path, corpus)
        if not pages:
            raise BrokenFile(path, str(error)) from error
        if elsewhere:
            say(f"{path}: titles that no document of the corpus has, left out: {elsewhere:,}", err=True)
        return pages
    return ids


def print_run(run: Any, show: int) -> None:
    """What was learned, how many members are missing, and the top of the ranking."""
    from priorwise.discovery.stage import NARROWS

    about, ranker = run.about, run.ranker
    what = f"'{safe(about.label)}'" if about.label is not None else about.unnamed.capitalize()
    say(f"{what}: {counted(about.members, 'member')}, {counted(about.others, 'other document')}")
    for sentence in ranker.describe():
        say(sentence)
    if about.prior_from is not None:
        say(f"It starts from {safe(about.prior_from)}.")
    for stage in run.stages[:-1]:
        if stage.role == NARROWS:
            say(f"{stage.title.capitalize()} chose which documents to read.")
    table = ranker.table()
    if table is not None and len(table.rows) <= 2:
        say(f"\n{table.caption}:")
        show_table(list(table.headings), [list(row) for row in table.rows])
    if ranker.predicted is not None:
        likely = f"More likely members than not: {counted(ranker.predicted, 'candidate')} by {ranker.title}"
        say(f"{likely}, {run.compared.predicted:,} by {run.compared.title}")
    if about.subcategories is not None:
        say(f"\n{_count_statuses(about.subcategories)}")
    if show:
        say(f"\nThe first {min(show, len(run.ranking))} of {counted(len(run.ranking), 'candidate')}:")
        _print_candidates(run, show)


def _print_candidates(run: Any, show: int) -> None:
    has_graph = run.about.subcategories is not None
    headings = ["rank", "score", "prob.", "baseline", "title", "subcategory", "strongest words"]
    rows = [
        [
            str(row["rank"]),
            f"{row['score']:.3f}",
            "" if row["probability"] is None else f"{row['probability']:.2f}",
            f"{row['baseline_rank']:,}",
            safe(row["title"], 40),
            _subcategory(row, run.about.label) if has_graph else "",
            safe(row["evidence"], EVIDENCE_WIDTH),
        ]
        for row in run.ranking.rows(show)
    ]
    show_table(headings, rows, left=(4, 5, 6), filled=True)


def _count_statuses(about: Any) -> str:
    if about.categories == 0:
        return "No subcategory is known, so all candidates are new."
    depth = "at any depth" if about.depth is None else f"at most {counted(about.depth, 'step')} below"
    found, baseline = about.candidates["ranking"], about.candidates["baseline"]
    return (
        f"{counted(found['subcategory'], 'candidate')} in its {counted(about.categories, 'subcategory')} ({depth}), "
        f"{found['new']:,} new; for the baseline {baseline['subcategory']:,} and {baseline['new']:,}"
    )


def _subcategory(row: dict[str, Any], label: str) -> str:
    """The subcategory that a candidate is in and the way to it, less the category itself, where all ways begin."""
    from priorwise.discovery.category import ARROW

    return f"({row['status']})" if row["path"] is None else safe(row["path"].removeprefix(label + ARROW), 60)


def run_as_json(run: Any, show: int) -> dict[str, Any]:
    """What a run found, for programs."""
    from dataclasses import asdict

    missing = run.missing
    return {
        "category": run.about.label,
        "members": run.about.members,
        "other_documents": run.about.others,
        "missing": None if missing is None else asdict(missing),
        "learned": list(run.ranker.describe()),
        "candidates": list(run.ranking.rows(show)),
    }
