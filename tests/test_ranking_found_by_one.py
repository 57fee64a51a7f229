"""What one of two lists finds and the other does not, and whether that is chance."""

from __future__ import annotations

import pytest
import reference_report as slow
from hypothesis import given
from hypothesis import strategies as st

from priorwise.ranking.found_by_one import found_by_one, mcnemar


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_a_fair_coin(first: int, second: int) -> None:
    assert mcnemar(first, second) == pytest.approx(slow.mcnemar(first, second), rel=1e-12)


LETTERS = st.sampled_from("abcdefgh")


@given(st.lists(LETTERS, unique=True), st.lists(LETTERS, unique=True), st.sets(LETTERS))
def test_found_by_one_list_or_both(first: list[str], second: list[str], relevant: set[str]) -> None:
    found = found_by_one(first, second, relevant)
    assert found.first == sum(id in relevant and id not in second for id in first)
    assert found.second == sum(id in relevant and id not in first for id in second)
    assert found.both == sum(id in relevant and id in second for id in first)
