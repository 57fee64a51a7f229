"""Score documents by gathering a number per token, and keep the best.

Plain loops with four accumulators: `fastmath` would make the compiler emit gather instructions that are three times
slower here.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def score_documents(
    offsets: NDArray[np.integer], tokens: NDArray[np.uint32], table: Floats, bias: float, scores: Floats
) -> None:
    """Bias plus the numbers of each document's tokens."""
    for d in range(offsets.shape[0] - 1):
        start, end = offsets[d], offsets[d + 1]
        s0 = s1 = s2 = s3 = 0.0
        place = start
        while place + 4 <= end:
            s0 += table[tokens[place]]
            s1 += table[tokens[place + 1]]
            s2 += table[tokens[place + 2]]
            s3 += table[tokens[place + 3]]
            place += 4
        while place < end:
            s0 += table[tokens[place]]
            place += 1
        scores[d] = bias + ((s0 + s1) + (s2 + s3))


@njit(cache=True, nogil=True)
def score_documents_many(
    offsets: NDArray[np.integer],
    tokens: NDArray[np.uint32],
    row: NDArray[np.int32],
    table: NDArray[np.float32],
    scores: NDArray[np.float32],
    rows: NDArray[np.int32],
) -> None:
    """Add the numbers of each document's tokens to its scores, for many outputs at once.

    `row` leads from a token to its row of `table`, or is −1 where no output knows the token. The compiler adds all
    outputs of a token side by side; four tokens at a time, so that a running total is loaded and stored less often.
    `rows` is room for the rows of the longest document.
    """
    outputs = table.shape[1]
    for d in range(offsets.shape[0] - 1):
        total = scores[d]
        found = 0
        for place in range(offsets[d], offsets[d + 1]):
            r = row[tokens[place]]
            rows[found] = r
            found += r >= 0
        place = 0
        while place + 4 <= found:
            w0, w1 = table[rows[place]], table[rows[place + 1]]
            w2, w3 = table[rows[place + 2]], table[rows[place + 3]]
            for c in range(outputs):
                total[c] += (w0[c] + w1[c]) + (w2[c] + w3[c])
            place += 4
        while place < found:
            w0 = table[rows[place]]
            for c in range(outputs):
                total[c] += w0[c]
            place += 1


@njit(cache=True, nogil=True)
def _worse(score: float, document: int, other_score: float, other_document: int) -> bool:
    """Whether the first stands behind the second: a lower score, or an equal one further down the corpus."""
    return score < other_score or (score == other_score and document > other_document)


@njit(cache=True, nogil=True)
def keep_best(
    scores: Floats, first_document: int, skip: NDArray[np.bool_], best_scores: Floats, best_documents: Ints, size: int
) -> int:
    """Offer a run of documents to a heap that keeps the best ones, the worst of them on top; return its new size.

    Documents marked in `skip` are passed over, and so are scores that are not numbers.
    """
    room = best_scores.shape[0]
    for i in range(scores.shape[0]):
        score = scores[i]
        document = first_document + i
        if skip[document] or score != score:
            continue
        if size < room:
            place = size
            size += 1
            while place > 0:
                parent = (place - 1) // 2
                if not _worse(score, document, best_scores[parent], best_documents[parent]):
                    break
                best_scores[place] = best_scores[parent]
                best_documents[place] = best_documents[parent]
                place = parent
        else:
            if room == 0 or not _worse(best_scores[0], best_documents[0], score, document):
                continue
            place = 0
            while True:
                child = 2 * place + 1
                if child >= size:
                    break
                if child + 1 < size and _worse(
                    best_scores[child + 1], best_documents[child + 1], best_scores[child], best_documents[child]
                ):
                    child += 1
                if not _worse(best_scores[child], best_documents[child], score, document):
                    break
                best_scores[place] = best_scores[child]
                best_documents[place] = best_documents[child]
                place = child
        best_scores[place] = score
        best_documents[place] = document
    return size
