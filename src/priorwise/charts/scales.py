"""Scales, axes, and names next to dots."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from priorwise.charts.markup import Markup, element, joined
from priorwise.kernels import Floats


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


@dataclass(frozen=True)
class Series:
    """An entry of the legend: its name, and its colour from 1 to 4."""

    name: str
    colour: int
    dashed: bool = False
    dot: str | None = None
    """``"solid"`` or ``"hollow"``, if it is drawn as dots and not as a line."""

    @property
    def style(self) -> str:
        return f"series-{self.colour}" + (" dashed" if self.dashed else "")


def across(scale: Scale, name: str, top: float, bottom: float) -> Markup:
    """Return the horizontal axis: lines upwards, numbers below, its name under them."""
    marks = []
    for tick in scale.ticks():
        at = float(scale(tick))
        marks.append(element("line", x1=at, x2=at, y1=top, y2=bottom, class_="grid"))
        marks.append(element("text", written(tick), x=at, y=bottom + 16, class_="tick middle"))
    middle = (scale.start + scale.end) / 2
    return joined(marks, element("text", name, x=middle, y=bottom + 36, class_="axis-name middle"))


def upwards(scale: Scale, name: str, left: float, right: float) -> Markup:
    """Return the vertical axis: lines to the right, numbers to the left, its name above."""
    marks = []
    for tick in scale.ticks(6):
        at = float(scale(tick))
        marks.append(element("line", x1=left, x2=right, y1=at, y2=at, class_="grid"))
        marks.append(element("text", written(tick), x=left - 6, y=at + 4, class_="tick end"))
    return joined(marks, element("text", name, x=4, y=scale.end - 12, class_="axis-name"))


def legend(series: Sequence[Series], y: float, right: float = 612) -> Markup:
    """Return the legend: names, each after its colour. The width of a name is an estimate."""
    marks = []
    x = right - sum(46 + 6.6 * len(each.name) for each in series)
    for each in series:
        if each.dot:
            marks.append(element("circle", cx=x + 17, cy=y, r=5, class_=f"{each.dot} {each.style}"))
        else:
            marks.append(element("line", x1=x, x2=x + 22, y1=y, y2=y, class_=f"line {each.style}"))
        marks.append(element("text", each.name, x=x + 28, y=y + 4))
        x += 46 + 6.6 * len(each.name)
    return joined(marks)


def clipped(text: str, longest: int = 30) -> str:
    """Shorten a name so that it fits next to a row.

    Examples
    --------
    >>> clipped("Software companies of the United States")
    'Software companies of the Uni…'
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"


CHARACTER = 6.6
"""Estimated width of a character."""

LINE = 14.0
DOT = 6.0
BESIDE = 10.0
FARTHEST = 9
"""How many lines away from its dot a name may be."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Spot:
    """Place of a name: its start (its end, if it is left of its dot), and how far above or below the dot it is."""

    x: float
    y: float
    is_left: bool
    rise: float

    def box(self, width: float) -> Box:
        """Return the left, top, right and bottom of a name of this width."""
        left = self.x - width if self.is_left else self.x
        return left, self.y - LINE / 2, left + width, self.y + LINE / 2


def spots_for(names: Sequence[str], dots: Sequence[tuple[float, float]], within: Box) -> list[Spot]:
    """Return the place of each name: the first free one next to its dot, or else the freest.

    Examples
    --------
    >>> [(spot.is_left, spot.rise) for spot in spots_for(["a", "b"], [(50, 50), (52, 50)], (0, 0, 100, 100))]
    [(True, 0.0), (False, 0.0)]
    """
    taken = [(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in dots]
    found: dict[int, Spot] = {}
    # From the top down, so that names which avoid each other stay in order.
    for number in sorted(range(len(dots)), key=lambda each: (dots[each][1], -dots[each][0])):
        width = CHARACTER * len(names[number])
        others = [box for place, box in enumerate(taken) if place != number]
        spots = list(_around(*dots[number]))
        # How much of a place is occupied, or outside the chart.
        boxes = [spot.box(width) for spot in spots]
        # A box that is wholly inside costs exactly nothing by itself.
        outside = [_shared(box, box) - _shared(box, within) for box in boxes]
        costs = [cost + sum(_shared(box, each) for each in others) for cost, box in zip(outside, boxes, strict=True)]
        found[number] = spots[costs.index(min(costs))]
        taken.append(found[number].box(width))
    return [found[number] for number in range(len(dots))]


def _around(x: float, y: float) -> Iterator[Spot]:
    """Places for a name, the nearest first."""
    for lines in range(FARTHEST + 1):
        for rise in {0: (0.0,)}.get(lines, (-LINE * lines, LINE * lines)):
            yield Spot(x + BESIDE, y + rise, is_left=False, rise=rise)
            yield Spot(x - BESIDE, y + rise, is_left=True, rise=rise)


def _shared(first: Box, second: Box) -> float:
    wide = min(first[2], second[2]) - max(first[0], second[0])
    high = min(first[3], second[3]) - max(first[1], second[1])
    return max(0.0, wide) * max(0.0, high)
