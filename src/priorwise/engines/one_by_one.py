"""Score documents exactly, by one scorer after another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from priorwise.engines.corpus_part import Documents
from priorwise.engines.passes import Best, Floats, Progress, Step, merged, run_pass
from priorwise.ranking.scorer import Scorer, Top


def rank_one_by_one(
    corpus: Documents,
    scorers: Sequence[Scorer],
    masks: Sequence[NDArray[np.bool_]],
    top: int,
    threads: int | None,
    progress: Progress | None,
) -> list[Top]:
    """Rank by each scorer in turn, a few documents at a time."""
    from priorwise.kernels.scoring import score_documents

    tables = [scorer.table(corpus.n_vocabulary) for scorer in scorers]

    def score(step: Step, heaps: list[Best]) -> None:
        scores = np.empty(len(step.offsets) - 1)
        length = np.diff(step.offsets)
        for scorer, table, mask, heap in zip(scorers, tables, masks, heaps, strict=True):
            score_documents(step.offsets, step.tokens, table, scorer.bias, scores)
            heap.offer(scores, scorer.divisor(length), step.start, mask)

    return merged(run_pass(corpus, score, len(scorers), top, threads, progress), top)


def score_rows(corpus: Documents, scorer: Scorer, rows: NDArray[np.int64]) -> Floats:
    """Score some documents, as `rank_corpus` does."""
    from priorwise.kernels.scoring import score_documents

    indptr, tokens = corpus.take(rows)
    scores = np.empty(len(rows))
    score_documents(indptr, tokens, scorer.table(corpus.n_vocabulary), scorer.bias, scores)
    return scores / scorer.divisor(np.diff(indptr))
