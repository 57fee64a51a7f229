"""The metrics of literature screening, counted document by document: slow, literal, and independent of the package."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product


def recall_after(verdicts: Sequence[bool], k: int) -> Fraction:
    return Fraction(sum(verdicts[:k]), sum(verdicts))


def documents_until(verdicts: Sequence[bool], recall: Fraction) -> int:
    return next(k for k in range(1, len(verdicts) + 1) if recall_after(verdicts, k) >= recall)


def work_saved(verdicts: Sequence[bool], recall: Fraction) -> Fraction:
    """Cohen's (TN + FN)/N − (1 − R): the documents below the cut are those that nobody reads."""
    cut = documents_until(verdicts, recall)
    below = verdicts[cut:]
    missed, spared = sum(below), len(below) - sum(below)
    return Fraction(spared + missed, len(verdicts)) - (1 - recall)


def work_saved_over_random(verdicts: Sequence[bool], recall: Fraction) -> float:
    """ASReview Insights: how much earlier the last member needed comes than in an even order."""
    n, members = len(verdicts), sum(verdicts)
    wanted = max(m for m in range(1, members + 1) if Fraction(m, members) <= recall)
    found = next(k for k in range(n) if sum(verdicts[: k + 1]) >= wanted)
    even = next(k for k in range(n) if round(members * k / (n - 1)) >= wanted)
    return (even - found) / n


def loss(verdicts: Sequence[bool]) -> Fraction:
    """The area between the best recall curve and this one, over the area between the best and the worst."""

    def area(order: Sequence[bool]) -> int:
        return sum(sum(order[:k]) for k in range(1, len(order) + 1))

    best, worst = sorted(verdicts, reverse=True), sorted(verdicts)
    return Fraction(area(best) - area(verdicts), area(best) - area(worst))


def wrong_pairs(verdicts: Sequence[bool]) -> Fraction:
    """The share of pairs of a member and another document in which the other document comes first."""
    members = [place for place, member in enumerate(verdicts) if member]
    others = [place for place, member in enumerate(verdicts) if not member]
    return Fraction(sum(other < member for member, other in product(members, others)), len(members) * len(others))
