"""Charts: numbers in, SVG out. They need no script and no network, and have light, dark, print and text versions."""

from priorwise.charts.heat import heat_map as heat_map
from priorwise.charts.markup import Markup as Markup
from priorwise.charts.markup import Picture as Picture
from priorwise.charts.markup import chart_style as chart_style
from priorwise.charts.markup import element as element
from priorwise.charts.plots import box_plots as box_plots
from priorwise.charts.plots import dot_plot as dot_plot
from priorwise.charts.plots import line_chart as line_chart
from priorwise.charts.plots import reliability_plot as reliability_plot
from priorwise.charts.plots import scatter as scatter
from priorwise.charts.plots import share_bars as share_bars
from priorwise.charts.plots import two_curves as two_curves
