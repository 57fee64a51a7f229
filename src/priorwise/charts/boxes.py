"""Box plots in pairs: how sure two figures of each category are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from priorwise.charts.frame import Series, across, clipped, legend
from priorwise.charts.markup import Markup, element, joined
from priorwise.charts.picture import Picture
from priorwise.charts.scales import Scale

ROW = 58
LEFT = 200


def box_plots(
    rows: Sequence[tuple[str, Mapping[str, float], Mapping[str, float]]],
    names: tuple[str, str],
    *,
    x_name: str,
    summary: str,
) -> Picture:
    """Draw two boxes for each row, one above the other, and a line between their means.

    Parameters
    ----------
    rows : sequence of (name, first, second)
        Each spread has ``mean``, ``median``, ``first_quartile``, ``third_quartile``, and the ends of its whiskers,
        ``low`` and ``high``; all from 0 to 1.
    names : (str, str)
        Of the first and the second.
    x_name : str
        The axis.
    summary : str
        What the chart shows, for those who do not see it.
    """
    series = [Series(names[0], 1), Series(names[1], 2)]
    bottom = 36 + ROW * len(rows)
    highest = max(spread["high"] for _, *both in rows for spread in both)
    x = Scale(0, min(1.0, max(0.05, 1.05 * highest)), LEFT, 612)
    drawn = []
    for number, (name, first, second) in enumerate(rows):
        middle = 36 + ROW * (number + 0.5)
        drawn.append(element("text", clipped(name), x=LEFT - 10, y=middle + 4, class_="end"))
        ends = {"x1": float(x(first["mean"])), "x2": float(x(second["mean"]))}
        drawn.append(element("line", **ends, y1=middle - 13, y2=middle + 13, class_="link"))
        drawn.append(_box(first, series[0], x, middle - 13, f"{name}, {names[0]}"))
        drawn.append(_box(second, series[1], x, middle + 13, f"{name}, {names[1]}"))
    return Picture(joined(across(x, x_name, 36, bottom), drawn, legend(series, 18)), 640, bottom + 44, summary)


def _box(spread: Mapping[str, float], series: Series, x: Scale, y: float, name: str) -> Markup:
    low, first, median, third, high, mean = (
        float(x(spread[key])) for key in ("low", "first_quartile", "median", "third_quartile", "high", "mean")
    )
    said = f"{name}: mean {spread['mean']:.3f}, 95% from {spread['low']:.3f} to {spread['high']:.3f}"
    colour = f"series-{series.colour}"
    return element(
        "g",
        element("title", said),
        element("line", x1=low, x2=high, y1=y, y2=y, class_=f"line {colour}"),
        [element("line", x1=at, x2=at, y1=y - 4, y2=y + 4, class_=f"line {colour}") for at in (low, high)],
        element("rect", x=first, y=y - 8, width=max(0.5, third - first), height=16, class_=f"box {colour}"),
        element("line", x1=median, x2=median, y1=y - 8, y2=y + 8, class_=f"line {colour}"),
        # Mark the mean if it differs from the median.
        element("path", d=f"M{mean - 3:.1f} {y - 3:g}l6 6m0 -6l-6 6", class_=f"line {colour}")
        if abs(mean - median) >= 0.5
        else None,
    )
