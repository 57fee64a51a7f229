"""The commands about data on the disk: `priorwise corpus`, `embed`, `fetch` and `verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from priorwise.cli.options import CORPUS, COUNT, JSON, PATH, command, named, open_corpus, option, place
from priorwise.cli.output import only_json, progress_bar, safe, say, show_json, show_table
from priorwise.counting import counted
from priorwise.errors import BrokenFile, UnknownName

LEAST_SHARE = 0.01
"""Languages of fewer documents than this are not named."""


@command(examples='corpus articles.corpus\ncorpus articles.corpus --search "machine lerning"')
@CORPUS
@option("--search", "query", help="Show the labels whose name is similar to this.")
@option("--category", help="Show the members of this category, its parents and its subcategories.")
@option("--depth", type=COUNT, default=2, help="How many steps below the category to show.")
@option("--show", old="--top", type=COUNT, default=20, help="How many labels, members or subcategories to show.")
@option("--verify", is_flag=True, help="Read every file, compare its checksum and check its structure.")
@JSON
def corpus(
    corpus: Path | str, query: str | None, category: str | None, depth: int, show: int, verify: bool, as_json: bool
) -> None:
    """Show the size of CORPUS, its vocabulary and its largest labels."""
    opened = open_corpus(corpus)
    if verify:
        opened.verify()
        say("Every file matches its checksum and has a sound structure.", err=as_json)
    if category is not None:
        (_category_as_json if as_json else print_category)(opened, category, depth=depth, top=show)
        return
    found = opened.largest_labels(show) if query is None else opened.search_labels(query, limit=show)
    if as_json:
        sizes = ("n_documents", "n_vocabulary", "n_tokens", "n_occurrences", "n_labels", "n_memberships")
        about = {name.removeprefix("n_"): getattr(opened, name) for name in sizes} | {"checksum": opened.checksum}
        labels = [{"label": label, "members": size} for label, size in found]
        show_json({**({} if query is not None else {"corpus": about}), "labels": labels})
        return
    if query is None:
        _print_sizes(opened, named(corpus))
        say("\nLargest labels:" if found else "")
    elif not found:
        say(f"No label is like '{safe(query)}'.")
    if found:
        show_table(["label", "members"], [[safe(label, 80), f"{size:,}"] for label, size in found])


def _print_sizes(corpus: Any, name: str) -> None:
    per_document = corpus.n_tokens / corpus.n_documents if corpus.n_documents else 0.0
    say(f"{name}: {counted(corpus.n_documents, 'document')}")
    say(f"  vocabulary   {counted(corpus.n_vocabulary, 'distinct token')}")
    with_repeats = f"{corpus.n_occurrences:,} with repeats"
    say(f"  tokens       {corpus.n_tokens:,} ({per_document:.0f} distinct ones per document), {with_repeats}")
    say(f"  labels       {corpus.n_labels:,} on {counted(corpus.n_memberships, 'membership')}")
    if graph := len(corpus.graph):
        say(f"  categories   {graph:,} in the graph, {counted(corpus.graph.n_links, 'link')} between them")
    if corpus.n_documents:
        told = [f"{language} {share:.0%}" for language, share in corpus.languages().items() if share >= LEAST_SHARE]
        say(f"  languages    {', '.join(told)}")
    if corpus.vectors is not None:
        made = f"by {safe(corpus.vectors.encoder)}" if corpus.vectors.encoder else "made elsewhere"
        say(f"  vectors      of {counted(corpus.vectors.n_dimensions, 'dimension')}, {made}")
    say(f"  checksum     {corpus.checksum}")


def _category_as_json(corpus: Any, name: str, *, depth: int, top: int) -> None:
    name = corpus.label_named(name)
    _check_known(corpus, name)
    members = corpus.members(name)
    known = name in corpus.graph
    show_json(
        {
            "category": name,
            "members": len(members),
            "titles": corpus.titles(members[:top]),
            "parents": corpus.graph.parents(name) if known else None,
            "subcategories": corpus.graph.descendants(name, depth).slice(0, top).to_pylist() if known else None,
        }
    )


ORIGINS = ("written in the document", "added by a template or a table", "of unknown origin")


def print_category(corpus: Any, name: str, *, depth: int, top: int) -> None:
    """The members, the parents, and the subcategories as a tree; at most `top` of each."""
    name = corpus.label_named(name)
    _check_known(corpus, name)
    members = corpus.members(name)
    say(f"{safe(name)}: {counted(len(members), 'member')}{_origins(corpus.member_origins(name))}")
    for title in corpus.titles(members[:top]):
        say(f"  {safe(title, 80)}")
    _print_rest(len(members) - top)
    if not len(corpus.graph):
        say("\nThis corpus has no category graph, so nothing is known about subcategories.")
        return
    if name not in corpus.graph:
        say("\nNo page of a category is about it or names it, so nothing is known about subcategories.")
        return
    parents, below = corpus.graph.parents(name), corpus.graph.descendants(name, depth)
    say(f"\nIn {counted(len(parents), 'category')}:" if parents else "\nIn no other category.")
    for parent in parents[:top]:
        say(f"  {safe(parent, 80)}")
    _print_rest(len(parents) - top)
    if below.num_rows:
        _print_tree(corpus, name, below, depth, top)
    else:
        say("\nNo subcategory.")


def _print_tree(corpus: Any, name: str, below: Any, depth: int, top: int) -> None:
    n = below.num_rows
    say(f"\n{counted(n, 'subcategory')}, at most {counted(depth, 'step')} below:")
    # The nearest ones are kept, so each of those that are kept has the one above it.
    inside: dict[str, list[dict[str, Any]]] = {}
    for row in below.slice(0, top).to_pylist():
        inside.setdefault(row["through"], []).append(row)
    rows, waiting = [], inside.get(name, [])[::-1]
    while waiting:
        row = waiting.pop()
        shown = "  " * (row["depth"] - 1) + safe(row["category"], 80)
        rows.append([shown, f"{len(corpus.members(row['category'])):,}"])
        waiting += inside.get(row["category"], [])[::-1]
    show_table(["category", "members"], rows)
    _print_rest(n - top)


def _check_known(corpus: Any, name: str) -> None:
    """Raise an error with the nearest names of labels and of categories that have no members of their own."""
    try:
        corpus.members(name)
    except UnknownName as error:
        near = dict.fromkeys(near for near, _ in [*corpus.search_labels(name), *corpus.graph.search(name)])
        raise UnknownName("category", name, near) from error


def _origins(origins: Any) -> str:
    import numpy as np

    counts = np.bincount(origins, minlength=len(ORIGINS)).tolist()
    said = [f"{count:,} {what}" for count, what in zip(counts, ORIGINS, strict=True) if count]
    return f" ({', '.join(said)})" if said else ""


def _print_rest(number: int) -> None:
    if number > 0:
        say(f"  … and {number:,} more; --show N shows more of them")


@command(examples="embed articles.corpus --with wordllama\nembed articles.corpus --vectors vectors.npy")
@CORPUS
@option("--with", "encoder", metavar="ENCODER", help="wordllama, model2vec:NAME or sentence-transformers:NAME.")
@option("--vectors", type=PATH, help="Instead: a .npy, .parquet or .safetensors file with a row per document.")
@option("--download", is_flag=True, help="Download the encoder's model if it is not on this machine.")
@option("--overwrite", is_flag=True, help="Replace vectors that exist.")
def embed(corpus: Path | str, encoder: str | None, vectors: Path | None, download: bool, overwrite: bool) -> None:
    """Give each document of CORPUS a vector, so that documents with other words but a similar meaning are found.

    `discover` then learns from the members whether the vectors help. wordllama needs no download: its weights come with
    `pip install 'priorwise[vectors]'`. A NAME is a folder, or a model of Hugging Face, which --download fetches.
    """
    from priorwise.features.vectors import embed as embed_corpus

    if (encoder is None) == (vectors is None):
        raise click.UsageError("Give either --with ENCODER or --vectors FILE.")
    opened = open_corpus(corpus)
    if vectors is not None:
        add_vectors(opened, vectors, overwrite=overwrite)
    elif encoder is not None:
        with progress_bar(f"Encoding {Path(named(corpus)).name}") as bar:

            def show(done: int, total: int) -> None:
                bar.update(completed=done, total=total)

            embed_corpus(opened, encoder, download=download, overwrite=overwrite, progress=show)
    show_vectors(opened)


def add_vectors(corpus: Any, path: Path, *, overwrite: bool = False) -> None:
    """Store the vectors of a file with a corpus."""
    from priorwise.corpus.vectors import read_vectors

    corpus.add_vectors(read_vectors(path, corpus.ids(range(corpus.n_documents))), overwrite=overwrite)


def show_vectors(corpus: Any) -> None:
    """Say how many documents have vectors."""
    found = sum(int(block.any(axis=1).sum()) for _, block in corpus.vectors.blocks())
    say(f"{counted(found, 'document')} with vectors of {counted(corpus.vectors.n_dimensions, 'dimension')}")
    if found < corpus.n_documents:
        say(f"{counted(corpus.n_documents - found, 'document')} without a vector, ranked by words alone")


LARGE = 1_000_000_000


@command(examples="fetch simplewiki\nfetch dewiki --categories --dry-run")
@click.argument("wiki")
@option("-o", "--output", type=PATH, help="The folder to write to. [default: WIKI]")
@option("--date", help="Which dump, such as 20260101. [default: the latest that is complete]")
@option("--categories", is_flag=True, help="Also fetch the tables that complete the categories.")
@option("--mirror", metavar="URL", help="Where to fetch from. [default: https://dumps.wikimedia.org]")
@option("--dry-run", is_flag=True, help="Show how much it is and how long it may take, and fetch nothing.")
@option("--yes", is_flag=True, help="Do not ask before fetching more than 1 GB.")
@JSON
def fetch(
    wiki: str,
    output: Path | None,
    date: str | None,
    categories: bool,
    mirror: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Download the dump of WIKI, such as simplewiki, dewiki or frwikisource.

    Shows the size and the expected time first. If a download breaks off, the same command continues it. Every file is
    verified by its checksum.
    """
    from priorwise.wiki.fetch import WIKIMEDIA, fetch_dump, find_dump

    only_json(as_json)
    offer = find_dump(wiki, date=date, categories=categories, mirror=mirror or WIKIMEDIA)
    say(offer.said)
    for file in offer.files:
        say(f"  {file.name}  {file.bytes / 1e6:,.1f} MB")
    about = {
        "wiki": wiki,
        "bytes": offer.bytes,
        "files": [{"name": each.name, "bytes": each.bytes} for each in offer.files],
    }
    if dry_run:
        if as_json:
            show_json(about)
        return
    if offer.bytes > LARGE and not yes:
        click.confirm("Fetch it?", default=True, abort=True)
    folder = output or Path(wiki)
    with progress_bar(f"Fetching {wiki}") as bar:
        paths = fetch_dump(
            offer,
            folder,
            lambda done, total: bar.update(completed=done, total=total),
            lambda name: bar.update(note=name),
        )
    if as_json:
        show_json({**about, "paths": [str(path) for path in paths]})
    say(f"Verified. Read it with: priorwise ingest wikipedia {' '.join(map(str, paths))} -o {wiki}.corpus")


