"""Where to draw the line between yes and no: a threshold on scores that is best for a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.errors import InputError, NotEnoughData
from priorwise.search import FBeta, Target, as_target
from priorwise.search.outcome import ranked_counts
from priorwise.search.targets import COUNTS

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Threshold:
    """Cases that score above `value` are predicted positive; `score` is the target there, where it was fitted."""

    value: float
    score: float


def fit_threshold(
    scores: ArrayLike,
    y: ArrayLike,
    target: Target | Callable[..., Any] | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> Threshold:
    """Find the threshold on which a target is best.

    Every threshold that changes a decision is tried, in one sort. The threshold lies midway between two neighbouring
    scores. Of thresholds that are equally good, the one nearest to 0 is taken, where a model itself decides.

    Parameters
    ----------
    scores : array, shape (n_cases,)
        Of training cases, as the papers do it, or better of cases that the model did not see.
    y : array of bool, shape (n_cases,)
        Which cases are positive.
    target : Target, optional
        A target of counts: ``FBeta(1)`` by default, ``FBeta(0.5)``, ``FewestErrors()``, ``PPV(floor=0.5)``, or
        ``FromCounts(your function of tp, fp, positives, negatives)``.
    sample_weight : array, optional
        How much each case counts.

    Examples
    --------
    >>> from priorwise.search import FewestErrors
    >>> scores, y = [-3.0, -2.0, -1.0, 0.5], [False, True, False, True]
    >>> fit_threshold(scores, y)
    Threshold(value=-2.5, score=0.8)
    >>> fit_threshold(scores, y, FewestErrors())
    Threshold(value=-0.25, score=-1.0)
    """
    wanted = as_target(target if target is not None else FBeta(1.0))
    if wanted.needs != COUNTS:
        raise InputError(f"a threshold is fitted to a target of counts, such as FBeta(1), not {target!r}")
    values, positive = np.asarray(scores, dtype=np.float64), np.asarray(y, dtype=bool)
    weight = np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if values.ndim != 1 or values.shape != positive.shape or values.shape != weight.shape:
        raise InputError(f"give one score, one label and one weight per case, not {values.shape} and {positive.shape}")
    if not np.isfinite(values).all():
        raise InputError("every score must be a finite number")
    if not weight[positive].sum() > 0:
        raise NotEnoughData("no case is positive, so no threshold is better than another")
    ranked, tp, fp = ranked_counts(values, positive, weight)
    totals = float(weight[positive].sum()), float(weight[~positive].sum())
    reached = wanted.from_counts(np.append(0.0, tp), np.append(0.0, fp), *totals)
    middles = ranked[:-1] / 2 + ranked[1:] / 2
    cuts = np.concatenate([ranked[:1], middles, [ranked[-1] - max(1.0, abs(ranked[-1]))]])
    best = np.flatnonzero(reached == reached.max())
    place = best[np.argmin(np.abs(cuts[best]))]
    return Threshold(float(cuts[place]), float(reached[place]))
