from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from priorwise.features.copies import ALIKE, near_copies
from priorwise.models.regression.member_trials import draw_folds

sets = st.lists(st.sets(st.integers(0, 11), max_size=12), min_size=1, max_size=12)


def matrix(rows: list[set[int]]) -> csr_matrix:
    dense = np.zeros((len(rows), 12))
    for place, row in enumerate(rows):
        dense[place, sorted(row)] = 1.0
    return csr_matrix(dense)


def shared(one: set[int], other: set[int]) -> float:
    return len(one & other) / max(1, len(one | other))


def literal(rows: list[set[int]]) -> list[int]:
    """Join rows that share enough, until nothing changes."""
    group = list(range(len(rows)))
    for _ in rows:
        for a, one in enumerate(rows):
            for b, other in enumerate(rows):
                if one and other and shared(one, other) >= ALIKE:
                    group[a] = group[b] = min(group[a], group[b])
    return group


@settings(max_examples=200, deadline=None)
@given(sets)
def test_copies_are_found_and_nothing_else_is_joined(rows: list[set[int]]) -> None:
    found, wanted = near_copies(matrix(rows)), literal(rows)
    for a, one in enumerate(rows):
        for b, other in enumerate(rows):
            if found[a] == found[b]:
                assert wanted[a] == wanted[b]
            if one and one == other:
                assert found[a] == found[b]
    assert list(dict.fromkeys(found.tolist())) == list(range(len(set(found.tolist()))))


def test_nearly_all_near_copies_are_found() -> None:
    random = np.random.default_rng(0)
    originals = random.random((200, 3000)) < 0.03
    copies = originals.copy()
    copies[random.random(copies.shape) < 0.001] ^= True
    found = near_copies(csr_matrix(np.vstack([originals, copies]).astype(float)))
    assert np.mean(found[:200] == found[200:]) > 0.98
    assert len(np.unique(found[:200])) == 200


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=2, max_size=130), st.integers(0, 5))
def test_copies_are_left_out_together(copies: list[int], seed: int) -> None:
    groups = np.unique(copies, return_inverse=True)[1]
    fold = draw_folds(len(copies), seed, groups)
    if len(set(copies)) > 1:
        assert all(len(set(fold[groups == group])) == 1 for group in groups)
        assert len(np.unique(fold)) >= 2
    else:
        assert np.array_equal(fold, draw_folds(len(copies), seed))
    assert np.array_equal(draw_folds(len(copies), seed), draw_folds(len(copies), seed, np.arange(len(copies))))
