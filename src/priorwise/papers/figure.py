"""Figures as data, and their picture where matplotlib is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from priorwise.errors import MissingExtra
from priorwise.papers.table import escaped


@dataclass(frozen=True)
class Curves:
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

    def to_text(self) -> str:
        """Return the title; a terminal draws no curves."""
        return f"{self.title}: see {self.name}.png"

    def to_markdown(self) -> str:
        """Return the picture's place in a page, with its title and its note."""
        caption = " ".join(part for part in (f"{escaped(self.title)}.", self.note) if part)
        return f"![{escaped(self.title)}]({self.name}.png)\n\n{caption}"

    def to_json(self) -> dict[str, Any]:
        """Return what JSON can hold; `from_json` reads it."""
        curves = {name: [list(point) for point in points] for name, points in self.curves.items()}
        return {
            "name": self.name,
            "title": self.title,
            "x": self.x,
            "y": self.y,
            "curves": curves,
            "log_x": self.log_x,
            "note": self.note,
        }

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Curves:
        """Make the figure that `to_json` wrote."""
        curves = {name: [(x, y) for x, y in points] for name, points in found["curves"].items()}
        return cls(**{**found, "curves": curves})

    def draw(self, folder: Path) -> Path:
        """Write the picture as a PNG file into a folder, and return its path."""
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise MissingExtra("matplotlib", "plots") from error
        figure = Figure(figsize=(6.4, 4.0), dpi=144, layout="constrained")
        axes = figure.subplots()
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
        path = folder / f"{self.name}.png"
        # The same curves give the same bytes: no date, no version.
        figure.savefig(path, metadata={"Software": None})
        return path


def _markers(count: int) -> list[str]:
    return ["osD^vPX*"[i % 8] for i in range(count)]
