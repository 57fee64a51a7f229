"""The parts that all charts share: axes with numbers and names, and a legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from priorwise.charts.markup import Markup, element, joined
from priorwise.charts.scales import Scale, written


@dataclass(frozen=True)
class Series:
    """An entry of the legend: its name, and its colour from 1 to 4."""

    name: str
    colour: int
    dashed: bool = False
    dot: str | None = None
    """``"solid"`` or ``"hollow"``, if it is drawn as dots and not as a line."""

    @property
    def style(self) -> str:
        """The classes of its line."""
        return f"series-{self.colour}" + (" dashed" if self.dashed else "")


def across(scale: Scale, name: str, top: float, bottom: float) -> Markup:
    """Return the horizontal axis: lines upwards, numbers below, its name under them."""
    marks = []
    for tick in scale.ticks():
        at = float(scale(tick))
        marks.append(element("line", x1=at, x2=at, y1=top, y2=bottom, class_="grid"))
        marks.append(element("text", written(tick), x=at, y=bottom + 16, class_="tick middle"))
    middle = (scale.start + scale.end) / 2
    return joined(marks, element("text", name, x=middle, y=bottom + 36, class_="axis-name middle"))


def upwards(scale: Scale, name: str, left: float, right: float) -> Markup:
    """Return the vertical axis: lines to the right, numbers beside, its name above them."""
    marks = []
    for tick in scale.ticks(6):
        at = float(scale(tick))
        marks.append(element("line", x1=left, x2=right, y1=at, y2=at, class_="grid"))
        marks.append(element("text", written(tick), x=left - 6, y=at + 4, class_="tick end"))
    return joined(marks, element("text", name, x=4, y=scale.end - 12, class_="axis-name"))


def legend(series: Sequence[Series], y: float, right: float = 612) -> Markup:
    """Return the legend: names, each after its colour. The width of a name is an estimate."""
    marks = []
    x = right - sum(46 + 6.6 * len(each.name) for each in series)
    for each in series:
        if each.dot:
            marks.append(element("circle", cx=x + 17, cy=y, r=5, class_=f"{each.dot} {each.style}"))
        else:
            marks.append(element("line", x1=x, x2=x + 22, y1=y, y2=y, class_=f"line {each.style}"))
        marks.append(element("text", each.name, x=x + 28, y=y + 4))
        x += 46 + 6.6 * len(each.name)
    return joined(marks)


def clipped(text: str, longest: int = 30) -> str:
    """Shorten a name so that it fits next to a row.

    Examples
    --------
    >>> clipped("Software companies of the United States")
    'Software companies of the Uni…'
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"
