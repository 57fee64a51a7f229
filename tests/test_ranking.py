from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score

from priorwise.models.presence_counts import PresenceCounts
from priorwise.priors import PseudoCounts
from priorwise.ranking.calibrate import Calibration, calibrate
from priorwise.ranking.evidence import split_weights, strongest
from priorwise.ranking.metrics import average_precision, ppv_at
from priorwise.ranking.paired import compare
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


# Calibration


def slow_loss(calibration: Calibration, scores: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> float:
    members, others = weight[positive].sum(), weight[~positive].sum()
    total = 0.0
    for score, is_member, w in zip(scores, positive, weight, strict=True):
        target = (members + 1) / (members + 2) if is_member else 1 / (others + 2)
        p = 1 / (1 + np.exp(-(calibration.slope * score + calibration.intercept)))
        total -= w * (target * np.log(p) + (1 - target) * np.log(1 - p))
    return float(total)


@pytest.mark.parametrize("seed", range(6))
def test_calibration_is_at_the_maximum_of_the_likelihood(seed: int) -> None:
    random = np.random.default_rng(seed)
    positive = random.random(300) < 0.2
    scores = random.normal(size=300) * 40 + 30 * positive - 100
    weight = np.where(positive, 1.0, 17.0)
    fitted = calibrate(scores, positive, weight)
    best = slow_loss(fitted, scores, positive, weight)
    assert fitted.slope > 0
    for step in (1e-3, 1e-2):
        for sign in (-1, 1):
            # Turn about the centre of the scores, and shift: the two directions in which the loss can change.
            turned = Calibration(fitted.slope + sign * step / 40, fitted.intercept - sign * step / 40 * scores.mean())
            assert slow_loss(turned, scores, positive, weight) >= best
            assert (
                slow_loss(Calibration(fitted.slope, fitted.intercept + sign * step), scores, positive, weight) >= best
            )
    p = fitted.probability(scores)
    target = np.where(positive, (positive.sum() + 1) / (positive.sum() + 2), 1 / (weight[~positive].sum() + 2))
    assert abs(np.sum(weight * (p - target))) < 1e-5 * weight.sum()
    assert abs(np.sum(weight * (p - target) * (scores - scores.mean()))) < 1e-5 * np.sum(weight * np.abs(scores))


def test_scores_that_separate_stay_finite() -> None:
    scores = np.concatenate([np.full(20, -500.0), np.full(20, 500.0)]) + np.arange(40) * 1e-3
    positive = np.arange(40) >= 20
    fitted = calibrate(scores, positive, np.ones(40))
    assert np.isfinite([fitted.slope, fitted.intercept]).all()
    probability = fitted.probability(scores)
    np.testing.assert_allclose(probability[positive], 21 / 22, atol=1e-3)
    np.testing.assert_allclose(probability[~positive], 1 / 22, atol=1e-3)


@pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e6])
def test_equal_scores_say_nothing(value: float) -> None:
    positive = np.arange(30) < 10
    fitted = calibrate(np.full(30, value), positive, np.ones(30))
    assert fitted.probability(np.array([value]))[0] == pytest.approx(1 / 3, abs=0.03)
    assert fitted.probability(np.array([value + 1]))[0] == pytest.approx(1 / 3, abs=0.03)


def test_scores_that_mislead_are_worth_nothing() -> None:
    positive = np.arange(40) < 20
    fitted = calibrate(np.where(positive, -1.0, 1.0) + np.linspace(0, 0.1, 40), positive, np.ones(40))
    assert fitted.slope == 0.0
    np.testing.assert_allclose(fitted.probability(np.array([-5.0, 5.0])), 0.5)


def test_probabilities_of_extreme_scores() -> None:
    probability = Calibration(2.0, -1.0).probability(np.array([-1e4, -1.0, 0.5, 1e4]))
    np.testing.assert_allclose(probability, [0.0, 1 / (1 + np.exp(3)), 0.5, 1.0], atol=1e-300)


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


# Evidence and table


def test_data_and_prior_add_up_to_the_weight() -> None:
    counts = PresenceCounts(np.array([3.0, 0.0, 1.0]), np.array([0.0, 4.0, 10.0]), 4.0, 20.0)
    data, prior = split_weights(counts, PseudoCounts(negative=7.0, positive=0.5))
    expected = [np.log((0.5 + 3) / 4.5) - np.log(7 / 27), np.log((0.5 + 1) / 4.5) - np.log(17 / 27)]
    np.testing.assert_allclose(data + prior, expected)
    np.testing.assert_allclose(data, [np.log(3.5 / 5) - np.log(0.5 / 21), np.log(1.5 / 5) - np.log(10.5 / 21)])


def test_the_strongest_of_equals_come_first() -> None:
    assert strongest(["a", "b", "c"], np.array([1.0, -1.0, 1.0]), 2) == "a:+1.00 b:-1.00"
    assert strongest([], np.empty(0)) == ""


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
