"""The status of a candidate: in a subcategory of the category already, or new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import InputError
from priorwise.ranking.table import Ranking

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

    Parameters
    ----------
    corpus : Corpus
        With a category graph.
    label : str
        The category.
    depth : int, optional
        How far below it a category still counts as its subcategory; any number of steps by default.

    Examples
    --------
    >>> from priorwise.corpus.build.ingestion import corpus_of
    >>> from priorwise.readers.document import CategoryPage, Document, Stream
    >>> pages = [CategoryPage("Chess", ["Games"]), Document("1", "Fork", "", ["Chess"]), Document("2", "Law", "")]
    >>> corpus = corpus_of(Corpus, Stream(pages), None)
    >>> Statuses(corpus, "Games").of([0, 1])
    [Status(status='subcategory', path='Games › Chess'), Status(status='new', path=None)]
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
        """How many subcategories there are."""
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
    """The subcategories of a run's category, and how many candidates are in them.

    Parameters
    ----------
    depth : int, optional
        How far below the category a subcategory may be; any number of steps by default.
    categories : int
        How many subcategories there are.
    candidates : dict
        For each ranking, how many candidates are in a subcategory and how many are new.
    """

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
