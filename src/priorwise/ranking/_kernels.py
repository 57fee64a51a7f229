"""Compiled inner loops of scoring and evidence: arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels import Floats
from priorwise.kernels.compiling import kernel


@kernel
def strongest_of_each(
    offsets: NDArray[np.integer], weights: NDArray[np.float64], places: NDArray[np.int64], found: NDArray[np.int64]
) -> None:
    """Find the places of the weights of each document that are furthest from 0, the first of equals first.

    `places` (shape (n_documents, count)): filled with places in `weights`, strongest first; a weight of 0 has none.
    `found` (shape (n_documents,)): filled with how many there are.
    """
    count = places.shape[1]
    for d in range(offsets.shape[0] - 1):
        size = 0
        for place in range(offsets[d], offsets[d + 1]):
            strength = abs(weights[place])
            if strength == 0.0 or (size == count and strength <= abs(weights[places[d, count - 1]])):
                continue
            if size < count:
                size += 1
            at = size - 1
            while at > 0 and abs(weights[places[d, at - 1]]) < strength:
                places[d, at] = places[d, at - 1]
                at -= 1
            places[d, at] = place
        found[d] = size


@kernel
def score_vectors(
    offsets: NDArray[np.integer],
    tokens: NDArray[np.uint32],
    counts: NDArray[np.integer],
    weights: Floats,
    rarity: Floats,
    scores: Floats,
) -> None:
    """Inner product of each document's vector with the weights; 0 for a document without tokens."""
    logs = np.empty(64)
    for f in range(1, 64):
        logs[f] = 1.0 + np.log(f)
    for d in range(offsets.shape[0] - 1):
        dot = squares = 0.0
        for at in range(offsets[d], offsets[d + 1]):
            token, count = tokens[at], np.int64(counts[at])
            value = (logs[count] if count < 64 else 1.0 + np.log(count)) * rarity[token]
            dot += weights[token] * value
            squares += value * value
        scores[d] = dot / np.sqrt(squares) if squares > 0.0 else 0.0
