"""Targets by name: the one place where their names are read."""

from __future__ import annotations

import re
from typing import Any

import click

NAMES = "average-precision, ppv, ppv:FLOOR, fBETA, fBETA:corpus, ppv@K, log-loss"


class TargetType(click.ParamType):
    """What a good prior is good at, by name.

    Examples
    --------
    >>> TargetType().convert("f0.5", None, None)
    FBeta(beta=0.5, at_corpus_odds=False)
    >>> TargetType().convert("ppv:0.5", None, None)
    PPV(floor=0.5)
    """

    name = "target"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a name."""
        from priorwise.search import PPV, AveragePrecision, FBeta, LogLoss, PPVAtK

        if not isinstance(value, str):
            return value
        number = r"(\d+(?:\.\d+)?)"
        if value in ("average-precision", "ap"):
            return AveragePrecision()
        if value == "log-loss":
            return LogLoss()
        if value == "ppv":
            return PPV()
        if match := re.fullmatch(rf"ppv:{number}", value):
            return PPV(floor=float(match[1]))
        if match := re.fullmatch(r"ppv@([1-9]\d*)", value):
            return PPVAtK(int(match[1]))
        if match := re.fullmatch(rf"f{number}(:corpus)?", value):
            return FBeta(float(match[1]), at_corpus_odds=match[2] is not None)
        self.fail(f"no target '{value}'; there are {NAMES}", param, ctx)
