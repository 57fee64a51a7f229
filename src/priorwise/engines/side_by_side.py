"""Many scorers in one pass: rounded to whole numbers and side by side. The best documents are scored again exactly."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from priorwise.engines.corpus_part import Documents
from priorwise.engines.one_by_one import rank_one_by_one, score_rows
from priorwise.engines.passes import Best, Progress, Step, merged, run_pass
from priorwise.processors import processors
from priorwise.ranking.scorer import Scorer, Top, best_first


def rank_side_by_side(
    corpus: Documents,
    scorers: Sequence[Scorer],
    masks: Sequence[NDArray[np.bool_]],
    top: int,
    largest: int,
    threads: int | None,
    progress: Progress | None,
) -> list[Top]:
    """Rank by the most that a document's score can be, given whole numbers; then score the best again exactly.

    What was not kept cannot score more than the last that was. So if the exact scores of the first `top` are above
    that, they are the first; and if they are not, that scorer ranks alone. Only the count of predicted positives stays
    rough: a document within rounding of 0 may be counted or not.
    """
    side_by_side = SideBySide(scorers, corpus.n_vocabulary, largest)
    spare = top + top // 4 + 64

    def score(step: Step, heaps: list[Best]) -> None:
        length = np.diff(step.offsets)
        sums = side_by_side.sums(step)
        for number, (scorer, mask, heap) in enumerate(zip(scorers, masks, heaps, strict=True)):
            heap.offer_bounds(
                sums[number], side_by_side.unit[number], scorer.bias, length, scorer.divisor(length), step.start, mask
            )

    rough = merged(run_pass(corpus, score, len(scorers), spare, threads, progress), spare)

    def settle(scorer: Scorer, mask: NDArray[np.bool_], found: Top) -> Top:
        scores = score_rows(corpus, scorer, found.documents)
        documents, best = best_first(scores, found.documents, top)
        if len(found.documents) == spare and best[-1] <= found.scores[-1]:
            return rank_one_by_one(corpus, [scorer], [mask], top, threads, None)[0]
        return Top(documents, best, found.predicted_positive)

    with ThreadPoolExecutor(threads or processors()) as pool:
        return list(pool.map(settle, scorers, masks, rough))


class SideBySide:
    """The numbers of many scorers, rounded to whole ones: a row per token that any of them knows."""

    def __init__(self, scorers: Sequence[Scorer], n_tokens: int, largest: int) -> None:
        self.scorers = scorers
        known = np.flatnonzero(known_to_any(scorers, n_tokens))
        self.place = np.full(n_tokens, -1, dtype=np.int32)
        self.place[known] = np.arange(len(known))
        # Full vectors of 16 numbers are faster to add than partial ones.
        table = np.zeros((len(known), -(-len(scorers) // 16) * 16), dtype=np.int16)
        self.unit = np.empty(len(scorers))
        for column, scorer in enumerate(scorers):
            values = scorer.weights.row(scorer.output)
            self.unit[column] = max(float(np.max(np.abs(values), initial=0.0)), 1e-300) / largest
            table[self.place[scorer.weights.features], column] = np.rint(values / self.unit[column])
        self.width = table.shape[1]
        self.table = table.ravel()

    def sums(self, step: Step) -> NDArray[np.int32]:
        """Sums of some documents in units of each scorer, a row per scorer."""
        from priorwise.kernels.scoring import score_documents_many

        length = np.diff(step.offsets)
        sums = np.empty((self.width, len(length)), dtype=np.int32)
        rows = np.empty(int(length.max(initial=0)) + 1, dtype=np.uint64)
        score_documents_many(step.offsets, step.tokens, self.place, self.table, rows, sums)
        return sums


def known_to_any(scorers: Sequence[Scorer], n_tokens: int) -> NDArray[np.bool_]:
    """Return which tokens some scorer knows."""
    known = np.zeros(n_tokens, dtype=bool)
    for scorer in scorers:
        known[scorer.weights.features] = True
    return known


def largest_number(corpus: Documents) -> int:
    """The largest uint16 scale for which the longest document's sum cannot overflow."""
    longest = max((int(np.diff(batch.offsets).max(initial=0)) for batch in corpus.batches()), default=0)
    return min(2**15 - 1, (2**31 - 1) // max(longest, 1))
