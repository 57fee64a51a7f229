"""Progress of a Spark job: finished tasks of all tasks, polled while it runs."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError

TasksDone = Callable[[int, int], None]
"""Receives how many tasks are done, and how many there are."""

SECONDS = 0.5
_GROUP, _DESCRIPTION = "spark.jobGroup.id", "spark.job.description"


@contextmanager
def watched(context: Any, n_tasks: int, tell: TasksDone | None) -> Iterator[None]:
    """Tell how many of some tasks are done while the block waits for them, at least once when all are.

    Parameters
    ----------
    context : pyspark.SparkContext
    n_tasks : int
        How many tasks the block runs.
    tell : function, optional
        Called from another thread.
    """
    if tell is None:
        yield
        return
    group = f"priorwise-{uuid.uuid4().hex}"
    context.setJobGroup(group, "priorwise")
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(context, group, n_tasks, tell, ended), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
        for name in (_GROUP, _DESCRIPTION):
            context.setLocalProperty(name, None)
    tell(n_tasks, n_tasks)


def _watch(context: Any, group: str, n_tasks: int, tell: TasksDone, ended: threading.Event) -> None:
    told = 0
    while not ended.wait(SECONDS):
        try:
            done = tasks_done(context.statusTracker(), group)
        except (Py4JError, OSError):
            # Spark is shutting down. The caller that waits for the job gets the error.
            return
        # A task that is lost with its executor runs again.
        if done > told:
            told = done
            tell(min(done, n_tasks), n_tasks)


def tasks_done(tracker: Any, group: str) -> int:
    """Return how many tasks of a group of jobs are done."""
    jobs = (tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group))
    stages = {stage for job in jobs if job for stage in job.stageIds}
    found = (tracker.getStageInfo(stage) for stage in stages)
    return sum(int(info.numCompletedTasks) for info in found if info)
