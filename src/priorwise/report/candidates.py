"""The top of the list, and why each document is there."""

from __future__ import annotations

import re

from priorwise.charts import Markup, element
from priorwise.charts.markup import joined
from priorwise.discovery.status import ARROW
from priorwise.report.parts import outside, table
from priorwise.report.subject import Subject

TOP = 50
_EVIDENCE = re.compile(r"(\S.*?):([+-]\d+\.\d\d)(?=\s|$)")


def candidates(subject: Subject, top: int = TOP) -> Markup:
    """Return the first candidates of the run's ranking."""
    run = subject.run
    has_graph = run.about.subcategories is not None
    verdicts = {each["id"]: each["decided"] for each in subject.results["documents"]}
    is_judged = any(verdicts.values())
    has = run.ranking.has_probabilities
    headings = ["Title", "Rank", *["Probability"] * has, "Baseline rank", "Strongest words"]
    rows = []
    for row in run.ranking.rows(top):
        cells = [
            outside(subject.addresses.get(row["id"]), row["title"]),
            f"{row['rank']:,}",
            *([f"{row['probability']:.2f}"] if has else []),
            f"{row['baseline_rank']:,}",
            evidence(row["evidence"]),
        ]
        cells += [_status(row["path"], row["status"], run.about.label)] if has_graph else []
        cells += [_verdict(verdicts.get(row["id"]))] if is_judged else []
        rows.append(cells)
    headings += (["Status"] if has_graph else []) + (["Verdict"] if is_judged else [])
    by_length = ", before the division by length" if run.model.length_power else ""
    shown = min(top, len(run.ranking))
    caption = f"The first {shown:,} of {len(run.ranking):,} candidates"
    return joined(
        table(caption, headings, rows, text=range(3 + has, len(headings))),
        element(
            "p",
            f"Each word is shown with what it adds to the score{by_length}. The baseline rank is the document’s place "
            "in the baseline’s whole ranking.",
            class_="quiet",
        ),
    )


def evidence(line: str) -> Markup:
    """Return a line of evidence as tokens and labels with their weights.

    Examples
    --------
    >>> print(evidence("a:b:+1.50 c:-0.25"))
    <span class="token">a:b <b>+1.50</b></span> <span class="token against">c <b>−0.25</b></span>
    >>> print(evidence("[Hot drinks]:+0.50"))
    <span class="token">[Hot drinks] <b>+0.50</b></span>
    """
    parts = []
    for token, weight in _EVIDENCE.findall(line):
        against = weight.startswith("-")
        number = element("b", weight.replace("-", "−"))
        parts.append(element("span", token, " ", number, class_="token against" if against else "token"))
    return Markup(" ".join(parts))


def _status(path: str | None, status: str | None, label: str | None) -> str:
    return path.removeprefix(f"{label}{ARROW}") if path is not None else status or ""


def _verdict(word: str | None) -> Markup:
    return element("span", word or "not judged", class_=f"verdict {word or 'none'}")
