"""`priorwise demo`: the whole of it in about a minute."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from priorwise.cli.options import JSON, PATH, command, option
from priorwise.cli.output import is_quiet, only_json, progress_bar, safe, say, show_json, show_table
from priorwise.counting import counted
from priorwise.errors import DownloadFailed
from priorwise.version import __version__

ARTICLES = 6000
CATEGORIES = {"enwik8": ("Film actors", "Legal terms"), "made-up": ("Astronomy", "Castles")}
"""What is shown of each wiki, and what to look at next."""


@command(examples="demo\ndemo --made-up")
@option("--folder", type=PATH, default=Path("demo"), help="Where to put it.")
@option("--dump", old="--data", type=PATH, help="Use this dump of a wiki.")
@option("--category", help="Show this category.")
@option("--offline", is_flag=True, help="Do not use the network.")
@option(
    "--made-up",
    type=click.IntRange(min=500),
    is_flag=False,
    flag_value=ARTICLES,
    help=f"Use a made-up wiki with this many articles; {ARTICLES:,} if no number is given.",
)
@JSON
def demo(
    folder: Path, dump: Path | None, category: str | None, offline: bool, made_up: int | None, as_json: bool
) -> None:
    """Find what is missing from a category of Wikipedia, and see how well that works.

    The wiki is enwik8, the first 100 MB of the English Wikipedia of 2006. The first time it is
    downloaded (36 MB) to the user's cache folder (PRIORWISE_CACHE), unless PRIORWISE_DATA names a folder that has
    wikipedia/enwik8.xz. If it cannot be downloaded, the demo uses a small made-up wiki. Every step shows the command
    that does the same.
    """
    if dump is not None and made_up is not None:
        raise click.UsageError("--dump and --made-up exclude each other.")
    only_json(as_json)
    folder.mkdir(parents=True, exist_ok=True)
    if dump is not None:
        name, path, again = re.sub(r"\..*$", "", dump.name) or "wiki", dump, True
    else:
        name, path, again = _wiki(folder, offline, made_up)
    corpus = _ingest(path, folder / f"{name}.corpus", again=again)
    found = _discover(corpus, folder, name, category)
    if as_json:
        show_json({"corpus": str(corpus.path), **found})


def _wiki(folder: Path, offline: bool, made_up: int | None) -> tuple[str, Path, bool]:
    """The name and the path of the wiki to show, and whether it has to be read in any case."""
    if made_up is None:
        try:
            path = _enwik8(folder, offline)
            say(f"enwik8, the first 100 MB of the English Wikipedia of 2006, is {safe(str(path))}\n")
            return "enwik8", path, False
        except DownloadFailed as error:
            say(f"enwik8 cannot be had, so a made-up wiki takes its place: {safe(str(error))}.\n")
    from priorwise.discovery.demo import write_wiki

    path = folder / "made-up.xml"
    articles = write_wiki(path, made_up or ARTICLES)
    topic = CATEGORIES["made-up"][0]
    missing = sum(topic in article.truth and topic not in article.labels for article in articles)
    say(
        f"{len(articles):,} made-up articles are in {safe(str(path))}; "
        f"{missing:,} of them are about {topic} and are not in its category.\n"
    )
    return "made-up", path, True


def _enwik8(folder: Path, offline: bool) -> Path:
    from priorwise.readers.addresses import cache_folder
    from priorwise.readers.download import find_enwik8

    with progress_bar("Looking for enwik8") as bar:

        def show(host: str, done: int, total: int) -> None:
            note = f"{done / 1e6:,.1f} MB"
            bar.update(description=f"enwik8 from {host}", completed=done, total=total or None, note=note)

        return find_enwik8([cache_folder(), folder], offline=offline, progress=show)


def _ingest(dump: Path, path: Path, *, again: bool) -> Any:
    from priorwise.cli.ingest import run_and_show
    from priorwise.corpus import Corpus
    from priorwise.corpus.build.wikipedia import ingest_wikipedia
    from priorwise.discovery.demo import corpus_made_before

    _command("ingest", "wikipedia", str(dump), "-o", str(path))
    corpus = None if again else corpus_made_before(path)
    if corpus is None:
        say("The very first time it takes half a minute longer: inner loops are compiled, and kept.", err=True)
        run_and_show(path, lambda progress: ingest_wikipedia([dump], path, overwrite=True, progress=progress))
        corpus = Corpus.open(path)
    else:
        say(f"Reusing the existing corpus: {counted(corpus.n_documents, 'document')}.")
    say()
    return corpus


def _discover(corpus: Any, folder: Path, name: str, category: str | None) -> dict[str, Any]:
    from priorwise.cli.discover import print_run, run_as_json
    from priorwise.cli.explain import print_explanation, status_in_words
    from priorwise.discovery import discover
    from priorwise.discovery.demo import category_to_show, find_again

    favourite, other = CATEGORIES.get(name, (None, None))
    label = category or category_to_show(corpus, favourite)
    path = (folder / (re.sub(r"\W+", "-", label.lower()).strip("-") or "category")).with_suffix(".run")
    _command("discover", str(corpus.path), label, "-o", str(path), "--show", "10")
    with progress_bar("Learning the prior", total=1.0) as bar:
        run = discover(
            corpus, label, progress=lambda what, share: bar.update(description=what.capitalize(), completed=share)
        )
    asked = {"the version": __version__, "the category": label, "the corpus": corpus.checksum}
    run = replace(run, about=replace(run.about, asked=asked))
    run.save(path, overwrite=True)
    print_run(run, 10)
    say(f"\nThe baseline would start with: {'; '.join(safe(row['title']) for row in run.baseline.rows(5))}.")

    with progress_bar("Hiding members", total=1.0) as bar:
        again = find_again(corpus, label, progress=lambda share: bar.update(completed=share))
    say(
        f"\nIs it any good? Half of the members were hidden at random, {again.splits} times over: "
        f"{again.hidden:,} in all. Found again in the first"
    )
    show_table(
        ["", *(str(depth) for depth in again.depths)],
        [[method, *(f"{count:,}" for count in counts)] for method, counts in again.found.items()],
    )
    say("Documents that belong in the category but never were in it count as wrong here, for all methods.\n")

    first = run.ranking.ids[0]
    _command("explain", str(path), first, "--show", "8")
    print_explanation(run.explain(corpus, first), 8, status_in_words(run.status(corpus, first), label))
    _print_next(corpus, path, label, other)
    hidden = {"hidden": again.hidden, "splits": again.splits, "depths": again.depths, "found": again.found}
    return {"run": str(path), **run_as_json(run, 10), "found_again": hidden}


def _print_next(corpus: Any, path: Path, label: str, other: str | None) -> None:
    rows = [
        (
            shlex.join(["priorwise", "report", str(path), "-o", str(path.with_suffix(".html"))]),
            "the whole run on one page",
        ),
        (f"{path}/ranking.csv", "all candidates, for a spreadsheet"),
        (shlex.join(["priorwise", "corpus", str(corpus.path)]), "the largest categories"),
        (shlex.join(["priorwise", "corpus", str(corpus.path), "--category", label]), "the members of this one"),
        *([(shlex.join(["priorwise", "discover", str(corpus.path), other]), "another category")] if other else []),
        ("priorwise ingest wikipedia --help", "a wiki of your own"),
        ("priorwise ingest --help", "any documents of your own"),
    ]
    say("\nWhere to look next")
    width = max(len(what) for what, _ in rows)
    for what, why in rows:
        say(f"  {safe(what).ljust(width)}  {why}")


def _command(*words: str) -> None:
    if not is_quiet():
        click.secho(f"$ {safe(shlex.join(['priorwise', *words]))}", bold=True)
