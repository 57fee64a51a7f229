"""From numbers to places in the drawing, and which numbers to write next to an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scale:
    """An axis: the numbers from ``low`` to ``high`` lie between the places ``start`` and ``end``.

    Examples
    --------
    >>> float(Scale(0, 1, 100, 200)(0.25)), Scale(1, 100, 0, 10, log=True)([1, 10, 100]).tolist()
    (125.0, [0.0, 5.0, 10.0])
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, values: ArrayLike) -> Floats:
        """Return where numbers lie."""
        low, high = self._seen(self.low), self._seen(self.high)
        return self.start + (self._seen(values) - low) / (high - low) * (self.end - self.start)

    def _seen(self, values: ArrayLike) -> Floats:
        numbers = np.asarray(values, np.float64)
        return np.log(numbers) if self.log else numbers

    def ticks(self, most: int = 7) -> list[float]:
        """Return round numbers within the axis, up to the given count.

        Examples
        --------
        >>> Scale(0, 0.37, 0, 1).ticks(), Scale(0.5, 30000, 0, 1, log=True).ticks()
        ([0.0, 0.1, 0.2, 0.3], [1.0, 10.0, 100.0, 1000.0, 10000.0])
        """
        # Within one decade, round steps give more numbers than powers of ten.
        decades = self.log and self.high >= 10 * self.low
        return _decades(self.low, self.high, most) if decades else _round_steps(self.low, self.high, most)


def _round_steps(low: float, high: float, most: int) -> list[float]:
    least = (high - low) / most
    decade = 10.0 ** math.floor(math.log10(least))
    step = next(each * decade for each in (1, 2, 5, 10) if each * decade >= least * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, -math.floor(math.log10(step)))
    return [round(number * step, digits) for number in range(first, last + 1)]


def _decades(low: float, high: float, most: int) -> list[float]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for factors in ((1, 2, 5), (1, 3), (1,)):
        found = [
            factor * 10.0**power
            for power in range(first, last + 1)
            for factor in factors
            if low * (1 - 1e-9) <= factor * 10.0**power <= high * (1 + 1e-9)
        ]
        if len(found) <= most:
            return found
    return found[:: math.ceil(len(found) / most)]


def around(values: Sequence[float], *, log: bool = False) -> tuple[float, float]:
    """Return the ends of an axis that holds all values, with a margin.

    Examples
    --------
    >>> around([1, 3]), around([10, 1000], log=True), around([5], log=True)
    ((0.9, 3.1), (7.0, 1400.0), (3.5, 7.0))
    """
    low, high = min(values), max(values)
    if log:
        return round(low * 0.7, 9), round(high * 1.4, 9)
    room = 0.05 * (high - low) or 1.0
    return round(low - room, 9), round(high + room, 9)


def written(number: float) -> str:
    """Format a number for an axis.

    Examples
    --------
    >>> written(0.25), written(20000.0), written(3e6), written(0.0)
    ('0.25', '20,000', '3,000,000', '0')
    """
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:g}"
