"""An objective map: a value for each pair of numbers, the paths of the searches, and where they ended."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.charts.markup import Markup, Picture, data_address, element, joined, png
from priorwise.charts.scales import Scale, across, upwards
from priorwise.kernels import Floats

Point = tuple[float, float]

PIXELS = 300
_RAMP = np.array([[38, 24, 74], [52, 78, 122], [74, 128, 140], [126, 173, 132], [205, 208, 118], [252, 240, 170]])


def heat_map(
    grid: ArrayLike,
    values: ArrayLike,
    *,
    x_name: str,
    y_name: str,
    value_name: str,
    best: tuple[str, Point],
    others: Sequence[tuple[str, Point]] = (),
    paths: Sequence[Sequence[Point]] = (),
    summary: str,
) -> Picture:
    """Draw values over a grid of positive numbers, on axes of decades."""
    numbers, heights = np.asarray(grid, np.float64), np.asarray(values, np.float64)
    edges = cell_edges(numbers)
    x, y = Scale(edges[0], edges[-1], 60, 380, log=True), Scale(edges[0], edges[-1], 354, 34, log=True)
    low, high = float(np.nanmin(heights)), float(np.nanmax(heights))
    address = data_address(png(_pixels(edges, heights, low, high), _palette()))
    place = {"x": x.start, "y": y.end, "width": x.end - x.start, "height": y.start - y.end}
    image = element("image", **place, href=address, preserveAspectRatio="none")
    drawn = [_way(path, x, y) for path in paths if len(path) > 1]
    beside = 420.0
    drawn += [_marked(name, point, x, y, beside, 300 + 24 * i, best=False) for i, (name, point) in enumerate(others)]
    drawn.append(_marked(best[0], best[1], x, y, beside, 276, best=True))
    axes = [across(x, x_name, y.end, y.start), upwards(y, y_name, x.start, x.end)]
    return Picture(joined(axes, image, drawn, _colours(low, high, value_name, beside)), 640, 396, summary)


def cell_edges(grid: Floats) -> Floats:
    """Return the borders between cells: halfway between their numbers, on a logarithmic axis.

    Examples
    --------
    >>> cell_edges(np.array([1.0, 4.0])).tolist()
    [0.5, 2.0, 8.0]
    """
    logs = np.log2(grid)
    if len(logs) == 1:
        return np.array([grid[0] / 2, grid[0] * 2])
    inner = (logs[1:] + logs[:-1]) / 2
    ends = [2 * logs[0] - inner[0]], inner, [2 * logs[-1] - inner[-1]]
    return np.exp2(np.concatenate(ends))


def _pixels(edges: Floats, heights: Floats, low: float, high: float) -> NDArray[np.uint8]:
    at = np.exp(np.linspace(np.log(edges[0]), np.log(edges[-1]), 2 * PIXELS + 1)[1::2])
    cell = np.clip(np.searchsorted(edges, at) - 1, 0, len(edges) - 2)
    seen = heights[np.ix_(cell[::-1], cell)]
    share = (seen - low) / (high - low) if high > low else np.where(np.isnan(seen), np.nan, 1.0)
    # Entry 0 of the palette is transparent.
    return np.where(np.isnan(seen), 0, 1 + np.round(254 * np.nan_to_num(share))).astype(np.uint8)


def _palette() -> NDArray[np.uint8]:
    places = np.linspace(0, len(_RAMP) - 1, 255)
    colours = np.stack([np.interp(places, np.arange(len(_RAMP)), _RAMP[:, i]) for i in range(3)], axis=1)
    opaque = np.hstack([colours.round(), np.full((255, 1), 255)])
    return np.vstack([np.zeros((1, 4)), opaque]).astype(np.uint8)


def _way(path: Sequence[Point], x: Scale, y: Scale) -> Markup:
    points = " ".join(f"{float(x(a)):.1f},{float(y(b)):.1f}" for a, b in path)
    return joined(element("polyline", points=points, class_="halo"), element("polyline", points=points, class_="climb"))


def _marked(name: str, point: Point, x: Scale, y: Scale, beside: float, below: float, *, best: bool) -> Markup:
    style = "found" if best else "start"

    def sign(left: float, top: float, *inside: Markup) -> Markup:
        if best:
            return element("path", *inside, d=f"M{left:.1f} {top - 7:.1f}l7 7l-7 7l-7 -7Z", class_=style)
        return element("circle", *inside, cx=left, cy=top, r=5, class_=style)

    return joined(
        sign(float(x(point[0])), float(y(point[1])), element("title", name)),
        sign(beside + 6, below),
        element("text", name, x=beside + 20, y=below + 4),
    )


def _colours(low: float, high: float, name: str, left: float) -> Markup:
    ramp = np.repeat(np.arange(255, 0, -1, dtype=np.uint8)[:, np.newaxis], 2, axis=1)
    address = data_address(png(ramp, _palette()))
    return joined(
        element("text", name, x=left, y=26),
        element("image", x=left, y=36, width=16, height=200, href=address, preserveAspectRatio="none"),
        element("text", f"{high:.3g}", x=left + 24, y=46, class_="tick"),
        element("text", f"{low:.3g}", x=left + 24, y=236, class_="tick"),
    )
