"""A finished chart, for a page or a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from priorwise.charts.markup import Markup, element


@dataclass(frozen=True)
class Picture:
    """A chart. Notebooks display it, and ``save`` writes it as an SVG file.

    Parameters
    ----------
    parts : Markup
        What is drawn.
    width, height : float
        Of the drawing, in its own units.
    summary : str
        What it shows, in a sentence, for those who do not see it.
    """

    parts: Markup
    width: float
    height: float
    summary: str

    def __repr__(self) -> str:
        return f"<Picture: {self.summary}>"

    @property
    def svg(self) -> Markup:
        """The drawing, to be styled by `chart_style`."""
        return self._svg()

    def _svg(self, *before: Markup, xmlns: str | None = None) -> Markup:
        return element(
            "svg",
            *before,
            self.parts,
            xmlns=xmlns,
            class_="picture",
            viewBox=f"0 0 {self.width:g} {self.height:g}",
            role="img",
            aria_label=self.summary,
        )

    def _repr_html_(self) -> str:
        return self._svg(element("style", Markup(chart_style())))

    def save(self, path: str | Path) -> None:
        """Write an SVG file that looks the same everywhere."""
        own = self._svg(element("style", Markup(chart_style())), xmlns="http://www.w3.org/2000/svg")
        Path(path).write_text(own + "\n", encoding="utf-8")


@cache
def chart_style() -> str:
    """Return the style that all charts share."""
    return (Path(__file__).parent / "chart.css").read_text(encoding="utf-8")
