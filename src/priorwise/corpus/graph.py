"""The graph of the categories: which are in which. It may have cycles; nothing here goes round in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from priorwise.corpus.lookup import LabelSearch, SortedNames, Strings
from priorwise.corpus.storage.columns import list_parts
from priorwise.counting import counted
from priorwise.errors import InputError, UnknownName

Numbers = NDArray[np.int64]
Lists = tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Below:
    """A category and what lies below it, nearest first.

    Each category is here once, at the end of the shortest way down to it, and of several shortest ways the one
    whose names come first. So a category's place is also the order of those ways.
    """

    numbers: Numbers
    depths: Numbers
    through: Numbers

    def way(self, place: int) -> Numbers:
        """Return the numbers of the categories from the first to the one at a place."""
        steps = [place]
        while (above := int(self.through[steps[-1]])) >= 0:
            steps.append(above)
        return self.numbers[steps[::-1]]


class CategoryGraph:
    """Which categories are in which: the parents and children of each, and the ways from one down to another.

    Get it from :attr:`Corpus.graph <priorwise.Corpus.graph>`. Nothing is read before it is asked for.

    Parameters
    ----------
    table : pyarrow.RecordBatch or None
        ``category``, sorted by bytes, ``parents`` and ``children``; None for a graph without categories.

    Examples
    --------
    >>> names = ["Deep learning", "Learning"]
    >>> graph = CategoryGraph(pa.record_batch({"category": names, "parents": [[1], []], "children": [[], [0]]}))
    >>> graph
    <CategoryGraph: 2 categories, 1 link>
    >>> graph.children("Learning"), graph.path("Learning", "Deep learning"), "Teaching" in graph
    (['Deep learning'], ['Learning', 'Deep learning'], False)
    """

    def __init__(self, table: pa.RecordBatch | None) -> None:
        self.names: pa.Array = pa.array([], pa.string()) if table is None else table.column("category")
        """Every category, sorted by bytes."""
        nothing: Lists = np.zeros(1, np.int32), np.empty(0, np.uint32)
        self._parents = nothing if table is None else list_parts(table.column("parents"))
        self._children = nothing if table is None else list_parts(table.column("children"))
        self._lookup = SortedNames(Strings([self.names]), None)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._lookup.find(name) is not None

    def __repr__(self) -> str:
        return f"<CategoryGraph: {counted(len(self), 'category')}, {counted(self.n_links, 'link')}>"

    @property
    def n_links(self) -> int:
        """How many links there are from a category to one that it is in."""
        return len(self._parents[1])

    def parents(self, name: str) -> list[str]:
        """Return the categories that a category is in, by name."""
        return self._linked(self._parents, name)

    def children(self, name: str) -> list[str]:
        """Return the categories that are in a category, by name."""
        return self._linked(self._children, name)

    def descendants(self, name: str, depth: int | None = None) -> pa.Table:
        """Return the categories below a category, nearest first.

        Parameters
        ----------
        name : str
            The category; it is not among its own descendants, even if a cycle leads back to it.
        depth : int, optional
            How many steps to go down; all the way by default.

        Returns
        -------
        pyarrow.Table
            ``category``; ``depth``, its distance; ``through``, the category above it on the shortest way.

        Examples
        --------
        >>> table = pa.record_batch({"category": ["a", "b"], "parents": [[1], [0]], "children": [[1], [0]]})
        >>> CategoryGraph(table).descendants("a").to_pylist()
        [{'category': 'b', 'depth': 1, 'through': 'a'}]
        """
        below = self.below(name, depth)
        return pa.table(
            {
                "category": self.names.take(pa.array(below.numbers[1:])),
                "depth": below.depths[1:],
                "through": self.names.take(pa.array(below.numbers[below.through[1:]])),
            }
        )

    def path(self, ancestor: str, name: str) -> list[str] | None:
        """Return the shortest way down from one category to another, or None; of several, the first by name.

        Examples
        --------
        >>> table = pa.record_batch({"category": ["a", "b"], "parents": [[], [0]], "children": [[1], []]})
        >>> CategoryGraph(table).path("a", "b"), CategoryGraph(table).path("b", "a")
        (['a', 'b'], None)
        """
        wanted = self._number(name)
        below = self.below(ancestor, until=wanted)
        (places,) = np.nonzero(below.numbers == wanted)
        return self.names_of(below.way(int(places[0]))) if len(places) else None

    def below(self, name: str, depth: int | None = None, *, until: int | None = None) -> Below:
        """Return a category with all that lies below it, by number; stop early once `until` is reached.

        Notes
        -----
        One pass over the links below, a level at a time. A level is in the order of its ways, and the children of each
        category are sorted, so the first to name a new category is on the first way to it.
        """
        if depth is not None and depth < 0:
            raise InputError("the depth of subcategories cannot be negative")
        start = np.array([self._number(name)], np.int64)
        levels, through = [start], [np.array([-1], np.int64)]
        seen, room = np.zeros(len(self), np.bool_), np.empty(len(self), np.int64)
        seen[start] = True
        before = 0
        while len(levels[-1]) and (depth is None or len(levels) <= depth) and (until is None or not seen[until]):
            children, parent = self._step(self._children, levels[-1])
            unseen = ~seen[children]
            children, parent = children[unseen], parent[unseen]
            first = _first_of_each(children, room)
            seen[children] = True
            levels.append(children[first])
            through.append(parent[first] + before)
            before += len(levels[-2])
        depths = np.repeat(np.arange(len(levels)), [len(level) for level in levels])
        return Below(np.concatenate(levels), depths, np.concatenate(through))

    def find_many(self, names: Sequence[str]) -> Numbers:
        """Return the number of each category, −1 for those that are not there."""
        return self._lookup.find_many(names)

    def names_of(self, numbers: Numbers) -> list[str]:
        """Return the categories of some numbers."""
        return self._lookup.strings.take(numbers)

    def search(self, query: str, limit: int = 10) -> list[tuple[str, int]]:
        """Return the categories most like a query, with how many are in each; as :meth:`Corpus.search_labels`."""
        return self._search(query, limit)

    @cached_property
    def _search(self) -> LabelSearch:
        return LabelSearch(self.names, np.diff(self._children[0]).astype(np.int64))

    def _number(self, name: str) -> int:
        number = self._lookup.find(name)
        if number is None:
            raise UnknownName("category", name, [near for near, _ in self.search(name)])
        return number

    def _linked(self, links: Lists, name: str) -> list[str]:
        return self.names_of(self._step(links, np.array([self._number(name)]))[0])

    def _step(self, links: Lists, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """Return all that some categories link to, and the place of the category that each link comes from."""
        offsets, linked = links
        begin = offsets[numbers].astype(np.int64)
        lengths = offsets[numbers + 1] - begin
        ends = np.cumsum(lengths)
        within = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
        return linked[np.repeat(begin, lengths) + within].astype(np.int64), np.repeat(np.arange(len(numbers)), lengths)


def _first_of_each(numbers: Numbers, room: Numbers) -> Numbers:
    """Return the places at which each number occurs first, ascending; `room` has an entry for any number."""
    places = np.arange(len(numbers))
    room[numbers] = len(numbers)
    np.minimum.at(room, numbers, places)
    return np.flatnonzero(room[numbers] == places)
