"""Kinship by spelling: words share their runs of four characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import reference_members as reference
from priorwise.corpus import Corpus
from priorwise.discovery import discover
from priorwise.features.spelling import Spelling
from slow_discovery import member_facts


def spelling(words: Sequence[str], holding: np.ndarray, n_documents: int, X: csr_matrix) -> Any:
    """The traits of all words."""
    named = replace(Spelling.of(words), holding=holding, n_documents=n_documents)
    return named.traits(np.arange(len(words)), X)


WORDS = st.lists(st.text("abé語", max_size=7), min_size=2, max_size=8, unique=True)


@given(words=WORDS, seed=st.integers(0, 2**32 - 1))
def test_words_share_their_runs_of_four_characters(words: list[str], seed: int) -> None:
    rng = np.random.default_rng(seed)
    holding = rng.integers(1, 20, len(words))
    X = rng.random((6, len(words)))
    found = spelling(words, holding, 30, csr_matrix(X))
    alike = any(
        reference.runs_of_four(word) & reference.runs_of_four(other)
        for place, word in enumerate(words)
        for other in words[:place]
    )
    assert (found is not None) == alike
    if found is not None:
        expected = reference.spelling(words, holding.tolist(), 30, X)
        # The columns stand in another order: what counts is what words have in common.
        np.testing.assert_allclose((found @ found.T).toarray(), expected @ expected.T, rtol=1e-9)


def test_many_alphabets_fit_into_one_number() -> None:
    letters = "".join(chr(code) for code in range(0x4E00, 0x4E00 + 40_000) if chr(code).isalpha())
    words = [letters[place : place + 4] for place in range(0, len(letters) - 4, 4)]
    found = spelling(
        [*words, words[7] + "s"], np.ones(len(words) + 1, np.int64), 99, csr_matrix(np.eye(len(words) + 1))
    )
    assert found is not None
    alike = (found @ found.T).toarray()
    assert alike[7, -1] > 0
    assert np.count_nonzero(alike[7]) == 2


def test_a_word_that_no_member_has_is_told_by_its_spelling() -> None:
    texts = ["nephritis pain", "nephritic pain", "nephrotic pain", "nephrology ward", "tax law", "vote law"] * 3
    texts += [f"law vote tax word{number}" for number in range(40)]
    corpus = Corpus.from_texts(texts, labels=["Kidneys" if "nephri" in text else None for text in texts])
    run = discover(corpus, "Kidneys", description="")
    assert any(each.kinship for each in member_facts(run).tried)
    first = run.ranking.table.slice(0, 6)["id"].to_pylist()
    assert {texts[corpus.row(each)].split()[0] for each in first} == {"nephrotic", "nephrology"}


def test_documents_of_no_words_in_common_have_no_traits() -> None:
    assert spelling(["ab", "cd"], np.array([1, 1]), 2, csr_matrix(np.eye(2))) is None
    assert spelling(["film", "films"], np.array([1, 1]), 2, csr_matrix((2, 2))) is None
    assert spelling([], np.empty(0, np.int64), 2, csr_matrix((2, 0))) is None


@pytest.mark.parametrize("size", [1, 600])
def test_any_number_of_documents_tells_the_scale(size: int) -> None:
    X = csr_matrix(np.ones((size, 2)))
    found = spelling(["film", "films"], np.array([3, 1]), 9, X)
    assert found is not None
    assert (X @ found).power(2).sum() == pytest.approx(X.power(2).sum())


def test_some_words_of_many() -> None:
    """Traits of a part of the features are those of these words alone; counts come from the documents at hand."""
    words = ["film", "law", "films", "vote", "filmed"]
    some = np.array([0, 2, 3])
    X = csr_matrix(np.random.default_rng(0).random((6, 3)) * [[1, 0, 1]] * 5 + [[0, 1, 0]] * 6)
    found = Spelling.of(words).traits(some, X)
    alone = spelling([words[place] for place in some], np.bincount(X.indices, minlength=3), 6, X)
    np.testing.assert_array_equal(found.toarray(), alone.toarray())
    by_corpus = replace(Spelling.of(words), holding=np.array([9, 1, 5, 1, 2]), n_documents=30).traits(some, X)
    np.testing.assert_allclose(
        by_corpus.toarray(), spelling(["film", "films", "vote"], np.array([9, 5, 1]), 30, X).toarray()
    )
