"""Priors on rates and on words are plain values: their formulas, their limits, their zero cases, their refusals."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter

import numpy as np
import pytest
import reference_bayes as slow
from hypothesis import given, settings
from hypothesis import strategies as st

import priorwise as pw
from priorwise.priors.counts import (
    STRONGEST,
    WEAKEST,
    ClassSize,
    TermCounts,
    blend,
    likeliest_strength,
    log_complement,
    log_rate,
)

RATE_PRIORS = [
    (pw.Beta(0.1, 0.3), slow.beta_rate(0.1, 0.3)),
    (pw.Beta(0, 0), slow.beta_rate(0, 0)),
    (pw.Beta(3, 50), slow.beta_rate(3, 50)),
    (pw.JelinekMercer(0), slow.jelinek_mercer_rate(0)),
    (pw.JelinekMercer(0.3), slow.jelinek_mercer_rate(0.3)),
    (pw.JelinekMercer(1), slow.jelinek_mercer_rate(1)),
    (pw.CollectionBeta(0), slow.collection_beta_rate(0)),
    (pw.CollectionBeta(25), slow.collection_beta_rate(25)),
    (pw.TermBeta(), slow.term_beta_rate(1)),
    (pw.TermBeta(10), slow.term_beta_rate(10)),
]
WORD_PRIORS = [
    (pw.Dirichlet(1), slow.laplace(1)),
    (pw.Dirichlet(0.01), slow.laplace(0.01)),
    (pw.AbsoluteDiscount(0.7), slow.absolute(0.7)),
    (pw.LinearDiscount(0.2), slow.linear(0.2)),
    (pw.WittenBell(1.5), slow.witten_bell(1.5)),
    (pw.WeightManipulation(-30), slow.weight_manipulation(-30)),
]


@st.composite
def term_counts(draw):
    documents, others = draw(st.integers(0, 40)), draw(st.integers(1, 400))
    found, elsewhere = draw(st.integers(0, documents)), draw(st.integers(0, others))
    return found, documents, found + elsewhere, documents + others


def arrays(counts):
    return TermCounts(*(np.array([float(each)]) for each in counts))


@pytest.mark.parametrize(("prior", "literal"), RATE_PRIORS, ids=lambda each: repr(each)[:30])
@given(term_counts())
@settings(max_examples=25, deadline=None)
def test_rates_are_their_formula(prior, literal, counts):
    tolerance = 1e-4 if isinstance(prior, pw.TermBeta) else 1e-12
    assert prior.rates(arrays(counts))[0] == pytest.approx(literal(*counts), rel=tolerance, abs=1e-15)


def size_of(counts, n_words):
    n, u = float(sum(counts.values())), float(len(counts))
    return ClassSize(np.array([n]), np.array([u]), np.array([u]), n_words)


@pytest.mark.parametrize(("prior", "literal"), WORD_PRIORS, ids=lambda each: repr(each)[:30])
@given(st.dictionaries(st.integers(0, 8), st.integers(1, 20), max_size=9))
@settings(max_examples=40, deadline=None)
def test_weights_of_words_are_their_formula_and_add_up_to_one(prior, literal, counts):
    from priorwise.models.naive_bayes.counts import word_weights

    counted = Counter(counts)
    weights = prior.weigh(size_of(counted, 9))
    n = np.array([float(counted[word]) for word in range(9)])
    fast = word_weights(weights, n, np.zeros(9, dtype=int))
    assert fast.tolist() == pytest.approx([literal(counted, 9)(word) for word in range(9)], rel=1e-12)
    if not isinstance(prior, pw.WeightManipulation):
        assert np.exp(fast).sum() == pytest.approx(1)


def test_counts_below_one_are_discounted_in_proportion_and_still_add_up():
    from priorwise.models.naive_bayes.counts import word_weights

    n = np.array([0.25, 3.0, 0.5, 0.0, 0.0])
    size = ClassSize(np.array([3.75]), np.array([3.0]), np.array([1.75]), 5)
    rates = np.exp(word_weights(pw.AbsoluteDiscount(0.4).weigh(size), n, np.zeros(5, dtype=int)))
    assert rates.sum() == pytest.approx(1)
    assert rates[0] == pytest.approx(0.6 * 0.25 / 3.75)
    assert rates[1] == pytest.approx(2.6 / 3.75)


def test_named_priors():
    assert pw.Beta.laplace() == pw.Beta() == pw.Beta(1, 1)
    assert pw.Beta.eyheramendy() == pw.Beta(0.1, 0.3)
    assert pw.Beta.jeffreys() == pw.Beta(0.5, 0.5)
    assert pw.Beta.perks(4) == pw.Beta(0.25, 0.25)
    assert pw.Dirichlet.laplace() == pw.Dirichlet(1)
    assert pw.Dirichlet.jeffreys() == pw.Dirichlet(0.5)
    assert pw.Dirichlet.perks(4) == pw.Dirichlet(0.25)


@given(st.floats(0, 1), st.floats(0, 1e6))
def test_a_beta_of_a_centre_and_a_strength_has_them(centre, strength):
    prior = pw.Beta.of(centre, strength)
    assert prior.strength == pytest.approx(strength)
    if strength > 1e-6:
        assert prior.centre == pytest.approx(centre, abs=1e-9)
    assert pw.Beta(0, 0).centre == 0.5


def test_centre_and_strength_say_the_rate():
    """No documents give the centre; as many documents as the strength give the middle of centre and count."""
    for prior, centre, strength in [
        (pw.Beta(0.1, 0.3), 0.25, 0.4),
        (pw.CollectionBeta(30), 0.2, 30),
        (pw.JelinekMercer(0.5), 0.2, pw.JelinekMercer(0.5).strength(30)),
    ]:
        empty = TermCounts(np.zeros(1), np.zeros(1), np.array([20.0]), np.array([100.0]))
        assert prior.rates(empty)[0] == pytest.approx(centre)
        half = TermCounts(np.array([strength]), np.array([strength]), np.array([20.0]), np.array([100.0]))
        assert prior.rates(half)[0] == pytest.approx((1 + centre) / 2)
    assert pw.JelinekMercer(1).strength(10) == math.inf
    types, n, u = 50, 200.0, 20.0
    size = ClassSize(np.array([n]), np.array([u]), np.array([u]), types)
    for prior, strength in [
        (pw.Dirichlet(0.5), pw.Dirichlet(0.5).strength(types) * (types - u) / types),
        (pw.LinearDiscount(0.2), pw.LinearDiscount(0.2).strength(n)),
        (pw.WittenBell(2), pw.WittenBell(2).strength(u)),
    ]:
        weights = prior.weigh(size)
        of_unseen = np.exp(weights.unseen[0]) * (types - u)
        per_count = np.exp(weights.seen[0])
        assert of_unseen / per_count == pytest.approx(strength)
    absolute = pw.AbsoluteDiscount(0.3)
    assert np.exp(absolute.weigh(size).unseen[0]) * (types - u) * n == pytest.approx(absolute.strength(u))


def test_they_are_frozen_hashable_and_shown():
    for prior in (prior for prior, _ in [*RATE_PRIORS, *WORD_PRIORS]):
        assert {prior: 1}[dataclasses.replace(prior)] == 1
        assert repr(prior).startswith(f"{type(prior).__name__}(")
        with pytest.raises(dataclasses.FrozenInstanceError):
            prior.nothing = 1
        grid = type(prior).grid()
        assert len(set(grid)) == len(grid) >= 20


@pytest.mark.parametrize(
    ("make", "bad", "says"),
    [
        (lambda x: pw.Beta(x, 1), [-1, math.inf, math.nan, "a", None], "α must be a number"),
        (lambda x: pw.Beta(1, x), [-1], "β must be a number of at least 0, not -1"),
        (lambda x: pw.Beta.of(x, 1), [-0.1, 1.1], "the centre of a rate must lie between 0 and 1"),
        (lambda x: pw.Beta.of(0.5, x), [-0.1], "a strength must be a number of at least 0"),
        (pw.JelinekMercer, [-0.1, 1.1, math.nan], "λ must lie between 0 and 1, both included"),
        (pw.CollectionBeta, [-1, math.inf], "s must be a number of at least 0"),
        (pw.TermBeta, [0, -1, math.inf], "scale must be a positive number"),
        (pw.Dirichlet, [-1, math.inf], "α must be a number of at least 0"),
        (pw.AbsoluteDiscount, [0, 1, -1], "δ must lie between 0 and 1, neither of them"),
        (pw.LinearDiscount, [0, 1, math.nan], "α must lie between 0 and 1, neither of them"),
        (pw.WittenBell, [0, -1], "α must be a positive number"),
        (pw.WeightManipulation, [0, 1, -math.inf], "γ must be a negative number"),
    ],
)
def test_what_is_not_allowed_is_a_sentence(make, bad, says):
    for value in bad:
        with pytest.raises(pw.PriorwiseError, match=says):
            make(value)


@given(st.floats(0, 1))
def test_logarithms_of_rates_are_finite(rate):
    assert log_rate(rate) == pytest.approx(math.log(max(rate, 1e-100)))
    assert math.isfinite(log_complement(rate))
    if rate < 0.999:
        assert log_complement(rate) == pytest.approx(math.log1p(-rate))
    assert log_complement(1.0) == log_rate(0.0) == pytest.approx(-230.2585)


def test_blend_at_its_limits():
    assert blend(0, 0, 0.3, 0) == 0.3
    assert blend(5, 10, 0.3, np.inf) == 0.3
    assert blend(5, 10, 0.3, 0) == 0.5


@given(st.lists(term_counts(), min_size=1, max_size=12))
@settings(max_examples=150, deadline=None)
def test_the_likeliest_strength_has_no_better_neighbour(cases):
    found, documents, in_all, all_documents = np.array(cases, dtype=float).T
    strengths = likeliest_strength(found, documents, in_all - found, all_documents - documents)
    assert strengths.shape == found.shape
    for counts, strength in zip(cases, strengths, strict=True):
        if not (0 < counts[2] < counts[3] and 0 < counts[1] < counts[3]):
            assert strength == math.inf
            continue
        best = slow.marginal_likelihood(min(strength, STRONGEST), *counts)
        for i in range(201):
            other = WEAKEST * (STRONGEST / WEAKEST) ** (i / 200)
            assert slow.marginal_likelihood(other, *counts) <= best + 1e-6


def test_two_sides_of_a_comparison_share_their_strength():
    counts = TermCounts(np.array([30.0]), np.array([100.0]), np.array([40.0]), np.array([1000.0]))
    fresh = TermCounts(np.array([10.0]), np.array([900.0]), np.array([40.0]), np.array([1000.0]))
    assert counts.strength == fresh.strength == counts.rest.strength
