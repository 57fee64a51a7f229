"""Two curves, and the area between them in the colour of the higher one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.charts.frame import Series, across, legend, upwards
from priorwise.charts.markup import element, joined
from priorwise.charts.picture import Picture
from priorwise.charts.scales import Scale

Floats = NDArray[np.float64]


def two_curves(
    first: ArrayLike,
    second: ArrayLike,
    names: tuple[str, str],
    *,
    x_name: str,
    y_name: str,
    mark: int | None = None,
    summary: str,
) -> Picture:
    """Draw two curves over 1, 2, 3, …; the second one dashed.

    Parameters
    ----------
    first, second : array
        The curves, values from 0 to 1; they need not be equally long.
    names : (str, str)
    x_name, y_name : str
        The axes.
    mark : int, optional
        A place to mark by a line.
    summary : str
        What the chart shows, for those who do not see it.

    Examples
    --------
    >>> two_curves([1, 0.5], [0, 0.5], ("new", "old"), x_name="k", y_name="PPV@k", summary="New is ahead.")
    <Picture: New is ahead.>
    """
    curves = [np.asarray(curve, np.float64) for curve in (first, second)]
    series = [Series(names[0], 1), Series(names[1], 2, dashed=True)]
    longest = max(2, *(len(curve) for curve in curves))
    highest = max((float(curve.max()) for curve in curves if len(curve)), default=1.0)
    x, y = Scale(1, longest, 48, 612), Scale(0, min(1.0, max(0.05, 1.1 * highest)), 250, 40)
    n = min(len(curve) for curve in curves)
    upper = np.maximum(curves[0][:n], curves[1][:n])
    areas = [
        element("path", d=_between(upper, curve[:n], x, y), class_=f"area {own.style}")
        for own, curve in zip(series, curves[::-1], strict=True)
        if n > 1
    ]
    lines = [
        element("path", d=_path(curve, x, y), class_=f"line {own.style}")
        for own, curve in zip(series, curves, strict=True)
    ]
    marked = None
    if mark is not None and 1 <= mark <= longest:
        at = float(x(mark))
        marked = element("line", x1=at, x2=at, y1=y.end, y2=y.start, class_="link thin")
    axes = [across(x, x_name, y.end, y.start), upwards(y, y_name, x.start, x.end)]
    return Picture(joined(axes, areas, marked, lines, legend(series, 20)), 640, 292, summary)


def _path(curve: Floats, x: Scale, y: Scale) -> str:
    return "M" + _points(range(1, len(curve) + 1), curve, x, y) if len(curve) else ""


def _between(upper: Floats, lower: Floats, x: Scale, y: Scale) -> str:
    there = np.arange(1, len(upper) + 1)
    return f"M{_points(there, upper, x, y)}L{_points(there[::-1], lower[::-1], x, y)}Z"


def _points(at: Iterable[int], values: Floats, x: Scale, y: Scale) -> str:
    xs, ys = x(np.fromiter(at, np.float64)), y(values)
    return "L".join(f"{left:.1f} {top:.1f}" for left, top in zip(xs.tolist(), ys.tolist(), strict=True))
