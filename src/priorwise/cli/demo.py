"""`priorwise demo`: the whole of it in about a minute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

CATEGORY = "Astronomy"


@click.command()
@click.option(
    "--folder", type=click.Path(path_type=Path), default=Path("demo"), show_default=True, help="Where to put it."
)
@click.option("--documents", type=click.IntRange(min=500), default=6000, show_default=True, help="How many to make.")
def demo(folder: Path, documents: int) -> None:
    """Make a small collection with members left out on purpose, and find them again.

    Every step shows the command that does the same.
    """
    from priorwise.cli.discover import print_run
    from priorwise.cli.explain import print_explanation
    from priorwise.corpus import Corpus, ingest
    from priorwise.discovery import discover
    from priorwise.discovery.demo import make_documents
    from priorwise.readers.records import RecordReader

    records, corpus_path, run_path = folder / "articles.jsonl", folder / "articles.corpus", folder / "astronomy.run"
    folder.mkdir(parents=True, exist_ok=True)
    made = make_documents(documents)
    with records.open("w", encoding="utf-8") as file:
        for each in made:
            row = {"id": each.id, "title": each.title, "text": each.text, "labels": each.labels}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    missing = {each.id for each in made if CATEGORY in each.truth and CATEGORY not in each.labels}
    click.echo(
        f"{len(made):,} made-up articles are in {records}. "
        f"{len(missing)} of them are about {CATEGORY} but do not say so.\n"
    )

    _command(f"priorwise ingest records {records} -o {corpus_path}")
    summary = ingest(RecordReader([records]), corpus_path, overwrite=True)
    click.echo(f"{summary.documents:,} documents, {summary.vocabulary:,} distinct tokens, {summary.seconds:.1f} s\n")

    _command(f"priorwise discover {corpus_path} {CATEGORY} -o {run_path}")
    corpus = Corpus.open(corpus_path)
    run = discover(corpus, CATEGORY)
    run.save(run_path, overwrite=True)
    print_run(run, 10)

    click.echo(f"\nThe truth is known here. Of the {len(missing)} articles left out of {CATEGORY}, found in the first")
    _print_truth(run, missing)

    first = run.ranking.ids[0]
    click.echo()
    _command(f"priorwise explain {run_path} {first} --top 8")
    print_explanation(run.explain(corpus, first), 8)

    click.echo(f"""
Where to look next
  {run_path}/ranking.csv                 all candidates, for a spreadsheet
  {run_path}/terrain.parquet             the target for each of the 41,209 priors and each sample
  priorwise corpus {corpus_path}    what is in the corpus
  priorwise benchmark hidden {corpus_path} --methods presence --methods "logistic, all"
  priorwise ingest --help                      your own documents""")


def _command(text: str) -> None:
    click.secho(f"$ {text}", bold=True)


def _print_truth(run: Any, missing: set[str]) -> None:
    from priorwise.cli.output import show_table

    depths = sorted({50, 100, 250, len(missing)})
    rows = []
    for name, ranking in (("learned", run.ranking), ("Laplace", run.baseline)):
        ids = ranking.ids
        rows.append([name, *(str(len(missing.intersection(ids[:depth]))) for depth in depths)])
    show_table(["", *(str(depth) for depth in depths)], rows)
