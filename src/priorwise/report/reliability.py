"""Do probabilities mean what they say? What the run expected of the candidates, beside what people said of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.charts import Markup, element, reliability_plot
from priorwise.charts.markup import joined
from priorwise.discovery.status import SUBCATEGORY
from priorwise.report.parts import figure, share, table
from priorwise.report.subject import Subject

MOST_BINS = 10
FEWEST_IN_A_BIN = 10
_Z = 1.959963984540054
"""Of the normal distribution, for 95%."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Candidates of about the same probability: how many, the mean of what was stated, and how many were accepted."""

    documents: int
    stated: float
    accepted: int

    @property
    def share(self) -> float:
        """The share that was accepted."""
        return self.accepted / self.documents

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of that share (Wilson 1927).

        Examples
        --------
        >>> [round(end, 3) for end in Bin(10, 0.5, 5).interval], [round(end, 3) for end in Bin(10, 0.9, 10).interval]
        ([0.237, 0.763], [0.722, 1.0])
        """
        n, k = self.documents, self.accepted
        half = _Z * math.sqrt(k * (n - k) / n + _Z**2 / 4.0)
        return tuple(min(1.0, max(0.0, (k + _Z**2 / 2.0 + sign * half) / (n + _Z**2))) for sign in (-1, 1))  # type: ignore[return-value]


def binned(probabilities: Sequence[float], accepted: Sequence[bool]) -> list[Bin]:
    """Return bins of as many candidates each, by probability from high to low: at most ten, of ten at least.

    Examples
    --------
    >>> binned([0.9] * 10 + [0.2] * 10, [True] * 9 + [False] * 11)
    [Bin(documents=10, stated=0.9, accepted=9), Bin(documents=10, stated=0.2, accepted=0)]
    """
    stated, hits = np.asarray(probabilities, np.float64), np.asarray(accepted, np.bool_)
    order = np.argsort(-stated, kind="stable")
    parts = np.array_split(order, min(MOST_BINS, max(1, len(order) // FEWEST_IN_A_BIN)))
    return [Bin(len(part), _mean(stated[part]), int(hits[part].sum())) for part in parts if len(part)]


def reliability(subject: Subject) -> Markup | None:
    """Return the curve of what was stated against what was accepted, and both numbers in words."""
    stated, accepted = known_of(subject)
    if not stated or not subject.run.ranking.has_probabilities:
        return None
    bins = binned(stated, accepted)
    sum_stated, right = math.fsum(stated), sum(accepted)
    within = _Z * math.sqrt(math.fsum(p * (1.0 - p) for p in stated))
    words = (
        f"Of the {len(stated):,} judged candidates among the first {subject.results['depth']:,} the run expected "
        f"{sum_stated:,.0f} to belong, and {right:,} do. Were every probability right, the number would be between "
        f"{max(0.0, sum_stated - within):,.0f} and {min(float(len(stated)), sum_stated + within):,.0f} in 95 of 100 "
        f"cases.{_subcategories(subject)}"
    )
    picture = reliability_plot(
        [(each.stated, each.share, *each.interval) for each in bins],
        x_name="probability stated by the run",
        y_name="share that belongs",
        summary=f"Reliability curve: {sum_stated:,.0f} of {len(stated):,} judged candidates were expected to belong, "
        f"{right:,} do; the table has the figures.",
    )
    rows = [
        [
            share(each.stated),
            f"{each.documents:,}",
            f"{each.documents * each.stated:,.1f}",
            f"{each.accepted:,}",
            share(each.share),
            "{:.3f} to {:.3f}".format(*each.interval),
        ]
        for each in bins
    ]
    headings = ["Probability stated", "Documents", "Expected", "Belong", "Share", "95% interval"]
    return joined(
        element("p", words),
        figure(
            picture,
            "Candidates in groups of equal size by the probability that the run stated, against the share of each that "
            "belongs, with Wilson’s 95% interval. On the diagonal probabilities mean what they say; below it the run "
            "was too sure.",
        ),
        table("Are the probabilities right?", headings, rows),
    )


def known_of(subject: Subject) -> tuple[list[float], list[bool]]:
    """Return the probability of each candidate that was judged blindly or is in a subcategory, and if it belongs.

    Only as far from the top as the rankings are compared: what was judged beyond is in the other ranking's top, too,
    and so is no fair sample.
    """
    relevant = subject.relevant
    belongs = {
        each["id"]: each["id"] in relevant
        for each in subject.results["documents"]
        if each["verdict"] is not None or each["status"] == SUBCATEGORY
    }
    rows = [row for row in subject.run.ranking.rows(subject.results["depth"]) if row["id"] in belongs]
    return [row["probability"] for row in rows], [belongs[row["id"]] for row in rows]


def _subcategories(subject: Subject) -> str:
    counts = subject.results["rankings"]["learned"]["counts_at_k"]
    if not counts[SUBCATEGORY]:
        return ""
    return " Documents of a subcategory are among them, whether judged or not."


def _mean(values: NDArray[np.float64]) -> float:
    return math.fsum(values.tolist()) / len(values)
