"""The statistics of a review, slowly and literally."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def ppv_at(relevant: Sequence[bool], k: int) -> float:
    return sum(relevant[:k]) / k


def area_between(first: Sequence[bool], second: Sequence[bool]) -> float:
    n = min(len(first), len(second))
    return sum(ppv_at(first, k) - ppv_at(second, k) for k in range(1, n + 1)) / n


def bootstrap(relevant: Sequence[bool], resamples: int, seed: int) -> list[float]:
    """Resample the documents one by one (Efron 1979)."""
    rng = np.random.default_rng(seed)
    n = len(relevant)
    return [sum(relevant[i] for i in rng.integers(0, n, n)) / n for _ in range(resamples)]


def bootstrap_difference(
    first: Sequence[str], second: Sequence[str], relevant: frozenset[str], resamples: int, seed: int
) -> list[float]:
    """Resample the documents that are in one list only; those in both take nothing from the difference."""
    rng = np.random.default_rng(seed)
    values = []
    only_first = [id in relevant for id in first if id not in second]
    only_second = [id in relevant for id in second if id not in first]
    for _ in range(resamples):
        drawn = [
            sum(own[i] for i in rng.integers(0, len(own), len(own))) if own else 0 for own in (only_first, only_second)
        ]
        values.append((drawn[0] - drawn[1]) / len(first))
    return values


def kappa_and_error(first: Sequence[str], second: Sequence[str]) -> tuple[float, float]:
    """Cohen's kappa and its standard error (Fleiss, Cohen and Everitt 1969, formula 13), class by class."""
    n = len(first)
    classes = sorted(set(first) | set(second))
    p = {
        (i, j): sum(a == i and b == j for a, b in zip(first, second, strict=True)) / n for i in classes for j in classes
    }
    row = {i: sum(p[i, j] for j in classes) for i in classes}
    column = {j: sum(p[i, j] for i in classes) for j in classes}
    observed = sum(p[i, i] for i in classes)
    expected = sum(row[i] * column[i] for i in classes)
    kappa = (observed - expected) / (1 - expected)
    total = 0.0
    for i in classes:
        total += p[i, i] * ((1 - expected) - (row[i] + column[i]) * (1 - observed)) ** 2
        for j in classes:
            if i != j:
                total += (1 - observed) ** 2 * p[i, j] * (column[i] + row[j]) ** 2
    total -= (observed * expected - 2 * expected + observed) ** 2
    return kappa, (max(total, 0.0) / n) ** 0.5 / (1 - expected) ** 2
