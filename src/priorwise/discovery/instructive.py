"""Which documents to judge so that a model learns most: what it is least sure of, and nothing twice."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.discovery.category import SUBCATEGORY
from priorwise.discovery.run import Run
from priorwise.features.document_vectors import document_vectors

NEARLY_THE_SAME = 0.9
"""The cosine of two documents from which on a verdict about one of them says what the other is."""

ALIKE = 0.2
"""And from which on it says much about the other: such a document can wait."""


def most_instructive(
    run: Run, corpus: Corpus, most: int | None = None, *, judged: Collection[str] = (), subcategories: bool = False
) -> list[dict[str, Any]]:
    """Return rows of a run's ranking, the most instructive first.

    A verdict that anybody could foretell teaches nothing, so the candidates whose probability is nearest ½ come first
    (uncertainty sampling, Lewis and Gale 1994). Where there are no probabilities, because no member could be left out,
    members are what is lacking, and the best candidates come first. But many that are alike would make the model take a
    part of the category for the whole of it. So they come in rounds: one whose vector has a cosine above 0.2 with a
    document of the same round waits for the next, and one whose cosine with any before it is above 0.9 is left out.
    """
    known = frozenset(judged)
    rows = [
        row for row in run.ranking.rows() if row["id"] not in known and (subcategories or row["status"] != SUBCATEGORY)
    ]
    if run.ranking.has_probabilities:
        rows.sort(key=lambda row: (abs(row["probability"] - 0.5), row["rank"]))
    if not rows:
        return []
    return [rows[place] for place in _apart(corpus, corpus.rows([row["id"] for row in rows]), most or len(rows))]


def _apart(corpus: Corpus, documents: NDArray[np.int64], most: int) -> list[int]:
    """Return the places of the documents to ask about, in rounds of such that are not alike."""
    X = document_vectors(corpus, documents)
    is_same = np.zeros(len(documents), bool)
    kept: list[int] = []
    waiting = list(range(len(documents)))
    while waiting and len(kept) < most:
        is_alike = np.zeros(len(documents), bool)
        later = []
        for place in waiting:
            if is_same[place]:
                continue
            if is_alike[place] or len(kept) == most:
                later.append(place)
                continue
            kept.append(place)
            cosines = (X @ X[place].T).toarray().ravel()
            is_same |= cosines > NEARLY_THE_SAME
            is_alike |= cosines > ALIKE
        waiting = later
    return kept
