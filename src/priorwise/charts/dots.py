"""A row for each category and a dot for each of its numbers, on an axis of decades."""

from __future__ import annotations

from collections.abc import Sequence

from priorwise.charts.frame import Series, across, clipped, legend
from priorwise.charts.markup import element, joined
from priorwise.charts.picture import Picture
from priorwise.charts.scales import Scale, around

ROW = 30
LEFT = 200


def dot_plot(
    rows: Sequence[tuple[str, Sequence[float]]], names: Sequence[str], *, x_name: str, summary: str
) -> Picture:
    """Draw the numbers of each row as dots on a logarithmic axis; nothing is drawn for 0.

    Parameters
    ----------
    rows : sequence of (name, numbers)
        As many numbers in each row as there are `names`, at most three.
    names : sequence of str
        What the numbers are.
    x_name : str
        The axis.
    summary : str
        What the chart shows, for those who do not see it.
    """
    # All but the first are hollow, so that dots in the same place stay visible.
    series = [Series(name, i, dot="hollow" if i > 1 else "solid") for i, name in enumerate(names, start=1)]
    bottom = 36 + ROW * len(rows)
    positive = [value for _, values in rows for value in values if value > 0] or [1.0]
    x = Scale(*around(positive, log=True), LEFT, 612, log=True)
    drawn = []
    for number, (name, values) in enumerate(rows):
        y = 36 + ROW * (number + 0.5)
        there = [(float(x(value)), value, own) for own, value in zip(series, values, strict=True) if value > 0]
        drawn.append(element("text", clipped(name), x=LEFT - 10, y=y + 4, class_="end"))
        if there:
            ends = [at for at, _, _ in there]
            drawn.append(element("line", x1=min(ends), x2=max(ends), y1=y, y2=y, class_="link"))
        drawn += [
            element(
                "circle",
                element("title", f"{name}, {own.name}: {value:,.6g}"),
                cx=at,
                cy=y,
                r=5,
                class_=f"{own.dot} {own.style}",
            )
            for at, value, own in there
        ]
    return Picture(joined(across(x, x_name, 36, bottom), drawn, legend(series, 18)), 640, bottom + 44, summary)
