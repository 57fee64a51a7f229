"""The formulas, slow and literal: what the fast code must equal. Plain Python on sets; nothing of priorwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Document = frozenset[int]
Cell = tuple[int, int]


def presence_score(
    document: Document, positives: Sequence[Document], negatives: Sequence[Document], negative: float, positive: float
) -> float:
    """s(d) of a model trained on these documents, λ− = negative, λ+ = positive."""
    vocabulary = {token for case in positives for token in case}
    n_positive, n_negative = len(positives), len(negatives)
    total = negative + positive + n_positive + n_negative
    score = math.log((positive + n_positive) / total) - math.log((negative + n_negative) / total)
    for token in document & vocabulary:
        in_positive = sum(token in case for case in positives)
        in_negative = sum(token in case for case in negatives)
        score += math.log((positive + in_positive) / (positive + n_positive))
        score -= math.log((negative + in_negative) / (negative + n_negative))
    return score


def leave_one_out_scores(cases: Sequence[Document], is_positive: Sequence[bool], negative: float, positive: float):
    """Every case scored by a model refitted without it."""
    scores = []
    for i, case in enumerate(cases):
        rest = [(other, label) for j, (other, label) in enumerate(zip(cases, is_positive, strict=True)) if j != i]
        positives = [other for other, label in rest if label]
        negatives = [other for other, label in rest if not label]
        scores.append(presence_score(case, positives, negatives, negative, positive))
    return scores


def many_class_score(
    document: Document, cases: Sequence[Document], labels: Sequence[int], strengths: Sequence[float]
) -> list[float]:
    """log p(c) + Σ log p(x|c) for each class, over every token seen in training."""
    vocabulary = {token for case in cases for token in case}
    total = sum(strengths) + len(cases)
    scores = []
    for c, strength in enumerate(strengths):
        own = [case for case, label in zip(cases, labels, strict=True) if label == c]
        score = math.log((strength + len(own)) / total)
        for token in document & vocabulary:
            score += math.log((strength + sum(token in case for case in own)) / (strength + len(own)))
        scores.append(score)
    return scores


def average_precision(scores: Sequence[float], is_positive: Sequence[bool], negative_weight: float = 1.0) -> float:
    """Mean over the members of TP/(TP + r·FP) among the cases that score at least as high."""
    total = 0.0
    for score, label in zip(scores, is_positive, strict=True):
        if label:
            tp = sum(s >= score and y for s, y in zip(scores, is_positive, strict=True))
            fp = sum(s >= score and not y for s, y in zip(scores, is_positive, strict=True))
            total += tp / (tp + negative_weight * fp)
    return total / sum(is_positive)


def radial_gradient_search(evaluate: Callable[[int, int], tuple], x: int, y: int, xmax: int, ymax: int):
    """RADIAL-GRADIENT-SEARCH, line by line as printed, with the tie rule of its footnote inside the value."""
    table = {}
    best = (evaluate(x, y), x, y)
    table[x, y] = best[0]
    while True:
        improved = False
        _, x, y = best
        for i in range(-2, 3):
            for j in range(-2, 3):
                if not (i == 0 and j == 0):
                    x_, y_ = x + i, y + j
                    if 0 <= x_ < xmax and 0 <= y_ < ymax and (x_, y_) not in table:
                        value = evaluate(x_, y_)
                        table[x_, y_] = value
                        if value > best[0]:
                            improved = True
                            best = (value, x_, y_)
        if not improved:
            return best, table
