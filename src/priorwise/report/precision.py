"""How good the two rankings are: by what people said, or before that by what the run expects."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorwise.charts import Markup, box_plots, element
from priorwise.charts.markup import joined
from priorwise.discovery.pictures import names_of, precision_curves
from priorwise.discovery.status import SUBCATEGORY
from priorwise.report.expected import expected
from priorwise.report.parts import BASELINE, chance, code, command, figure, interval, note, path_word, share, table
from priorwise.report.reliability import reliability
from priorwise.report.subject import Subject
from priorwise.report.teaching import gain

KINDS = {
    "yes": "Accepted",
    SUBCATEGORY: "In a subcategory",
    "no": "Rejected",
    "unsure": "Unsure",
    "unjudged": "Not judged",
}


def precision(subject: Subject) -> Markup:
    """Return what the review says, or what there is to expect before one."""
    if subject.reviewed:
        return joined(
            _judged(subject),
            _boxes(subject),
            _tests(subject),
            reliability(subject),
            gain(subject),
            _kinds(subject),
            _reviewers(subject),
        )
    return joined(
        note(
            f"Nobody has judged the candidates {'blindly ' if subject.results['teachers'] else ''}yet, so precision, "
            "its tests and the number of new members are missing. Judge them blindly, and make this report again:"
        ),
        code(command("priorwise", "review", path_word(subject.path.name))),
        expected(subject),
        _known(subject),
        gain(subject),
    )


def _judged(subject: Subject) -> Markup:
    found = subject.results
    learned, laplace = (np.array(found["rankings"][name]["ppv"]) for name in ("learned", "laplace"))
    picture = precision_curves(learned, laplace, found["area_between"], mark=subject.k, names=names_of(subject.run))
    return joined(
        _unjudged(subject),
        figure(
            picture,
            "Precision@k: the share of members among the first k documents of each ranking. The area between the "
            f"curves, {found['area_between']:+.3f}, is the mean of their difference, in the colour of the higher "
            f"curve. The thin line marks k = {subject.k}.{_depth(subject)}",
        ),
    )


def _depth(subject: Subject) -> str:
    depth, longest = subject.results["depth"], max(len(subject.run.ranking), len(subject.run.baseline))
    if depth == longest or any(_missing(subject)):
        return ""
    # A curve that went on would fall for no other reason than that nobody has read on.
    return f" The curves end at k = {depth:,}: beyond it, not all documents are judged."


def _unjudged(subject: Subject) -> Markup | None:
    missing = _missing(subject)
    if not any(missing):
        return None
    return note(
        f"The review is not finished: of the first {subject.k:,} documents, {missing[0]:,} of the "
        f"{subject.ranked_by}’s ranking and {missing[1]:,} of the baseline’s are not judged. "
        "Only confirmed members count, so the figures are lower bounds."
    )


def _missing(subject: Subject) -> list[int]:
    """How many of the first k of each ranking are not judged."""
    return [subject.results["rankings"][name]["counts_at_k"]["unjudged"] for name in ("learned", "laplace")]


def _boxes(subject: Subject) -> Markup:
    names = _names(subject)
    spreads = [subject.results["rankings"][name]["at_k"] for name in ("learned", "laplace")]
    learned, laplace = spreads
    picture = box_plots(
        [(f"precision@{subject.k}", learned, laplace)],
        names_of(subject.run),
        x_name=f"precision@{subject.k}",
        summary=f"Box plots of precision@{subject.k}: {subject.ranked_by} {share(learned['value'])} "
        f"({interval(learned)}), baseline {share(laplace['value'])} ({interval(laplace)}).",
    )
    return joined(
        figure(picture, BOXES),
        table(
            f"Precision of the first {subject.k:,}",
            ["", f"precision@{subject.k}", "95% interval"],
            [[name, share(spread["value"]), interval(spread)] for name, spread in zip(names, spreads, strict=True)],
        ),
    )


BOXES = (
    "10,000 bootstrap samples of the judged documents: a box holds the middle half of them, its line is the median, "
    "the whiskers end at the 95% interval, and the grey line joins the means."
)


def _tests(subject: Subject) -> Markup:
    difference, one = subject.results["difference"], subject.found_by_one()
    spread: dict[str, Any] = difference["spread"]
    rows = [
        ["Fisher’s exact test", chance(difference["exact"]), "the documents that are in one of the two lists only"],
        [
            "McNemar’s exact test",
            chance(one.p),
            f"the documents that belong, each paired with itself: {one.first:,} are in the {subject.ranked_by}’s "
            f"list only, {one.second:,} in the baseline’s only, {one.both:,} in both",
        ],
        ["Welch’s t-test", chance(difference["t_test"]), "the paper’s; as if no document were in both lists"],
    ]
    return joined(
        element(
            "p",
            f"Among the first {subject.k:,} the {subject.ranked_by}’s precision minus the baseline’s is ",
            element("strong", f"{spread['value']:+.3f}"),
            f" (95% interval {interval(spread, '+')}; documents in both lists cancel).",
        ),
        table("Is the difference more than chance?", ["Test", "Result", "What it compares"], rows, text=(1, 2)),
    )


def _kinds(subject: Subject) -> Markup:
    rankings = subject.results["rankings"]
    columns = [(name, part) for name in ("learned", "laplace") for part in ("counts_at_k", "counts")]
    rows = [[words, *(f"{rankings[name][part][kind]:,}" for name, part in columns)] for kind, words in KINDS.items()]
    headings = [f"{name}, {part}" for name in _names(subject) for part in (f"first {subject.k:,}", "all")]
    return table("What the candidates are", ["", *headings], rows)


def _reviewers(subject: Subject) -> Markup:
    found = subject.results
    rows = [
        [each["name"], *(f"{each[word]:,}" for word in ("yes", "no", "unsure", "skip"))] for each in found["reviewers"]
    ]
    parts = [table("Reviewers", ["Name", "Yes", "No", "Unsure", "Skipped"], rows)]
    if found["agreement"]:
        pairs = [
            [
                f"{pair['first']} and {pair['second']}",
                f"{pair['documents']:,}",
                f"{pair['agreed']:.1%}",
                "not defined" if pair["kappa"] is None else f"{pair['kappa']:.3f} ({interval(pair)})",
            ]
            for pair in found["agreement"]
        ]
        parts.append(table("Agreement", ["Reviewers", "Documents", "The same", "Cohen’s κ (95% interval)"], pairs))
    return joined(parts)


def _known(subject: Subject) -> Markup | None:
    rankings = subject.results["rankings"]
    if not any(rankings[name]["counts"][SUBCATEGORY] for name in rankings):
        return None
    rows = [
        [name, *(f"{rankings[key][part][SUBCATEGORY]:,}" for part in ("counts_at_k", "counts"))]
        for name, key in zip(_names(subject), ("learned", "laplace"), strict=True)
    ]
    return table(
        "Candidates that are in a subcategory, and so are known to belong",
        ["", f"of the first {subject.k:,}", "of all"],
        rows,
    )


def _names(subject: Subject) -> tuple[str, str]:
    return subject.ranked_by.capitalize(), BASELINE
