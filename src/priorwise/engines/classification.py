"""Assign a model's labels to documents, in parts that any engine can run, with the results in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np

from priorwise.corpus import Corpus
from priorwise.engines.engine import Engine
from priorwise.errors import InputError
from priorwise.models.linear_model import LinearModel
from priorwise.ranking.classifier import Bags, Classifier, classified, is_corpus
from priorwise.readers.document import Document
from priorwise.readers.fields import Columns
from priorwise.readers.opening import Opening
from priorwise.readers.records import RecordReader, holds_records

DOCUMENTS_PER_TASK = 1 << 15
TASKS_AT_A_TIME = 64
"""How many tasks' results are held at a time."""

_READ_AT_A_TIME = 1024

Part = RecordReader | tuple[Corpus, int, int]
"""A reader, or some consecutive documents of a corpus."""


@dataclass(frozen=True)
class ClassifyPart:
    """A saved model at work on a part; this is what goes to other processes."""

    model: LinearModel
    top: int | None = None
    evidence: int = 0

    @cached_property
    def _classifier(self) -> Classifier:
        return Classifier(self.model)

    def __call__(self, part: Part) -> list[dict[str, Any]]:
        return list(self._records(part))

    def _records(self, part: Part) -> Iterator[dict[str, Any]]:
        for names, bags in bags_of(self._classifier, part):
            yield from classified(self._classifier, names, bags, self.top, self.evidence)


def bags_of(
    classifier: Classifier, part: Iterable[Document] | tuple[Corpus, int, int]
) -> Iterator[tuple[list[tuple[str, str]], Bags]]:
    """Yield documents as a model reads them, some at a time, with their ids and titles."""
    if isinstance(part, tuple):
        corpus, start, stop = part
        for rows, bags in classifier.read_corpus(corpus, np.arange(start, stop)):
            yield list(zip(corpus.ids(rows), corpus.titles(rows), strict=True)), bags
        return
    documents = iter(part)
    while some := list(islice(documents, min(_READ_AT_A_TIME, classifier.documents_at_a_time))):
        names = [(document.id, document.title) for document in some]
        yield names, classifier.read(document.counted for document in some)


def parts_to_classify(paths: Sequence[Path], columns: Columns, opening: Opening | None = None) -> list[Part]:
    """Cut files of records, and corpora, into parts."""
    parts: list[Part] = []
    for of_corpora, group in groupby(paths, is_corpus):
        files = list(group)
        if not of_corpora:
            if strange := [path for path in files if path.is_dir() or not holds_records(path, opening)]:
                raise InputError(f"Spark classifies files of records and corpora, and {strange[0]} is neither")
            parts += RecordReader(files, columns, opening).parts()
            continue
        for corpus in map(Corpus.open, files):
            starts = range(0, corpus.n_documents, DOCUMENTS_PER_TASK)
            parts += [(corpus, start, min(start + DOCUMENTS_PER_TASK, corpus.n_documents)) for start in starts]
    return parts


def classify_parts(engine: Engine, work: ClassifyPart, parts: Sequence[Part]) -> Iterator[dict[str, Any]]:
    """Yield a model's labels for each document, in order."""
    for start in range(0, len(parts), TASKS_AT_A_TIME):
        for records in engine.call(work, parts[start : start + TASKS_AT_A_TIME]):
            yield from records
