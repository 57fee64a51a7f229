"""Independent jobs on several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from priorwise.processors import processors

Job = TypeVar("Job")
Answer = TypeVar("Answer")


def on_threads(work: Callable[[Job], Answer], jobs: Iterable[Job], threads: int | None) -> list[Answer]:
    """Do all jobs and give the answers in order; with one thread, or one job, in this one.

    The compiled kernels leave other threads running. Linear algebra keeps to the thread it is called from: the systems
    here are too small to share. The first error ends it all.

    Examples
    --------
    >>> on_threads(abs, [-1, -2], threads=2)
    [1, 2]
    """
    from threadpoolctl import threadpool_limits

    jobs = list(jobs)
    threads = min(threads or processors(), len(jobs))
    with threadpool_limits(1, user_api="blas"):
        if threads <= 1:
            return [work(job) for job in jobs]
        with ThreadPoolExecutor(threads) as pool:
            try:
                return list(pool.map(work, jobs))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
