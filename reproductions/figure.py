"""Figures as data, and their pictures as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from priorwise.charts import Picture, element, heat_map
from priorwise.charts.markup import joined
from priorwise.charts.scales import Scale, Series, across, around, legend, upwards
from reproductions.table import escaped

LEFT, RIGHT = 48, 612
"""Where the axes begin and end; a drawing is 640 wide."""

ROW = 34
"""How high a box plot is."""


@dataclass(frozen=True)
class Figure:
    """What all figures have.

    Parameters
    ----------
    name : str
        The stem of the picture's file.
    title : str
        What it shows.
    note : str
        What to know about it, in Markdown.
    """

    kind: ClassVar[str]

    name: str
    title: str
    note: str = field(default="", kw_only=True)

    def picture(self) -> Picture:
        """Return the drawing."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self)

    def to_text(self) -> str:
        """Return the title and the picture's file, for a terminal."""
        return f"{self.title}: see {self.name}.svg"

    def to_markdown(self) -> str:
        """Return the picture's place in a page, with its title and its note."""
        caption = " ".join(part for part in (f"{escaped(self.title)}.", self.note) if part)
        return f"![{escaped(self.title)}]({self.name}.svg)\n\n{caption}"

    def draw(self, folder: Path) -> Path:
        """Write the picture into a folder, and return its path."""
        path = folder / f"{self.name}.svg"
        self.picture().save(path)
        return path


@dataclass(frozen=True)
class Curves(Figure):
    """Curves over one axis.

    Parameters
    ----------
    x, y : str
        What the axes are.
    curves : mapping of str to sequence of (x, y)
        The points of each curve, from left to right.
    log_x : bool
        Whether the horizontal axis is logarithmic.
    """

    kind = "curves"

    x: str
    y: str
    curves: Mapping[str, Sequence[tuple[float, float]]]
    log_x: bool = False

    def picture(self) -> Picture:
        """Draw the curves; there are three colours, and after three curves they come back dashed."""
        series = [Series(name, i % 3 + 1, dashed=i >= 3) for i, name in enumerate(self.curves)]
        points = [point for each in self.curves.values() for point in each]
        top = 36 + 20 * len(series)
        x = Scale(*around([at for at, _ in points], log=self.log_x), LEFT, RIGHT, log=self.log_x)
        y = Scale(0, 1.08 * max(value for _, value in points) or 1.0, top + 240, top)
        drawn = []
        for row, (own, places) in enumerate(zip(series, self.curves.values(), strict=True)):
            there = [(float(x(at)), float(y(value))) for at, value in places]
            drawn.append(legend([own], 16 + 20 * row, right=LEFT + 46 + 6.6 * len(own.name)))
            path = "L".join(f"{left:.1f} {up:.1f}" for left, up in there)
            drawn.append(element("path", d=f"M{path}", class_=f"line {own.style}"))
            for (at, value), (left, up) in zip(places, there, strict=True):
                said = element("title", f"{own.name}: {at:,.6g}, {value:.3f}")
                drawn.append(element("circle", said, cx=left, cy=up, r=4, class_=f"solid series-{own.colour}"))
        axes = [across(x, self.x, y.end, y.start), upwards(y, self.y, x.start, x.end)]
        return Picture(joined(axes, drawn), 640, top + 284, self.title)


@dataclass(frozen=True)
class Boxes(Figure):
    """Box plots: every value, the middle half, the median, and how far the values reach.

    Parameters
    ----------
    x : str
        What the axis is.
    boxes : mapping of str to sequence of float
        The values of each box.
    """

    kind = "boxes"

    x: str
    boxes: Mapping[str, Sequence[float]]

    def picture(self) -> Picture:
        """Draw the boxes from the top down."""
        left, bottom = 230, 12 + ROW * len(self.boxes)
        x = Scale(*around([value for values in self.boxes.values() for value in values]), left, RIGHT)
        drawn = []
        for row, (name, values) in enumerate(self.boxes.items()):
            y = 12 + ROW * (row + 0.5)
            low, first, median, third, high = x(np.percentile(values, [0, 25, 50, 75, 100])).tolist()
            width = max(0.5, third - first)
            drawn += [
                element("text", name, x=left - 10, y=y + 4, class_="end"),
                element("line", x1=low, x2=high, y1=y, y2=y, class_="line series-1"),
                element("rect", x=first, y=y - 8, width=width, height=16, class_="box series-1"),
                element("line", x1=median, x2=median, y1=y - 8, y2=y + 8, class_="line series-1"),
                [element("circle", cx=at, cy=y, r=4, class_="area series-2") for at in x(values).tolist()],
            ]
        return Picture(joined(across(x, self.x, 12, bottom), drawn), 640, bottom + 44, self.title)


@dataclass(frozen=True)
class HeatMap(Figure):
    """A value for each pair of two numbers, as colours on axes of decades.

    Parameters
    ----------
    x, y, value : str
        What the axes and the colours are.
    grid : sequence of float
        The numbers of both axes, ascending.
    values : sequence of sequence of float
        A row for each number of the vertical axis.
    marks : mapping of str to (x, y)
        Places with a name; the one called "best" is marked as found.
    """

    kind = "heat map"

    x: str
    y: str
    value: str
    grid: Sequence[float]
    values: Sequence[Sequence[float]]
    marks: Mapping[str, tuple[float, float]]

    def picture(self) -> Picture:
        """Draw the map."""
        return heat_map(
            self.grid,
            self.values,
            x_name=self.x,
            y_name=self.y,
            value_name=self.value,
            best=("best", self.marks["best"]),
            others=[(name, place) for name, place in self.marks.items() if name != "best"],
            summary=self.title,
        )
