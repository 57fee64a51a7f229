"""Long jobs, one after the other, in the background: how far each is, how long it will take, and how to stop it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from priorwise.errors import InputError, PriorwiseError, UnknownName

_LOG = logging.getLogger(__name__)
Report = Callable[[str, float | None], None]
KEPT = 20
"""How many finished jobs are remembered."""

_SOON = 0.02
"""Before this share is done, nobody can say how long the rest takes."""


class Stopped(Exception):
    """Raised inside a job that was cancelled, when it next reports."""


@dataclass
class Job:
    """How far a job is."""

    id: int
    kind: str
    corpus: str
    name: str
    state: str = "waiting"
    what: str = ""
    share: float | None = None
    result: str | None = None
    error: str | None = None
    begun: float = 0.0
    cancelled: bool = False

    @property
    def is_over(self) -> bool:
        return self.state not in ("waiting", "running")

    def facts(self) -> dict[str, Any]:
        """Return what a page shows of it."""
        left = None
        if self.state == "running" and self.share is not None and _SOON < self.share < 1:
            left = (time.monotonic() - self.begun) * (1 - self.share) / self.share
        names = ("id", "kind", "corpus", "name", "state", "what", "share", "result", "error", "cancelled")
        return {**{name: getattr(self, name) for name in names}, "seconds_left": left}


class Jobs:
    """Run jobs on a thread of their own, in the order in which they came.

    Examples
    --------
    >>> jobs = Jobs()
    >>> job = jobs.add("import", "tea", "tea.csv", lambda report: "42")
    >>> jobs.wait()
    >>> jobs.states()[0]["state"], jobs.states()[0]["result"]
    ('done', '42')
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[int, tuple[Job, Callable[[Report], str]]] = {}
        self._numbers = count(1)
        self._thread: threading.Thread | None = None

    def add(self, kind: str, corpus: str, name: str, job: Callable[[Report], str]) -> Job:
        """Put a job in the queue; it is told how to report, and returns what it made."""
        with self._lock:
            for other, _ in self._jobs.values():
                if not other.is_over and (other.kind, other.corpus, other.name) == (kind, corpus, name):
                    raise InputError(f"'{name}' is being worked on; wait until that is done")
            added = Job(next(self._numbers), kind, corpus, name)
            self._jobs[added.id] = added, job
            over = [number for number, (each, _) in self._jobs.items() if each.is_over]
            for number in over[:-KEPT]:
                del self._jobs[number]
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
        return added

    def states(self, *, corpus: str | None = None, kind: str | None = None) -> list[dict[str, Any]]:
        """Return how far the jobs are, the latest last."""
        with self._lock:
            found = [job for job, _ in self._jobs.values()]
            return [job.facts() for job in found if corpus in (None, job.corpus) and kind in (None, job.kind)]

    def cancel(self, number: int) -> None:
        """Stop a job, at once if it waits, or when it next reports; forget it if it is over."""
        with self._lock:
            if number not in self._jobs:
                raise UnknownName("job", str(number), [])
            job = self._jobs[number][0]
            job.cancelled = True
            if job.state == "waiting":
                job.state = "cancelled"
            elif job.is_over:
                del self._jobs[number]

    def is_at(self, kind: str, corpus: str, name: str | None = None) -> bool:
        """Return whether such a job is waiting or running."""
        with self._lock:
            return any(
                not job.is_over and (job.kind, job.corpus) == (kind, corpus) and name in (None, job.name)
                for job, _ in self._jobs.values()
            )

    def wait(self) -> None:
        while (thread := self._thread) is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            with self._lock:
                waiting = [pair for pair in self._jobs.values() if pair[0].state == "waiting"]
                if not waiting:
                    self._thread = None
                    return
                job, work = waiting[0]
                job.state, job.what, job.begun = "running", "Starting", time.monotonic()
            self._do(job, work)

    def _do(self, job: Job, work: Callable[[Report], str]) -> None:
        def report(what: str, share: float | None) -> None:
            with self._lock:
                if job.cancelled:
                    raise Stopped
                if what != job.what:
                    job.begun = time.monotonic()
                job.what, job.share = what, None if share is None else min(1.0, max(0.0, float(share)))

        state, result, error = "done", None, None
        try:
            result = work(report)
        except Stopped:
            state = "cancelled"
        except PriorwiseError as trouble:
            state, error = "failed", str(trouble)
        except Exception as trouble:
            _LOG.error("a job failed", exc_info=trouble)
            state, error = "failed", "something went wrong here; the terminal that runs the server says what"
        with self._lock:
            job.state, job.result, job.error = state, result, error
