"""Lists that were judged: precision down the list, its spread, and whether two lists differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import reference_review as slow
from priorwise.errors import InputError
from priorwise.ranking.judged_lists import area_between, bootstrap_ppv, compare_lists, ppv_curve

MASKS = st.lists(st.booleans(), min_size=1, max_size=40).map(lambda values: np.array(values))


@given(MASKS, MASKS)
def test_curves_and_the_area_between_them(first: np.ndarray, second: np.ndarray) -> None:
    expected = [slow.ppv_at(first.tolist(), k) for k in range(1, len(first) + 1)]
    assert ppv_curve(first).tolist() == pytest.approx(expected)
    assert area_between(first, second) == pytest.approx(slow.area_between(first.tolist(), second.tolist()), abs=1e-12)


@pytest.mark.parametrize("hits", [0, 7, 30, 60])
def test_the_bootstrap_is_that_of_drawing_documents(hits: int) -> None:
    relevant = np.arange(60) < hits
    spread = bootstrap_ppv(relevant, seed=1)
    literal = slow.bootstrap(relevant.tolist(), 4000, seed=2)
    assert spread.value == hits / 60
    assert spread.mean == pytest.approx(np.mean(literal), abs=0.004)
    for value, percentile in ((spread.low, 2.5), (spread.first_quartile, 25), (spread.high, 97.5)):
        assert value == pytest.approx(np.percentile(literal, percentile), abs=0.018)


def test_documents_in_both_lists_take_nothing_from_the_difference() -> None:
    first, second = [f"d{i}" for i in range(50)], [f"d{i}" for i in range(30, 80)]
    relevant = frozenset(f"d{i}" for i in range(0, 60, 3))
    found = compare_lists(first, second, relevant, seed=1)
    literal = slow.bootstrap_difference(first, second, relevant, 4000, seed=2)
    assert found.spread.value == pytest.approx(
        np.mean([d in relevant for d in first]) - np.mean([d in relevant for d in second])
    )
    assert found.spread.low == pytest.approx(np.percentile(literal, 2.5), abs=0.021)
    assert found.spread.high == pytest.approx(np.percentile(literal, 97.5), abs=0.021)


@settings(deadline=None)
@given(st.integers(2, 12), st.data())
def test_the_tests_are_those_of_scipy(n: int, data: st.DataObject) -> None:
    from scipy import stats

    shared = data.draw(st.integers(0, n))
    first, second = [f"d{i}" for i in range(n)], [f"d{i}" for i in range(n - shared, 2 * n - shared)]
    relevant = frozenset(data.draw(st.sets(st.sampled_from(sorted({*first, *second})))))
    masks = [[float(id in relevant) for id in ids] for ids in (first, second)]
    assume(all(0 < sum(mask) < n for mask in masks))
    found = compare_lists(first, second, relevant)
    assert found.t_test == pytest.approx(stats.ttest_ind(*masks, equal_var=False).pvalue)
    only = [[id in relevant for id in mine if id not in other] for mine, other in ((first, second), (second, first))]
    table = [[sum(own), len(own) - sum(own)] for own in only]
    assert found.exact == pytest.approx(stats.fisher_exact(table).pvalue if only[0] else 1.0)


def test_lists_that_say_nothing() -> None:
    same = compare_lists(["a", "b"], ["b", "a"], frozenset("a"))
    assert (same.spread.value, same.spread.low, same.spread.high, same.exact) == (0.0, 0.0, 0.0, 1.0)
    all_and_none = compare_lists(["a", "b"], ["c", "d"], frozenset("ab"))
    assert all_and_none.t_test == 0.0
    assert compare_lists(["a"], ["b"], frozenset("a")).t_test == 1.0
    with pytest.raises(InputError):
        compare_lists(["a"], ["b", "c"], frozenset())
    with pytest.raises(InputError):
        bootstrap_ppv(np.array([], np.bool_))
