"""The measures of an evaluation, by their definitions: documents one by one, labels as sets."""

from __future__ import annotations

import math
from collections import Counter


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def measures(decided: list[set[int]], truth: list[set[int]], n_labels: int) -> dict[str, object]:
    """Precision, recall and F1, macro and micro; exact matches, hits; labels given in place of others."""
    by_label = []
    for label in range(n_labels):
        tp = sum(label in d and label in t for d, t in zip(decided, truth, strict=True))
        given = sum(label in d for d in decided)
        true = sum(label in t for t in truth)
        by_label.append((tp, given, true))
    there = [(tp, given, true) for tp, given, true in by_label if given or true]

    def mean(values: list[float]) -> float:
        return sum(values) / len(values) if values else 0.0

    tp, given, true = (sum(each[i] for each in by_label) for i in range(3))
    return {
        "macro": (
            mean([share(tp, given) for tp, given, _ in there]),
            mean([share(tp, true) for tp, _, true in there]),
            mean([share(2 * tp, given + true) for tp, given, true in there]),
        ),
        "micro": (share(tp, given), share(tp, true), share(2 * tp, given + true)),
        "exact": mean([float(d == t) for d, t in zip(decided, truth, strict=True)]),
        "hits": mean([float(bool(d & t)) for d, t in zip(decided, truth, strict=True)]),
        "right_decisions": mean(
            [
                float((label in d) == (label in t))
                for d, t in zip(decided, truth, strict=True)
                for label in range(n_labels)
            ]
        ),
        "pairs": Counter(
            (missed, extra) for d, t in zip(decided, truth, strict=True) for missed in t - d for extra in d - t
        ),
    }


def calibration(cases: list[tuple[float, bool]]) -> float:
    """Mean over ten bins, by their size, of |mean probability − share that is true|."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for probability, true in cases:
        bins.setdefault(min(int(probability * 10), 9), []).append((probability, true))
    return sum(
        abs(sum(p for p, _ in own) / len(own) - sum(t for _, t in own) / len(own)) * len(own) / len(cases)
        for own in bins.values()
    )


def log_loss_of_one(probability: list[list[float]], truth: list[set[int]]) -> float:
    """Mean over the documents of −log p of the true label, of several their mean."""
    losses = [-sum(math.log(p[label]) for label in t) / len(t) for p, t in zip(probability, truth, strict=True)]
    return sum(losses) / len(losses)


def log_loss_of_each(probability: list[list[float]], truth: list[set[int]]) -> float:
    """Mean over the documents and labels of −log of the probability of what is true."""
    losses = [
        -math.log(value if label in t else 1 - value)
        for p, t in zip(probability, truth, strict=True)
        for label, value in enumerate(p)
    ]
    return sum(losses) / len(losses)
