"""Targets by name: defining one registers it, and its class says how it is written."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from priorwise.counting import hyphenated

TARGETS: dict[str, type[NamedTarget]] = {}
"""Every target that can be written, by its class's name."""

_NUMBERS = ("float", "int", float, int)


class NamedTarget:
    """Base of the targets that the command line knows.

    A target is written as its class is called, in lower case with hyphens, with its numbers after a colon. A class that
    is written otherwise sets `written` and has a `read` of its own.

    Examples
    --------
    >>> from priorwise.search import PPV, FBeta
    >>> PPV.written, PPV.read("ppv:0.5"), FBeta.read("f2:corpus"), PPV.read("f2")
    ('ppv, ppv:FLOOR', PPV(floor=0.5), FBeta(beta=2.0, at_corpus_odds=True), None)
    """

    needs: ClassVar[str]
    """What it needs to know of held-out documents: counts or scores."""
    written: ClassVar[str]
    """How it is written, for people: each way, with commas between."""

    def __init_subclass__(cls, *, listed: bool = True, **more: Any) -> None:
        super().__init_subclass__(**more)
        if not listed:
            return
        if "written" not in vars(cls):
            name, numbers = hyphenated(cls.__name__), ",".join(cls._numbers()).upper()
            cls.written = f"{name}, {name}:{numbers}" if numbers else name
        TARGETS[cls.__name__] = cls

    @classmethod
    def _numbers(cls) -> list[str]:
        return [name for name, kind in vars(cls).get("__annotations__", {}).items() if kind in _NUMBERS]

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Make the target that is written like this; None if it is another one."""
        name, colon, given = text.partition(":")
        if name not in cls.written.split(", "):
            return None
        try:
            values = [float(part) for part in given.split(",")] if colon else []
            return cls(**dict(zip(cls._numbers(), values, strict=bool(colon))))
        except (TypeError, ValueError):
            return None


def listed(needs: str | None = None) -> str:
    """List how targets are written: all of them, or those that need nothing but this.

    Examples
    --------
    >>> import priorwise.search
    >>> listed("counts")
    'ppv, ppv:FLOOR, fBETA, fBETA:corpus, errors, accuracy, macro-f1, micro-f1'
    """
    return ", ".join(each.written for each in TARGETS.values() if needs in (None, each.needs))


def read_target(text: str) -> Any:
    """Make the target that is written like this; None if the text names no target.

    Examples
    --------
    >>> import priorwise.search
    >>> read_target("average-precision"), read_target("best")
    (AveragePrecision(), None)
    """
    found = (target.read(text) for target in TARGETS.values())
    return next((target for target in found if target is not None), None)
