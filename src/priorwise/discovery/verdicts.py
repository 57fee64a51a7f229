"""What people said about the candidates of earlier runs, for the next one to learn from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import UnknownName

Rows = NDArray[np.int64]

FILE_NAME = "verdicts.sqlite"
"""Where the verdicts of a run are, in its folder."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Documents that people judged, by their ids.

    Parameters
    ----------
    accepted : tuple of str
        These are members, whatever their labels say.
    rejected : tuple of str
        These are none, though they look as if: hard negatives.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["a", "b", "c", "d"], labels=["x", "x", None, None])
    >>> members, hard = Judged(("2",), ("1", "gone")).applied(corpus, corpus.members("x"), np.array([], np.int64))
    >>> members.tolist(), hard.tolist()
    ([0, 2], [1])
    """

    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()

    def applied(self, corpus: Corpus, members: Rows, excluded: Rows) -> tuple[Rows, Rows]:
        """Return the members with what was accepted and without what was rejected, and the rows of the latter.

        Documents that are not in the corpus, because it is newer than the verdicts, are passed over.
        """
        accepted, rejected = (np.setdiff1d(_rows(corpus, ids), excluded) for ids in (self.accepted, self.rejected))
        return np.setdiff1d(np.union1d(members, accepted), rejected).astype(np.int64), rejected.astype(np.int64)

    def describe(self) -> dict[str, Any]:
        """Return how many there are, as `run.json` keeps it."""
        return {"accepted": len(self.accepted), "rejected": len(self.rejected)}


def _rows(corpus: Corpus, ids: Iterable[str]) -> Rows:
    found = []
    for id in ids:
        try:
            found.append(corpus.row(id))
        except UnknownName:
            continue
    return np.array(sorted(found), np.int64)
