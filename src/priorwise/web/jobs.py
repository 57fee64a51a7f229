"""One long job at a time, beside the requests, and how far it is."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from priorwise.errors import InputError, PriorwiseError

_LOG = logging.getLogger(__name__)
Report = Callable[[str, float], None]


@dataclass(frozen=True)
class Progress:
    """How far a job is: what it does, from 0 to 1, and in the end its result or what went wrong."""

    name: str
    what: str = ""
    share: float = 0.0
    is_done: bool = False
    result: str | None = None
    error: str | None = None


class Jobs:
    """Run one job at a time on a thread of its own.

    Examples
    --------
    >>> jobs = Jobs()
    >>> jobs.start("count", lambda report: "42")
    >>> jobs.wait()
    >>> jobs.state()["result"]
    '42'
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._thread: threading.Thread | None = None

    def start(self, name: str, job: Callable[[Report], str]) -> None:
        """Begin a job; it is told how to report, and returns what it made."""
        with self._lock:
            if self._progress is not None and not self._progress.is_done:
                raise InputError(f"'{self._progress.name}' is being worked on; wait until it is done")
            self._progress = Progress(name, "starting")
            self._thread = threading.Thread(target=self._run, args=(job,), daemon=True)
            self._thread.start()

    def state(self) -> dict[str, Any] | None:
        """Return how far the last job is, or None if there was none."""
        with self._lock:
            return None if self._progress is None else asdict(self._progress)

    def wait(self) -> None:
        """Wait until the last job is done."""
        if self._thread is not None:
            self._thread.join()

    def _run(self, job: Callable[[Report], str]) -> None:
        try:
            result = job(lambda what, share: self._update(what=what, share=float(share)))
        except PriorwiseError as error:
            self._update(is_done=True, error=str(error))
        except Exception as error:
            _LOG.error("a job failed", exc_info=error)
            self._update(is_done=True, error="something went wrong here; the terminal that runs the server says what")
        else:
            self._update(is_done=True, share=1.0, result=result)

    def _update(self, **changes: Any) -> None:
        with self._lock:
            if self._progress is not None:
                self._progress = replace(self._progress, **changes)
