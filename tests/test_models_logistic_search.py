"""Cross-validation with warm starts, and leave-one-out from one fit."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import PredefinedSplit

from priorwise.errors import InputError, NotEnoughData
from priorwise.models.prior_search import PriorSearch
from priorwise.models.regression.design import DesignMatrix, Penalty
from priorwise.models.regression.logistic import LogisticRegression
from priorwise.models.regression.logistic_search import (
    StratifiedFolds,
    approximate_leave_one_out,
)
from priorwise.models.regression.solve import solve
from priorwise.priors.regression import PAPER_VARIANCES, Gaussian, Laplace
from priorwise.search import FBeta, LogLoss
from test_models_logistic import KINDS, problem


def scored(X, y, priors, folds=None, sample_weight=None, tol=1e-10, threads=None):
    """Held-out scores, priors × cases × outputs, and what made them."""
    weight = np.ones(len(X)) if sample_weight is None else sample_weight
    held_out = LogisticRegression(threads=threads).held_out(X, y, weight, folds, priors)
    held_out.tol = tol
    return np.array(list(held_out.score_matrices(priors))), held_out


@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(KINDS)))
@settings(max_examples=15, deadline=None)
def test_folds_are_refits_without_the_cases_held_out(seed, kind):
    X, positive, random = problem(seed, n=60, d=6)
    folds = random.integers(0, 3, size=60)
    folds[:2] = [0, 1]
    positive[2:8] = [True, True, False, False, True, False]
    folds[2:8] = [1, 2, 0, 2, 0, 1]
    weight = random.integers(1, 3, size=60).astype(float)
    priors = [KINDS[kind](v) for v in (0.5, 5.0)]
    found, held_out = scored(X, positive, priors, PredefinedSplit(folds), weight)
    for place, prior in enumerate(priors):
        scores = np.empty(60)
        for fold in range(3):
            kept = folds != fold
            fit = solve(DesignMatrix(X[kept]), positive[kept], weight[kept], Penalty.of(prior, 6), tol=1e-10)
            scores[~kept] = X[~kept] @ fit.coef + fit.intercept
        assert found[place, :, 0] == pytest.approx(scores, abs=1e-3)
        likelihood = -np.average(np.logaddexp(0, np.where(positive, -scores, scores)), weights=weight)
        assert LogLoss().value(held_out.outcome(found[place])) == pytest.approx(likelihood, abs=1e-4)


def test_any_target_and_each_output_its_own_prior():
    X, positive, random = problem(4, n=200, d=10)
    Y = np.column_stack([positive, random.random(200) < 0.5]).astype(int)
    priors = [Laplace(v) for v in (1e-6, 1.0, 100.0)]
    scores, held_out = scored(X, Y, priors, 4, tol=1e-4, threads=2)
    predicted = scores[1, :, 0] > 0
    f1 = 2 * np.sum(predicted & positive) / (predicted.sum() + positive.sum())
    values = np.array([FBeta(1.0).values(held_out.outcome(each)) for each in scores])
    assert values[1, 0] == pytest.approx(f1)
    search = PriorSearch(LogisticRegression(), target=FBeta(1.0), grid=priors, folds=4).fit(X, Y)
    assert pytest.approx(values) == search.trials_["score"].reshape(2, 3).T
    assert [np.max(column) for column in values.T] == pytest.approx(
        [values[priors.index(best), place] for place, best in enumerate(search.best_prior_)]
    )
    again, _ = scored(X, Y, priors, 4, tol=1e-4, threads=1)
    np.testing.assert_array_equal(again, scores)


def one_newton_step_without(X, positive, coef, intercept, penalty, i, moving):
    """Leave case i out of a fitted model by one literal Newton step over the coefficients that can move."""
    kept = np.arange(len(X)) != i
    columns = np.hstack([X[:, moving], np.ones((len(X), 1))])
    scores = X @ coef + intercept
    a = 1 / (1 + np.exp(-scores))
    precision = np.append(penalty.l2[moving], 0.0)
    full_gradient = columns.T @ (a - positive)  # balanced by the prior's slope at the optimum
    gradient = columns[kept].T @ (a - positive)[kept] - full_gradient
    hessian = columns[kept].T @ (columns[kept] * (a * (1 - a))[kept, None]) + np.diag(precision)
    return scores[i] - columns[i] @ np.linalg.solve(hessian, gradient)


@pytest.mark.parametrize("shape", [(40, 8), (25, 60)])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_leave_one_out_is_one_newton_step(kind, shape):
    X, positive, _ = problem(6, n=shape[0], d=shape[1])
    design, penalty = DesignMatrix(X), Penalty.of(KINDS[kind](0.5), shape[1])
    found = solve(design, positive, np.ones(len(X)), penalty, tol=1e-13)
    fast = approximate_leave_one_out(design, positive, np.ones(len(X)), penalty, found)
    moving = (found.coef != 0) | (kind == "gaussian")
    slow = [
        one_newton_step_without(X, positive, found.coef, found.intercept, penalty, i, moving) for i in range(len(X))
    ]
    assert fast == pytest.approx(slow, abs=1e-4)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_leave_one_out_is_close_to_refits(kind):
    X, positive, _ = problem(8, n=150, d=10)
    design, penalty = DesignMatrix(X), Penalty.of(KINDS[kind](1.0), 10)
    found = solve(design, positive, np.ones(150), penalty, tol=1e-10)
    fast = approximate_leave_one_out(design, positive, np.ones(150), penalty, found)
    seen = X @ found.coef + found.intercept
    exact = np.empty(150)
    for i in range(150):
        weight = np.ones(150)
        weight[i] = 0
        refit = solve(design, positive, weight, penalty, tol=1e-10, start=(found.coef, found.intercept))
        exact[i] = X[i] @ refit.coef + refit.intercept
    # It closes at least nine tenths of the distance between scores of seen and of unseen cases.
    assert np.abs(fast - exact).sum() < 0.1 * np.abs(seen - exact).sum()


def test_leave_one_out_chooses_like_folds():
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 40))
    positive = X[:, 0] - X[:, 1] + random.normal(size=150) > 0
    priors = [Gaussian(v) for v in np.geomspace(1e-4, 1e3, 15)]
    values = []
    for folds in ("approximate", 10):
        scores, held_out = scored(X, positive, priors, folds, tol=1e-8)
        values.append([LogLoss().value(held_out.outcome(each)) for each in scores])
    left_out, ten = values
    assert abs(np.argmax(left_out) - np.argmax(ten)) <= 2
    assert left_out[:8] == pytest.approx(ten[:8], abs=0.1)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(2, 12), st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_folds_are_dealt_to_members_and_others_apart(members, others, folds, seed):
    positive = np.random.default_rng(seed).permutation(np.arange(members + others) < members)
    held = StratifiedFolds(folds, seed).of(positive)
    assert np.all(np.sum(held, axis=0) == 1)
    assert len(held) == min(folds, max(members, others))
    for side, size in ((positive, members), (~positive, others)):
        in_folds = [int(np.sum(side & fold)) for fold in held]
        assert in_folds == sorted(in_folds, reverse=True)
        assert sum(in_folds) == size
        assert max(in_folds) - min(in_folds) <= 1


def test_five_members_and_five_others_are_held_out_in_pairs():
    positive = np.arange(10) < 5
    held = StratifiedFolds(10).of(positive)
    assert [int(np.sum(positive & fold)) for fold in held] == [1] * 5
    assert [int(np.sum(~positive & fold)) for fold in held] == [1] * 5


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_a_design_says_what_its_matrix_says(seed):
    random = np.random.default_rng(seed)
    rows, columns = random.integers(0, 7, size=40), random.integers(0, 5, size=40)
    X = sp.csr_matrix(
        (random.normal(size=40), columns, np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=7))]))
    )
    X.resize(7, 5)
    design, dense = DesignMatrix(X), X.toarray()  # rows in no order, and columns that are in a row several times
    np.testing.assert_allclose(design.by_rows.toarray(), dense)
    np.testing.assert_allclose(design.by_columns.toarray(), dense)
    assert design.by_rows.has_canonical_format
    for scale in (np.ones(5), np.full(5, 0.3), np.full(5, 2.0), random.random(5) + 0.1):
        starts, places, _ = design.rows
        scaled = sp.csr_matrix((design.scaled_rows(scale), places.astype(int), starts.astype(int)), shape=(7, 5))
        np.testing.assert_allclose(scaled.toarray(), dense * scale)
        np.testing.assert_allclose(design.row_sizes(scale), ((dense * scale) ** 2).sum(axis=1))


def test_the_papers_variances():
    assert len(PAPER_VARIANCES) == 20
    assert list(PAPER_VARIANCES) == sorted(PAPER_VARIANCES)


def searched(X, y, folds, weight=None):
    return PriorSearch(LogisticRegression(), grid=[Gaussian(1.0)], folds=folds).fit(X, y, weight)


def test_bad_input_is_a_sentence():
    X, positive, _ = problem(9)
    with pytest.raises(InputError, match="at least 2 folds, not 1"):
        searched(X, positive, 1)
    with pytest.raises(InputError, match="the grid is empty"):
        PriorSearch(LogisticRegression(), grid=[]).fit(X, positive)
    with pytest.raises(InputError, match="folds is a number, a splitter or 'approximate', not 'three'"):
        searched(X, positive, "three")
    alone = np.zeros(30, dtype=bool)
    alone[0] = True
    with pytest.raises(NotEnoughData, match="class True has fewer than 2 cases in one"):
        searched(X, alone, 3)
    with pytest.raises(NotEnoughData, match="no example with class True"):
        searched(X, alone, PredefinedSplit(np.arange(30) % 3))


def test_cases_that_are_no_numbers_are_refused():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([False, True, False, True])
    for wrong in (np.nan, np.inf):
        with pytest.raises(ValueError, match="Input X contains"):
            searched(np.where(X == 1, wrong, X), y, 2)
    for weight in ([-1, 1, 1, 1], [np.nan, 1, 1, 1]):
        with pytest.raises(ValueError, match=r"[Nn]egative values|contains NaN"):
            searched(X, y, 2, weight)
    with pytest.raises(NotEnoughData, match="no example without class True"):
        searched(X, y, PredefinedSplit([0, 1, 0, 1]))
    with pytest.raises(NotEnoughData, match="no example with class True"):
        searched(X, y, PredefinedSplit([0, 0, 0, 0]))
