"""The tables and the figure of the experiment with many classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorwise.papers.experiment import Part
from priorwise.papers.figure import Curves
from priorwise.papers.table import Cell, Table, escaped
from priorwise.papers.webscale_cells import METHODS, STANDARD

PUBLISHED = {
    "newsgroups": {
        "standard": 0.8771,
        "weights": 0.9151,
        "laplace": 0.9136,
        "absolute": 0.9109,
        "linear": 0.9120,
        "witten-bell": 0.9104,
    },
    "ODP": {
        "standard": 0.0946,
        "weights": 0.4915,
        "laplace": 0.4925,
        "absolute": 0.4986,
        "linear": 0.4940,
        "witten-bell": 0.4987,
    },
    "Yahoo QA": {
        "standard": 0.3637,
        "weights": 0.5241,
        "laplace": 0.5069,
        "absolute": 0.5023,
        "linear": 0.5031,
        "witten-bell": 0.5023,
    },
}
"""Table 1 of the paper."""

FIVE = tuple(name for name in METHODS if name != STANDARD)


@dataclass(frozen=True)
class Layout:
    """What was found, put into tables.

    Parameters
    ----------
    found : mapping
        For each part and method, what it did on each split.
    curves : mapping
        For each part and method, its accuracy against the number of classes.
    vocabularies : mapping
        For each rule of what is a word, the accuracies of some methods on 20 Newsgroups.
    titles : mapping of str to str
        The parts' titles.
    """

    found: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]
    curves: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]]
    vocabularies: Mapping[str, Mapping[str, Sequence[float]]]
    titles: Mapping[str, str]

    def parts(self) -> Iterator[Part]:
        """Yield the tables, the figures and what they say."""
        yield "## Table 1"
        yield self._accuracies()
        yield self._gains()
        yield " ".join(self._said())
        yield self._chosen()
        drawn = {part: curves for part, curves in self.curves.items() if curves}
        if drawn:
            yield "## Figure 3"
            yield from (self._curve(part, curves) for part, curves in drawn.items())
            yield from (self._curve_table(part, curves) for part, curves in drawn.items())
        if self.vocabularies:
            yield "## What counts as a word"
            yield self._vocabularies()

    def _values(self, part: str, method: str) -> Any:
        return np.array([split["accuracy"] for split in self.found[part][method]])

    def _mean(self, part: str, method: str) -> float:
        return float(self._values(part, method).mean())

    def _accuracies(self) -> Table:
        absent = [name for name in PUBLISHED if name not in ("newsgroups",)]
        rows = [
            (
                method.title,
                [
                    *(Cell(self._mean(p, name), PUBLISHED.get(p, {}).get(name)) for p in self.found),
                    *(Cell(None, PUBLISHED[other][name]) for other in absent),
                ],
            )
            for name, method in METHODS.items()
        ]
        splits = ", ".join(f"{self.titles[p]} {len(methods[STANDARD])}" for p, methods in self.found.items())
        return Table.of(
            "Accuracy",
            ["", *(self.titles[p] for p in self.found), *absent],
            rows,
            note=escaped(f"Means over splits, of which there are: {splits}."),
        )

    def _gains(self) -> Table:
        def cell(part: str, name: str) -> str:
            gain = 100 * (self._values(part, name) - self._values(part, STANDARD))
            times = self._mean(part, name) / self._mean(part, STANDARD)
            spread = f" ({gain.min():.1f} to {gain.max():.1f})" if len(gain) > 1 else ""
            return f"{gain.mean():+.1f}{spread}, × {times:.2f}"

        def published(collection: str, name: str) -> str:
            ours, standard = PUBLISHED[collection][name], PUBLISHED[collection][STANDARD]
            return f"{100 * (ours - standard):+.1f}, × {ours / standard:.2f}"

        rows = [
            (METHODS[n].title, [*(cell(p, n) for p in self.found), *(published(c, n) for c in PUBLISHED)]) for n in FIVE
        ]
        names = {"newsgroups": "20 Newsgroups"}
        return Table.of(
            "Ahead of standard NB",
            ["", *(self.titles[p] for p in self.found), *(f"{names.get(c, c)}, published" for c in PUBLISHED)],
            rows,
            note="In percentage points, with the least and the most over the splits; × is the ratio of the means.",
        )

    def _said(self) -> Iterator[str]:
        """What the tables amount to."""
        for part in self.found:
            gains = [100 * (self._mean(part, name) - self._mean(part, STANDARD)) for name in FIVE]
            times = min(self._mean(part, name) for name in FIVE) / max(self._mean(part, STANDARD), 1e-9)
            yield (
                f"On {escaped(self.titles[part])} the five are ahead of standard NB by {min(gains):.1f} to "
                f"{max(gains):.1f} points, at least {times:.2f} times its accuracy."
            )

    def _chosen(self) -> Table:
        rows = [
            (
                METHODS[name].title,
                [", ".join(f"{split['number']:.3g}" for split in self.found[p][name]) for p in self.found],
            )
            for name in FIVE
        ]
        return Table.of("The number that leave-one-out chose, split by split", ["", *self._titles()], rows)

    def _titles(self) -> list[str]:
        return [self.titles[part] for part in self.found]

    def _curve(self, part: str, curves: Mapping[str, Sequence[tuple[float, float]]]) -> Curves:
        return Curves(
            f"webscale-{part}",
            f"Accuracy against the number of classes, {self.titles[part]}",
            "classes",
            "accuracy",
            {METHODS[name].title: points for name, points in curves.items()},
            log_x=True,
            note="The classes are drawn by chance, fewer always among more; each number is chosen anew.",
        )

    def _curve_table(self, part: str, curves: Mapping[str, Sequence[tuple[float, float]]]) -> Table:
        sizes = [int(size) for size, _ in next(iter(curves.values()))]
        rows = [(METHODS[name].title, [value for _, value in points]) for name, points in curves.items()]
        return Table.of(f"{self.titles[part]}: accuracy by number of classes", ["", *(f"{n:,}" for n in sizes)], rows)

    def _vocabularies(self) -> Table:
        names = list(next(iter(self.vocabularies.values())))
        rows: list[tuple[str, list[float | str]]] = []
        for rule, values in self.vocabularies.items():
            means = {name: float(np.mean(values[name])) for name in names}
            ahead = [f"{100 * (means[name] - means[STANDARD]):+.1f}" for name in names if name != STANDARD]
            rows.append((rule, [*means.values(), *ahead]))
        splits = len(next(iter(self.vocabularies.values()))[STANDARD])
        ahead_of = [f"{METHODS[name].title} ahead" for name in names if name != STANDARD]
        return Table.of(
            "20 Newsgroups: accuracy by vocabulary",
            ["", *(METHODS[name].title for name in names), *ahead_of],
            rows,
            note=f"Means over splits, of which there are {splits} here; ahead of standard NB in percentage points.",
        )
