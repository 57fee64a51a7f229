"""Scores of documents under weights of many outputs, and the best outputs of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from priorwise.kernels import Floats, Ints
from priorwise.models.weights import Weights
from priorwise.processors import on_threads

CHUNK = 1024

WIDE = 8
"""A token that more than one in this many outputs has seen gets a row of numbers for all of them."""


def score_documents(weights: Weights, X: Any) -> Floats:
    """Score of each document (rows of a sparse matrix) for each output of weights with a background."""
    from priorwise.models.naive_bayes._kernels.class_scores import score_classes

    lists = _lists(weights)
    scores = np.empty((X.shape[0], len(weights.bias)))

    def score(first: int, last: int) -> None:
        score_classes(X.indptr[first : last + 1], X.indices, X.data, *lists, scores[first:last])

    _in_chunks(score, X.shape[0])
    return scores


def best_outputs(weights: Weights, X: Any, k: int = 1, *, need_scores: bool = True) -> tuple[Ints, Floats]:
    """The k best outputs of each document, best first, a tie to the first of them; and their scores if needed.

    Equal to sorting the scores, and several times faster: most outputs are seen to be out of the question in 32 bits.
    """
    from priorwise.models.naive_bayes._kernels.class_scores import best_classes

    k = min(k, len(weights.bias))
    lists, wide = _lists(weights), _wide_rows(weights)
    best, scores = np.zeros((X.shape[0], k), dtype=np.int64), np.empty((X.shape[0], k))

    def find(first: int, last: int) -> None:
        indptr, n_classes = X.indptr[first : last + 1], len(weights.bias)
        longest, n_near = int(np.diff(indptr).max(initial=0)), min(k + 1, n_classes)
        room = (
            *(np.empty(n_classes), np.empty(n_classes, np.float32)),
            *(np.empty(longest, np.uint64), np.empty(longest, np.float32)),
            *(np.empty(n_near, np.int64), np.empty(n_near), np.empty(n_classes, np.int64)),
        )
        documents = indptr, X.indices, X.data
        best_classes(*documents, *lists, *wide, need_scores, *room, best[first:last], scores[first:last])

    _in_chunks(find, X.shape[0])
    return best, scores


def _lists(weights: Weights) -> tuple[Any, ...]:
    """Weights as the kernels read them: the outputs that know each token, one token after the other."""
    values, background = weights.values, weights.background
    if background is None:
        raise TypeError("these weights are one dense array: multiply by them")
    return (
        weights.bias,
        np.ascontiguousarray(background.values.T),
        background.group.astype(np.int32, copy=False),
        values.indptr.astype(np.int64, copy=False),
        values.indices.astype(np.int32, copy=False),
        values.data,
    )


def _wide_rows(weights: Weights) -> tuple[Any, ...]:
    """Rows in 32 bits of the tokens that many outputs know, all numbers in 32 bits, and the largest of each token."""
    values = weights.values
    n_outputs, n_tokens = values.shape
    known_to = np.diff(values.indptr)
    wide = np.flatnonzero(known_to > n_outputs / WIDE)
    row_of = np.full(n_tokens, -1, dtype=np.int32)
    row_of[wide] = np.arange(len(wide), dtype=np.int32)
    part = values[:, wide]
    table = np.zeros((len(wide), n_outputs), dtype=np.float32)
    table[np.repeat(np.arange(len(wide)), np.diff(part.indptr)), part.indices] = part.data
    largest = np.zeros(n_tokens)
    known = known_to > 0
    if known.any():
        largest[known] = np.maximum.reduceat(np.abs(values.data), values.indptr[:-1][known])
    return row_of, table.ravel(), values.data.astype(np.float32), largest


def _in_chunks(work: Callable[[int, int], None], n: int) -> None:
    """Call `work` for every stretch of documents, on all cores."""
    on_threads(lambda first: work(first, min(first + CHUNK, n)), range(0, n, CHUNK))
