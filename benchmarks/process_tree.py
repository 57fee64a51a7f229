"""What a process and all its descendants use, read from /proc."""

from __future__ import annotations

import os
import threading
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> list[int]:
    """A process and all that it and its children have started and that still run."""
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        found.append(one)
        try:
            for task in Path(f"/proc/{one}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except OSError:
            continue  # gone in the meantime
    return found


def private_megabytes(pid: int) -> float:
    """Memory of the tree that is not a mapped file, which the system may drop."""
    return sum(map(_own_megabytes, descendants(pid)))


def processor_seconds(pid: int) -> float:
    """Processor time of the tree; of the children that have ended too, if they were waited for."""
    return sum(_own_seconds(one, with_waited_for=True) for one in descendants(pid))


class Usage:
    """Processor time, and the most private memory, of some processes and all their descendants.

    Those that have ended by the next look, and that nobody waits for, count as far as they were seen.
    """

    def __init__(self, roots: list[int]) -> None:
        self.roots, self.peak, self.lock = roots, 0.0, threading.Lock()
        self.used: dict[int, float] = {}
        self.look()

    @property
    def seconds(self) -> float:
        """Processor time up to the last look."""
        with self.lock:
            return sum(self.used.values())

    def look(self) -> None:
        """See what is used now."""
        found = [pid for root in self.roots for pid in descendants(root)]
        megabytes, seconds = sum(map(_own_megabytes, found)), {pid: _own_seconds(pid) for pid in found}
        with self.lock:
            self.peak = max(self.peak, megabytes)
            for pid, own in seconds.items():
                self.used[pid] = max(own, self.used.get(pid, 0.0))


def _own_megabytes(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0  # gone in the meantime
    _, found, rest = status.partition("RssAnon:")
    return int(rest.split(None, 1)[0]) * 1024 / 1e6 if found else 0.0


def _own_seconds(pid: int, *, with_waited_for: bool = False) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0  # gone in the meantime
    return sum(map(int, fields[11 : 15 if with_waited_for else 13])) / TICKS
