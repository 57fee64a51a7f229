"""A bar for each share of a whole."""

from __future__ import annotations

from collections.abc import Sequence

from priorwise.charts.frame import across, clipped
from priorwise.charts.markup import element, joined
from priorwise.charts.picture import Picture
from priorwise.charts.scales import Scale

ROW = 26
LEFT = 270
TOP = 12


def share_bars(rows: Sequence[tuple[str, float]], *, x_name: str, summary: str) -> Picture:
    """Draw shares, each from 0 to 1, as bars one below the other.

    Parameters
    ----------
    rows : sequence of (name, share)
        From the top down.
    x_name : str
        The axis.
    summary : str
        What the chart shows, for those who do not see it.

    Examples
    --------
    >>> share_bars([("few", 0.25), ("many", 0.75)], x_name="share", summary="Many are three quarters.")
    <Picture: Many are three quarters.>
    """
    bottom = TOP + ROW * len(rows)
    longest = max((share for _, share in rows), default=1.0)
    x = Scale(0, min(1.0, max(0.05, 1.05 * longest)), LEFT, 612)
    drawn = []
    for number, (name, share) in enumerate(rows):
        y = TOP + ROW * (number + 0.5)
        drawn.append(element("text", clipped(name, 42), x=LEFT - 10, y=y + 4, class_="end"))
        said = element("title", f"{name}: {share:.3f}")
        wide = max(0.5, float(x(share)) - LEFT)
        drawn.append(element("rect", said, x=LEFT, y=y - 8, width=wide, height=16, class_="box series-1"))
    return Picture(joined(across(x, x_name, TOP, bottom), drawn), 640, bottom + 44, summary)
