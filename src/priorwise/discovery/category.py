"""The category that a run is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.discovery.verdicts import Judged, rows_there
from priorwise.errors import InputError, NotEnoughData

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Category:
    """The members of a category, and the documents that cannot be candidates.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    label : str, optional
        The category's label; None for a list of members.
    members, excluded, rejected : array of int
        Rows: known members, documents left out altogether, documents that people rejected.
    verdicts : Judged, optional
        The verdicts that members and rejected documents come from.
    given : tuple of str, optional
        The ids of the members, if they were given as a list.
    """

    corpus: Corpus
    label: str | None
    members: Rows
    excluded: Rows
    rejected: Rows
    verdicts: Judged | None = None
    given: tuple[str, ...] | None = None

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        label: str | None,
        members: Iterable[str] | None,
        exclude: Iterable[str],
        verdicts: Judged | None,
        *,
        may_be_empty: bool = False,
    ) -> Category:
        """Look up the documents of a label or of a list, with the verdicts of earlier runs applied.

        If it may be empty, because there are words or a description to start from, neither need be given.
        """
        if corpus.n_documents == 0:
            raise NotEnoughData("the corpus is empty")
        if label is not None and members is not None:
            raise InputError("give either a label or a list of members")
        if label is None and members is None and not may_be_empty:
            raise InputError("give a label, a list of members, words or a description")
        label = None if label is None else corpus.label_named(label)
        given = None if label is not None else tuple(members or ())
        rows = corpus.members(label) if label is not None else corpus.rows(list(given or ()))
        excluded = np.unique(corpus.rows(list(exclude))).astype(np.int64)
        own = np.setdiff1d(np.unique(rows), excluded).astype(np.int64)
        own, rejected = (verdicts or Judged()).applied(corpus, own, excluded)
        if not len(own) and not may_be_empty:
            after = " after the exclusions" if len(excluded) or len(rejected) else ""
            raise NotEnoughData(f"this category has no members{after}: give words or a description to start from")
        return cls(corpus, label, own, excluded, rejected, verdicts, given)

    @property
    def can_leave_out(self) -> bool:
        """Whether members can be left out, to check a model by them."""
        return len(self.members) >= 2

    @cached_property
    def skip(self) -> NDArray[np.bool_]:
        """The documents that cannot be candidates."""
        skip = np.zeros(self.corpus.n_documents, dtype=bool)
        skip[self.members] = skip[self.excluded] = skip[self.rejected] = True
        if self.verdicts is not None:
            skip[rows_there(self.corpus, self.verdicts.unsure)] = True
        return skip

    @cached_property
    def n_candidates(self) -> int:
        """How many documents there were to judge before the first verdict."""
        own = self.corpus.members(self.label) if self.label is not None else self.corpus.rows(list(self.given or ()))
        return self.corpus.n_documents - len(np.union1d(own, self.excluded))

    @cached_property
    def readable(self) -> Rows:
        """The documents that a model may learn from: all but those left out altogether."""
        readable = np.ones(self.corpus.n_documents, dtype=bool)
        readable[self.excluded] = False
        return np.flatnonzero(readable)
