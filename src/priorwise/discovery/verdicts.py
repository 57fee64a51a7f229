"""What people said about the candidates of earlier runs, for the next one to learn from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import UnknownName

Rows = NDArray[np.int64]

FILE_NAME = "verdicts.sqlite"
"""Where the verdicts of a run are, in its folder."""


@dataclass(frozen=True, slots=True)
class JudgedDocument:
    """What people together said of a document.

    Parameters
    ----------
    id : str
        The document.
    verdict : {"yes", "no", "unsure"}
    drawn : bool
        Whether the document was drawn at random; else a model or a list chose it.
    """

    id: str
    verdict: str
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """Documents that people judged, by their ids.

    Parameters
    ----------
    accepted : tuple of str
        These are members, whatever their labels say.
    rejected : tuple of str
        These are none, though they look as if: hard negatives.
    unsure : tuple of str
        Nobody could say. They are neither, and no candidates again.
    order : tuple of JudgedDocument
        All of them in the order of their first verdicts, where it is known. The estimate of missing members needs it.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["a", "b", "c", "d"], labels=["x", "x", None, None])
    >>> members, hard = Judged(("2",), ("1", "gone")).applied(corpus, corpus.members("x"), np.array([], np.int64))
    >>> members.tolist(), hard.tolist()
    ([0, 2], [1])
    """

    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    order: tuple[JudgedDocument, ...] = ()

    @classmethod
    def of(cls, order: Iterable[JudgedDocument]) -> Judged:
        """Sort documents by what was said of them.

        Examples
        --------
        >>> Judged.of([JudgedDocument("b", "yes"), JudgedDocument("a", "no")]).accepted
        ('b',)
        """
        in_order = tuple(order)

        def said(word: str) -> tuple[str, ...]:
            return tuple(sorted(each.id for each in in_order if each.verdict == word))

        return cls(said("yes"), said("no"), said("unsure"), in_order)

    def applied(self, corpus: Corpus, members: Rows, excluded: Rows) -> tuple[Rows, Rows]:
        """Return the members with what was accepted and without what was rejected, and the rows of the latter.

        Documents that are not in the corpus, because it is newer than the verdicts, are passed over.
        """
        accepted, rejected = (np.setdiff1d(rows_there(corpus, ids), excluded) for ids in (self.accepted, self.rejected))
        return np.setdiff1d(np.union1d(members, accepted), rejected).astype(np.int64), rejected.astype(np.int64)


def rows_there(corpus: Corpus, ids: Iterable[str]) -> Rows:
    """Return the rows of the documents that the corpus has, ascending."""
    found = []
    for id in ids:
        try:
            found.append(corpus.row(id))
        except UnknownName:
            continue
    return np.array(sorted(found), np.int64)
