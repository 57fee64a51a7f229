"""Priors are plain values."""

from __future__ import annotations

import dataclasses

import pytest

from priorwise.priors import PseudoCounts


def test_named_priors():
    assert PseudoCounts.laplace() == PseudoCounts(1, 1) == PseudoCounts()
    assert PseudoCounts.jeffreys() == PseudoCounts(0.5, 0.5)
    assert PseudoCounts.perks(4) == PseudoCounts(0.25, 0.25)


def test_they_are_frozen_hashable_and_checked():
    prior = PseudoCounts(22, 4)
    assert {prior: 1}[PseudoCounts(negative=22, positive=4)] == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        prior.negative = 3
    for bad in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="must be a positive number"):
            PseudoCounts(negative=bad)
        with pytest.raises(ValueError, match="must be a positive number"):
            PseudoCounts(classes=[1, bad])


def test_strengths_follow_the_classes():
    assert PseudoCounts(22, 4).strengths(2).tolist() == [22, 4]
    assert PseudoCounts(2, 2).strengths(4).tolist() == [2, 2, 2, 2]
    assert PseudoCounts(classes=(1, 2, 3)).strengths(3).tolist() == [1, 2, 3]
