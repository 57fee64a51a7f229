"""Discovery and rankings as the formulas say, on plain Python sets: slow, literal, and independent of the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from math import fsum, log

import numpy as np


@dataclass(frozen=True)
class Counted:
    """n(x,+), n(x,−), n(+), n(−), and the centre π(x)."""

    positive: Mapping[str, float]
    negative: Mapping[str, float]
    n_positive: float
    n_negative: float
    centre: Mapping[str, float]


def count(
    members: Iterable[Set[str]],
    others: Iterable[Set[str]],
    share: float = 1.0,
    collection: Iterable[Set[str]] | None = None,
) -> Counted:
    """Count; π is the share of the collection's documents that hold a token, or 1 without a collection."""
    members, others = list(members), list(others)
    positive: dict[str, float] = {}
    for tokens in members:
        for token in tokens:
            positive[token] = positive.get(token, 0) + 1
    negative = {token: share * sum(token in tokens for tokens in others) for token in positive}
    if collection is None:
        centre = dict.fromkeys(positive, 1.0)
    else:
        everything = list(collection)
        centre = {token: sum(token in tokens for tokens in everything) / len(everything) for token in positive}
    return Counted(positive, negative, len(members), share * len(others), centre)


def weight(counted: Counted, token: str, negative: float, positive: float) -> float:
    """log p(x|+)/p(x|−), λ− and λ+ being `negative` and `positive`; 0 outside V."""
    if token not in counted.positive:
        return 0.0
    centre = counted.centre[token]
    p_positive = (positive * centre + counted.positive[token]) / (positive + counted.n_positive)
    p_negative = (negative * centre + counted.negative[token]) / (negative + counted.n_negative)
    return log(p_positive / p_negative)


def s(counted: Counted, tokens: Set[str], negative: float, positive: float) -> float:
    """s(d), as SPEC section 1 prints it; N cancels in log p(+)/p(−)."""
    start = log((positive + counted.n_positive) / (negative + counted.n_negative))
    return fsum([start, *(weight(counted, token, negative, positive) for token in tokens)])


def leave_one_out(
    members: Sequence[Set[str]],
    judged: Sequence[Set[str]],
    others: Sequence[Set[str]],
    negative: float,
    positive: float,
    around_collection: bool = False,
) -> tuple[list[float], list[float]]:
    """s of each member and of each judged negative, by fitting again without it; `others` holds the judged ones."""

    def refit(members: Sequence[Set[str]], others: Sequence[Set[str]]) -> Counted:
        return count(members, others, collection=[*members, *others] if around_collection else None)

    of_members = [
        s(refit([*members[:i], *members[i + 1 :]], others), tokens, negative, positive)
        for i, tokens in enumerate(members)
    ]
    of_judged = []
    for tokens in judged:
        rest = list(others)
        rest.remove(tokens)
        of_judged.append(s(refit(members, rest), tokens, negative, positive))
    return of_members, of_judged


def average_precision(members: Sequence[float], others: Sequence[float], stands_for: float) -> float:
    """Mean over the members of TP/(TP + r·FP) down to their place; equals, but for rounding, share a place."""
    total = 0.0
    for score in members:
        tp = sum(other >= score - 1e-9 for other in members)
        fp = stands_for * sum(other >= score - 1e-9 for other in others)
        total += tp / (tp + fp)
    return total / len(members)


def ranked(scores: Sequence[float], skipped: Iterable[int] = ()) -> list[int]:
    """Documents, best first, equals in the order of the corpus."""
    skipped = set(skipped)
    return sorted((d for d in range(len(scores)) if d not in skipped), key=lambda d: (-scores[d], d))


def sample(others: Sequence[int], size: int, seed: int) -> list[int]:
    """The negatives that a seed draws; pinned, because runs of today must come out the same tomorrow."""
    drawn = np.random.default_rng(seed).choice(np.array(others), size=size, replace=False, shuffle=False)
    return sorted(drawn.tolist())
