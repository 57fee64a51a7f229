"""What an experiment has found so far, on disk the moment it is found."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from priorwise import __version__
from priorwise.durable import disk_errors_explained


class Results:
    """Finished cells of an experiment: a key and a value each, both anything that JSON can hold.

    Each cell is one line of a file, forced to the disk before the next one starts. So an experiment that is killed and
    started again does only what is left. A key holds everything that its value depends on: which collection, which
    method, which settings. The version of priorwise belongs to every key, so that a later one counts anew. A line that
    is not whole, because the machine went down within it, counts as not there.

    Parameters
    ----------
    path : Path
        The file, such as ``results/bernoulli.cells.jsonl``; made when the first cell is finished.
    **settings
        What every key shares.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = Results(Path(folder, "tea.cells.jsonl"), seed=0)
    ...     first = results.cell({"method": "LA"}, lambda: {"f1": 0.35})
    ...     again = Results(Path(folder, "tea.cells.jsonl"), seed=0)
    ...     second = again.cell({"method": "LA"}, lambda: 1 / 0)
    >>> first == second, again.reused, again.computed
    (True, 1, 0)
    """

    def __init__(self, path: Path, **settings: Any) -> None:
        self.path = path
        self.settings = settings
        self.reused = 0
        self.computed = 0
        self._values = _read(path)
        self._earlier = set(self._values)

    def cell(self, key: dict[str, Any], compute: Callable[[], Any]) -> Any:
        """Return the value of a key; compute it, and keep it, if it is not there yet.

        What is returned has been through JSON, be it computed now or read: tuples are lists, keys are texts.
        """
        whole = self._whole(key)
        if whole in self._values:
            self.reused += whole in self._earlier
            return self._values[whole]
        started = time.perf_counter()
        value = json.loads(json.dumps(compute(), allow_nan=False))
        self._keep(whole, value, time.perf_counter() - started)
        self._values[whole] = value
        self.computed += 1
        return value

    def forget(self) -> None:
        """Throw away every cell, those of other settings too."""
        self.path.unlink(missing_ok=True)
        self._values, self._earlier = {}, set()

    def _whole(self, key: dict[str, Any]) -> str:
        return _canonical({"priorwise": __version__, **self.settings, **key})

    def _keep(self, key: str, value: Any, seconds: float) -> None:
        line = json.dumps({"key": json.loads(key), "value": value, "seconds": round(seconds, 3)}, ensure_ascii=False)
        with disk_errors_explained(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                # A line break first, where an earlier run broke off within a line.
                torn = file.tell() > 0 and not _ends_a_line(self.path)
                file.write((b"\n" if torn else b"") + line.encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())


def _canonical(key: dict[str, Any]) -> str:
    return json.dumps(key, sort_keys=True, ensure_ascii=False)


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _read(path: Path) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if not path.exists():
        return values
    for line in path.read_bytes().splitlines():
        try:
            found = json.loads(line)
            values[_canonical(found["key"])] = found["value"]
        except (ValueError, KeyError, TypeError):
            continue
    return values
