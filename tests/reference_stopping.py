"""The estimate of missing members summed over every number and every setting: slow, literal, plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import comb, exp, lgamma, log

import numpy as np


def survival(progress: float, mean_time: float, tail: float, hard: float) -> float:
    scale = mean_time * (tail - 1)
    # A negative tail has an edge: beyond it no easy member is left.
    return (1 - hard) * max(1 + progress / scale, 0.0) ** -tail + hard * exp(-progress)


def log_likelihood(
    verdicts: Sequence[bool], ranked: Sequence[bool], n: int, missing: int, setting: tuple[float, float, float]
) -> float:
    """Follow one review: each of R members is found in its own step or stays unread in all of them."""
    found = sum(verdicts)
    total = lgamma(found + missing + 1) - lgamma(missing + 1)
    progress, drawn = 0.0, 1.0
    for place, (member, by_rank) in enumerate(zip(verdicts, ranked, strict=True)):
        unread = n - place
        left = max(unread - 1, 0.25) / unread
        if by_rank:
            later = progress - log(left)
            if member:
                total += log(drawn * (survival(progress, *setting) - survival(later, *setting)))
            progress = later
        else:
            if member:
                total += log(drawn * survival(progress, *setting) / unread)
            drawn *= left
    return total + missing * log(drawn * survival(progress, *setting))


def missing_probabilities(
    verdicts: Sequence[bool],
    ranked: Sequence[bool],
    n: int,
    *,
    mean_times: Sequence[float],
    tails: Sequence[tuple[float, float]],
    hards: Sequence[tuple[float, float]],
    efficiency: Sequence[tuple[float, float, float]],
    members: tuple[float, float],
    counted: int,
) -> list[float]:
    """The posterior of 0, 1, 2, … missing members."""
    logs = []
    found = sum(verdicts)
    for missing in range(n - len(verdicts) + 1):
        total = found + missing
        rate = -0.5 * ((log(total + 0.5) - members[0]) / members[1]) ** 2 - log(total + 0.5)
        for mean_time, (tail, tail_weight), (hard, hard_weight) in product(mean_times, tails, hards):
            efficiency_of = mean_time / ((total + 1) / n)
            kinds = [
                weight / sd * exp(-0.5 * ((log(efficiency_of) - mean) / sd) ** 2) for weight, mean, sd in efficiency
            ]
            prior = log(tail_weight * hard_weight) + log(sum(kinds))
            likely = log_likelihood(verdicts, ranked, n, missing, (mean_time, tail, hard))
            logs.append((missing, rate + prior + (likely if found <= counted else likely * counted / found)))
    most = max(value for _, value in logs)
    sums = np.zeros(n - len(verdicts) + 1)
    for missing, value in logs:
        sums[missing] += exp(value - most)
    return (sums / sums.sum()).tolist()


def most_missing(unread: int, drawn: int, members: int, risk: float) -> int:
    """The largest number of members among `unread` for which so few in the sample are more probable than `risk`."""

    def at_most(total: int) -> float:
        ways = sum(comb(total, k) * comb(unread - total, drawn - k) for k in range(min(members, total) + 1))
        return ways / comb(unread, drawn)

    possible = range(members, unread - drawn + members + 1)
    return max((total for total in possible if at_most(total) > risk), default=members)


def hypergeometric(verdicts: Sequence[bool], n: int, recall: float) -> float:
    """Callaghan and Müller-Hansen: for every k, take the last k documents for a random sample."""
    seen, best = sum(verdicts), 1.0
    for k in range(1, len(verdicts) + 1):
        urn = verdicts[len(verdicts) - k :]
        population = n - (len(verdicts) - k)
        needed = int(seen / recall + 1 - (seen - sum(urn)))
        if needed > population:
            return 0.0
        ways = sum(comb(needed, j) * comb(population - needed, k - j) for j in range(sum(urn) + 1) if j <= needed)
        best = min(best, ways / comb(population, k))
    return best
