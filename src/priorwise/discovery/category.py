"""The category that a run is about: its members, what people said of its candidates, and its subcategories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import InputError, NotEnoughData, UnknownName
from priorwise.kernels import Rows
from priorwise.ranking.table import Ranking

FILE_NAME = "verdicts.sqlite"
"""Where the verdicts of a run are, in its folder."""


@dataclass(frozen=True, slots=True)
class JudgedDocument:
    """What people together said of a document.

    `verdict` ("yes", "no", "unsure"). `drawn`: whether the document was drawn at random; else a model or a list
    chose it.
    """

    id: str
    verdict: str
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """Documents that people judged, by their ids.

    `accepted`: these are members, whatever their labels say. `rejected`: these are not members, although they
    look like some: hard negatives. `unsure`: nobody could say. They are neither, and not candidates again. `order`:
    all of them in the order of their first verdicts, if it is known. The estimate of missing members needs it.
    """

    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    order: tuple[JudgedDocument, ...] = ()

    @classmethod
    def of(cls, order: Iterable[JudgedDocument]) -> Judged:
        """Sort documents by what was said of them."""
        in_order = tuple(order)

        def ids_of(word: str) -> tuple[str, ...]:
            return tuple(sorted(each.id for each in in_order if each.verdict == word))

        return cls(ids_of("yes"), ids_of("no"), ids_of("unsure"), in_order)

    def applied(self, corpus: Corpus, members: Rows, excluded: Rows) -> tuple[Rows, Rows]:
        """Return the members with what was accepted and without what was rejected, and the rows of the rejected.

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


@dataclass(frozen=True)
class Category:
    """The members of a category, and the documents that cannot be candidates.

    `label`: the category's label; None for a list of members. `members`, `excluded`, `rejected`: rows: known
    members, documents left out altogether, documents that people rejected. `verdicts`: the verdicts that members
    and rejected documents come from. `given`: the ids of the members, if they were given as a list.
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
            raise InputError("give either a category or a list of members")
        if label is None and members is None and not may_be_empty:
            raise InputError("give a category, a list of members, words or a description")
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


SUBCATEGORY, NEW, MEMBER = "subcategory", "new", "member"
ARROW = " › "
"""Separates the categories of a path."""


@dataclass(frozen=True, slots=True)
class Status:
    """A document's status, and if it is in a subcategory the shortest way there from the category."""

    status: str
    path: str | None = None


class Statuses:
    """Look up the status of documents in relation to one category.

    `corpus`: with a category graph. `depth`: how far below it a category still counts as its subcategory; any
    number of steps by default.
    """

    def __init__(self, corpus: Corpus, label: str, depth: int | None = None) -> None:
        if depth is not None and depth < 1:
            raise InputError("the depth of subcategories must be at least 1")
        self.corpus = corpus
        self.label = label
        self.depth = depth
        self._below = corpus.graph.below(label, depth) if label in corpus.graph else None

    @property
    def n_subcategories(self) -> int:
        return 0 if self._below is None else len(self._below.numbers) - 1

    def of(self, rows: Sequence[int] | NDArray[np.int64]) -> list[Status]:
        """Return the status of some documents; of several subcategories the nearest counts, then the first by name."""
        offsets, labels = self.corpus.take_labels(rows)
        distinct, each = np.unique(labels, return_inverse=True)
        places = self._places(self.corpus.label_names(distinct))[each]
        bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
        return [self._status(int(places[begin:end].min(initial=self._nowhere))) for begin, end in bounds]

    @property
    def _nowhere(self) -> int:
        return self.n_subcategories + 1

    def _places(self, names: list[str]) -> NDArray[np.int64]:
        """Return the place of each label: 0 is the category, then come its subcategories, nearest first."""
        graph = self.corpus.graph
        # The last entry is that of −1: a label that is not in the graph.
        place_of = np.full(len(graph) + 1, self._nowhere, np.int64)
        if self._below is not None:
            place_of[self._below.numbers] = np.arange(len(self._below.numbers))
        places = place_of[graph.find_many(names)]
        if self.label in names:
            places[names.index(self.label)] = 0
        return places

    def _status(self, place: int) -> Status:
        if place == 0:
            return Status(MEMBER)
        if place == self._nowhere or self._below is None:
            return Status(NEW)
        return Status(SUBCATEGORY, ARROW.join(self.corpus.graph.names_of(self._below.way(place))))


def statuses_below(corpus: Corpus, label: str | None, depth: int | None) -> Statuses | None:
    """What tells *subcategory* from *new*, or None if there is no category or no graph of categories."""
    if label is not None and len(corpus.graph):
        return Statuses(corpus, label, depth)
    if depth is not None:
        reason = "a list of members has no subcategories" if label is None else "this corpus has no category graph"
        raise InputError(f"{reason}, so there is no depth to follow them to; leave it out")
    return None


@dataclass(frozen=True)
class Subcategories:
    """The subcategories of a run's category, and how many candidates are in them."""

    depth: int | None
    categories: int
    candidates: dict[str, dict[str, int]]


def count_statuses(statuses: Statuses, rankings: dict[str, Ranking]) -> Subcategories:
    """Count the candidates of some rankings that are in a subcategory."""
    counts = {}
    for name, ranking in rankings.items():
        each = ranking.table["status"].to_pylist()
        counts[name] = {status: each.count(status) for status in (SUBCATEGORY, NEW)}
    return Subcategories(statuses.depth, statuses.n_subcategories, counts)
