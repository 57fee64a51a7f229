"""Estimators refuse what they cannot compute with, and treat an entry that is there twice as one."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import priorwise as pw
from crafted_matrices import cases, estimators, sound, use
from priorwise.errors import InputError
from priorwise.features.matrices import sound_matrix, validate_data

QUICK = [
    "BernoulliNB",
    "MultinomialNB",
    "WeightedNB",
    "PresenceNB",
    "LogisticRegression",
    "LogisticRegression, Laplace",
]


@pytest.mark.parametrize("name", QUICK)
def test_hostile_matrices_are_used_or_refused(name: str) -> None:
    rng = np.random.default_rng(0)
    good, _ = sound(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = {what: use(estimators()[name], X, y, good) for what, X, y in cases(rng)}
    damaged = [what for what in told if "index of" in what or "offset" in what or "beyond" in what]
    assert len(damaged) > 20
    assert {told[what] for what in damaged} == {"refused"}
    assert told["all values 1e+300"] == told["whole numbers of 2^62"] == "refused"


def repeated(X: sp.csr_matrix, rng: np.random.Generator) -> sp.csr_matrix:
    """Return the same matrix with some entries split into two, in no order."""
    rows, columns, values = [], [], []
    for row, column, value in zip(*sp.find(X), strict=True):
        parts = [value] if value < 2 else [1.0, value - 1.0]
        rows += [row] * len(parts)
        columns += [column] * len(parts)
        values += parts
    order = rng.permutation(len(rows))
    rows, columns, values = (np.array(each)[order] for each in (rows, columns, values))
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=X.shape[0]))])
    return sp.csr_matrix((values[order], columns[order], starts), shape=X.shape)


@pytest.mark.parametrize("estimator", [pw.MultinomialNB(), pw.WeightedNB(), pw.BernoulliNB(), pw.PresenceNB()])
def test_repeated_entries_do_not_change_a_search(estimator: Any) -> None:
    rng = np.random.default_rng(3)
    X = sp.csr_matrix(rng.poisson(1.2, (40, 15)).astype(np.float64))
    y = np.arange(40) % 2
    twice = repeated(X, rng)
    before = [each.copy() for each in (twice.data, twice.indices, twice.indptr)]
    assert twice.nnz > X.nnz
    one, other = (pw.PriorSearch(estimator).fit(each, y) for each in (X, twice))
    assert one.best_score_ == other.best_score_
    assert repr(one.best_prior_) == repr(other.best_prior_)
    assert np.array_equal(one.predict_proba(X), other.predict_proba(twice))
    assert all(np.array_equal(a, b) for a, b in zip(before, (twice.data, twice.indices, twice.indptr), strict=True))


@given(st.integers(0, 2**32 - 1), st.sampled_from(["csr", "csc"]))
def test_a_sound_matrix_is_the_same_matrix(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    n, m, entries = (int(rng.integers(1, 9)) for _ in range(3))
    rows, columns = rng.integers(0, n, entries), rng.integers(0, m, entries)
    major, minor = (rows, columns) if kind == "csr" else (columns, rows)
    order = np.argsort(major, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(major, minlength=n if kind == "csr" else m))])
    make = sp.csr_matrix if kind == "csr" else sp.csc_matrix
    X = make((np.arange(1.0, entries + 1), minor[order], starts), shape=(n, m))
    found = sound_matrix(X)
    literal = np.zeros((n, m))
    for row, column, value in zip(rows[order], columns[order], np.arange(1.0, entries + 1), strict=True):
        literal[row, column] += value
    assert np.array_equal(found.toarray(), literal)
    pairs = set(zip(rows.tolist(), columns.tolist(), strict=True))
    assert found.nnz == len(pairs)


def test_a_matrix_in_order_is_not_copied() -> None:
    X = sp.random_array((50, 20), density=0.3, format="csr", rng=np.random.default_rng(0))
    assert sound_matrix(X) is X


@pytest.mark.parametrize("Y", [sp.csr_matrix((np.ones(2), np.array([0, 7]), np.array([0, 1, 2])), shape=(2, 9))])
def test_targets_are_checked_too(Y: Any) -> None:
    Y.indices[1] = 9
    with pytest.raises(InputError, match="Y is damaged: an index is 9, and they go from 0 to 8"):
        validate_data(pw.MultinomialNB(), np.ones((2, 3)), Y, accept_sparse="csr", multi_output=True)
