"""The best cell of a terrain, and the rule for ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Choice:
    """The chosen cell: its place in the grid, its value, and the share of the members it finds."""

    row: int
    column: int
    score: float
    sensitivity: float


def choose_best(score: Floats, sensitivity: Floats, grid: Floats, *, start: float = 1.0) -> Choice:
    """Take the cell with the best score; among equals the most sensitive; among those the one nearest to `start`.

    Nearness is Euclidean in log λ, so that a plateau gives the prior that departs least from Laplace. Cells whose score
    is NaN were not evaluated.

    Examples
    --------
    >>> flat = np.zeros((3, 3))
    >>> choose_best(flat, flat, np.array([0.5, 1.0, 2.0]))
    Choice(row=1, column=1, score=0.0, sensitivity=0.0)
    """
    departure = np.log(grid / start) ** 2
    distance = departure[:, np.newaxis] + departure[np.newaxis, :]
    candidates = np.flatnonzero(score == np.nanmax(score))
    most_sensitive = sensitivity.flat[candidates].max()
    candidates = candidates[sensitivity.flat[candidates] == most_sensitive]
    best = candidates[np.argmin(distance.flat[candidates])]
    row, column = np.unravel_index(best, score.shape)
    return Choice(int(row), int(column), float(score[row, column]), float(sensitivity[row, column]))
