"""Names next to dots, placed where they cover no other name or dot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
        costs = [_cost(spot.box(width), others, within) for spot in spots]
        found[number] = spots[costs.index(min(costs))]
        taken.append(found[number].box(width))
    return [found[number] for number in range(len(dots))]


def _around(x: float, y: float) -> Iterator[Spot]:
    """Places for a name, the nearest first."""
    for lines in range(FARTHEST + 1):
        for rise in {0: (0.0,)}.get(lines, (-LINE * lines, LINE * lines)):
            yield Spot(x + BESIDE, y + rise, is_left=False, rise=rise)
            yield Spot(x - BESIDE, y + rise, is_left=True, rise=rise)


def _cost(box: Box, taken: Sequence[Box], within: Box) -> float:
    """How much of a place is occupied, or outside the chart."""
    size = (box[2] - box[0]) * (box[3] - box[1])
    return size - _shared(box, within) + sum(_shared(box, other) for other in taken)


def _shared(first: Box, second: Box) -> float:
    wide = min(first[2], second[2]) - max(first[0], second[0])
    high = min(first[3], second[3]) - max(first[1], second[1])
    return max(0.0, wide) * max(0.0, high)
