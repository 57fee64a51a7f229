"""Count, in one pass, how often each token occurs in each class; only pairs that occur take memory.

These loops write wherever a token's number leads, so they check each one, even though corpora and matrices are checked
before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels import Floats, Ints
from priorwise.kernels.compiling import kernel


@kernel
def count_classes_per_token(
    indptr: NDArray[np.integer],
    tokens: NDArray[np.integer],
    class_starts: Ints,
    class_documents: Ints,
    last_class: NDArray[np.int32],
    starts: Ints,
) -> None:
    """Fill `starts` with where each token's classes will begin: in how many classes the tokens before it occur.

    `last_class` is −1 for each token.
    """
    n_tokens = starts.shape[0] - 1
    starts[:] = 0
    for c in range(class_starts.shape[0] - 1):
        for at in range(class_starts[c], class_starts[c + 1]):
            d = class_documents[at]
            for place in range(indptr[d], indptr[d + 1]):
                token = tokens[place]
                if token < 0 or token >= n_tokens:
                    raise IndexError("a token has no place in the table")
                if last_class[token] != c:
                    last_class[token] = c
                    starts[token + 1] += 1
    for token in range(n_tokens):
        starts[token + 1] += starts[token]


@kernel
def add_up_tokens(
    indptr: NDArray[np.integer], tokens: NDArray[np.integer], amounts: Floats, weights: Floats, totals: Floats
) -> None:
    """Add the tokens of all documents to `totals`, whatever their class."""
    for d in range(indptr.shape[0] - 1):
        for place in range(indptr[d], indptr[d + 1]):
            token = tokens[place]
            if token < 0 or token >= totals.shape[0]:
                raise IndexError("a token has no place in the table")
            totals[token] += weights[d] * amounts[place]


@kernel
def add_up_pairs(
    indptr: NDArray[np.integer],
    tokens: NDArray[np.integer],
    amounts: Floats,
    class_starts: Ints,
    class_documents: Ints,
    weights: Floats,
    last_class: NDArray[np.int32],
    place_of: Ints,
    classes: NDArray[np.int32],
    counts: Floats,
) -> None:
    """Fill `classes` and `counts`, the pairs of each token one after the other, its classes ascending.

    `weights` are those of the documents, `last_class` is −1 for each token, and its first pair comes after `place_of`.
    """
    n_tokens = place_of.shape[0]
    for c in range(class_starts.shape[0] - 1):
        for at in range(class_starts[c], class_starts[c + 1]):
            d = class_documents[at]
            weight = weights[d]
            for place in range(indptr[d], indptr[d + 1]):
                token = tokens[place]
                if token < 0 or token >= n_tokens:
                    raise IndexError("a token has no place in the table")
                if last_class[token] != c:
                    last_class[token] = c
                    place_of[token] += 1
                    classes[place_of[token]] = c
                    counts[place_of[token]] = weight * amounts[place]
                else:
                    counts[place_of[token]] += weight * amounts[place]
