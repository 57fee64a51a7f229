"""Charts: numbers in, SVG out. No script and no network; light, dark and paper; words for those who do not see them."""

from priorwise.charts.boxes import box_plots
from priorwise.charts.curves import two_curves
from priorwise.charts.dots import dot_plot
from priorwise.charts.heat import heat_map
from priorwise.charts.markup import Markup, element
from priorwise.charts.picture import Picture, chart_style
from priorwise.charts.scatter import scatter

__all__ = [
    "Markup",
    "Picture",
    "box_plots",
    "chart_style",
    "dot_plot",
    "element",
    "heat_map",
    "scatter",
    "two_curves",
]