@command(examples="verify articles.corpus ml.run")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
def verify(paths: tuple[str, ...]) -> None:
    """Check that each PATH is whole: a corpus, a run, a folder of runs, a model, or the verdicts of a review.

    Reads every file, compares it with its checksum and checks its structure. Verdicts have a checksum over all of them
    in their order, so a changed, lost or added one is noticed. The first fault ends the command with exit code 2, and
    says what to do about it.
    """
    for given in paths:
        path = place(click.get_current_context(), verify.params[0], given)
        if path is not None:
            say(f"{given}: {_verified(path)}")


def _verified(path: Path | str) -> str:
    """Check one thing, and say what it is."""
    from priorwise.corpus.storage.manifest import FILE_NAME as CORPUS
    from priorwise.discovery.category import FILE_NAME as VERDICTS
    from priorwise.discovery.many import MARKER as RUNS
    from priorwise.discovery.run import MARKER as RUN
    from priorwise.models.linear_model import FILE_NAME as MODEL

    if isinstance(path, str) or (path / CORPUS).is_file():
        return _corpus(path)
    if (path / MODEL).is_file():
        return _model(path)
    if (path / RUN).is_file():
        return _run(path)
    if (path / RUNS).is_file():
        runs = sorted(each.parent for each in path.glob(f"*/{RUN}"))
        for run in runs:
            _run(run)
        return counted(len(runs), "whole run")
    if path.name == VERDICTS and path.is_file():
        return _review(path.parent)
    if not path.exists():
        raise BrokenFile(path, "there is no such file or folder")
    raise BrokenFile(path, "neither a corpus nor a run, a model or verdicts, so there is nothing to compare it with")


def _corpus(path: Path | str) -> str:
    from priorwise.corpus import Corpus

    corpus = Corpus.open(path)
    corpus.verify()
    return f"a whole corpus of {counted(len(corpus), 'document')}"


def _model(path: Path) -> str:
    from priorwise.models.linear_model import LinearModel

    return f"a whole model of {counted(len(LinearModel.load(path).labels), 'label')}"


def _run(path: Path) -> str:
    from priorwise.discovery.category import FILE_NAME as VERDICTS
    from priorwise.discovery.run import Run, check_whole

    Run.load(path)
    has_checksums = check_whole(path)
    reviewed = f", {_review(path)}" if (path / VERDICTS).is_file() else ""
    return f"a {'whole run' if has_checksums else 'readable run of an earlier version, without checksums'}{reviewed}"


def _review(folder: Path) -> str:
    from priorwise.review.verdicts import Verdicts

    verdicts = Verdicts.of_run(folder)
    try:
        verdicts.check()
        return f"{counted(len(verdicts.log()), 'verdict')}, unchanged"
    finally:
        verdicts.close()
