"""What to judge so that the model learns most: what it is least sure of, and nothing twice."""

from __future__ import annotations

from collections.abc import Collection

from priorwise.corpus import Corpus
from priorwise.discovery import Run
from priorwise.discovery.instructive import most_instructive
from priorwise.review.queue import Choices, Item


def teaching_items(
    run: Run, corpus: Corpus, choices: Choices | None = None, *, judged: Collection[str] = ()
) -> list[Item]:
    """Return the documents to judge, the most instructive first.

    Their order is that of :func:`~priorwise.discovery.instructive.most_instructive`.

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
    rows = most_instructive(run, corpus, chosen.top, judged=judged, subcategories=chosen.subcategories)
    return [Item(row["id"], row["title"]) for row in rows]
