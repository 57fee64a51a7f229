"""A run as pictures: its terrain, and the precision of its two rankings."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from priorwise.charts import Picture, heat_map, two_curves
from priorwise.counting import amount
from priorwise.models.terrain import Terrain
from priorwise.ranking.judged_lists import area_between, ppv_curve
from priorwise.search import NINE_STARTS, radial_search

if TYPE_CHECKING:
    from priorwise.discovery.run import Run

NAMES = ("learned prior", "Laplace’s prior")


def terrain_picture(run: Run) -> Picture:
    """Draw the mean terrain of a run, where the search went, and where it ended."""
    terrain, prior = run.terrain, run.prior
    target = run.about["procedure"]["target"]
    # Laplace's imagined documents hold every token: on another terrain, 1 and 1 is not Laplace's prior.
    laplace = [("Laplace, 1 and 1", (1.0, 1.0))] if prior.centre == "uniform" else []
    strengths = f"λ− {amount(prior.negative)}, λ+ {amount(prior.positive)}"
    found = "given" if run.about["procedure"]["given"] else "learned"
    return heat_map(
        terrain.grid,
        terrain.score,
        x_name="λ+, imagined members",
        y_name="λ−, imagined others",
        value_name=f"{target}, leave-one-out",
        best=(f"{found}, {strengths}", (prior.positive, prior.negative)),
        others=laplace,
        paths=[
            [(float(terrain.grid[column]), float(terrain.grid[row])) for row, column in climb] for climb in climbs(run)
        ],
        summary=f"Heat map of {target} by leave-one-out for each pair of strengths, "
        f"from {np.nanmin(terrain.score):.3g} to {np.nanmax(terrain.score):.3g}; "
        f"the {found} prior is at {strengths}.",
    )


def precision_picture(run: Run, relevant: Collection[str], mark: int | None = 250) -> Picture:
    """Draw PPV@k of both rankings of a run, given the ids of the documents that belong."""
    masks = [judged(ranking.ids, relevant) for ranking in (run.ranking, run.baseline)]
    learned, laplace = (ppv_curve(mask) for mask in masks)
    return precision_curves(learned, laplace, area_between(*masks), mark=mark, names=names_of(run))


def names_of(run: Run) -> tuple[str, str]:
    """Return what the two rankings of a run are called."""
    return NAMES if run.regression is None else ("regression", NAMES[1])


def precision_curves(
    learned: NDArray[np.float64],
    laplace: NDArray[np.float64],
    ahead: float,
    *,
    mark: int | None,
    names: tuple[str, str] = NAMES,
) -> Picture:
    """Draw two curves of precision; `ahead` is the mean of their difference."""
    ends = [float(curve[-1]) if len(curve) else 0.0 for curve in (learned, laplace)]
    summary = (
        f"PPV@k of both rankings. The {names[0]} ends at {ends[0]:.3f}, Laplace’s at {ends[1]:.3f}; "
        f"the former is ahead by {ahead:+.3f} on average."
    )
    return two_curves(
        learned, laplace, names, x_name="k, documents from the top", y_name="PPV@k", mark=mark, summary=summary
    )


def judged(ids: list[str], relevant: Collection[str]) -> NDArray[np.bool_]:
    """Return which documents of a list belong."""
    known = frozenset(relevant)
    return np.array([id in known for id in ids], np.bool_)


def climbs(run: Run) -> list[list[tuple[int, int]]]:
    """Return the ways that a radial search of the paper went, as cells of the grid; none for another search.

    They are walked again: a climb under one sample looks only at cells that the run has kept.
    """
    if run.about["procedure"]["search"] != "radial":
        return []
    return [path for terrain in run.terrains for path in _climb(terrain)]


def _climb(terrain: Terrain) -> list[list[tuple[int, int]]]:
    starts = [
        (int(np.argmin(np.abs(terrain.grid - negative))), int(np.argmin(np.abs(terrain.grid - positive))))
        for negative, positive in NINE_STARTS
    ]
    sensitivity = terrain.sensitivity

    def value(cell: tuple[int, int]) -> tuple[float, float]:
        return float(terrain.score[cell]), float(sensitivity[cell])

    return radial_search(value, terrain.score.shape, starts).paths
