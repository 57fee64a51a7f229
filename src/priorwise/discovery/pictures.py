"""The precision of a run's two rankings, as a picture."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from priorwise.charts import Picture, two_curves
from priorwise.ranking.metrics import area_between, ppv_curve

if TYPE_CHECKING:
    from priorwise.discovery.run import Run


def precision_picture(run: Run, relevant: Collection[str], mark: int | None = 250) -> Picture:
    """Draw precision@k of both rankings of a run, given the ids of the documents that are members."""
    masks = [judged(ranking.ids, relevant) for ranking in (run.ranking, run.baseline)]
    learned, baseline = (ppv_curve(mask) for mask in masks)
    return precision_curves(learned, baseline, area_between(*masks), mark=mark, names=names_of(run))


def names_of(run: Run) -> tuple[str, str]:
    """Return what the two rankings of a run are called."""
    return run.ranker.title.removeprefix("the "), run.compared.title.removeprefix("the ")


def precision_curves(
    learned: NDArray[np.float64],
    baseline: NDArray[np.float64],
    ahead: float,
    *,
    mark: int | None,
    names: tuple[str, str],
) -> Picture:
    """Draw two curves of precision; `ahead` is the mean of their difference."""
    ends = [float(curve[-1]) if len(curve) else 0.0 for curve in (learned, baseline)]
    summary = (
        f"Precision@k of both rankings. The {names[0]} ends at {ends[0]:.3f}, the {names[1]} at {ends[1]:.3f}; "
        f"the difference is {ahead:+.3f} on average."
    )
    return two_curves(
        learned, baseline, names, x_name="k, documents from the top", y_name="precision@k", mark=mark, summary=summary
    )


def judged(ids: list[str], relevant: Collection[str]) -> NDArray[np.bool_]:
    """Return which documents of a list are members."""
    known = frozenset(relevant)
    return np.array([id in known for id in ids], np.bool_)
