"""Two numbers of each category against each other, on axes of decades."""

from __future__ import annotations

from collections.abc import Sequence

from priorwise.charts.frame import across, clipped, upwards
from priorwise.charts.labels import spots_for
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
    names = [clipped(name) for name, _, _ in points]
    dots = [(float(x(across_at)), float(y(up_at))) for _, across_at, up_at in points]
    drawn = []
    for (name, *numbers), (left, top) in zip(points, dots, strict=True):
        said = element("title", f"{name}: {numbers[0]:,.6g}, {numbers[1]:,.6g}")
        drawn.append(element("circle", said, cx=left, cy=top, r=5, class_="solid series-1"))
    spots = spots_for(names, dots, (x.start, y.end - 6, 636, y.start + 6))
    for name, (left, top), spot in zip(names, dots, spots, strict=True):
        if spot.rise:
            near = spot.x + (2 if spot.is_left else -2)
            drawn.append(element("line", x1=left, y1=top, x2=near, y2=spot.y, class_="leader"))
        drawn.append(element("text", name, x=spot.x, y=spot.y + 4, class_="end" if spot.is_left else None))
    axes = [across(x, x_name, y.end, y.start), upwards(y, y_name, x.start, x.end)]
    return Picture(joined(axes, drawn), 640, 292, summary)
