"""How many threads are of use."""

from __future__ import annotations

import os


def processors() -> int:
    """Return how many processors this process may use; those of the machine may be more.

    Examples
    --------
    >>> processors() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
