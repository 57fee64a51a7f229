"""What to judge so that the model learns most: what it is least sure of, and nothing twice."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.discovery.status import SUBCATEGORY
from priorwise.features.document_vectors import document_vectors
from priorwise.review.queue import Choices, Item

NEARLY_THE_SAME = 0.9
"""The cosine of two documents from which on a verdict about one of them says what the other is."""

ALIKE = 0.2
"""And from which on it says much about the other: such a document can wait."""


def teaching_items(
    run: Run, corpus: Corpus, choices: Choices | None = None, *, judged: Collection[str] = ()
) -> list[Item]:
    """Return the documents to judge, the most instructive first.

    A verdict that anybody could foretell teaches nothing, so the candidates whose probability is nearest ½ come first
    (uncertainty sampling, Lewis and Gale 1994). But many that are alike would make the model take a part of the
    category for the whole of it. So they come in rounds: one whose vector has a cosine above 0.2 with a document of the
    same round waits for the next, and one whose cosine with any before it is above 0.9 is left out.

    Parameters
    ----------
    run : Run
        Its ranking; the baseline has no part in it.
    corpus : Corpus
        What the run ranked.
    choices : Choices, optional
        `top` is how many documents there are to judge; order and seed mean nothing here.
    judged : collection of str
        Documents whose verdict is known already.

    Examples
    --------
    >>> from priorwise.discovery import discover
    >>> texts = ["goal team win", "team match goal", "win match", "match goal", "law vote", "vote court", "tax law"] * 3
    >>> labels = ["sport", "sport", None, None, None, None, None] * 3
    >>> corpus = Corpus.from_texts(texts, labels=labels)
    >>> items = teaching_items(discover(corpus, "sport"), corpus)
    >>> len(items), len({item.title for item in items})
    (5, 5)
    """
    chosen = choices or Choices()
    known = frozenset(judged)
    rows = [
        row
        for row in run.ranking.rows()
        if row["id"] not in known and (chosen.subcategories or row["status"] != SUBCATEGORY)
    ]
    rows.sort(key=lambda row: (abs(row["probability"] - 0.5), row["rank"]))
    if not rows:
        return []
    kept = _apart(corpus, corpus.rows([row["id"] for row in rows]), chosen.top or len(rows))
    return [Item(rows[place]["id"], rows[place]["title"]) for place in kept]


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
