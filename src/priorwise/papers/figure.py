"""Figures as data, and their picture where matplotlib is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from priorwise.errors import MissingExtra
from priorwise.papers.table import escaped


class _Shown:
    """What all figures have: a file, a title and a note."""

    name: str
    title: str
    note: str

    def to_text(self) -> str:
        """Return the title; a terminal draws no pictures."""
        return f"{self.title}: see {self.name}.png"

    def to_markdown(self) -> str:
        """Return the picture's place in a page, with its title and its note."""
        caption = " ".join(part for part in (f"{escaped(self.title)}.", self.note) if part)
        return f"![{escaped(self.title)}]({self.name}.png)\n\n{caption}"


@dataclass(frozen=True)
class Curves(_Shown):
    """Curves over one axis.

    Parameters
    ----------
    name : str
        The stem of the picture's file.
    title, x, y : str
        What it shows, and what the axes are.
    curves : mapping of str to sequence of (x, y)
        The points of each curve, from left to right.
    log_x : bool
        Whether the horizontal axis is logarithmic.
    note : str
        What to know of it.
    """

    name: str
    title: str
    x: str
    y: str
    curves: Mapping[str, Sequence[tuple[float, float]]]
    log_x: bool = False
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return what JSON can hold; `from_json` reads it."""
        curves = {name: [list(point) for point in points] for name, points in self.curves.items()}
        return {**asdict(self), "curves": curves}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Curves:
        """Make the figure that `to_json` wrote."""
        curves = {name: [(x, y) for x, y in points] for name, points in found["curves"].items()}
        return cls(**{**found, "curves": curves})

    def draw(self, folder: Path) -> Path:
        """Write the picture as a PNG file into a folder, and return its path."""
        figure, axes = _empty()
        for (name, points), marker in zip(self.curves.items(), _markers(len(self.curves)), strict=True):
            axes.plot(*zip(*points, strict=True), marker=marker, markersize=4, label=name)
        axes.set(xlabel=self.x, ylabel=self.y, title=self.title)
        if self.log_x:
            axes.set_xscale("log")
            places = sorted({x for points in self.curves.values() for x, _ in points})
            axes.set_xticks(places, [f"{place:,g}" for place in places])
            axes.minorticks_off()
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize="small")
        return _written(figure, folder, self.name)


@dataclass(frozen=True)
class Boxes(_Shown):
    """Box plots side by side: the middle half, the median, and how far the rest lies.

    Parameters
    ----------
    name : str
        The stem of the picture's file.
    title, y : str
        What it shows, and what the axis is.
    boxes : mapping of str to sequence of float
        The values of each box.
    note : str
        What to know of it.
    """

    name: str
    title: str
    y: str
    boxes: Mapping[str, Sequence[float]]
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return what JSON can hold; `from_json` reads it."""
        return {**asdict(self), "boxes": {name: list(values) for name, values in self.boxes.items()}}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Boxes:
        """Make the figure that `to_json` wrote."""
        return cls(**found)

    def draw(self, folder: Path) -> Path:
        """Write the picture as a PNG file into a folder, and return its path."""
        figure, axes = _empty()
        axes.boxplot(list(self.boxes.values()), tick_labels=[_two_lines(name) for name in self.boxes], widths=0.5)
        for place, values in enumerate(self.boxes.values(), start=1):
            axes.plot([place] * len(values), values, "o", alpha=0.3, markersize=3, color="tab:blue")
        axes.set(ylabel=self.y, title=self.title)
        axes.grid(alpha=0.3, axis="y")
        return _written(figure, folder, self.name)


@dataclass(frozen=True)
class HeatMap(_Shown):
    """A value for each pair of two numbers, as colours.

    Parameters
    ----------
    name : str
        The stem of the picture's file.
    title, x, y, value : str
        What it shows, what the axes are, and what the colours are.
    grid : sequence of float
        The numbers of both axes, ascending.
    values : sequence of sequence of float
        A row for each number of the vertical axis.
    marks : mapping of str to (x, y)
        Places with a name.
    note : str
        What to know of it.
    """

    name: str
    title: str
    x: str
    y: str
    value: str
    grid: Sequence[float]
    values: Sequence[Sequence[float]]
    marks: Mapping[str, tuple[float, float]]
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return what JSON can hold; `from_json` reads it."""
        marks = {name: list(place) for name, place in self.marks.items()}
        return {**asdict(self), "grid": list(self.grid), "values": [list(row) for row in self.values], "marks": marks}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> HeatMap:
        """Make the figure that `to_json` wrote."""
        return cls(**{**found, "marks": {name: (x, y) for name, (x, y) in found["marks"].items()}})

    def draw(self, folder: Path) -> Path:
        """Write the picture as a PNG file into a folder, and return its path."""
        figure, axes = _empty()
        colours = axes.pcolormesh(self.grid, self.grid, self.values, shading="nearest", cmap="viridis")
        figure.colorbar(colours, ax=axes, label=self.value)
        for (name, (x, y)), marker in zip(self.marks.items(), _markers(len(self.marks)), strict=True):
            axes.plot(x, y, marker, label=name, markersize=8, markerfacecolor="white", markeredgecolor="black")
        axes.set(xlabel=self.x, ylabel=self.y, title=self.title, xscale="log", yscale="log")
        axes.legend(fontsize="small")
        return _written(figure, folder, self.name)


AnyFigure = Curves | Boxes | HeatMap


def _empty() -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib", "plots") from error
    figure = Figure(figsize=(6.4, 4.0), dpi=144, layout="constrained")
    return figure, figure.subplots()


def _written(figure: Any, folder: Path, name: str) -> Path:
    path = folder / f"{name}.png"
    # The same figure gives the same bytes: no date, no version.
    figure.savefig(path, metadata={"Software": None})
    return path


def _two_lines(name: str) -> str:
    return name.replace(", ", ",\n").replace(" for ", "\nfor ")


def _markers(count: int) -> list[str]:
    return ["osD^vPX*"[i % 8] for i in range(count)]
