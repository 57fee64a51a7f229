"""`priorwise evaluate`: how good a model is, where the labels are known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from priorwise.cli.options import (
    JSON,
    OVERWRITE,
    PATH,
    SEED,
    command,
    open_corpus,
    option,
    place,
    reads_records,
)
from priorwise.cli.output import safe, say, show_json, show_table
from priorwise.counting import counted


@command(examples="evaluate topics.model test.corpus\nevaluate topics.model test.csv --worst 10")
@click.argument("model", type=PATH)
@click.argument("corpus", metavar="CORPUS|FILE", callback=place)
@option("--pairs", type=SEED, default=10, help="How many confusions to show.")
@option("--worst", type=SEED, default=0, help="How many labels to show, those with the lowest F1 first.")
@option("--labelled", is_flag=True, help="If each label is decided: leave out documents without any.")
@option("-o", "--output", type=PATH, help="A JSON file for all figures, of every label.")
@OVERWRITE
@JSON
@reads_records()
def evaluate(
    model: Path,
    corpus: Path | str,
    pairs: int,
    worst: int,
    labelled: bool,
    output: Path | None,
    overwrite: bool,
    as_json: bool,
    columns: Any,
    opening: Any,
) -> None:
    """Compare the labels that MODEL assigns to the documents of CORPUS with their own.

    Instead of a corpus you can give a FILE of records, of any kind that `priorwise ingest records` reads. It is read
    into memory.
    """
    if columns.labels.isdigit():
        # For one release: --labels was the number of labels to show.
        worst, columns = int(columns.labels), replace(columns, labels="labels")
    from priorwise.discovery.run import load_model
    from priorwise.durable import check_free_files, write_texts
    from priorwise.ranking.classifier import Classifier
    from priorwise.ranking.evaluation import evaluate_on

    if output is not None:
        check_free_files([output], overwrite=overwrite)
    loaded = load_model(model)
    found = evaluate_on(Classifier(loaded), _documents(corpus, columns, opening), labelled_only=labelled)
    if output is not None:
        text = json.dumps(found.to_json(), indent=2, ensure_ascii=False) + "\n"
        write_texts({output: text}, overwrite=overwrite)
    if as_json:
        show_json(found.to_json())
    else:
        print_evaluation(found, pairs, worst)


def _documents(corpus: Path | str, columns: Any, opening: Any) -> Any:
    """Open a corpus, or make one of a file of records."""
    from priorwise.readers.opening import STDIN

    if isinstance(corpus, str) or corpus.is_dir() or not (corpus == STDIN or corpus.is_file()):
        return open_corpus(corpus)
    from priorwise.corpus import Corpus
    from priorwise.corpus.build.ingestion import corpus_of
    from priorwise.readers.records import RecordReader

    return corpus_of(Corpus, RecordReader([corpus], columns, opening), None, "number")


def print_evaluation(found: Any, pairs: int, labels: int) -> None:
    """The figures, the worst labels, the worst confusions, the calibration."""
    figures = found.figures
    say(f"{counted(figures.documents, 'document')}, {counted(len(found.labels), 'label')} known to the model")
    if found.unknown_labels:
        names = ", ".join(f"'{safe(name, 40)}'" for name in found.unknown_labels[:3])
        more = ", …" if len(found.unknown_labels) > 3 else ""
        say(
            f"{counted(len(found.unknown_labels), 'label')} of the corpus unknown to the model ({names}{more}), "
            f"in {counted(found.with_unknown, 'document')}"
        )
    if found.left_out:
        say(f"{counted(found.left_out, 'document')} without a label that the model knows, left out")
    share = found.unknown_words / found.words if found.words else 0.0
    say(f"{share:.1%} of the words unknown to the model")
    name = "decisions that are right" if figures.multilabel else "accuracy"
    say(f"\n{name} {figures.accuracy:.4f}")
    if figures.multilabel:
        say(f"documents with all labels right {figures.exact_share:.4f}")
    elif found.left_out:
        with_them = figures.hits / (figures.documents + found.left_out)
        say(f"accuracy {with_them:.4f} if those left out count as wrong")
    show_table(
        ["", "precision", "recall", "F1"],
        [
            [name, *(f"{value:.4f}" for value in values)]
            for name, values in (("macro", figures.macro), ("micro", figures.micro))
        ],
    )
    _print_labels(found, labels)
    _print_pairs(found, pairs)
    what = "each decision" if figures.multilabel else "each document's label"
    say(f"\nlog loss {figures.log_loss:.4f} for {what}; calibration error {figures.calibration_error:.4f}")
    show_table(
        ["probability", "how many", "mean", "true"],
        [[each.stretch, f"{each.cases:,}", f"{each.probability:.3f}", f"{each.true:.3f}"] for each in figures.bins],
    )


def _print_labels(found: Any, count: int) -> None:
    worst = sorted(found.by_label(), key=lambda each: each["f1"])[:count]
    if worst:
        say("\nThe labels with the lowest F1:")
        rows = [
            [
                safe(each["label"], 40),
                *(f"{each[name]:,.0f}" for name in ("true", "decided")),
                *(f"{each[name]:.4f}" for name in ("precision", "recall", "f1")),
            ]
            for each in worst
        ]
        show_table(["label", "true", "decided", "precision", "recall", "F1"], rows)


def _print_pairs(found: Any, count: int) -> None:
    rows = [
        [
            safe(found.labels[pair.true], 40),
            safe(found.labels[pair.given], 40),
            f"{pair.documents:,}",
            f"{pair.documents / found.figures.true[pair.true]:.1%}",
        ]
        for pair in found.figures.worst_pairs(count)
    ]
    if rows:
        say("\nMost often taken for another:")
        show_table(["true", "given instead", "documents", "of all"], rows, left=(0, 1))
