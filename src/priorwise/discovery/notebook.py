"""A run as a notebook shows it: what was learned, and the first candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from priorwise.charts import Markup, element
from priorwise.counting import counted

if TYPE_CHECKING:
    from priorwise.discovery.run import Run


def run_html(run: Run, top: int = 10) -> Markup:
    """Return the run as HTML; everything is escaped, whatever the titles hold."""
    about = run.about
    label = about.label if about.label is not None else about.unnamed.capitalize()
    has = run.ranking.has_probabilities
    headings = ["rank", "title", *["probability"] * has, "baseline rank", "strongest words"]
    rows = [
        element(
            "tr",
            element("td", row["rank"]),
            element("td", element("bdi", row["title"])),
            element("td", f"{row['probability']:.2f}") if has else None,
            element("td", f"{row['baseline_rank']:,}"),
            element("td", row["evidence"]),
        )
        for row in run.ranking.rows(top)
    ]
    members, candidates = counted(about.members, "member"), counted(len(run.ranking), "candidate")
    return element(
        "div",
        element("p", element("b", label), f": {members}, {candidates}. "),
        [element("p", sentence) for sentence in run.ranker.describe()],
        element(
            "table",
            element("thead", element("tr", [element("th", heading, scope="col") for heading in headings])),
            element("tbody", rows),
        ),
    )
