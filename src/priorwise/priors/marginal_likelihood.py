"""The strength of a prior, read from the data: the Beta-binomial's marginal likelihood of one term in two classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

WEAKEST, STRONGEST = 1e-3, 1e7
"""Where a strength is looked for. What would be stronger still is infinite: the two rates are taken to be one."""

NO_EVIDENCE = 1e-6
"""A finite strength must be likelier than an infinite one by more than this factor less 1, and than rounding."""

COARSE = 21
STEPS = 100
PRECISION = 1e-10


def likeliest_strength(
    found: ArrayLike, documents: ArrayLike, found_in_rest: ArrayLike, documents_in_rest: ArrayLike
) -> Floats:
    """Find the strength s of a Beta(sπ, s(1 − π)) under which the counts of a class and of the rest are likeliest.

    π is the rate of the term in both together, and τ of m documents have the probability

        p(τ; s) ∝ B(τ + sπ, m − τ + s(1 − π)) / B(sπ, s(1 − π))

    The variance of the two rates gives a first s in closed form (the method of moments); Newton's steps in log s,
    halving where a step would leave the bracket, find the maximum. Terms with equal counts are looked at once.

    Returns
    -------
    array
        s; infinite where the likelihood still grows at the strongest, because the rates differ no more than by chance.

    Examples
    --------
    >>> likeliest_strength([30, 5], [100, 100], [10, 5], [900, 100]).round(2)
    array([6.17,  inf])
    """
    counts = np.broadcast_arrays(found, documents, found_in_rest, documents_in_rest)
    table = np.stack([np.asarray(count, dtype=np.float64).ravel() for count in counts], axis=1)
    rows, places = distinct_rows(table)
    return _solve(*rows.T)[places].reshape(counts[0].shape)


def distinct_rows(table: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Find the distinct rows of a table, and which of them each row is.

    Examples
    --------
    >>> distinct_rows(np.array([[1.0, 2.0], [0.0, 2.0], [1.0, 2.0]]))[1]
    array([1, 0, 1])
    """
    order = np.lexsort(table.T)
    ordered = table[order]
    new = np.ones(len(table), dtype=bool)
    new[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    places = np.empty(len(table), dtype=np.int64)
    places[order] = np.cumsum(new) - 1
    return ordered[new], places


def _solve(t1: Floats, m1: Floats, t2: Floats, m2: Floats) -> Floats:
    rate = (t1 + t2) / np.maximum(m1 + m2, 1e-300)
    strength = np.full(len(rate), np.inf)
    told_apart = np.flatnonzero((rate > 0) & (rate < 1) & (m1 > 0) & (m2 > 0))
    if not len(told_apart):
        return strength
    counts = [each[told_apart] for each in (rate, t1, m1, t2, m2)]
    # The likelihood can have two maxima, one of them at infinity: find the best of the others and compare the two.
    steps = np.linspace(np.log(WEAKEST), np.log(STRONGEST), COARSE)
    coarse = np.array([_log_likelihood(np.full(len(told_apart), at), *counts) for at in steps])
    summit = np.vstack([np.ones_like(coarse[:1], dtype=bool), coarse[1:-1] >= coarse[:-2]]) & (coarse[:-1] > coarse[1:])
    hill = np.flatnonzero(summit.any(axis=0))
    best = np.argmax(np.where(summit, coarse[:-1], -np.inf), axis=0)[hill]
    counts = [each[hill] for each in counts]
    climbed = _climb(steps[np.maximum(best - 1, 0)], steps[best + 1], *counts)
    higher = _log_likelihood(climbed, *counts) > coarse[-1, hill] + NO_EVIDENCE
    strength[told_apart[hill[higher]]] = np.exp(climbed[higher])
    return strength


def _log_likelihood(log_s: Floats, rate: Floats, t1: Floats, m1: Floats, t2: Floats, m2: Floats) -> Floats:
    from scipy.special import betaln

    s = np.exp(log_s)
    a, b = s * rate, s * (1 - rate)
    return betaln(t1 + a, m1 - t1 + b) + betaln(t2 + a, m2 - t2 + b) - 2 * betaln(a, b)


def _moments(rate: Floats, t1: Floats, m1: Floats, t2: Floats, m2: Floats) -> Floats:
    """A first log s in closed form: what the variance of the two rates leaves once chance has had its share."""
    spread = m1 * (t1 / m1 - rate) ** 2 + m2 * (t2 / m2 - rate) ** 2
    beyond_chance = spread / (rate * (1 - rate)) - 1.0
    correlation = np.clip(beyond_chance / np.maximum(m1 + m2 - 2, 1.0), 1.0 / STRONGEST, 0.999)
    return np.log(np.clip(1.0 / correlation - 1.0, WEAKEST, STRONGEST))


def _climb(low: Floats, high: Floats, rate: Floats, t1: Floats, m1: Floats, t2: Floats, m2: Floats) -> Floats:
    """The maximum between `low` and `high`, from the moments by Newton's steps; halve where a step leads outside."""
    counts = (rate, t1, m1, t2, m2)
    at = np.clip(_moments(*counts), low, high)
    moving = np.arange(len(at))
    for _ in range(STEPS):
        here = at[moving]
        slope, bend = _slopes(here, *(each[moving] for each in counts))
        low[moving] = np.where(slope > 0, here, low[moving])
        high[moving] = np.where(slope > 0, high[moving], here)
        step = here - np.divide(slope, bend, out=np.full(len(here), np.inf), where=bend < 0)
        inside = (step > low[moving]) & (step < high[moving])
        at[moving] = np.where(inside, step, (low[moving] + high[moving]) / 2)
        moving = moving[np.abs(at[moving] - here) > PRECISION]
        if not len(moving):
            break
    return at


def _slopes(log_s: Floats, rate: Floats, t1: Floats, m1: Floats, t2: Floats, m2: Floats) -> tuple[Floats, Floats]:
    """First and second derivative of the log marginal likelihood in log s."""
    from scipy.special import digamma, polygamma

    s = np.exp(log_s)
    first, second = np.zeros(len(s)), np.zeros(len(s))
    for found, documents in ((t1, m1), (t2, m2)):
        for part, count in ((rate, found), (1 - rate, documents - found)):
            first += part * (digamma(s * part + count) - digamma(s * part))
            second += part**2 * (polygamma(1, s * part + count) - polygamma(1, s * part))
        first -= digamma(s + documents) - digamma(s)
        second -= polygamma(1, s + documents) - polygamma(1, s)
    return s * first, s * first + s**2 * second
