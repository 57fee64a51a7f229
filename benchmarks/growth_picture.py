"""Curves of time and memory against size, on logarithmic axes: the picture of every script that measures growth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

STYLES = ("o-", "s--", "^:")

Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """A curve for each library."""

    title: str
    curves: dict[str, Points]


def draw(rows: list[tuple[str, list[Panel]]], title: str, path: Path) -> None:
    """Draw rows of panels; each row has the name of what grows."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    size = len(rows), len(rows[0][1])
    figure, axes = plt.subplots(*size, figsize=(11, 3 * size[0]), layout="constrained", sharex="row", squeeze=False)
    for line, (grows, panels) in zip(axes, rows, strict=True):
        for place, panel in zip(line, panels, strict=True):
            for style, (library, points) in zip(STYLES, panel.curves.items(), strict=False):
                place.plot(*zip(*points, strict=True), style, label=library)
            place.set(xscale="log", yscale="log", xlabel=grows, title=panel.title)
            place.grid(alpha=0.3)
            _label_plainly(place.xaxis)
            _label_plainly(place.yaxis)
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=len(STYLES))
    figure.suptitle(title)
    figure.savefig(path, dpi=110)


def _label_plainly(axis: Any) -> None:
    """Numbers as people write them, and more of them where the axis is short."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    least, most = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if most < 100 * least else (1.0,)))
    axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axis.set_minor_formatter(NullFormatter())
