"""Metrics of rankings and of review orders, and tests of differences."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import reference_report
import reference_screening as reference
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import reference_review as slow
from priorwise.errors import InputError
from priorwise.ranking import metrics
from priorwise.ranking.metrics import area_between, bootstrap_ppv, compare_lists, found_by_one, mcnemar, ppv_curve

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


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_a_fair_coin(first: int, second: int) -> None:
    assert mcnemar(first, second) == pytest.approx(reference_report.mcnemar(first, second), rel=1e-12)


LETTERS = st.sampled_from("abcdefgh")


@given(st.lists(LETTERS, unique=True), st.lists(LETTERS, unique=True), st.sets(LETTERS))
def test_found_by_one_list_or_both(first: list[str], second: list[str], relevant: set[str]) -> None:
    found = found_by_one(first, second, relevant)
    assert found.first == sum(id in relevant and id not in second for id in first)
    assert found.second == sum(id in relevant and id not in first for id in second)
    assert found.both == sum(id in relevant and id in second for id in first)


reviews = st.lists(st.booleans(), min_size=2, max_size=80).filter(lambda verdicts: 0 < sum(verdicts) < len(verdicts))
recalls = st.integers(1, 20).map(lambda n: Fraction(n, 20))


@given(verdicts=reviews)
def test_the_recall_curve_is_the_recall_at_every_place(verdicts: list[bool]) -> None:
    curve = metrics.recall_curve(verdicts)
    for k in range(1, len(verdicts) + 1):
        assert curve[k - 1] == pytest.approx(float(reference.recall_after(verdicts, k)))
        assert metrics.recall_at(verdicts, k) == pytest.approx(curve[k - 1])
    assert metrics.recall_at(verdicts, 0) == 0.0


@given(verdicts=reviews, share=recalls)
def test_recall_after_a_share_rounds_the_documents_down(verdicts: list[bool], share: Fraction) -> None:
    k = int(share * len(verdicts))
    assert metrics.recall_after_share(verdicts, float(share)) == pytest.approx(metrics.recall_at(verdicts, k))


@given(verdicts=reviews, recall=recalls)
def test_work_saved_is_what_lies_below_the_cut(verdicts: list[bool], recall: Fraction) -> None:
    assert metrics.documents_until(verdicts, float(recall)) == reference.documents_until(verdicts, recall)
    wanted = float(reference.work_saved(verdicts, recall))
    assert metrics.work_saved(verdicts, float(recall)) == pytest.approx(wanted)


@given(verdicts=reviews, recall=recalls)
def test_work_saved_over_an_even_order(verdicts: list[bool], recall: Fraction) -> None:
    if recall * sum(verdicts) < 1:
        with pytest.raises(InputError, match="at least"):
            metrics.work_saved_over_random(verdicts, float(recall))
    else:
        wanted = reference.work_saved_over_random(verdicts, recall)
        assert metrics.work_saved_over_random(verdicts, float(recall)) == pytest.approx(wanted)


@given(verdicts=reviews)
def test_the_loss_is_an_area_and_a_share_of_pairs(verdicts: list[bool]) -> None:
    loss = metrics.screening_loss(verdicts)
    assert loss == pytest.approx(float(reference.loss(verdicts)))
    assert loss == pytest.approx(float(reference.wrong_pairs(verdicts)))


@given(verdicts=reviews)
def test_places_of_members(verdicts: list[bool]) -> None:
    places = [place for place, member in enumerate(verdicts, start=1) if member]
    assert metrics.average_discovery(verdicts) == pytest.approx(sum(places) / len(places))
    assert metrics.last_member(verdicts) == max(places)
    assert metrics.r_precision(verdicts) == pytest.approx(sum(verdicts[: len(places)]) / len(places))


@given(verdicts=reviews)
def test_all_metrics_at_once_are_the_metrics_one_by_one(verdicts: list[bool]) -> None:
    together = metrics.screening_metrics(np.array(verdicts))
    assert (together.documents, together.members) == (len(verdicts), sum(verdicts))
    assert together.wss_95 == metrics.work_saved(verdicts, 0.95)
    assert together.wss_100 == metrics.work_saved(verdicts, 1.0)
    assert together.rrf_10 == metrics.recall_after_share(verdicts, 0.1)
    assert together.average_discovery == metrics.average_discovery(verdicts)
    assert together.r_precision == metrics.r_precision(verdicts)
    assert together.last_member == metrics.last_member(verdicts)
    assert together.loss == metrics.screening_loss(verdicts)
    assert together.area == pytest.approx(1.0 - together.loss)


def test_a_review_without_members_or_without_others_is_refused() -> None:
    with pytest.raises(InputError, match="without a member"):
        metrics.recall_curve([0, 0])
    with pytest.raises(InputError, match="no order is better"):
        metrics.screening_loss([1, 1])
