"""What there is to expect before anybody has judged: how many members are missing, and how many stand at the top."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.charts import Markup, element
from priorwise.charts.markup import joined
from priorwise.counting import rounded
from priorwise.models.missing import Missing
from priorwise.report.parts import note, share, table
from priorwise.report.subject import Subject, expected_at

DEPTHS = (10, 25, 50, 100, 250, 500, 1000)
Floats = NDArray[np.float64]


def expected(subject: Subject) -> Markup:
    """Return how many of the first documents should belong."""
    missing = subject.run.missing
    if not subject.run.ranking.has_probabilities:
        return note("There were too few members to check the ranking by, so no probabilities can be given.")
    return _by_probability(subject) if missing is None else _with_interval(subject, missing)


def rescaled(probabilities: Floats, expected: float, wanted: float) -> Floats:
    """Return what the probabilities of the best candidates would be if another number of members were missing.

    All candidates' odds are multiplied by one number c, so that all probabilities add up to `wanted`::

        p′ = cp/(1 − p + cp),    Σ p′ + c·(expected − Σ p) = wanted

    Those that are not among the best are so improbable that their odds are their probabilities.

    Parameters
    ----------
    probabilities : array
        Those of the best candidates.
    expected : float
        What the probabilities of all candidates add up to.
    wanted : float
        What they should add up to.

    Examples
    --------
    >>> rescaled(np.array([0.5, 0.2]), 1.0, 2.0).round(3).tolist()
    [0.739, 0.414]
    """
    rest = max(0.0, expected - float(probabilities.sum()))

    def at(c: float) -> Floats:
        return c * probabilities / (1.0 - probabilities + c * probabilities)

    low, high = 0.0, 1.0
    most = len(probabilities) if rest == 0.0 else np.inf
    wanted = min(wanted, 0.999 * most)
    while float(at(high).sum()) + high * rest < wanted and high < 1e12:
        high *= 2.0
    for _ in range(100):
        middle = (low + high) / 2.0
        if float(at(middle).sum()) + middle * rest < wanted:
            low = middle
        else:
            high = middle
    return at((low + high) / 2.0)


def _with_interval(subject: Subject, missing: Missing) -> Markup:
    run = subject.run
    probabilities = run.ranking.table["probability"].to_numpy()
    fewest, most = (rescaled(probabilities, missing.expected, end) for end in (missing.low, missing.high))
    rows = [
        [
            f"first {k:,}",
            f"{k * expected_at(run.ranking, k):,.0f}",
            f"{fewest[:k].sum():,.0f} to {most[:k].sum():,.0f}",
            share(expected_at(run.ranking, k)),
        ]
        for k in _depths(subject)
    ]
    return joined(
        table("What to expect of the ranking", ["", "expected members", "80% interval", "precision@k"], rows),
        element(
            "p",
            "The expected members are the sum of the first k candidates’ probabilities. The probabilities of all "
            f"candidates add up to the estimated number of missing members, {rounded(missing.expected)}. The interval "
            f"is what they would be if {rounded(missing.low)} or {rounded(missing.high)} members were missing.",
            class_="quiet",
        ),
    )


def _by_probability(subject: Subject) -> Markup:
    ranking = subject.run.ranking
    rows = [
        [f"first {k:,}", f"{k * expected_at(ranking, k):,.0f}", share(expected_at(ranking, k))]
        for k in _depths(subject)
    ]
    return joined(
        table("What to expect of the ranking", ["", "expected members", "precision@k"], rows),
        element(
            "p",
            "Probabilities come from the leave-one-out scores of members and other documents. They are right if the "
            "category lacks about as many members as it has.",
            class_="quiet",
        ),
    )


def _depths(subject: Subject) -> list[int]:
    n = len(subject.run.ranking)
    return [k for k in DEPTHS if k <= n] or [n]
