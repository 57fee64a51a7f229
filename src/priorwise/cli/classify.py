"""`priorwise classify`: texts in, labels out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

import click

from priorwise.cli.options import (
    ALLOW_LARGE,
    COUNT,
    OVERWRITE,
    PATH,
    SEED,
    chooses_engine,
    command,
    given_files,
    option,
    reads_records,
    using,
)
from priorwise.cli.output import say
from priorwise.counting import counted
from priorwise.tables import BYTE_ORDER_MARK, csv_writer

STDIN = Path("-")


@command(examples="classify topics.model new.csv -o labels.csv\nclassify ml.run new.jsonl --show 3")
@click.argument("model", type=PATH)
@click.argument("files", metavar="[FILE]...", nargs=-1, callback=given_files)
@option(
    "--show", "top", old="--top", type=COUNT, help="How many labels to show for each text, the most probable first."
)
@option("--evidence", type=SEED, default=0, help="How many words to show for each label, the strongest first.")
@option("-o", "--output", type=PATH, help="The file to write. [default: standard output]")
@option("--format", "form", type=click.Choice(["jsonl", "csv"]), help="[default: as the output is named, or jsonl]")
@option("--lines", is_flag=True, help="Each line of a plain file is a text.")
@reads_records(labels=False)
@OVERWRITE
@ALLOW_LARGE
@chooses_engine
def classify(
    model: Path,
    files: tuple[Path, ...],
    top: int | None,
    evidence: int,
    output: Path | None,
    form: str | None,
    lines: bool,
    columns: Any,
    opening: Any,
    overwrite: bool,
    engine: str,
    master: str | None,
) -> None:
    """Assign the labels of MODEL to each text.

    MODEL is a model of `priorwise train`, or a run of `priorwise discover`, whose ranking is applied to new documents.

    A FILE of records (a table, a spreadsheet, a bibliography, JSON lines …) holds a text in each record. Any other file
    is one text, and a folder is all the files in it. FILE may also be a corpus. Without a FILE, or with -, each line of
    the standard input is a text; with --read-as the standard input holds records.

    JSONL has a line for each text: "label" and "probability", or "labels" if each is decided on its own. CSV has a row
    for each text and label shown.
    """
    from priorwise.discovery.run import load_model
    from priorwise.ranking.classifier import Classifier, classified

    classifier = Classifier(load_model(model))
    chosen = form or ("csv" if output is not None and output.suffix.lower() == ".csv" else "jsonl")
    totals = _Totals()
    with using(engine, master) as spark, written(output, chosen, overwrite=overwrite) as write:
        if spark is not None:
            for record in _on_spark(spark, classifier, files, columns, opening, top, evidence):
                totals.count(record)
                write(record)
            files = ()
        for names, bags in _bags(classifier, files or (() if spark else (STDIN,)), columns, opening, lines):
            for record in classified(classifier, names, bags, top, evidence):
                totals.count(record)
                write(record)
    totals.show(output)
    if classifier.without_vectors:
        made = classifier.model.vectors.encoder if classifier.model.vectors is not None else None
        advice = f"install '{made.partition(':')[0]}'" if made else "classify a corpus that was made with --vectors"
        missed = counted(classifier.without_vectors, "text")
        say(f"{missed} without a vector, so by words alone; for vectors, {advice}", err=True)


def _on_spark(
    spark: Any,
    classifier: Any,
    files: tuple[Path, ...],
    columns: Any,
    opening: Any,
    top: int | None,
    evidence: int,
) -> Iterator[dict[str, Any]]:
    from priorwise.engines.classification import ClassifyPart, classify_parts, parts_to_classify

    if not files or STDIN in files:
        raise click.UsageError("Spark does not read the standard input; give files of records, or a corpus.")
    parts = parts_to_classify(files, columns, opening)
    return classify_parts(spark, ClassifyPart(classifier.model, top, evidence), parts)


class _Totals:
    """How much was read, for the last line."""

    def __init__(self) -> None:
        self.texts = self.known = self.unknown = self.empty = 0

    def count(self, record: dict[str, Any]) -> None:
        self.texts += 1
        self.known += record["known_words"]
        self.unknown += record["unknown_words"]
        self.empty += record["known_words"] == 0

    def show(self, output: Path | None) -> None:
        words = self.known + self.unknown
        share = f" ({self.unknown / words:.1%})" if words else ""
        where = f"; written to {output}" if output is not None else ""
        unknown = f"the model does not know {self.unknown:,} of {counted(words, 'word')}{share}"
        say(f"{counted(self.texts, 'text')}; {unknown}{where}", err=True)
        if self.empty:
            say(f"{counted(self.empty, 'text')} without a word that the model knows", err=True)


def _bags(
    classifier: Any, files: Iterable[Path], columns: Any, opening: Any, lines: bool
) -> Iterator[tuple[list[tuple[str, str]], Any]]:
    """Documents, some at a time, with their ids and titles."""
    from priorwise.corpus import Corpus
    from priorwise.engines.classification import bags_of
    from priorwise.ranking.classifier import is_corpus
    from priorwise.readers.folder import read_lines, read_texts

    for kind, group in groupby(
        files,
        lambda path: (
            "lines"
            if path == STDIN and not opening.format and not opening.delimiter
            else "corpus"
            if is_corpus(path)
            else "texts"
        ),
    ):
        paths = list(group)
        if kind == "corpus":
            for path in paths:
                corpus = Corpus.open(path)
                yield from bags_of(classifier, (corpus, 0, corpus.n_documents))
            continue
        if kind == "lines":
            if sys.stdin.isatty():
                say("Give a text on each line, and end with Ctrl-D.", err=True)
            documents = read_lines(sys.stdin.buffer)
        else:
            documents = read_texts(paths, columns, opening, lines=lines)
        yield from bags_of(classifier, documents)


HEADINGS = ("id", "title", "rank", "label", "probability", "decided", "known_words", "unknown_words", "evidence")


@contextmanager
def written(path: Path | None, form: str, *, overwrite: bool) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Yield a function that writes one record; a file appears when it is whole, and not before."""
    from priorwise.durable import whole_file

    if path is None:
        yield writer(sys.stdout, form)
        return
    with (
        whole_file(path, overwrite=overwrite) as draft,
        draft.open("w", encoding="utf-8", errors="replace", newline="") as file,
    ):
        if form == "csv":
            file.write(BYTE_ORDER_MARK)
        yield writer(file, form)


