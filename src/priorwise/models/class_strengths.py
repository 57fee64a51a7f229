"""One strength per class, for more than two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.models.grid import nodes_for
from priorwise.models.leave_one_out import ClassTerms
from priorwise.models.presence_priors import UNIFORM, PresencePrior, PriorKind
from priorwise.priors.term_counts import TermCounts, remainder
from priorwise.search.targets import CountTarget, ScoreTarget

Floats = NDArray[np.float64]

ROUNDS = 20


def choose_class_strengths(
    present: Any,
    place: NDArray[np.int64],
    weight: Floats,
    n_classes: int,
    target: CountTarget | ScoreTarget,
    grid: Floats,
    kind: PriorKind = UNIFORM,
) -> tuple[PresencePrior, float, dict[str, NDArray[Any]], str]:
    """Improve the strengths one class at a time, from Laplace, by exact leave-one-out.

    A case's score for class c depends on λc alone, so each class is valued over the whole grid with the other classes
    held still. The best of equals is the strength nearest the present one. Stops when a whole round improves nothing.

    Returns the prior, its target, every trial, and a remark.
    """
    parts = [_class_scores(present, place, weight, c, grid, kind) for c in range(n_classes)]
    start = int(np.argmin(np.abs(np.log(grid))))
    at = np.full(n_classes, start)
    scores = np.column_stack([parts[c][:, start] for c in range(n_classes)])
    best = _value(scores, place, weight, n_classes, target)
    trials: list[tuple[int, float, float]] = []
    for _ in range(ROUNDS if len(grid) > 1 else 0):
        improved = False
        for c in range(n_classes):
            values = np.empty(len(grid))
            for g in range(len(grid)):
                scores[:, c] = parts[c][:, g]
                values[g] = _value(scores, place, weight, n_classes, target)
                trials.append((c, float(grid[g]), float(values[g])))
            candidates = np.flatnonzero(values == values.max())
            chosen = int(candidates[np.argmin(np.abs(candidates - at[c]))])
            if values[chosen] > best:
                best, at[c], improved = float(values[chosen]), chosen, True
            scores[:, c] = parts[c][:, at[c]]
        if not improved:
            break
    strengths = grid[at]
    table = {
        "class": np.array([trial[0] for trial in trials], dtype=np.int64),
        "strength": np.array([trial[1] for trial in trials]),
        "score": np.array([trial[2] for trial in trials]),
    }
    edge = "a strength lies at the end of the grid: a larger one may do better" if np.any(at == len(grid) - 1) else ""
    return kind.prior(strengths.tolist()), best, table, edge


def _class_scores(
    present: Any, place: NDArray[np.int64], weight: Floats, c: int, grid: Floats, kind: PriorKind
) -> Floats:
    """Leave-one-out log p(c) + Σ log p(x|c), up to a term that all classes share, for every strength of the grid.

    The vocabulary is every token that is still seen in some class without the case.
    """
    own = place == c
    in_class, in_all = present.T @ (weight * own), present.T @ weight
    size, total = float(weight[own].sum()), float(weight.sum())
    taken_out = np.minimum(weight, 1.0)
    scores = np.empty((present.shape[0], len(grid)))
    for is_own in (True, False):
        for amount in np.unique(taken_out[own == is_own]):
            cases = np.flatnonzero((own == is_own) & (taken_out == amount))
            from_class = amount * is_own
            counts = TermCounts(
                remainder(in_class, from_class), size - from_class, remainder(in_all, amount), total - amount
            )
            terms = ClassTerms(kind, counts, counts.found_in_all <= 0, nodes_for(grid))
            scores[cases] = terms.of(cases, present.indptr, present.indices)
    return scores


def _value(
    scores: Floats, place: NDArray[np.int64], weight: Floats, n_classes: int, target: CountTarget | ScoreTarget
) -> float:
    """Mean over the classes of the target of one class against the rest; a tie goes to the first class."""
    if isinstance(target, CountTarget):
        return mean_of_counts(np.argmax(scores, axis=1), place, weight, n_classes, target)
    return mean_of_margins(scores, place, weight, n_classes, target)


def mean_of_counts(
    predicted: NDArray[np.int64], place: NDArray[np.int64], weight: Floats, n_classes: int, target: CountTarget
) -> float:
    """Mean over the classes of a target of counts, from the class that is predicted and the one that is true."""
    found = np.bincount(predicted, weight, n_classes).astype(np.float64)
    positives = np.bincount(place, weight, n_classes).astype(np.float64)
    right = np.bincount(place, np.where(predicted == place, weight, 0.0), n_classes).astype(np.float64)
    total = float(weight.sum())
    values = [
        target.from_counts(right[[c]], (found - right)[[c]], float(positives[c]), total - float(positives[c]))[0]
        for c in range(n_classes)
    ]
    return float(np.mean(values))


def mean_of_margins(
    scores: Floats, place: NDArray[np.int64], weight: Floats, n_classes: int, target: ScoreTarget
) -> float:
    """Mean over the classes of a target of scores, a score being the class's log odds against all others."""
    counted = weight > 0
    values = []
    for c in range(n_classes):
        rest = np.delete(scores, c, axis=1)
        margin = scores[:, c] - np.logaddexp.reduce(rest, axis=1)
        values.append(target.from_scores(margin[counted], (place == c)[counted], weight[counted]))
    return float(np.mean(values))
