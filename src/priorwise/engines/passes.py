"""One pass over documents, shared by threads: each takes the next step, and keeps its best."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.engines.corpus_part import Documents
from priorwise.processors import processors
from priorwise.ranking.scorer import Top, best_first

Floats = NDArray[np.float64]
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

    def offer(self, scores: Floats, divisor: Floats, start: int, skip: NDArray[np.bool_]) -> None:
        """Look at documents with their scores."""
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
        """Consider documents by the upper bounds of their scores, given sums of whole numbers."""
        from priorwise.kernels.scoring import keep_best_bounds

        self.size, positive = keep_best_bounds(
            sums, unit, bias, length, divisor, start, skip, self.scores, self.documents, self.size
        )
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
