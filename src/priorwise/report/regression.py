"""What the regression of a run learned: settings and how much each counts, its size, and how many members it misses."""

from __future__ import annotations

import math
from typing import Any

from priorwise.charts import Markup, element, share_bars
from priorwise.charts.markup import joined
from priorwise.counting import amount
from priorwise.discovery.words import regression_in_words
from priorwise.models.membership_trials import RANK_OFFSET
from priorwise.report.parts import figure, share, table
from priorwise.report.subject import Subject

LEAST = 0.005
"""Settings that count for less are shown together."""

STRONGEST_LABELS = 10


def regression(subject: Subject) -> Markup:
    """Return what ranks in a run with a second stage."""
    about = subject.run.about
    positive = about["predicted_positive"]
    # The share falls as the ranks rise.
    settings = sorted(about["regression"]["settings"], key=lambda each: -each["share"])
    shown = [each for each in settings if each["share"] >= LEAST]
    rest = settings[len(shown) :]
    bars = [(in_words(each), each["share"]) for each in shown]
    rows = [[name, share(part), found_at(each)] for (name, part), each in zip(bars, shown, strict=True)]
    if rest:
        others = (f"{len(rest)} other{'s' * (len(rest) > 1)}", sum(each["share"] for each in rest))
        bars.append(others)
        rows.append([others[0], share(others[1]), f"{found_at(rest[0])} or more"])
    picture = share_bars(
        bars,
        x_name="share",
        summary=f"How much each setting counts; most, {share(shown[0]['share'])}, {in_words(shown[0])}.",
    )
    return joined(
        element(
            "p",
            "The candidates are ranked by a regression of membership on the documents’ words. ",
            regression_in_words(about).replace("\n", " "),
        ),
        element(
            "p",
            f"The model has {subject.model_size:,} tokens with a weight. It predicts {positive['learned']:,} documents "
            f"to belong, those whose probability is above ½; Laplace’s prior predicts {positive['laplace']:,}.",
        ),
        _labels(subject),
        figure(
            picture,
            "What was tried, and how much it counts in the weights. The prior’s variance says how far a token’s weight "
            "may be from 0, and may be shared by tokens that are spelled alike; other labels of a document may say "
            "something; a text about the category counts as a member, or not; other documents that look like members "
            "are believed to be some, or not; one-sided, no document is asked to score exactly 1 or 0.",
        ),
        table("Settings", ["", "share", "typical rank of a member that was left out"], rows),
    )


def _labels(subject: Subject) -> Markup | None:
    """The labels that say most, if any do."""
    labels = subject.run.regression.labels if subject.run.regression is not None else None
    if labels is None or not len(labels.names):
        return None
    strongest = sorted(zip(labels.names, labels.adds.tolist(), strict=True), key=lambda each: (-abs(each[1]), each[0]))
    said = [element("li", element("bdi", name), f" {adds:+.2f}") for name, adds in strongest[:STRONGEST_LABELS]]
    beginning = "What other labels of a document add to its score"
    chosen = f"; the strongest {len(said)} of {len(strongest):,}" if len(said) < len(strongest) else ""
    return joined(element("p", f"{beginning}{chosen}:"), element("ul", said))


def in_words(setting: dict[str, Any]) -> str:
    """Return a setting in a few words.

    Examples
    --------
    >>> in_words({"variance": 800.0, "believed": 30, "one_sided": False, "shared": 0.5, "described": True})
    'variance 800/n, shared by spelling, with the description, 30 others believed'
    >>> in_words({"variance": 3000.0, "believed": 0, "one_sided": True, "labels": 0.25})
    'variance 3,000/n, with other labels, one-sided'
    """
    words = [f"variance {amount(setting['variance'])}/n"]
    # Runs of an earlier priorwise knew neither spelling nor a description that may be left aside.
    words += ["shared by spelling"] * bool(setting.get("shared")) + ["with the description"] * setting.get(
        "described", 0
    )
    words += ["with other labels"] * bool(setting.get("labels"))
    words += [f"{setting['believed']:,} others believed"] * (setting["believed"] > 0)
    return ", ".join(words + ["one-sided"] * setting["one_sided"])


def found_at(setting: dict[str, Any]) -> str:
    """Return at which rank a left-out member stands as a rule, by the mean of the logarithms.

    Examples
    --------
    >>> found_at({"log_rank": math.log(10 + 4)})
    '5'
    """
    return f"{max(1.0, math.exp(setting['log_rank']) - RANK_OFFSET):,.0f}"
