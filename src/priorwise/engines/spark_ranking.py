"""A pass over a corpus on Spark: the weights are broadcast, each task ranks a part as the local engine does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.engines.corpus_part import CorpusPart, parts_of_corpus
from priorwise.engines.engine import Masks
from priorwise.engines.local import rank_corpus, score_corpus
from priorwise.engines.passes import Progress
from priorwise.engines.spark import Spark
from priorwise.ranking.scorer import Scorer, Top, best_first

PARTS_PER_CORE = 3
"""Parts for each core, so that one that is slow or lost costs little."""

_TOPS = pa.schema(
    {
        "scorer": pa.int32(),
        "documents": pa.list_(pa.int64()),
        "scores": pa.list_(pa.float64()),
        "positive": pa.int64(),
    }
)
_SCORES = pa.schema({"start": pa.int64(), "scores": pa.list_(pa.float64())})


@dataclass(frozen=True)
class RankPart:
    """Rank the documents of a part; this is what is broadcast."""

    scorers: Sequence[Scorer]
    top: int
    skipped: Sequence[NDArray[np.int64]]

    def __call__(self, part: CorpusPart) -> Iterator[pa.RecordBatch]:
        """Yield the best documents of the part under each scorer, with their numbers in the whole corpus."""
        masks = [part.own(rows) for rows in self.skipped]
        tops = rank_corpus(part, self.scorers, top=self.top, skip=masks, threads=1)
        for number, found in enumerate(tops):
            columns = {
                "scorer": [number],
                "documents": [found.documents + part.start],
                "scores": [found.scores],
                "positive": [found.predicted_positive],
            }
            yield pa.RecordBatch.from_pydict(columns, schema=_TOPS)


@dataclass(frozen=True)
class ScorePart:
    """Score the documents of a part; this is what is broadcast."""

    scorer: Scorer

    def __call__(self, part: CorpusPart) -> Iterator[pa.RecordBatch]:
        """Yield the scores of the part's documents."""
        scores = score_corpus(part, self.scorer, threads=1)
        yield pa.RecordBatch.from_pydict({"start": [part.start], "scores": [scores]}, schema=_SCORES)


def rank_on_spark(
    spark: Spark,
    corpus: Corpus,
    scorers: Sequence[Scorer],
    *,
    top: int,
    skip: Masks = None,
    progress: Progress | None = None,
) -> list[Top]:
    """Rank every document of the corpus under each scorer: the best of each part, then the best of those."""
    if skip is None or isinstance(skip, np.ndarray):
        one = np.flatnonzero(skip) if skip is not None else np.empty(0, np.int64)
        skipped = [one] * len(scorers)
    else:
        skipped = [np.flatnonzero(mask) for mask in skip]
    parts = parts_of_corpus(corpus, PARTS_PER_CORE * spark.parallelism)
    told = 0

    def tell(done: int, of: int) -> None:
        nonlocal told
        documents = corpus.n_documents * done // of
        if progress is not None and documents > told:
            progress(documents - told)
        told = documents

    table = spark.run(parts, RankPart(scorers, top, skipped), _TOPS, tell if progress is not None else None)
    number = table["scorer"].to_numpy()
    tops = []
    for scorer in range(len(scorers)):
        own = table.take(np.flatnonzero(number == scorer))
        scores, documents = (
            np.concatenate([[], *(each.values.to_numpy() for each in own[name])]) for name in ("scores", "documents")
        )
        best, best_scores = best_first(scores, documents.astype(np.int64), top)
        tops.append(Top(best, best_scores, sum(own["positive"].to_pylist())))
    return tops


def score_on_spark(spark: Spark, corpus: Corpus, scorer: Scorer) -> NDArray[np.float64]:
    """Score every document of the corpus."""
    parts = parts_of_corpus(corpus, PARTS_PER_CORE * spark.parallelism)
    table = spark.run(parts, ScorePart(scorer), _SCORES)
    scores = np.empty(corpus.n_documents)
    for row in range(table.num_rows):
        start, own = table["start"][row].as_py(), table["scores"][row].values.to_numpy()
        scores[start : start + len(own)] = own
    return scores
