"""Lines through points, from nothing upwards."""

from __future__ import annotations

from collections.abc import Sequence

from priorwise.charts.frame import Series, across, legend, upwards
from priorwise.charts.markup import element, joined
from priorwise.charts.picture import Picture
from priorwise.charts.scales import Scale

DOTS = 30
"""A line of more points than these is drawn without dots."""


def line_chart(
    lines: Sequence[tuple[str, Sequence[tuple[float, float]]]], *, x_name: str, y_name: str, summary: str
) -> Picture:
    """Draw at most four lines; both axes begin at 0.

    Parameters
    ----------
    lines : sequence of (name, points)
        Each point is (x, y), neither below 0, from left to right.
    x_name, y_name : str
        The axes.
    summary : str
        What the chart shows, for those who do not see it.

    Examples
    --------
    >>> line_chart([("blind", [(0, 0), (1, 1)])], x_name="judged", y_name="accepted", summary="One of one.")
    <Picture: One of one.>
    """
    series = [Series(name, number, dashed=number > 1) for number, (name, _) in enumerate(lines, start=1)]
    everything = [point for _, points in lines for point in points]
    x = Scale(0, 1.02 * max([1.0, *(across_at for across_at, _ in everything)]), 48, 612)
    y = Scale(0, 1.08 * max([1.0, *(up_at for _, up_at in everything)]), 250, 40)
    drawn = []
    for own, (name, points) in zip(series, lines, strict=True):
        there = [(float(x(across_at)), float(y(up_at))) for across_at, up_at in points]
        path = "L".join(f"{left:.1f} {top:.1f}" for left, top in there)
        drawn.append(element("path", d=f"M{path}" if there else "", class_=f"line {own.style}"))
        if len(points) <= DOTS:
            drawn += [
                element(
                    "circle",
                    element("title", f"{name}: {point[0]:,.6g}, {point[1]:,.6g}"),
                    cx=left,
                    cy=top,
                    r=4,
                    class_=f"solid series-{own.colour}",
                )
                for point, (left, top) in zip(points, there, strict=True)
            ]
    axes = [across(x, x_name, y.end, y.start), upwards(y, y_name, x.start, x.end)]
    return Picture(joined(axes, drawn, legend(series, 20) if len(lines) > 1 else None), 640, 292, summary)
