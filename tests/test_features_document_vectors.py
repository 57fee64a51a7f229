"""The prior covariance of words that occur together: equal to the covariance written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from priorwise.features import document_vectors
from priorwise.features.document_vectors import WordCovariance


@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(1, 8), st.floats(0.0, 0.95))
def test_a_product_is_that_with_the_covariance_written_out(seed: int, n: int, width: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((n, width)) * (rng.random((n, width)) < 0.6)
    centred = X - X.mean(axis=0)
    along = ((X @ centred.T) ** 2).sum()
    scale = (X**2).sum() / along if along > 1e-9 else 0.0
    literal = (1 - share) * np.eye(width) + share * scale * centred.T @ centred
    weights = rng.normal(size=width + 1)
    wanted = np.append(literal @ weights[:-1], weights[-1])
    found = WordCovariance(csr_matrix(X), share)(weights)
    assert found.tolist() == pytest.approx(wanted.tolist(), rel=1e-3, abs=1e-3)


def test_a_sample_of_a_large_corpus_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = csr_matrix(rng.random((400, 6)) * (rng.random((400, 6)) < 0.5))
    weights = rng.normal(size=6)
    whole = WordCovariance(X, 0.5)(weights)
    monkeypatch.setattr(document_vectors, "AT_MOST", 200)
    sampled = WordCovariance(X, 0.5)
    assert sampled.X.shape[0] == 200
    assert np.linalg.norm(sampled(weights) - whole) < 0.2 * np.linalg.norm(whole)
    assert (WordCovariance(X, 0.5)(weights) == sampled(weights)).all()
