"""Score documents by gathering a number per token, and keep the best.

Plain loops with four accumulators: `fastmath` would make the compiler emit gather instructions that are three times
slower here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels import Floats, Ints
from priorwise.kernels.compiling import kernel


@kernel
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


@kernel
def score_documents_many(
    offsets: NDArray[np.integer],
    tokens: NDArray[np.uint32],
    place: NDArray[np.int32],
    table: NDArray[np.int16],
    rows: NDArray[np.uint64],
    scores: NDArray[np.int32],
) -> None:
    """Score documents for many outputs at once, in whole numbers."""
    outputs = np.uint64(scores.shape[0])
    one, eight = np.uint64(1), np.uint64(8)
    total = np.empty(scores.shape[0], dtype=np.int32)
    for d in range(offsets.shape[0] - 1):
        total[:] = 0
        found = np.uint64(0)
        for at in range(offsets[d], offsets[d + 1]):
            p = place[tokens[at]]
            if p >= 0:
                rows[found] = np.uint64(p) * outputs
                found += one
        q = np.uint64(0)
        while q + eight <= found:
            r0, r1 = rows[q], rows[q + one]
            r2, r3 = rows[q + np.uint64(2)], rows[q + np.uint64(3)]
            r4, r5 = rows[q + np.uint64(4)], rows[q + np.uint64(5)]
            r6, r7 = rows[q + np.uint64(6)], rows[q + np.uint64(7)]
            for c in range(outputs):
                total[c] += (
                    (np.int32(table[r0 + c]) + np.int32(table[r1 + c]))
                    + (np.int32(table[r2 + c]) + np.int32(table[r3 + c]))
                ) + (
                    (np.int32(table[r4 + c]) + np.int32(table[r5 + c]))
                    + (np.int32(table[r6 + c]) + np.int32(table[r7 + c]))
                )
            q += eight
        while q < found:
            r0 = rows[q]
            for c in range(outputs):
                total[c] += np.int32(table[r0 + c])
            q += one
        for c in range(scores.shape[0]):
            scores[c, d] = total[c]


@kernel
def _worse(score: float, document: int, other_score: float, other_document: int) -> bool:
    """Whether the first ranks behind the second: a lower score, or an equal one further down the corpus."""
    return score < other_score or (score == other_score and document > other_document)


@kernel
def _push(score: float, document: int, best_scores: Floats, best_documents: Ints, size: int) -> int:
    """Put a document into a heap that keeps the best ones, the worst of them on top; return the heap's new size."""
    if size < best_scores.shape[0]:
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
        if size == 0 or not _worse(best_scores[0], best_documents[0], score, document):
            return size
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


@kernel
def keep_best(
    scores: Floats,
    divisor: Floats,
    first_document: int,
    skip: NDArray[np.bool_],
    best_scores: Floats,
    best_documents: Ints,
    size: int,
) -> tuple[int, int]:
    """Offer a run of documents to a heap; return its new size, and how many scores were above 0.

    A document's place is by its score over its divisor. Documents marked in `skip` are passed over, and so are scores
    that are not numbers.
    """
    positive = 0
    for i in range(scores.shape[0]):
        score = scores[i]
        if skip[first_document + i] or score != score:
            continue
        positive += score > 0.0
        size = _push(score / divisor[i], first_document + i, best_scores, best_documents, size)
    return size, positive


@kernel
def keep_best_bounds(
    sums: NDArray[np.int32],
    unit: float,
    bias: float,
    length: NDArray[np.integer],
    divisor: Floats,
    first_document: int,
    skip: NDArray[np.bool_],
    best_scores: Floats,
    best_documents: Ints,
    size: int,
) -> tuple[int, int]:
    """Offer documents by the most that their score can be, given sums of numbers that were rounded to whole units."""
    positive = 0
    for i in range(sums.shape[0]):
        if skip[first_document + i]:
            continue
        score = sums[i] * unit + bias
        positive += score > 0.0
        most = (score + unit * (length[i] + 1)) / divisor[i]
        if size < best_scores.shape[0] or most >= best_scores[0]:
            size = _push(most, first_document + i, best_scores, best_documents, size)
    return size, positive
