from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priorwise.models.missing import calibrate_by_moments, estimate_missing


@given(
    ranks=st.lists(st.integers(1, 5000), min_size=1, max_size=60),
    n_others=st.integers(1, 10_000),
)
def test_no_more_are_missing_than_any_rank_allows(ranks: list[int], n_others: int) -> None:
    missing = estimate_missing(np.array(ranks), n_others)
    ordered, n = sorted(ranks), len(ranks)
    quotients = [rank * (n + 1) / place for place, rank in enumerate(ordered, 1) if place > 0.1 * n]
    assert missing.expected == pytest.approx(min(min(quotients) / 1.1, n_others))
    assert 0 < missing.low <= missing.expected <= missing.high <= max(n_others, missing.expected)


def test_the_more_members_are_known_the_narrower_the_interval() -> None:
    few = estimate_missing(np.arange(1, 6), 1000)
    many = estimate_missing(np.arange(1, 501), 100_000)
    assert few.high / few.low > many.high / many.low


@given(seed=st.integers(0, 2**32 - 1), hidden=st.integers(5, 200), shift=st.floats(1.5, 5))
def test_probabilities_have_the_moments_that_were_asked_for(seed: int, hidden: int, shift: float) -> None:
    rng = np.random.default_rng(seed)
    scores = np.concatenate([rng.normal(0, 1, 3000), rng.normal(shift, 1, hidden)])
    held_out = rng.normal(shift, 1, 80)
    found = calibrate_by_moments(scores, held_out, hidden)
    p = found.probability(scores)
    assert p.sum() == pytest.approx(hidden, rel=1e-3)
    best = np.sort(scores)[::-1][:hidden].mean()
    wanted = min(held_out.mean(), scores.mean() + 0.95 * (best - scores.mean()))
    assert p @ scores / p.sum() == pytest.approx(wanted, rel=1e-2)


def test_probabilities_mean_what_they_say_where_scores_are_normal() -> None:
    rng = np.random.default_rng(3)
    is_member = np.arange(60_000) < 600
    scores = np.where(is_member, rng.normal(3, 1, 60_000), rng.normal(0, 1, 60_000))
    p = calibrate_by_moments(scores, rng.normal(3, 1, 5000), 600.0).probability(scores)
    for low, high in ((0.05, 0.3), (0.3, 0.6), (0.6, 0.9)):
        inside = (p > low) & (p <= high)
        assert p[inside].mean() == pytest.approx(is_member[inside].mean(), abs=0.08)


@pytest.mark.parametrize("scores", [np.zeros(10), np.array([1.0])])
def test_scores_that_tell_nothing_apart(scores: np.ndarray) -> None:
    p = calibrate_by_moments(scores, np.zeros(3), 2.0).probability(scores)
    assert np.all((p > 0) & (p < 1))
    assert np.ptp(p) == pytest.approx(0.0, abs=1e-9)
