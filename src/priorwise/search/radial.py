"""The paper's radial gradient search."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

Cell = tuple[int, int]
Value = tuple[float, ...]

NINE_STARTS: tuple[tuple[float, float], ...] = tuple((n, p) for n in (1.0, 8.0, 15.0) for p in (1.0, 8.0, 15.0))
"""The paper's starts, as (λ−, λ+)."""


@dataclass
class RadialSearch:
    """What a radial search did: the path from each start, and everything it evaluated, in order."""

    paths: list[list[Cell]] = field(default_factory=list)
    values: dict[Cell, Value] = field(default_factory=dict)

    @property
    def best(self) -> Cell:
        """The best cell evaluated; the first of equals."""
        return max(self.values, key=lambda cell: self.values[cell])


def radial_search(evaluate: Callable[[Cell], Value], shape: Cell, starts: Iterable[Cell]) -> RadialSearch:
    """Climb from each start by 5×5 squares until no cell of the square is strictly better.

    A value is a tuple compared in order (the paper's is PPV, then sensitivity). Within one climb a cell is looked at
    once, as printed in the paper. The climbs share their evaluations, but each looks with its own eyes: a cell another
    climb has seen can still be the next step of this one.

    Parameters
    ----------
    evaluate : callable
        Gives the value of a cell.
    shape : (int, int)
        How many rows and columns there are.
    starts : iterable of cells
        Where to climb from.

    Examples
    --------
    >>> hill = radial_search(lambda cell: (-abs(cell[0] - 7) - abs(cell[1] - 3),), (20, 20), [(0, 0)])
    >>> hill.best, hill.paths
    ((7, 3), [[(0, 0), (2, 2), (4, 3), (6, 3), (7, 3)]])

    References
    ----------
    RADIAL-GRADIENT-SEARCH in Kayaalp, O. K., *Learning optimal Bayesian prior probabilities from data*.
    """
    search = RadialSearch()

    def value_of(cell: Cell) -> Value:
        if cell not in search.values:
            search.values[cell] = evaluate(cell)
        return search.values[cell]

    for start in starts:
        best, best_value = start, value_of(start)
        path, seen = [start], {start}
        improved = True
        while improved:
            improved = False
            row, column = best
            for i in range(row - 2, row + 3):
                for j in range(column - 2, column + 3):
                    cell = (i, j)
                    if not (0 <= i < shape[0] and 0 <= j < shape[1]) or cell in seen:
                        continue
                    seen.add(cell)
                    value = value_of(cell)
                    if value > best_value:
                        best, best_value, improved = cell, value, True
            if improved:
                path.append(best)
        search.paths.append(path)
    return search
