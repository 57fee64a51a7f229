"""How far reviewers agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_review as slow
from priorwise.review import Verdict, cohen_kappa
from priorwise.review.agreement import agreements

WORDS = st.sampled_from(["yes", "no", "unsure"])


@given(st.lists(st.tuples(WORDS, WORDS), min_size=2, max_size=40))
def test_kappa_is_that_of_the_formula(pairs: list[tuple[str, str]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    kappa, low, high = cohen_kappa(first, second)
    if len(set(first) | set(second)) == 1:
        assert kappa is None
        return
    expected, error = slow.kappa_and_error(first, second)
    assert kappa == pytest.approx(expected, abs=1e-12)
    # Where the variance is nothing, the root of what rounding leaves of it is not.
    assert low == pytest.approx(max(-1.0, expected - 1.959963984540054 * error), abs=1e-4)
    assert high == pytest.approx(min(1.0, expected + 1.959963984540054 * error), abs=1e-4)


def test_the_interval_of_kappa_is_that_of_resampling() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 300)
    words = np.array(["yes", "no", "unsure"])
    first, second = (words[np.where(rng.random(300) < 0.25, rng.integers(0, 3, 300), truth)] for _ in range(2))
    kappa, low, high = cohen_kappa(list(first), list(second))
    assert None not in (kappa, low, high)
    resampled = []
    for _ in range(800):
        drawn = rng.integers(0, 300, 300)
        resampled.append(cohen_kappa(list(first[drawn]), list(second[drawn]))[0])
    assert (high - low) / (2 * 1.96) == pytest.approx(np.std(np.array(resampled, float)), rel=0.15)  # type: ignore[operator]


def test_agreement_is_about_what_both_have_judged() -> None:
    said = [
        *(Verdict(f"a{i}", "Ada", f"d{i}", "yes" if i < 5 else "no") for i in range(10)),
        *(Verdict(f"b{i}", "Bob", f"d{i}", "yes" if i < 4 else "no") for i in range(9)),
        Verdict("b9", "Bob", "d9", "skip"),
        Verdict("c0", "Cyd", "elsewhere", "yes"),
    ]
    found = {(pair.first, pair.second): pair for pair in agreements(said)}
    assert set(found) == {("Ada", "Bob"), ("Ada", "Cyd"), ("Bob", "Cyd")}
    both = found["Ada", "Bob"]
    assert (both.documents, both.agreed) == (9, pytest.approx(8 / 9))
    assert found["Ada", "Cyd"].documents == 0
    assert found["Ada", "Cyd"].kappa is None
