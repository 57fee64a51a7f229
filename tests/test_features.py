"""Term weights and selection: their formulas, and what scikit-learn expects."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import parametrize_with_checks

from priorwise.errors import InputError
from priorwise.features import InverseDocumentFrequency, PearsonSelection, TermFrequency

counts = arrays(np.int64, st.tuples(st.integers(2, 6), st.integers(1, 5)), elements=st.integers(0, 4))


@parametrize_with_checks([TermFrequency("raw"), TermFrequency("log"), InverseDocumentFrequency(), PearsonSelection(2)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@given(counts)
def test_term_frequencies(X):
    for kind, value in (("raw", float), ("boolean", lambda f: 1.0), ("log", lambda f: 1 + math.log(f))):
        expected = [[value(f) if f else 0.0 for f in row] for row in X.tolist()]
        assert TermFrequency(kind).fit_transform(X).toarray() == pytest.approx(np.array(expected))
        assert TermFrequency(kind).fit_transform(sp.csc_matrix(X)).toarray() == pytest.approx(np.array(expected))


@given(counts)
def test_inverse_document_frequencies(X):
    N = len(X)
    for j in range(X.shape[1]):
        n = sum(f > 0 for f in X[:, j])
        assert InverseDocumentFrequency().fit(X).idf_[j] == pytest.approx(math.log((N + 1) / (n + 1)))
        assert InverseDocumentFrequency("plain").fit(X).idf_[j] == pytest.approx(math.log(N / n) if n else 0)
        assert InverseDocumentFrequency("smooth").fit(X).idf_[j] == pytest.approx(math.log((N + 1) / (n + 1)) + 1)
    few = InverseDocumentFrequency(population=X).fit(X[:1])
    np.testing.assert_array_equal(few.idf_, InverseDocumentFrequency().fit(X).idf_)
    assert few.transform(X).toarray() == pytest.approx(X * few.idf_)


@given(counts, st.integers(0, 2**32 - 1))
def test_pearson_is_its_formula(X, seed):
    y = np.random.default_rng(seed).integers(0, 2, size=len(X))
    y[:2] = [0, 1]
    found = PearsonSelection(2).fit(sp.csr_matrix(X), y)
    for j in range(X.shape[1]):
        x = X[:, j] - X[:, j].mean()
        z = y - y.mean()
        below = math.sqrt((x @ x) * (z @ z))
        assert found.scores_[j] == pytest.approx(abs(x @ z) / below if np.ptp(X[:, j]) else 0.0, abs=1e-7)
    assert found.get_support().sum() == min(2, X.shape[1])
    np.testing.assert_array_equal(found.transform(X), X[:, found.get_support()])


def test_several_classes_count_by_their_best():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 4)), random.integers(0, 3, size=60)
    each = [PearsonSelection().fit(X, y == c).scores_ for c in range(3)]
    assert PearsonSelection().fit(X, y).scores_ == pytest.approx(np.max(each, axis=0))
    assert PearsonSelection().fit(X, np.eye(3, dtype=int)[y]).scores_ == pytest.approx(np.max(each, axis=0))


def test_bad_input_is_a_sentence():
    with pytest.raises(InputError, match="no term frequency 'sqrt'"):
        TermFrequency("sqrt").fit_transform([[1]])
    with pytest.raises(InputError, match="no inverse document frequency"):
        InverseDocumentFrequency("odd").fit([[1]])
    with pytest.raises(InputError, match="population has 2 columns, but X 1"):
        InverseDocumentFrequency(population=[[1, 1]]).fit([[1]])
    with pytest.raises(ValueError, match="Negative"):
        TermFrequency().fit([[-1]])
    with pytest.raises(InputError, match="k must be a whole number"):
        PearsonSelection(0).fit([[1], [2]], [0, 1])
