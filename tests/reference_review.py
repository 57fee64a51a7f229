"""The statistics of a review, slowly and literally."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

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


def teaching_order(probabilities: Sequence[float], vectors: Sequence[dict[str, float]], most: int) -> list[int]:
    """The least sure first, in rounds without documents that are alike; none that is nearly the same as one before."""

    @cache
    def cosine(one: int, other: int) -> float:
        return sum(x * vectors[other].get(token, 0.0) for token, x in vectors[one].items())

    order = sorted(range(len(probabilities)), key=lambda i: (abs(probabilities[i] - 0.5), i))
    taken: list[int] = []
    while True:
        this_round: list[int] = []
        for place in order:
            if len(taken) == most:
                return taken
            if place in taken or any(cosine(place, other) > 0.9 for other in taken):
                continue
            if not any(cosine(place, other) > 0.2 for other in this_round):
                this_round.append(place)
                taken.append(place)
        if not this_round:
            return taken


def dense_posterior(
    X: Sequence[Sequence[float]],
    targets: Sequence[float],
    weights: Sequence[float],
    centre: Sequence[float],
    strength: float,
) -> list[float]:
    """The weights that minimise Σ ω (t − w·x)² + λ |w − w₀|², by the normal equations."""
    rows, own = np.array(X, float), np.array(weights, float)
    left = (rows.T * own) @ rows + strength * np.eye(rows.shape[1])
    right = (rows.T * own) @ np.array(targets, float) + strength * np.array(centre, float)
    found: list[float] = np.linalg.solve(left, right).tolist()
    return found


def fleiss(documents: Sequence[Sequence[str]]) -> float:
    """Fleiss' kappa (1971), pair by pair: how often two reviewers of a document agree, against chance."""
    n, words = len(documents[0]), [word for each in documents for word in each]
    agreeing = [
        sum(each[a] == each[b] for a in range(n) for b in range(n) if a != b) / (n * (n - 1)) for each in documents
    ]
    observed = sum(agreeing) / len(documents)
    expected = sum((words.count(word) / len(words)) ** 2 for word in set(words))
    return (observed - expected) / (1 - expected)


def alpha(documents: Sequence[Sequence[str]]) -> float:
    """Krippendorff's alpha (2011) from the matrix of coincidences, for nominal verdicts."""
    several = [each for each in documents if len(each) > 1]
    words = sorted({word for each in several for word in each})
    coincide = {(c, k): 0.0 for c in words for k in words}
    for each in several:
        for a in range(len(each)):
            for b in range(len(each)):
                if a != b:
                    coincide[each[a], each[b]] += 1 / (len(each) - 1)
    of = {c: sum(coincide[c, k] for k in words) for c in words}
    n = sum(of.values())
    observed = sum(coincide[c, k] for c in words for k in words if c != k) / n
    expected = sum(of[c] * of[k] for c in words for k in words if c != k) / (n * (n - 1))
    return 1 - observed / expected
