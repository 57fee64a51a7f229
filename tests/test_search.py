"""Targets, ties and the two searches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import average_precision, radial_gradient_search

from priorwise.search import (
    NINE_STARTS,
    PPV,
    AveragePrecision,
    Climb,
    FBeta,
    FromCounts,
    FromScores,
    LogLoss,
    PPVAtK,
    as_target,
    best_place,
    radial,
)

ranked_cases = st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=2, max_size=30).filter(
    lambda cases: any(label for _, label in cases)
)


@given(st.integers(0, 20), st.integers(0, 20))
def test_count_targets_are_their_formulas(tp, fp):
    positives, negatives = 20, 30
    arrays = np.array([float(tp)]), np.array([float(fp)])
    ppv = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / positives
    assert PPV().from_counts(*arrays, positives, negatives)[0] == pytest.approx(ppv)
    assert PPV(floor=0.5).from_counts(*arrays, positives, negatives)[0] == pytest.approx(ppv if tp >= 10 else 0.0)
    for beta in (0.5, 1.0, 2.0):
        below = beta**2 * ppv + recall
        expected = (1 + beta**2) * ppv * recall / below if below else 0.0
        assert FBeta(beta).from_counts(*arrays, positives, negatives)[0] == pytest.approx(expected)
    weighted = FBeta(0.5, at_corpus_odds=True).from_counts(*arrays, positives, negatives, negative_weight=7.0)
    same = FBeta(0.5).from_counts(arrays[0], 7 * arrays[1], positives, 7 * negatives)
    assert weighted == pytest.approx(same)


@given(ranked_cases, st.sampled_from([1.0, 3.5, 100.0]))
def test_average_precision_is_its_formula_ties_included(cases, negative_weight):
    scores = np.array([float(score) for score, _ in cases])
    positive = np.array([label for _, label in cases])
    fast = AveragePrecision().from_scores(scores, positive, np.ones(len(cases)), negative_weight)
    assert fast == pytest.approx(average_precision(scores.tolist(), positive.tolist(), negative_weight))


@given(ranked_cases, st.integers(1, 40), st.sampled_from([1, 3]))
def test_ppv_at_k_is_the_mean_over_random_orders_of_equals(cases, k, negative_weight):
    """A negative of weight 3 is three equal documents, and equals are in random order."""
    expanded = [case for case in cases for _ in range(1 if case[1] else negative_weight)]
    k = min(k, len(expanded))
    expected, left = 0.0, k
    for score in sorted({score for score, _ in expanded}, reverse=True):
        group = [label for s, label in expanded if s == score]
        taken = min(left, len(group))
        expected += taken * sum(group) / len(group)
        left -= taken
    scores = np.array([float(score) for score, _ in cases])
    positive = np.array([label for _, label in cases])
    fast = PPVAtK(k).from_scores(scores, positive, np.ones(len(cases)), float(negative_weight))
    assert fast == pytest.approx(expected / k)


def test_log_loss_is_finite_for_extreme_scores():
    value = LogLoss().from_scores(np.array([-1e6, 1e6]), np.array([True, True]), np.ones(2))
    assert value == pytest.approx(-5e5)


def test_weights_are_repeated_cases():
    scores, positive = np.array([3.0, 2.0, 2.0, 1.0]), np.array([True, False, True, False])
    weight = np.array([2.0, 1.0, 3.0, 2.0])
    repeats = weight.astype(int)
    for target in (AveragePrecision(), PPVAtK(4), LogLoss()):
        weighted = target.from_scores(scores, positive, weight, 2.0)
        repeated = target.from_scores(np.repeat(scores, repeats), np.repeat(positive, repeats), np.ones(8), 2.0)
        assert weighted == pytest.approx(repeated)


def test_own_functions_are_targets():
    def spread(y, scores):
        return float(np.ptp(scores))

    assert as_target(spread) == FromScores(spread, name="spread")
    assert as_target(spread).from_scores(np.array([1.0, 4.0]), np.array([True, False]), np.ones(2)) == 3.0
    youden = FromCounts(lambda tp, fp, positives, negatives: tp / positives - fp / negatives)
    assert as_target(youden) is youden
    with pytest.raises(TypeError, match="a target is an object such as"):
        as_target("ppv")


def test_ties_go_to_sensitivity_then_to_the_nearest():
    values = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 9.0], [1.0, 0.0]])
    distance = np.array([3.0, 1.0, 0.0, 2.0])
    assert best_place(values, distance) == 1
    assert best_place(values) == 0
    values[3, 1] = 0.5
    assert best_place(values, distance) == 3
    values[3, 0] = np.nan
    assert best_place(values, distance) == 1


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_one_climb_is_the_printed_algorithm(seed, rows, columns):
    random = np.random.default_rng(seed)
    values = random.integers(0, 6, size=(rows, columns))
    ties = random.integers(0, 3, size=(rows, columns))
    x, y = int(random.integers(rows)), int(random.integers(columns))

    def value(i, j):
        return int(values[i, j]), int(ties[i, j])

    best, table = radial_gradient_search(value, x, y, rows, columns)
    search = radial((rows, columns), [(x, y)]).search(lambda cells: np.array([value(*cell) for cell in cells]))
    assert search.candidates == list(table)
    assert search.values.tolist() == [list(reached) for reached in table.values()]
    assert search.paths[0][-1] == best[1:]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_climbs_share_evaluations_but_go_their_own_ways(seed):
    values = np.random.default_rng(seed).integers(0, 5, size=(12, 12))
    starts = [(0, 0), (11, 11), (5, 6), (0, 0)]
    calls = []

    def evaluate(cells):
        calls.extend(cells)
        return np.array([[values[cell], 0.0] for cell in cells])

    together = radial((12, 12), starts).search(evaluate)
    assert len(calls) == len(set(calls)) == len(together.candidates)
    assert together.values[together.place, 0] == max(values[cell] for cell in calls)
    for start, path in zip(starts, together.paths, strict=True):
        alone, _ = radial_gradient_search(lambda i, j: (int(values[i, j]),), *start, 12, 12)
        assert path[-1] == alone[1:]


def test_the_nine_starts():
    assert len(NINE_STARTS) == 9
    assert set(NINE_STARTS) == {(n, p) for n in (1, 8, 15) for p in (1, 8, 15)}


def test_a_climb_takes_its_steps_in_turn_and_ends_after_a_round_without_a_move():
    """Along one axis after the other, as literally as it can be written."""
    random = np.random.default_rng(3)
    values = random.integers(0, 50, size=(9, 9))

    def along(axis):
        return lambda tried: [(i, tried.best[1]) if axis == 0 else (tried.best[0], i) for i in range(9)]

    tried = Climb([(4, 4)], [along(0), along(1)]).search(lambda cells: np.array([[values[c], 0.0] for c in cells]))
    row, column, before = 4, 4, None
    while before != (row, column):
        before = row, column
        row = int(np.argmax(values[:, column])) if values[:, column].max() > values[row, column] else row
        column = int(np.argmax(values[row])) if values[row].max() > values[row, column] else column
    assert tried.best == tried.paths[0][-1] == (row, column)
    once = Climb([(4, 4)], [along(0), along(1)], rounds=1).search(
        lambda cells: np.array([[values[c], 0.0] for c in cells])
    )
    assert len(once.candidates) == 17


def test_a_climb_from_the_best_of_its_starts_is_one_climb():
    def value(cells):
        return np.array([[-abs(cell - 20), 0.0] for cell in cells])

    tried = Climb([0, 10, 40], [lambda tried: [tried.best + 1]], together=True).search(value)
    assert tried.paths == [list(range(10, 21))]
    assert tried.leaders(3) == [20, 19, 21]
