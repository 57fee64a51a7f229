"""Charts: numbers in, SVG out. They need no script and no network, and have light, dark, print and text versions."""

from priorwise.charts.bars import share_bars
from priorwise.charts.boxes import box_plots
from priorwise.charts.curves import two_curves
from priorwise.charts.dots import dot_plot
from priorwise.charts.heat import heat_map
from priorwise.charts.lines import line_chart
from priorwise.charts.markup import Markup, element
from priorwise.charts.picture import Picture, chart_style
from priorwise.charts.reliability import reliability_plot
from priorwise.charts.scatter import scatter

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
