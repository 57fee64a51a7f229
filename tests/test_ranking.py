from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score

from priorwise.ranking.metrics import average_precision, compare, ppv_at
from priorwise.ranking.scorer import best_first, places
from priorwise.ranking.table import Ranking

# Places


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([-1.5, 0.0, 0.25, 2.0, 7.0]), st.booleans()), min_size=1, max_size=40),
    st.randoms(use_true_random=False),
)
def test_places_equal_those_of_a_full_sort(rows: list[tuple[float, bool]], random: object) -> None:
    scores = np.array([score for score, _ in rows])
    skip = np.array([skipped for _, skipped in rows])
    order = sorted(np.flatnonzero(~skip).tolist(), key=lambda d: (-scores[d], d))
    asked = list(order)
    random.shuffle(asked)  # type: ignore[attr-defined]
    got = places(scores, np.array(asked, dtype=np.int64), skip)
    assert got.tolist() == [order.index(document) + 1 for document in asked]


def test_places_of_very_many_equals_take_no_time() -> None:
    scores = np.zeros(200_000)
    scores[::3] = 1.0
    documents = np.arange(0, 200_000, 20)
    got = places(scores, documents, np.zeros(len(scores), dtype=bool))
    place = np.empty(len(scores), dtype=np.int64)
    place[np.lexsort((np.arange(len(scores)), -scores))] = np.arange(1, len(scores) + 1)
    np.testing.assert_array_equal(got, place[documents])


def test_best_first_breaks_ties_by_document() -> None:
    documents, scores = best_first(np.array([1.0, 3.0, 3.0, 2.0]), np.array([9, 8, 2, 4]), 3)
    assert documents.tolist() == [2, 8, 4]
    assert scores.tolist() == [3.0, 3.0, 2.0]


# Measures


@pytest.mark.parametrize("seed", range(5))
def test_average_precision_is_that_of_scikit_learn(seed: int) -> None:
    random = np.random.default_rng(seed)
    relevant = random.random(50) < 0.3
    scores = np.sort(random.normal(size=50))[::-1]
    assert average_precision(relevant) == pytest.approx(average_precision_score(relevant, scores), rel=1e-12)


def test_average_precision_counts_what_is_not_listed_as_missed() -> None:
    relevant = np.array([True, False, True])
    assert average_precision(relevant, total=4) == pytest.approx((1 + 2 / 3) / 4)
    assert average_precision(np.zeros(3, dtype=bool)) == 0.0
    assert average_precision(np.zeros(0, dtype=bool), total=2) == 0.0


def test_ppv_of_short_lists() -> None:
    relevant = np.array([True, True, False, True])
    assert [ppv_at(relevant, k) for k in (1, 2, 3, 4, 8)] == [1.0, 1.0, 2 / 3, 0.75, 0.375]


# Paired comparison


@pytest.mark.parametrize("seed", range(5))
def test_tests_are_those_of_scipy(seed: int) -> None:
    random = np.random.default_rng(seed)
    method, baseline = random.random(12), random.random(12)
    got = compare(method, baseline)
    assert got.t_test == pytest.approx(stats.ttest_rel(method, baseline).pvalue)
    assert got.wilcoxon == pytest.approx(stats.wilcoxon(method, baseline).pvalue)
    assert got.difference == pytest.approx(np.mean(method - baseline))
    assert (got.ahead, got.behind) == (np.sum(method > baseline), np.sum(method < baseline))


def test_ties_are_those_of_whole_numbers() -> None:
    """0.3 − 0.1 and 0.2 − 0 differ in the last bit, which must not decide a rank."""
    hits, base = np.array([75, 50, 30, 50, 9, 40]), np.array([25, 0, 30, 100, 19, 30])
    got = compare(hits / 250, base / 250)
    exact = compare(hits.astype(float), base.astype(float))
    assert (got.ahead, got.behind) == (exact.ahead, exact.behind) == (3, 2)
    assert got.wilcoxon == exact.wilcoxon
    assert got.t_test == pytest.approx(exact.t_test, rel=1e-9)


@pytest.mark.parametrize(
    ("method", "baseline", "p"),
    [
        ([0.5], [0.1], (1.0, 1.0)),
        ([0.5, 0.5], [0.5, 0.5], (1.0, 1.0)),
        ([0.1 + 0.2, 0.7], [0.3, 0.7], (1.0, 1.0)),
    ],
)
def test_nothing_to_compare(method: list[float], baseline: list[float], p: tuple[float, float]) -> None:
    got = compare(np.array(method), np.array(baseline))
    assert (got.t_test, got.wilcoxon) == p


def test_the_same_lead_everywhere() -> None:
    got = compare(np.array([0.3, 0.4, 0.5, 0.6, 0.7]), np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    assert (got.ahead, got.behind, got.t_test) == (5, 0, 0.0)
    assert 0 < got.wilcoxon < 0.1


@pytest.mark.parametrize("n", range(2, 9))
def test_few_categories_and_many_ties_raise_no_warning(n: int) -> None:
    for seed in range(6):
        random = np.random.default_rng([n, seed])
        got = compare(random.integers(0, 3, n) / 50, random.integers(0, 3, n) / 50)
        assert 0 <= got.t_test <= 1
        assert 0 <= got.wilcoxon <= 1


# Table


def test_a_ranking_as_a_data_frame() -> None:
    ranking = Ranking.of(
        ids=["x", "y"],
        titles=["One", "Two"],
        scores=np.array([2.0, 1.0]),
        probabilities=np.array([0.9, 0.1]),
        baseline_ranks=np.array([7, 1]),
        evidence=["a:+1.00", ""],
    )
    columns = ["rank", "id", "title", "score", "probability", "baseline_rank", "evidence", "status", "path"]
    assert ranking.to_polars().columns == columns == list(ranking.to_pandas().columns)
    assert ranking.to_polars()["rank"].to_list() == ranking.to_pandas()["rank"].tolist() == [1, 2]
    assert ranking.rows(1)[0]["title"] == "One"
    assert repr(ranking).splitlines() == ["Ranking of 2 documents", *repr(ranking).splitlines()[1:3]]
