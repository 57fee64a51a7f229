"""What a contest is: a piece of work, and those who do it."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Role = Literal["ours", "peer", "limit"]


@dataclass(frozen=True)
class Settings:
    """How much work, and where real data lie."""

    small: bool = False
    data: Path | None = None

    def size(self, whole: int) -> int:
        """The whole, or a tenth of it."""
        return whole // 10 if self.small else whole


@dataclass(frozen=True)
class Work:
    """What there is to do, in words, and if it is a stream how much of which unit a second is to be told."""

    words: str
    amount: float = 0.0
    unit: str = ""


@dataclass(frozen=True)
class Started:
    """A contestant who has loaded what there is to load: the steps that are timed, and how to see what came of them.

    `share` is the part of the work that is done, if the whole would take too long.
    """

    steps: dict[str, Callable[[], object]]
    quality: Callable[[], dict[str, float]] = dict
    share: float = 1.0


@dataclass(frozen=True)
class Contestant:
    """Somebody who does the work, in a process of its own.

    `start` is given the folder that the job has prepared, `package` is what has to be installed; `once` is for those
    who take too long to be run again.
    """

    name: str
    start: Callable[[Path], Started]
    role: Role = "peer"
    package: str = "priorwise"
    once: bool = False

    @property
    def version(self) -> str | None:
        """The version that is installed, if any."""
        if self.package == "python":
            return platform.python_version()
        if self.package == "priorwise":
            from priorwise.version import __version__

            return __version__
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return None


@dataclass(frozen=True)
class Job:
    """A piece of work. `prepare` writes the data into a folder and says what there is to do.

    The first contestant of ours is the one that ratios refer to. `quality` has a format for each figure that shows
    whether the same work was done.
    """

    name: str
    prepare: Callable[[Path, Settings], Work]
    contestants: tuple[Contestant, ...]
    steps: tuple[str, ...] = ("all",)
    quality: dict[str, str] = field(default_factory=dict)

    def contestant(self, name: str) -> Contestant:
        """Find a contestant by name."""
        return next(each for each in self.contestants if each.name == name)
