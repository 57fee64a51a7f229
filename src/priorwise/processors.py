"""How many threads are of use, and work that is shared among them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar


def processors() -> int:
    """Return how many processors this process may use; those of the machine may be more.

    Examples
    --------
    >>> processors() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


Job = TypeVar("Job")
Result = TypeVar("Result")


def in_order(calls: Iterable[Callable[[], Result]], workers: int | None) -> Iterator[Result]:
    """Call functions on several threads and yield their results in order; one more than there are threads may wait.

    Examples
    --------
    >>> list(in_order([lambda: "a", lambda: "b"], workers=2))
    ['a', 'b']
    """
    threads = workers or processors()
    if threads == 1:
        # To start a thread takes longer than many a call.
        yield from (call() for call in calls)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for call in calls:
                waiting.append(pool.submit(call))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def on_threads(work: Callable[[Job], Result], jobs: Iterable[Job], threads: int | None = None) -> list[Result]:
    """Do all jobs on all processors, or on some threads, and return the results in order; the first error ends it."""
    waiting = list(jobs)
    return list(in_order((partial(work, job) for job in waiting), max(1, min(threads or processors(), len(waiting)))))
