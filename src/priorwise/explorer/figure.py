"""The view as a plotly figure, for notebooks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import MissingExtra
from priorwise.explorer.family import Setting
from priorwise.explorer.view import View

Floats = NDArray[np.float64]

DRAWN = 3_000
"""How many documents of each kind a figure holds: it is written into the notebook."""

CLIPPED = {False: 0.5, True: 1.0}
"""Per cent of the others, and of the members, at each end that do not widen the figure; one can still zoom out."""

MARGIN = 0.04

MEMBER, OTHER, INK, FAINT = "#b5542c", "#1f6384", "#59636b", "#c3c9cd"


def plot_view(view: View, setting: Setting) -> Any:
    """Draw training and held-out documents side by side, members and others apart, and the decision line."""
    try:
        from plotly.graph_objects import Figure, Scatter
        from plotly.subplots import make_subplots
    except ImportError as error:
        raise MissingExtra("plotly", "web") from error
    shown, points, axes = view.documents, view.points(setting), setting.family.axes
    up = points.odds if axes.up is None else points.y
    measures = view.measures(setting)
    titles = [
        f"{title}: F1 {of.f1:.3f}<br>precision {of.precision:.3f}, recall {of.recall:.3f}"
        for title, of in (("Training", measures["training"]), ("Held out", measures["held_out"]))
    ]
    figure: Figure = make_subplots(1, 2, subplot_titles=titles, shared_xaxes="all", shared_yaxes="all")
    generator = np.random.default_rng(0)
    for column, part in enumerate((~shown.held_out, shown.held_out), start=1):
        for name, mask, colour, symbol in (
            ("other", ~shown.member & part, OTHER, "diamond"),
            ("member", shown.member & part, MEMBER, "triangle-up"),
        ):
            places = np.flatnonzero(mask)
            if len(places) > DRAWN:
                places = np.sort(generator.choice(places, DRAWN, replace=False))
            figure.add_trace(
                Scatter(
                    x=points.x[places].round(3),
                    y=up[places].round(3),
                    text=[title.replace("<", "&lt;") for title in view.corpus.titles(shown.rows[places])],
                    mode="markers",
                    name=name,
                    marker={"color": colour, "symbol": symbol, "size": 6, "opacity": 0.6},
                    legendgroup=name,
                    showlegend=column == 1,
                    hovertemplate="%{text}<br>(%{x:.1f}, %{y:.1f})",
                ),
                row=1,
                col=column,
            )
        ends = [float(min(points.x.min(), up.min())), float(max(points.x.max(), up.max()))]
        # Where both coordinates are log odds, documents on the diagonal have not moved, and 0 decides.
        drawn = (
            [("decision line", ends, INK)] if axes.up else [("decision line", [0, 0], INK), ("not moved", ends, FAINT)]
        )
        for name, heights, colour in drawn:
            line = {"x": ends, "y": heights, "mode": "lines", "line": {"color": colour}, "hoverinfo": "skip"}
            figure.add_trace(Scatter(**line, name=name, showlegend=column == 1), row=1, col=column)
        figure.update_xaxes(title_text=axes.across, row=1, col=column)
    figure.update_yaxes(title_text=axes.up or "log odds now", row=1, col=1)
    # Both coordinates are of one kind, so that y = x is the diagonal.
    seen = extent(np.column_stack([points.x, up]), shown.member)
    figure.update_xaxes(range=seen)
    figure.update_yaxes(range=seen)
    figure.update_annotations(font_size=13)
    figure.update_layout(
        title=f"{view.label.replace('<', '&lt;')}, {setting}",
        template="plotly_white",
        height=520,
        legend={"orientation": "h", "yanchor": "top", "y": -0.16},
    )
    return figure


def extent(points: Floats, member: NDArray[np.bool_]) -> list[float]:
    """Return the ends of both axes: nearly all others and nearly all members lie between them.

    Examples
    --------
    >>> points = np.column_stack([np.arange(1001.0), np.arange(1001.0)])
    >>> points[0] = -1e6
    >>> extent(points, np.arange(1001) % 2 == 1)
    [-34.6, 1034.6]
    """
    ends = [
        np.percentile(points[member == kind], [cut, 100 - cut], axis=0)
        for kind, cut in CLIPPED.items()
        if np.any(member == kind)
    ]
    low, high = float(np.min(ends)), float(np.max(ends))
    room = MARGIN * (high - low) or 1.0
    return [low - room, high + room]