def writer(file: TextIO, form: str) -> Callable[[dict[str, Any]], None]:
    r"""Return a function that writes one record.

    Examples
    --------
    >>> import io
    >>> file = io.StringIO()
    >>> writer(file, "csv")({"id": "7", "label": "x", "probability": 0.75, "known_words": 3, "unknown_words": 1})
    >>> file.getvalue().splitlines()
    ['id,title,rank,label,probability,decided,known_words,unknown_words,evidence', '7,7,1,x,0.75,yes,3,1,']
    """
    if form == "jsonl":
        # Where letters cannot be written, JSON can spell them.
        spelled = (file.encoding or "utf-8").lower().replace("-", "") != "utf8"
        return lambda record: print(json.dumps(record, ensure_ascii=spelled), file=file)
    write_row = csv_writer(file, HEADINGS)

    def write_rows(record: dict[str, Any]) -> None:
        for row in rows_of(record):
            write_row(row)

    return write_rows


def rows_of(record: dict[str, Any]) -> list[list[Any]]:
    """A row for each label shown: those decided and the most probable; an empty one if there is none."""
    decided = record.get("labels", [record])
    names = {entry["label"] for entry in decided}
    # Decided labels are the most probable ones, so the labels are in order either way.
    shown = max(decided, record.get("top", []), key=len)
    name = [record["id"], record.get("title", record["id"])]
    words = [record["known_words"], record["unknown_words"]]
    if not shown:
        return [[*name, "", "", "", "", *words, ""]]
    return [
        [
            *name,
            rank,
            entry["label"],
            entry["probability"],
            "yes" if entry["label"] in names else "no",
            *words,
            " ".join(f"{each['token']}:{each['weight']:+.2f}" for each in entry.get("evidence", [])),
        ]
        for rank, entry in enumerate(shown, start=1)
    ]
