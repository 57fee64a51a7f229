"""Targets and priors by name: the one place where their names are read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from priorwise.search import Target

NAMES = "average-precision, ppv, ppv:FLOOR, fBETA, fBETA:corpus, ppv@K, log-loss"


def parse_target(name: str) -> Target | None:
    """Read a target's name; None if there is no such target.

    Examples
    --------
    >>> parse_target("f0.5"), parse_target("ppv:0.5"), parse_target("ppv@250")
    (FBeta(beta=0.5, at_corpus_odds=False), PPV(floor=0.5), PPVAtK(k=250))
    >>> parse_target("accuracy") is None
    True
    """
    from priorwise.search import PPV, AveragePrecision, FBeta, LogLoss, PPVAtK

    number = r"(\d+(?:\.\d+)?)"
    if name in ("average-precision", "ap"):
        return AveragePrecision()
    if name == "log-loss":
        return LogLoss()
    if name == "ppv":
        return PPV()
    if match := re.fullmatch(rf"ppv:{number}", name):
        return PPV(floor=float(match[1]))
    if match := re.fullmatch(r"ppv@([1-9]\d*)", name):
        return PPVAtK(int(match[1]))
    if match := re.fullmatch(rf"f{number}(:corpus)?", name):
        return FBeta(float(match[1]), at_corpus_odds=match[2] is not None)
    return None


def read_target(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """Turn the option's value into a target."""
    if value is None:
        return None
    target = parse_target(value)
    if target is None:
        raise click.BadParameter(f"no target '{value}'; there are {NAMES}", ctx, param)
    return target


def read_prior(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """Turn the option's value into a prior, or into a function that makes one when the vocabulary is known."""
    from priorwise.priors import PseudoCounts

    if value is None:
        return None
    named = {"laplace": PseudoCounts.laplace(), "jeffreys": PseudoCounts.jeffreys(), "perks": PseudoCounts.perks}
    if value in named:
        return named[value]
    try:
        negative, positive = (float(part) for part in value.split(","))
    except ValueError as error:
        names = ", ".join(named)
        raise click.BadParameter(
            f"'{value}' is not a prior; there are {names}, and λ−,λ+ as in 22,4", ctx, param
        ) from error
    return PseudoCounts(negative, positive)
