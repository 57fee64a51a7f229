"""Where a pass over the corpus runs: on this machine, or on Spark. The answer is the same."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.corpus import Corpus, TokenBatch
from priorwise.kernels import Floats
from priorwise.processors import on_threads, processors
from priorwise.ranking.scorer import Scorer, Top, best_first


class Documents(Protocol):
    """What a pass over documents needs. A corpus provides it, and so does a part of one."""

    @property
    def n_documents(self) -> int: ...

    @property
    def n_vocabulary(self) -> int: ...

    def batches(self) -> Iterator[TokenBatch]: ...

    def take(self, rows: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint32]]: ...


Progress = Callable[[int], None]

STEP = 4096
"""Documents a thread takes at a time: few enough that their tokens stay in its cache from one scorer to the next."""


@dataclass(frozen=True)
class Step:
    """Some consecutive documents."""

    start: int
    offsets: NDArray[np.integer]
    tokens: NDArray[np.uint32]
    counts: NDArray[np.unsignedinteger]


class Best:
    """The best documents that one thread has seen under one scorer."""

    def __init__(self, room: int) -> None:
        self.scores = np.empty(room)
        self.documents = np.empty(room, dtype=np.int64)
        self.size = 0
        self.positive = 0

    def take(self, keep: Callable[..., tuple[int, int]], *seen: Any) -> None:
        """Look at documents: `keep` is the loop that does so, and `seen` what it is given of them."""
        self.size, positive = keep(*seen, self.scores, self.documents, self.size)
        self.positive += positive


def run_pass(
    corpus: Documents,
    score: Callable[[Step, list[Best]], None],
    n_scorers: int,
    room: int,
    threads: int | None,
    progress: Progress | None,
) -> list[list[Best]]:
    """Let every thread take the next step until none is left; each keeps heaps of its own."""
    waiting = steps(corpus)
    lock = threading.Lock()
    stop = threading.Event()
    room = min(room, corpus.n_documents)

    def work() -> list[Best]:
        heaps = [Best(room) for _ in range(n_scorers)]
        while not stop.is_set():
            with lock:
                step = next(waiting, None)
            if step is None:
                break
            score(step, heaps)
            if progress is not None:
                with lock:
                    progress(len(step.offsets) - 1)
        return heaps

    workers = threads or processors()
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(work) for _ in range(workers)]
        try:
            wait(futures)
        except KeyboardInterrupt:
            stop.set()
            raise
        return [future.result() for future in futures]


def steps(corpus: Documents) -> Iterator[Step]:
    """Yield all documents, a few at a time."""
    for batch in corpus.batches():
        for first in range(0, len(batch.offsets) - 1, STEP):
            yield Step(batch.start + first, batch.offsets[first : first + STEP + 1], batch.tokens, batch.counts)


def merged(per_thread: list[list[Best]], top: int) -> list[Top]:
    """Return the best of all threads, for each scorer."""
    tops = []
    for heaps in zip(*per_thread, strict=True):
        scores = np.concatenate([heap.scores[: heap.size] for heap in heaps])
        documents = np.concatenate([heap.documents[: heap.size] for heap in heaps])
        documents, scores = best_first(scores, documents, top)
        tops.append(Top(documents, scores, sum(heap.positive for heap in heaps)))
    return tops


def masks_of(
    skip: Sequence[NDArray[np.bool_]] | NDArray[np.bool_] | None, n_scorers: int, n_documents: int
) -> list[NDArray[np.bool_]]:
    """Return the documents to pass over, for each scorer."""
    if skip is None:
        return [np.zeros(n_documents, dtype=bool)] * n_scorers
    if isinstance(skip, np.ndarray):
        return [skip] * n_scorers
    return list(skip)


def rank_one_by_one(
    corpus: Documents,
    scorers: Sequence[Scorer],
    masks: Sequence[NDArray[np.bool_]],
    top: int,
    threads: int | None,
    progress: Progress | None,
) -> list[Top]:
    """Rank by each scorer in turn, a few documents at a time."""
    from priorwise.kernels.scoring import keep_best, score_documents

    tables = [scorer.table(corpus.n_vocabulary) for scorer in scorers]

    def score(step: Step, heaps: list[Best]) -> None:
        scores = np.empty(len(step.offsets) - 1)
        length = np.diff(step.offsets)
        for scorer, table, mask, heap in zip(scorers, tables, masks, heaps, strict=True):
            score_documents(step.offsets, step.tokens, table, scorer.bias, scores)
            heap.take(keep_best, scores, scorer.divisor(length), step.start, mask)

    return merged(run_pass(corpus, score, len(scorers), top, threads, progress), top)


def score_rows(corpus: Documents, scorer: Scorer, rows: NDArray[np.int64]) -> Floats:
    """Score some documents, as a pass over the corpus does."""
    from priorwise.kernels.scoring import score_documents

    indptr, tokens = corpus.take(rows)
    scores = np.empty(len(rows))
    score_documents(indptr, tokens, scorer.table(corpus.n_vocabulary), scorer.bias, scores)
    return scores / scorer.divisor(np.diff(indptr))


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
    from priorwise.kernels.scoring import keep_best_bounds

    side_by_side = SideBySide(scorers, corpus.n_vocabulary, largest)
    spare = top + top // 4 + 64

    def score(step: Step, heaps: list[Best]) -> None:
        length = np.diff(step.offsets)
        sums = side_by_side.sums(step)
        for number, (scorer, mask, heap) in enumerate(zip(scorers, masks, heaps, strict=True)):
            bound = sums[number], side_by_side.unit[number], scorer.bias
            heap.take(keep_best_bounds, *bound, length, scorer.divisor(length), step.start, mask)

    rough = merged(run_pass(corpus, score, len(scorers), spare, threads, progress), spare)

    def settle(each: tuple[Scorer, NDArray[np.bool_], Top]) -> Top:
        scorer, mask, found = each
        scores = score_rows(corpus, scorer, found.documents)
        documents, best = best_first(scores, found.documents, top)
        if len(found.documents) == spare and best[-1] <= found.scores[-1]:
            return rank_one_by_one(corpus, [scorer], [mask], top, threads, None)[0]
        return Top(documents, best, found.predicted_positive)

    return on_threads(settle, zip(scorers, masks, rough, strict=True), threads)


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


MANY = 4
"""From this many scorers on, their numbers are laid side by side and a token is looked up once for all."""

TABLE_BYTES = 128 * 2**20


Item = TypeVar("Item")
Answer = TypeVar("Answer")
Masks = Sequence[NDArray[np.bool_]] | NDArray[np.bool_] | None


class Engine(Protocol):
    """Passes over a corpus, and independent calls."""

    def call(self, function: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer]:
        """Call a function with each item. On Spark the function, the items and the results are pickled."""

    def rank_corpus(
        self,
        corpus: Corpus,
        scorers: Sequence[Scorer],
        *,
        top: int,
        skip: Masks = None,
        progress: Progress | None = None,
    ) -> list[Top]:
        """Rank every document of the corpus, under each scorer.

        `scorers`: several cost less than one after the other. `top`: how many of the best to keep. `skip`: documents to
        pass over. `progress`: called with the number of documents just done, by one thread at a time.
        """

    def score_corpus(self, corpus: Corpus, scorer: Scorer) -> NDArray[np.float64]: ...


@dataclass(frozen=True)
class Local:
    """All cores of this machine, or some."""

    threads: int | None = None

    def call(self, function: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer]:
        return on_threads(function, items, self.threads)

    def rank_corpus(
        self,
        corpus: Documents,
        scorers: Sequence[Scorer],
        *,
        top: int,
        skip: Masks = None,
        progress: Progress | None = None,
    ) -> list[Top]:
        """Rank a corpus, or a part of one.

        Memory beyond the mapped file is a number per token of the vocabulary and scorer, and `top` per thread and
        scorer.
        """
        masks = masks_of(skip, len(scorers), corpus.n_documents)
        longest = max((int(np.diff(batch.offsets).max(initial=0)) for batch in corpus.batches()), default=0)
        # The largest uint16 scale for which the longest document's sum cannot overflow.
        largest = min(2**15 - 1, (2**31 - 1) // max(longest, 1))
        if len(scorers) < MANY or largest < 2**8:
            return rank_one_by_one(corpus, scorers, masks, top, self.threads, progress)
        known = int(np.count_nonzero(known_to_any(scorers, corpus.n_vocabulary)))
        at_once = max(MANY, TABLE_BYTES // max(1, 2 * known))
        tops: list[Top] = []
        for start in range(0, len(scorers), at_once):
            group = slice(start, start + at_once)
            tops += rank_side_by_side(corpus, scorers[group], masks[group], top, largest, self.threads, progress)
        return tops

    def score_corpus(self, corpus: Documents, scorer: Scorer) -> NDArray[np.float64]:
        scoring = scorer.prepared(corpus.n_vocabulary)
        scores = np.empty(corpus.n_documents)

        def score(step: Step) -> None:
            scores[step.start : step.start + len(step.offsets) - 1] = scoring(step.offsets, step.tokens, step.counts)

        on_threads(score, steps(corpus), self.threads)
        return scores
