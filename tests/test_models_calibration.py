"""From scores to probabilities: the maximum of the likelihood, and what to do where scores tell nothing."""

from __future__ import annotations

import numpy as np
import pytest

from priorwise.models.weights import Calibration, calibrate


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
