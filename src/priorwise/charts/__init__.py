"""Charts: numbers in, SVG out. They need no script and no network, and have light, dark, print and text versions."""

from priorwise.charts.heat import heat_map
from priorwise.charts.markup import Markup, Picture, chart_style, element
from priorwise.charts.plots import box_plots, dot_plot, line_chart, reliability_plot, scatter, share_bars, two_curves

__all__ = [
    "Markup",
    "Picture",
    "box_plots",
    "chart_style",
    "dot_plot",
    "element",
    "heat_map",
    "line_chart",
    "reliability_plot",
    "scatter",
    "share_bars",
    "two_curves",
]
