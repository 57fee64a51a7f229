"""Fast leave-one-out equals refitting, in every case and every cell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import leave_one_out_scores

from priorwise.models.naive_bayes._kernels.leave_one_out import TIE
from priorwise.models.naive_bayes.presence_leave_one_out import (
    PAPER_GRID,
    Cases,
    LeaveOneOut,
    PresenceCounts,
    nodes_for,
)
from priorwise.priors import PseudoCounts

strengths = st.sampled_from([0.01, 0.1, 0.5, 1.0, 3.0, 17.0, 200.0])


@st.composite
def training_sets(draw):
    """A few small documents of two classes, each class at least once."""
    n_tokens = draw(st.integers(1, 8))
    documents = st.frozensets(st.integers(0, n_tokens - 1), max_size=n_tokens)
    positives = draw(st.lists(documents, min_size=1, max_size=6))
    negatives = draw(st.lists(documents, min_size=1, max_size=6))
    cases = [(case, True) for case in positives] + [(case, False) for case in negatives]
    cases = draw(st.permutations(cases))
    return [case for case, _ in cases], [label for _, label in cases], n_tokens


def as_cases(documents, labels, **options):
    indptr = np.cumsum([0, *(len(document) for document in documents)])
    tokens = np.array([token for document in documents for token in sorted(document)], dtype=np.int64)
    return Cases.of(indptr, tokens, np.array(labels), **options)


def random_cases(seed, n=120, n_tokens=60):
    random = np.random.default_rng(seed)
    rates = random.random(n_tokens) ** 2
    X = random.random((n, n_tokens)) < rates
    return [frozenset(np.flatnonzero(row).tolist()) for row in X], (random.random(n) < 0.4).tolist(), n_tokens


@given(training_sets(), strengths, strengths)
@settings(max_examples=150, deadline=None)
def test_scores_equal_a_refit_without_the_case(training, negative, positive):
    documents, labels, n_tokens = training
    cases = as_cases(documents, labels)
    fast = LeaveOneOut(cases, cases.count(n_tokens)).scores(PseudoCounts(negative, positive))
    assert fast == pytest.approx(leave_one_out_scores(documents, labels, negative, positive), abs=1e-10)


def test_every_cell_of_the_grid_equals_the_refits():
    documents, labels, n_tokens = random_cases(0)
    cases = as_cases(documents, labels)
    loo = LeaveOneOut(cases, cases.count(n_tokens))
    tp, fp = loo.predicted_positive()
    positive = np.array(labels)
    random = np.random.default_rng(1)
    for row, column in random.integers(0, len(PAPER_GRID), size=(25, 2)):
        scores = np.array(leave_one_out_scores(documents, labels, PAPER_GRID[row], PAPER_GRID[column]))
        assert tp[row, column] == np.count_nonzero(scores[positive] > TIE)
        assert fp[row, column] == np.count_nonzero(scores[~positive] > TIE)


def test_interpolated_terms_equal_direct_ones_and_grow_with_the_strength():
    documents, labels, n_tokens = random_cases(2, n=200, n_tokens=400)
    cases = as_cases(documents, labels)
    loo = LeaveOneOut(cases, cases.count(n_tokens))
    whole = loo.terms(PAPER_GRID)
    direct = [loo.terms(PAPER_GRID[start : start + 20]) for start in range(0, 203, 20)]
    for part in ("positive", "negative"):
        expected = np.concatenate([getattr(terms, part) for terms in direct], axis=1)
        np.testing.assert_allclose(getattr(whole, part), expected, atol=1e-10, rtol=0)
        assert np.all(np.diff(expected, axis=1) > 0)


@pytest.mark.parametrize("seed", range(5))
def test_staircases_equal_brute_force_in_all_41209_cells(seed):
    documents, labels, n_tokens = random_cases(seed, n=80)
    cases = as_cases(documents, labels)
    loo = LeaveOneOut(cases, cases.count(n_tokens))
    terms = loo.terms(PAPER_GRID)
    predicted = terms.positive[:, np.newaxis, :] > terms.negative[:, :, np.newaxis] + TIE
    tp, fp = loo.predicted_positive()
    np.testing.assert_array_equal(tp, predicted[cases.positive].sum(axis=0))
    np.testing.assert_array_equal(fp, predicted[~cases.positive].sum(axis=0))


def test_threads_and_chunks_do_not_change_the_terrain(monkeypatch):
    documents, labels, n_tokens = random_cases(3)
    cases = as_cases(documents, labels)
    one = LeaveOneOut(cases, cases.count(n_tokens), threads=1).predicted_positive()
    monkeypatch.setattr("priorwise.models.naive_bayes.presence_leave_one_out.CHUNK", 7)
    many = LeaveOneOut(cases, cases.count(n_tokens), threads=4).predicted_positive()
    np.testing.assert_array_equal(one, many)


@given(training_sets(), st.data())
@settings(max_examples=40, deadline=None)
def test_whole_weights_are_repeated_cases_and_zero_weights_are_absent(training, data):
    documents, labels, n_tokens = training
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(documents), max_size=len(documents)))
    kept = [i for i, w in enumerate(weights) for _ in range(w)]
    if len({labels[i] for i in kept}) < 2:
        return
    weighted = as_cases(documents, labels, weight=np.array(weights, dtype=float))
    repeated = as_cases([documents[i] for i in kept], [labels[i] for i in kept])
    prior = PseudoCounts(3, 0.5)
    fast = LeaveOneOut(weighted, weighted.count(n_tokens)).scores(prior)
    slow = LeaveOneOut(repeated, repeated.count(n_tokens)).scores(prior)
    assert np.repeat(fast, weights) == pytest.approx(slow, abs=1e-10)
    for a, b in zip(
        LeaveOneOut(weighted, weighted.count(n_tokens)).predicted_positive(),
        LeaveOneOut(repeated, repeated.count(n_tokens)).predicted_positive(),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)


def test_a_background_takes_out_its_share_of_a_negative():
    documents, labels, n_tokens = random_cases(4, n=40, n_tokens=20)
    cases = as_cases(documents, labels)
    counts = cases.count(n_tokens)
    share = 0.25
    scaled = PresenceCounts(counts.positive, counts.negative * share, counts.n_positive, counts.n_negative * share)
    judged = as_cases(documents, labels, taken_out=np.where(labels, 1.0, share))
    scores = LeaveOneOut(judged, scaled).scores(PseudoCounts(2, 3))
    for i, document in enumerate(documents):
        member = labels[i]
        positive = counts.positive - [member and token in document for token in range(n_tokens)]
        negative = share * (counts.negative - [not member and token in document for token in range(n_tokens)])
        n_positive, n_negative = counts.n_positive - member, share * (counts.n_negative - (not member))
        expected = np.log((3 + n_positive) / (2 + n_negative))
        for token in document:
            if positive[token] > 0:
                expected += np.log((3 + positive[token]) / (3 + n_positive))
                expected -= np.log((2 + negative[token]) / (2 + n_negative))
        assert scores[i] == pytest.approx(expected, abs=1e-10)


def test_the_grid_is_the_papers():
    assert len(PAPER_GRID) == 203
    assert PAPER_GRID[:5].tolist() == [0.01, 0.1, 0.5, 1.0, 2.0]
    assert PAPER_GRID[-1] == 200


def test_nodes_carry_any_sum_of_logs_to_the_grid():
    nodes = nodes_for(PAPER_GRID)
    for count in [0.0, 0.2, 1.0, 7.0, 300.0, 52568.0]:
        at_nodes = np.log(nodes.strengths + count)
        carried = np.concatenate([at_nodes[: nodes.direct], at_nodes[nodes.direct :] @ nodes.spread])
        np.testing.assert_allclose(carried, np.log(PAPER_GRID + count), atol=5e-14)
