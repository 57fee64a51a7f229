"""Two numbers of each category against each other, on axes of decades."""

from __future__ import annotations

from collections.abc import Sequence

from priorwise.charts.frame import across, clipped, upwards
from priorwise.charts.markup import element, joined
from priorwise.charts.picture import Picture
from priorwise.charts.scales import Scale, around


def scatter(points: Sequence[tuple[str, float, float]], *, x_name: str, y_name: str, summary: str) -> Picture:
    """Draw a dot with its name for each (name, x, y); both numbers are above 0.

    Examples
    --------
    >>> scatter([("Chess", 30, 2000)], x_name="members", y_name="tokens", summary="Members against tokens.")
    <Picture: Members against tokens.>
    """
    x = Scale(*around([point[1] for point in points], log=True), 70, 612, log=True)
    y = Scale(*around([point[2] for point in points], log=True), 250, 40, log=True)
    drawn = []
    for name, across_at, up_at in points:
        left, top = float(x(across_at)), float(y(up_at))
        on_the_right = left < 440
        drawn.append(
            element(
                "circle",
                element("title", f"{name}: {across_at:,.6g}, {up_at:,.6g}"),
                cx=left,
                cy=top,
                r=5,
                class_="solid series-1",
            )
        )
        at = left + 10 if on_the_right else left - 10
        drawn.append(element("text", clipped(name), x=at, y=top + 4, class_=None if on_the_right else "end"))
    axes = [across(x, x_name, y.end, y.start), upwards(y, y_name, x.start, x.end)]
    return Picture(joined(axes, drawn), 640, 292, summary)
