"""Checks of a prior's few numbers; each refusal says what is allowed."""

from __future__ import annotations

import math
from typing import Any

from priorwise.errors import InputError


def at_least_zero(name: str, value: Any) -> float:
    """Take a finite number that is not negative.

    Examples
    --------
    >>> at_least_zero("α", 1)
    1.0
    """
    number = _number(name, value)
    if not (math.isfinite(number) and number >= 0):
        raise InputError(f"{name} must be a number of at least 0, not {value!r}")
    return number


def above_zero(name: str, value: Any) -> float:
    """Take a finite number above 0."""
    number = _number(name, value)
    if not (math.isfinite(number) and number > 0):
        raise InputError(f"{name} must be a positive number, not {value!r}")
    return number


def share(name: str, value: Any) -> float:
    """Take a number from 0 to 1, both included."""
    number = _number(name, value)
    if not 0 <= number <= 1:
        raise InputError(f"{name} must lie between 0 and 1, both included, not {value!r}")
    return number


def proper_share(name: str, value: Any) -> float:
    """Take a number between 0 and 1, neither of them."""
    number = _number(name, value)
    if not 0 < number < 1:
        raise InputError(f"{name} must lie between 0 and 1, neither of them, not {value!r}")
    return number


def below_zero(name: str, value: Any) -> float:
    """Take a finite number below 0."""
    number = _number(name, value)
    if not (math.isfinite(number) and number < 0):
        raise InputError(f"{name} must be a negative number, not {value!r}")
    return number


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a number, not {value!r}") from None
