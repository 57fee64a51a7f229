"""Categories and their parents as plain dictionaries: slow, literal, and independent of the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Graph = Mapping[str, set[str]]
"""The parents of each category that has a page."""


def by_bytes(names: Iterable[str]) -> list[str]:
    return sorted(names, key=str.encode)


def names(graph: Graph) -> list[str]:
    return by_bytes(set(graph).union(*graph.values()))


def children(graph: Graph, name: str) -> list[str]:
    return by_bytes(child for child, parents in graph.items() if name in parents)


def ways(graph: Graph, ancestor: str, steps: int) -> list[list[str]]:
    """Every way down of so many steps."""
    found = [[ancestor]]
    for _ in range(steps):
        found = [[*way, child] for way in found for child in children(graph, way[-1])]
    return found


def path(graph: Graph, ancestor: str, name: str, depth: int | None = None) -> list[str] | None:
    """Of the shortest ways the one whose names come first."""
    for steps in range(len(names(graph)) if depth is None else min(depth + 1, len(names(graph)))):
        ending_there = [way for way in ways(graph, ancestor, steps) if way[-1] == name]
        if ending_there:
            return min(ending_there, key=lambda way: [step.encode() for step in way])
    return None


def descendants(graph: Graph, name: str, depth: int | None) -> list[tuple[str, int, str]]:
    """Each category below with its depth and the one above it, in the order of the ways to them."""
    found = [way for other in names(graph) if other != name and (way := path(graph, name, other, depth))]
    found.sort(key=lambda way: (len(way), [step.encode() for step in way]))
    return [(way[-1], len(way) - 1, way[-2]) for way in found]
