"""`priorwise discover-many`: the documents missing from many categories, in one pass over the corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from priorwise.cli.engine_options import chooses_engine, place, using


@click.command()
@click.argument("corpus", callback=place)
@click.option("--labels-from", type=click.Path(path_type=Path), help="A file of labels, one per line.")
@click.option("--all-labels", is_flag=True, help="Every label of the corpus that has enough members.")
@click.option("--min-members", type=click.IntRange(min=2), default=50, show_default=True, help="For --all-labels.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The .parquet or .csv to write.")
@click.option("--top", type=click.IntRange(min=1), default=100, show_default=True, help="How many candidates to keep.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--overwrite", is_flag=True, help="Replace the table if it is there already.")
@click.option("--threads", type=click.IntRange(min=1), help="All cores by default.")
@chooses_engine
def discover_many(
    corpus: Path | str,
    labels_from: Path | None,
    all_labels: bool,
    min_members: int,
    output: Path,
    top: int,
    seed: int,
    overwrite: bool,
    threads: int | None,
    engine: str,
    master: str | None,
) -> None:
    """Find the documents missing from many categories of CORPUS, in one pass over it.

    Beside the table of candidates, NAME.labels.parquet or .csv has a row for each label: its members, its prior, and
    how well that does by leave-one-out.
    """
    from priorwise.cli.output import counted, progress_bar
    from priorwise.corpus import Corpus
    from priorwise.discovery.many import discover_many as find
    from priorwise.engines.engine import Local
    from priorwise.errors import AlreadyExists

    if (labels_from is None) == (not all_labels):
        raise click.UsageError("Give either --labels-from FILE or --all-labels.")
    if output.suffix not in (".parquet", ".csv"):
        raise click.UsageError("The output is a table: its name must end in .parquet or .csv.")
    beside = output.with_suffix(f".labels{output.suffix}")
    for path in (output, beside):
        if path.exists() and (path.is_dir() or not overwrite):
            raise AlreadyExists(path, not_a="file" if path.is_dir() else None)
    opened = Corpus.open(corpus)
    labels = labels_with(opened, min_members) if labels_from is None else labels_in(labels_from)
    with using(engine, master) as spark, progress_bar("Learning the priors", total=1.0) as bar:
        found = find(
            opened,
            labels,
            top=top,
            seed=seed,
            engine=Local(threads) if spark is None else spark,
            progress=lambda what, share: bar.update(description=what.capitalize(), completed=share),
        )
    for path, table in ((output, found.candidates), (beside, found.labels)):
        write_table(path, table)
    click.echo(f"{output}: {counted(found.candidates.num_rows, 'candidate')} for {counted(len(labels), 'label')}")


def labels_with(corpus: Any, min_members: int) -> list[str]:
    """The labels with so many members that are not on every document."""
    from priorwise.errors import NotEnoughData

    sizes = corpus.label_sizes()
    pairs = zip(sizes["label"].to_pylist(), sizes["documents"].to_pylist(), strict=True)
    found = [label for label, size in pairs if min_members <= size < corpus.n_documents]
    if not found:
        raise NotEnoughData(f"no label of the corpus has {min_members:,} members; see --min-members")
    return found


def labels_in(path: Path) -> list[str]:
    """The labels in a file, one per line, each once."""
    from priorwise.errors import BrokenFile
    from priorwise.readers.compressed import reading

    with reading(path):
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise BrokenFile(path, "the text is not valid UTF-8") from error
    found = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not found:
        raise BrokenFile(path, "there is no label in it")
    return found


def write_table(path: Path, table: Any) -> None:
    """Write a table, whole or not at all."""
    from priorwise.corpus.files import disk_errors_said

    draft = path.with_name(path.name + ".draft")
    with disk_errors_said(path):
        try:
            if path.suffix == ".csv":
                from pyarrow import csv

                csv.write_csv(table, draft)
            else:
                from pyarrow import parquet

                parquet.write_table(table, draft, compression="zstd")
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
