"""The charts: bars, boxes, curves, dots, lines, scatter and reliability."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap

import numpy as np
from numpy.typing import ArrayLike

from priorwise.charts.markup import Markup, Picture, element, joined
from priorwise.charts.scales import Scale, Series, across, around, clipped, legend, spots_for, upwards
from priorwise.kernels import Floats

LEFT, TOP = 200, 36
_LABEL = 40
"""How many characters of a bar's name fit on a line; a name has two."""

DOTS = 30
"""A line of more points than these is drawn without dots."""


def share_bars(rows: Sequence[tuple[str, float]], *, x_name: str, summary: str) -> Picture:
    """Draw shares, each from 0 to 1, as bars one below the other.

    Examples
    --------
    >>> share_bars([("few", 0.25), ("many", 0.75)], x_name="share", summary="Many are three quarters.")
    <Picture: Many are three quarters.>
    """
    top, left, row = 12, 270, 32
    bottom = top + row * len(rows)
    longest = max((share for _, share in rows), default=1.0)
    x = Scale(0, min(1.0, max(0.05, 1.05 * longest)), left, 612)
    drawn = []
    names = told_apart([name for name, _ in rows])
    for number, ((name, share), shown) in enumerate(zip(rows, names, strict=True)):
        y = top + row * (number + 0.5)
        lines = wrap(shown, _LABEL, max_lines=2, placeholder="…")
        for line, text in enumerate(lines):
            drawn.append(element("text", text, x=left - 10, y=y + 4 + 13 * (line - (len(lines) - 1) / 2), class_="end"))
        said = element("title", f"{name}: {share:.3f}")
        wide = max(0.5, float(x(share)) - left)
        drawn.append(element("rect", said, x=left, y=y - 8, width=wide, height=16, class_="box series-1"))
    return Picture(joined(across(x, x_name, top, bottom), drawn), 640, bottom + 44, summary)


def told_apart(names: Sequence[str]) -> list[str]:
    """Return names without the parts, between commas, that all of them have.

    Examples
    --------
    >>> told_apart(["variance 1, titles, one-sided", "variance 4, titles, one-sided", "variance 4, titles"])
    ['variance 1, one-sided', 'variance 4, one-sided', 'variance 4']
    """
    parts = [name.split(", ") for name in names]
    common = set.intersection(*map(set, parts)) if len(parts) > 1 else set()
    return [", ".join(part for part in own if part not in common) or ", ".join(own) for own in parts]


def box_plots(
    rows: Sequence[tuple[str, Mapping[str, float], Mapping[str, float]]],
    names: tuple[str, str],
    *,
    x_name: str,
    summary: str,
) -> Picture:
    """Draw two boxes for each row, one above the other, and a line between their means."""
    series = [Series(names[0], 1), Series(names[1], 2)]
    row = 58
    bottom = TOP + row * len(rows)
    highest = max(spread["high"] for _, *both in rows for spread in both)
    x = Scale(0, min(1.0, max(0.05, 1.05 * highest)), LEFT, 612)
    drawn = []
    for number, (name, first, second) in enumerate(rows):
        middle = TOP + row * (number + 0.5)
        drawn.append(element("text", clipped(name), x=LEFT - 10, y=middle + 4, class_="end"))
        ends = {"x1": float(x(first["mean"])), "x2": float(x(second["mean"]))}
        drawn.append(element("line", **ends, y1=middle - 13, y2=middle + 13, class_="link"))
        drawn.append(_box(first, series[0], x, middle - 13, f"{name}, {names[0]}"))
        drawn.append(_box(second, series[1], x, middle + 13, f"{name}, {names[1]}"))
    return Picture(joined(across(x, x_name, TOP, bottom), drawn, legend(series, 18)), 640, bottom + 44, summary)


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


def _dot(said: str, left: float, top: float, style: str, size: int = 4) -> Markup:
    return element("circle", element("title", said), cx=left, cy=top, r=size, class_=style)


def dot_plot(
    rows: Sequence[tuple[str, Sequence[float]]], names: Sequence[str], *, x_name: str, summary: str
) -> Picture:
    """Draw the numbers of each row as dots on a logarithmic axis; nothing is drawn for 0."""
    # All but the first are hollow, so that dots in the same place stay visible.
    series = [Series(name, i, dot="hollow" if i > 1 else "solid") for i, name in enumerate(names, start=1)]
    row = 30
    bottom = TOP + row * len(rows)
    positive = [value for _, values in rows for value in values if value > 0] or [1.0]
    x = Scale(*around(positive, log=True), LEFT, 612, log=True)
    drawn = []
    for number, (name, values) in enumerate(rows):
        y = TOP + row * (number + 0.5)
        there = [(float(x(value)), value, own) for own, value in zip(series, values, strict=True) if value > 0]
        drawn.append(element("text", clipped(name), x=LEFT - 10, y=y + 4, class_="end"))
        if there:
            ends = [at for at, _, _ in there]
            drawn.append(element("line", x1=min(ends), x2=max(ends), y1=y, y2=y, class_="link"))
        drawn += [
            _dot(f"{name}, {own.name}: {value:,.6g}", at, y, f"{own.dot} {own.style}", 5) for at, value, own in there
        ]
    return Picture(joined(across(x, x_name, TOP, bottom), drawn, legend(series, 18)), 640, bottom + 44, summary)


def line_chart(
    lines: Sequence[tuple[str, Sequence[tuple[float, float]]]], *, x_name: str, y_name: str, summary: str
) -> Picture:
    """Draw at most four lines; both axes begin at 0.

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
                _dot(f"{name}: {point[0]:,.6g}, {point[1]:,.6g}", *at, f"solid series-{own.colour}")
                for point, at in zip(points, there, strict=True)
            ]
    axes = [across(x, x_name, y.end, y.start), upwards(y, y_name, x.start, x.end)]
    return Picture(joined(axes, drawn, legend(series, 20) if len(lines) > 1 else None), 640, 292, summary)


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
    for (name, *numbers), at in zip(points, dots, strict=True):
        drawn.append(_dot(f"{name}: {numbers[0]:,.6g}, {numbers[1]:,.6g}", *at, "solid series-1", 5))
    spots = spots_for(names, dots, (x.start, y.end - 6, 636, y.start + 6))
    for name, (left, top), spot in zip(names, dots, spots, strict=True):
        if spot.rise:
            near = spot.x + (2 if spot.is_left else -2)
            drawn.append(element("line", x1=left, y1=top, x2=near, y2=spot.y, class_="leader"))
        drawn.append(element("text", name, x=spot.x, y=spot.y + 4, class_="end" if spot.is_left else None))
    axes = [across(x, x_name, y.end, y.start), upwards(y, y_name, x.start, x.end)]
    return Picture(joined(axes, drawn), 640, 292, summary)


def reliability_plot(
    points: Sequence[tuple[float, float, float, float]], *, x_name: str, y_name: str, summary: str
) -> Picture:
    """Draw observed shares with their intervals over stated probabilities. On the diagonal they agree.

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
