"""Stated probabilities compared with observed shares."""

from __future__ import annotations

from collections.abc import Sequence

from priorwise.charts.frame import across, upwards
from priorwise.charts.markup import element, joined
from priorwise.charts.picture import Picture
from priorwise.charts.scales import Scale


def reliability_plot(
    points: Sequence[tuple[float, float, float, float]], *, x_name: str, y_name: str, summary: str
) -> Picture:
    """Draw observed shares with their intervals over stated probabilities. On the diagonal they agree.

    Parameters
    ----------
    points : sequence of (stated, share, low, high)
        All from 0 to 1.
    x_name, y_name : str
        The axes.
    summary : str
        What the chart shows, for those who do not see it.

    Examples
    --------
    >>> reliability_plot([(0.5, 0.4, 0.2, 0.6)], x_name="stated", y_name="true", summary="A little too sure.")
    <Picture: A little too sure.>
    """
    x, y = Scale(0, 1, 48, 612), Scale(0, 1, 310, 40)
    drawn = [element("line", x1=x.start, y1=y.start, x2=x.end, y2=y.end, class_="link thin")]
    for stated, share, low, high in points:
        at, top, bottom = float(x(stated)), float(y(high)), float(y(low))
        said = f"stated {stated:.3f}, found {share:.3f}, 95% from {low:.3f} to {high:.3f}"
        drawn.append(
            element(
                "g",
                element("title", said),
                element("line", x1=at, x2=at, y1=top, y2=bottom, class_="line series-1"),
                [
                    element("line", x1=at - 4, x2=at + 4, y1=end, y2=end, class_="line series-1")
                    for end in (top, bottom)
                ],
                element("circle", cx=at, cy=float(y(share)), r=4, class_="solid series-1"),
            )
        )
    axes = [across(x, x_name, y.end, y.start), upwards(y, y_name, x.start, x.end)]
    return Picture(joined(axes, drawn), 640, 352, summary)
