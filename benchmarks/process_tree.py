"""What a process and all its descendants use, read from /proc."""

from __future__ import annotations

import os
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
    total = 0
    for one in descendants(pid):
        try:
            status = Path(f"/proc/{one}/status").read_text()
        except OSError:
            continue
        _, found, rest = status.partition("RssAnon:")
        total += int(rest.split(None, 1)[0]) if found else 0
    return total * 1024 / 1e6


def processor_seconds(pid: int) -> float:
    """Processor time of the tree; of the children that have ended too, if they were waited for."""
    total = 0
    for one in descendants(pid):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / TICKS
