"""Gaussian, Laplace and Jeffreys: the densities, the shapes, and what is refused."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priorwise.errors import InputError
from priorwise.priors.regression import Gaussian, Jeffreys, Laplace

positive = st.floats(1e-3, 1e3)


@given(positive)
def test_gamma_is_the_parameter_of_the_density(gamma):
    prior = Laplace.from_gamma(gamma)
    assert prior.rate == pytest.approx(np.sqrt(gamma))
    # Variance of (√γ/2) e^{−√γ|β|}, by its integral.
    beta = np.linspace(0, 40 / np.sqrt(gamma), 200_001)
    density = np.sqrt(gamma) / 2 * np.exp(-np.sqrt(gamma) * beta)
    assert 2 * np.trapezoid(density, beta) == pytest.approx(1, rel=1e-6)
    assert 2 * np.trapezoid(beta**2 * density, beta) == pytest.approx(prior.variance, rel=1e-6)


@given(positive, st.floats(-10, 10).filter(lambda b: abs(b) > 1e-6))
def test_precision_is_the_e_step_weight(variance, distance):
    beta = np.array([distance])
    assert Gaussian(variance).precision(beta) == pytest.approx(1 / variance)
    assert Laplace(variance).precision(beta) == pytest.approx(np.sqrt(2 / variance) / abs(distance))
    assert Jeffreys().precision(beta) == pytest.approx(1 / distance**2)


def test_precision_at_the_mode_and_without_penalty():
    zero = np.zeros(2)
    assert Laplace(1.0).precision(zero).tolist() == [np.inf, np.inf]
    assert Jeffreys().precision(zero).tolist() == [np.inf, np.inf]
    assert Laplace([np.inf, 1.0]).precision(zero).tolist() == [0.0, np.inf]
    assert Gaussian(np.inf).precision(zero).tolist() == [0.0, 0.0]


def test_numbers_rows_and_tables():
    assert Gaussian(2.0, mode=[1, 2, 3]).of_features(3)[1].tolist() == [1, 2, 3]
    per_class = Laplace(variance=[[1.0], [4.0]], mode=[[0, 1, 2], [3, 4, 5]])
    variance, mode = per_class.of_features(3, output=1, n_outputs=2)
    assert variance.tolist() == [4, 4, 4]
    assert mode.tolist() == [3, 4, 5]


def test_frozen_equal_and_copied():
    given_mode = np.array([0.0, 1.0])
    prior = Laplace(2.0, mode=given_mode)
    given_mode[0] = 9.0
    assert prior == Laplace(2.0, mode=[0.0, 1.0])
    assert prior != Gaussian(2.0, mode=[0.0, 1.0])
    assert prior != Laplace(2.0)
    assert hash(prior) == hash(copy.deepcopy(prior))
    assert pickle.loads(pickle.dumps(prior)) == prior
    with pytest.raises(ValueError, match="read-only"):
        prior.mode[0] = 5.0
    with pytest.raises(AttributeError):
        prior.variance = 3.0
    assert "<2 × 3 numbers>" in repr(Gaussian(np.ones((2, 3))))


@pytest.mark.parametrize("make", [Gaussian, Laplace])
@pytest.mark.parametrize(
    ("variance", "mode", "says"),
    [
        (0.0, 0.0, "a variance must be a positive number, or infinite for no penalty, not 0"),
        ([1.0, -2.0], 0.0, r"not -2 \(feature 1\)"),
        ([[1.0, 1.0], [1.0, -2.0]], 0.0, r"not -2 \(feature 1 of class 1\)"),
        (np.nan, 0.0, "every variance must be a number, not nan"),
        (1.0, np.inf, "a mode must be a finite number, not inf"),
        (1.0, [0.0, np.nan], r"every mode must be a number, not nan \(feature 1\)"),
        ([1.0, 2.0], [0.0, 0.0, 0.0], r"variance has shape \(2,\) and mode \(3,\)"),
        ("much", 0.0, "variance must be a number or an array of numbers, not 'much'"),
        (np.ones((1, 1, 1)), 0.0, "3 dimensions"),
    ],
)
def test_bad_numbers_are_named(make, variance, mode, says):
    with pytest.raises(InputError, match=says):
        make(variance, mode)


def test_wrong_lengths_are_named():
    with pytest.raises(InputError, match="variance has 3 numbers, but there are 2 features"):
        Gaussian([1.0, 1.0, 1.0]).of_features(2)
    with pytest.raises(InputError, match="mode has 2 rows, but the model has 3"):
        Gaussian(1.0, mode=np.zeros((2, 4))).of_features(4, n_outputs=3)
    with pytest.raises(InputError, match="γ must be a positive number, not 0"):
        Laplace.from_gamma(0)


def test_describe_tells_what_differs():
    variance, mode = np.ones(30), np.zeros(30)
    mode[3], variance[5] = -np.log(4), np.inf
    told = Gaussian(variance, mode).describe([f"w{i}" for i in range(30)])
    assert told.splitlines()[1].startswith("w3")
    assert "divides the odds by 4, give or take a factor of 2.7" in told
    assert "'w5' is left to the examples" in told
    assert told.splitlines()[-1].startswith("every other word")
    assert len(told.splitlines()) == 4
    many = Gaussian(np.arange(1.0, 31.0)).describe(limit=5)
    assert "(25 more)" in many
    assert "a word leaves the odds as they are" in Laplace(2.0).describe()
    assert "every word" in Laplace(2.0).describe(["a", "b"])
    per_class = Laplace(variance=1.0, mode=[[0.0, 0.0], [0.0, np.log(3)]])
    assert "'b' multiplies the odds by 3" in per_class.describe(["a", "b"], output=1)
    assert "multiplies" not in per_class.describe(["a", "b"], output=0)
