"""One machine, all its cores: one pass over the mapped tokens for one scorer or many."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.engines.corpus_part import Documents
from priorwise.ranking.scorer import Scorer, Top, best_first
from priorwise.ranking.vector_scorer import VectorScorer

Floats = NDArray[np.float64]
Progress = Callable[[int], None]

STEP = 4096
"""Documents a thread takes at a time: few enough that their tokens stay in its cache from one scorer to the next."""

MANY = 4
"""From this many scorers on, their numbers are laid side by side and a token is looked up once for all."""

TABLE_BYTES = 128 * 2**20


@dataclass(frozen=True)
class _Step:
    start: int
    offsets: NDArray[np.integer]
    tokens: NDArray[np.uint32]
    counts: NDArray[np.unsignedinteger]


def rank_corpus(
    corpus: Documents,
    scorers: Sequence[Scorer],
    *,
    top: int,
    skip: Sequence[NDArray[np.bool_]] | NDArray[np.bool_] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Top]:
    """Rank every document of the corpus, under each scorer.

    Memory beyond the mapped file is a number per token of the vocabulary and scorer, and `top` per thread and scorer.

    Parameters
    ----------
    corpus : Corpus
        The documents, or part of them.
    scorers : sequence of Scorer
        Several cost less than one after the other.
    top : int
        How many of the best to keep.
    skip : array of bool, or one per scorer, optional
        Documents to pass over.
    threads : int, optional
        All cores by default.
    progress : callable, optional
        Called with the number of documents just done, by one thread at a time.

    Examples
    --------
    >>> from priorwise.models.weights import Weights
    >>> from priorwise.corpus import Corpus
    >>> corpus = Corpus.from_texts(["b", "a b", "a"])
    >>> a = corpus.token_id("a")
    >>> rank_corpus(corpus, [Scorer(Weights(np.array([a]), np.array([[1.0]]), np.array([0.0])))], top=2)[0].documents
    array([1, 2])
    """
    masks = _masks(skip, len(scorers), corpus.n_documents)
    if len(scorers) < MANY or (largest := _largest_number(corpus)) < 2**8:
        return _rank_few(corpus, scorers, masks, top, threads, progress)
    known = int(np.count_nonzero(_known_to_any(scorers, corpus.n_vocabulary)))
    at_once = max(MANY, TABLE_BYTES // max(1, 2 * known))
    tops: list[Top] = []
    for start in range(0, len(scorers), at_once):
        group = slice(start, start + at_once)
        tops += _rank_many(corpus, scorers[group], masks[group], top, largest, threads, progress)
    return tops


def _rank_few(
    corpus: Documents,
    scorers: Sequence[Scorer],
    masks: Sequence[NDArray[np.bool_]],
    top: int,
    threads: int | None,
    progress: Progress | None,
) -> list[Top]:
    from priorwise.kernels.scoring import score_documents

    tables = [scorer.table(corpus.n_vocabulary) for scorer in scorers]

    def score(step: _Step, heaps: list[_Best]) -> None:
        scores = np.empty(len(step.offsets) - 1)
        length = np.diff(step.offsets)
        for scorer, table, mask, heap in zip(scorers, tables, masks, heaps, strict=True):
            score_documents(step.offsets, step.tokens, table, scorer.bias, scores)
            heap.offer(scores, scorer.divisor(length), step.start, mask)

    return _merge(_run(corpus, score, len(scorers), top, threads, progress), top)


def _known_to_any(scorers: Sequence[Scorer], n_tokens: int) -> NDArray[np.bool_]:
    known = np.zeros(n_tokens, dtype=bool)
    for scorer in scorers:
        known[scorer.weights.features] = True
    return known


def _largest_number(corpus: Documents) -> int:
    """The largest whole number of two bytes of which the longest document can add up so many as it has tokens."""
    longest = max((int(np.diff(batch.offsets).max(initial=0)) for batch in corpus.batches()), default=0)
    return min(2**15 - 1, (2**31 - 1) // max(longest, 1))


def _rank_many(
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
    side_by_side = _SideBySide(scorers, corpus.n_vocabulary, largest)
    spare = top + top // 4 + 64

    def score(step: _Step, heaps: list[_Best]) -> None:
        length = np.diff(step.offsets)
        sums = side_by_side.sums(step)
        for number, (scorer, mask, heap) in enumerate(zip(scorers, masks, heaps, strict=True)):
            heap.offer_bounds(
                sums[number], side_by_side.unit[number], scorer.bias, length, scorer.divisor(length), step.start, mask
            )

    rough = _merge(_run(corpus, score, len(scorers), spare, threads, progress), spare)

    def settle(scorer: Scorer, mask: NDArray[np.bool_], found: Top) -> Top:
        scores = score_rows(corpus, scorer, found.documents)
        documents, best = best_first(scores, found.documents, top)
        if len(found.documents) == spare and best[-1] <= found.scores[-1]:
            return _rank_few(corpus, [scorer], [mask], top, threads, None)[0]
        return Top(documents, best, found.predicted_positive)

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        return list(pool.map(settle, scorers, masks, rough))


class _SideBySide:
    """The numbers of many scorers, rounded to whole ones: a row per token that any of them knows."""

    def __init__(self, scorers: Sequence[Scorer], n_tokens: int, largest: int) -> None:
        self.scorers = scorers
        known = np.flatnonzero(_known_to_any(scorers, n_tokens))
        self.place = np.full(n_tokens, -1, dtype=np.int32)
        self.place[known] = np.arange(len(known))
        # Whole vectors of 16 numbers are added faster than parts of one.
        table = np.zeros((len(known), -(-len(scorers) // 16) * 16), dtype=np.int16)
        self.unit = np.empty(len(scorers))
        for column, scorer in enumerate(scorers):
            values = scorer.weights.values[scorer.output]
            self.unit[column] = max(float(np.max(np.abs(values), initial=0.0)), 1e-300) / largest
            table[self.place[scorer.weights.features], column] = np.rint(values / self.unit[column])
        self.width = table.shape[1]
        self.table = table.ravel()

    def sums(self, step: _Step) -> NDArray[np.int32]:
        """Sums of some documents in units of each scorer, a row per scorer."""
        from priorwise.kernels.scoring import score_documents_many

        length = np.diff(step.offsets)
        sums = np.empty((self.width, len(length)), dtype=np.int32)
        rows = np.empty(int(length.max(initial=0)) + 1, dtype=np.uint64)
        score_documents_many(step.offsets, step.tokens, self.place, self.table, rows, sums)
        return sums


def score_rows(corpus: Documents, scorer: Scorer, rows: NDArray[np.int64]) -> Floats:
    """Score some documents, as `rank_corpus` does."""
    from priorwise.kernels.scoring import score_documents

    indptr, tokens = corpus.take(rows)
    scores = np.empty(len(rows))
    score_documents(indptr, tokens, scorer.table(corpus.n_vocabulary), scorer.bias, scores)
    return scores / scorer.divisor(np.diff(indptr))


def score_corpus(corpus: Documents, scorer: Scorer | VectorScorer, *, threads: int | None = None) -> Floats:
    """Score every document of the corpus."""
    scoring = scorer.prepared(corpus.n_vocabulary)
    scores = np.empty(corpus.n_documents)

    def score(step: _Step) -> None:
        scores[step.start : step.start + len(step.offsets) - 1] = scoring(step.offsets, step.tokens, step.counts)

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        list(pool.map(score, _steps(corpus)))
    return scores


class _Best:
    """The best documents that one thread has seen under one scorer."""

    def __init__(self, room: int) -> None:
        self.scores = np.empty(room)
        self.documents = np.empty(room, dtype=np.int64)
        self.size = 0
        self.positive = 0

    def offer(self, scores: Floats, divisor: Floats, start: int, skip: NDArray[np.bool_]) -> None:
        from priorwise.kernels.scoring import keep_best

        self.size, positive = keep_best(scores, divisor, start, skip, self.scores, self.documents, self.size)
        self.positive += positive

    def offer_bounds(
        self,
        sums: NDArray[np.int32],
        unit: float,
        bias: float,
        length: NDArray[np.integer],
        divisor: Floats,
        start: int,
        skip: NDArray[np.bool_],
    ) -> None:
        from priorwise.kernels.scoring import keep_best_bounds

        self.size, positive = keep_best_bounds(
            sums, unit, bias, length, divisor, start, skip, self.scores, self.documents, self.size
        )
        self.positive += positive


def _run(
    corpus: Documents,
    score: Callable[[_Step, list[_Best]], None],
    n_scorers: int,
    room: int,
    threads: int | None,
    progress: Progress | None,
) -> list[list[_Best]]:
    """Let every thread take the next step until none is left; each keeps heaps of its own."""
    steps = _steps(corpus)
    lock = threading.Lock()
    stop = threading.Event()
    room = min(room, corpus.n_documents)

    def work() -> list[_Best]:
        heaps = [_Best(room) for _ in range(n_scorers)]
        while not stop.is_set():
            with lock:
                step = next(steps, None)
            if step is None:
                break
            score(step, heaps)
            if progress is not None:
                with lock:
                    progress(len(step.offsets) - 1)
        return heaps

    workers = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(work) for _ in range(workers)]
        try:
            wait(futures)
        except KeyboardInterrupt:
            stop.set()
            raise
        return [future.result() for future in futures]


def _steps(corpus: Documents) -> Iterator[_Step]:
    for batch in corpus.batches():
        for first in range(0, len(batch.offsets) - 1, STEP):
            yield _Step(batch.start + first, batch.offsets[first : first + STEP + 1], batch.tokens, batch.counts)


def _merge(per_thread: list[list[_Best]], top: int) -> list[Top]:
    tops = []
    for heaps in zip(*per_thread, strict=True):
        scores = np.concatenate([heap.scores[: heap.size] for heap in heaps])
        documents = np.concatenate([heap.documents[: heap.size] for heap in heaps])
        documents, scores = best_first(scores, documents, top)
        tops.append(Top(documents, scores, sum(heap.positive for heap in heaps)))
    return tops


def _masks(
    skip: Sequence[NDArray[np.bool_]] | NDArray[np.bool_] | None, n_scorers: int, n_documents: int
) -> list[NDArray[np.bool_]]:
    if skip is None:
        return [np.zeros(n_documents, dtype=bool)] * n_scorers
    if isinstance(skip, np.ndarray):
        return [skip] * n_scorers
    return list(skip)
