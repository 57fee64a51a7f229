"""The grid of strengths, and the few strengths that stand for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from priorwise.priors.presence import COLLECTION_GRID, PAPER_GRID

__all__ = ["COLLECTION_GRID", "FEW", "PAPER_GRID", "Nodes", "nodes_for"]

Floats = NDArray[np.float64]

FEW = 32
"""A grid of fewer values is its own nodes, in any order; a longer one must be ascending."""


@dataclass(frozen=True)
class Nodes:
    """Strengths at which sums are taken, and how to carry them to the grid.

    The first `direct` nodes are grid values themselves. The others are Chebyshev nodes in log λ, and `spread` is the
    matrix that interpolates from them to the rest of the grid.
    """

    strengths: Floats
    direct: int
    spread: Floats

    @property
    def grid_size(self) -> int:
        """How many values the grid has."""
        return self.direct + self.spread.shape[1]


def nodes_for(grid: Floats) -> Nodes:
    """Choose the fewest nodes that give Σ log(λ + count) on the whole grid to rounding.

    As a function of t = log λ the sum is analytic but for the points where λ = −count, all at height π above or below
    the real line. A Chebyshev interpolant on an interval of half-width h therefore gains a factor
    ρ = π/h + √(1 + π²/h²) with every node: 31 nodes cover λ from 3 to 200.

    Examples
    --------
    >>> len(PAPER_GRID), len(nodes_for(PAPER_GRID).strengths)
    (203, 38)
    """
    return _nodes_for(tuple(float(value) for value in grid))


@lru_cache(maxsize=8)
def _nodes_for(values: tuple[float, ...]) -> Nodes:
    grid = np.array(values)
    if len(grid) < FEW:
        return Nodes(grid, len(grid), np.zeros((0, 0)))
    logs = np.log(grid)
    costs = [direct + _nodes_needed(logs[direct], logs[-1]) for direct in range(len(grid) - 1)]
    direct = int(np.argmin(costs))
    if costs[direct] >= len(grid):
        return Nodes(grid, len(grid), np.zeros((0, 0)))
    count = costs[direct] - direct
    angles = (2 * np.arange(count) + 1) * np.pi / (2 * count)
    low, high = logs[direct], logs[-1]
    points = (low + high) / 2 + (high - low) / 2 * np.cos(angles)
    weights = np.where(np.arange(count) % 2, -1.0, 1.0) * np.sin(angles)
    return Nodes(np.concatenate([grid[:direct], np.exp(points)]), direct, _barycentric(points, weights, logs[direct:]))


def _nodes_needed(low: float, high: float) -> int:
    half_width = (high - low) / 2
    height = np.pi / half_width
    gain = height + np.sqrt(1 + height**2)
    return int(np.ceil(-np.log(np.finfo(np.float64).eps / 2) / np.log(gain))) + 2


def _barycentric(points: Floats, weights: Floats, at: Floats) -> Floats:
    """Matrix of the barycentric interpolation formula, from values at `points` to values `at`."""
    distance = at[np.newaxis, :] - points[:, np.newaxis]
    hit = distance == 0
    ratios = weights[:, np.newaxis] / np.where(hit, 1.0, distance)
    matrix = ratios / ratios.sum(axis=0)
    return np.where(hit.any(axis=0), hit.astype(np.float64), matrix)
