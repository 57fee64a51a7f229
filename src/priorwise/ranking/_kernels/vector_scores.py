"""Score documents whose numbers are log term frequencies times inverse document frequencies, of length 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.compiling import kernel

Floats = NDArray[np.float64]


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
