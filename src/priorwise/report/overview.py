"""Several runs side by side: figures 1 to 5 of the presence paper, its tables, and the tests over categories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from priorwise.charts import Markup, box_plots, dot_plot, element, scatter
from priorwise.charts.markup import joined
from priorwise.discovery.run import names_of
from priorwise.ranking.metrics import compare
from priorwise.report.appendix import BOXES, growth
from priorwise.report.parts import chance, figure, interval, note, share, table
from priorwise.report.subject import Subject, expected_at


def overview(subjects: Sequence[Subject]) -> Markup:
    """Return the comparison of categories."""
    reviewed = [subject for subject in subjects if subject.reviewed]
    return joined(
        _missing(subjects),
        _precision(reviewed) if reviewed else None,
        element("h3", "What was found"),
        _found(subjects),
        element("h3", "What was learned"),
        _learned(subjects),
        growth(subjects),
    )


def _missing(subjects: Sequence[Subject]) -> Markup | None:
    names = [subject.name for subject in subjects if not subject.reviewed]
    if not names:
        return None
    which = "No category has" if len(names) == len(subjects) else f"Not yet judged: {', '.join(names)}. These have not"
    return note(f"{which} been reviewed, so their precision and the number of new members are missing.")


def _precision(subjects: Sequence[Subject]) -> Markup:
    spreads = [[subject.results["rankings"][key]["at_k"] for key in ("learned", "laplace")] for subject in subjects]
    depths = sorted({subject.k for subject in subjects})
    at = f"precision@{depths[0]}" if len(depths) == 1 else f"precision@{depths[0]} to @{depths[-1]}"
    rows = [
        [
            subject.name,
            share(laplace["value"]),
            interval(laplace),
            share(learned["value"]),
            interval(learned),
            f"{learned['value'] - laplace['value']:+.3f}",
            f"{subject.results['area_between']:+.3f}",
            chance(subject.results["difference"]["exact"]),
        ]
        for subject, (learned, laplace) in zip(subjects, spreads, strict=True)
    ]
    headings = [
        "Category",
        "Baseline",
        "95% interval",
        "Learned",
        "95% interval",
        "Difference",
        "Area between",
        "p",
    ]
    picture = box_plots(
        [(subject.name, learned, laplace) for subject, (learned, laplace) in zip(subjects, spreads, strict=True)],
        _names(subjects),
        x_name=at,
        summary=f"Box plots of {at} of {len(subjects)} runs, learned and baseline; the table has the figures.",
    )
    figures = table(f"{at} by category; p is that of Fisher’s exact test", headings, rows)
    return joined(element("h3", "Precision"), figure(picture, BOXES), figures, _test(subjects))


def _test(subjects: Sequence[Subject]) -> Markup | None:
    if len(subjects) < 2:
        return None
    learned, laplace = (
        np.array([subject.results["rankings"][key]["at_k"]["value"] for subject in subjects])
        for key in ("learned", "laplace")
    )
    found = compare(learned, laplace)
    return element(
        "p",
        f"Over the {len(subjects)} runs the precision of the {_names(subjects)[0]} minus the baseline’s is "
        f"{found.difference:+.3f} on average: ahead in {found.ahead}, behind in {found.behind}. "
        f"Paired over runs, Wilcoxon’s signed-rank test gives {chance(found.wilcoxon)}, "
        f"the paired t-test {chance(found.t_test)}.",
    )


def _found(subjects: Sequence[Subject]) -> Markup:
    counts = [subject.counts() for subject in subjects]
    kinds = ("category", "subcategory", "new")
    names = ("in the category", "found in a subcategory", "new")
    first = dot_plot(
        [(subject.name, [own[kind] for kind in kinds]) for subject, own in zip(subjects, counts, strict=True)],
        names,
        x_name="documents",
        summary="Documents in each category, found in its subcategories, and new; the table has the figures.",
    )
    predicted = [[stage.predicted for stage in (subject.run.ranker, subject.run.compared)] for subject in subjects]
    second = dot_plot(
        [(subject.name, [n or 0 for n in both]) for subject, both in zip(subjects, predicted, strict=True)],
        _names(subjects),
        x_name="documents predicted to belong",
        summary="Documents that each model predicts to belong, by category; the table has the figures.",
    )
    rows = [
        [
            subject.name,
            *(f"{own[kind]:,}" for kind in kinds),
            *("–" if number is None else f"{number:,}" for number in both),
        ]
        for subject, own, both in zip(subjects, counts, predicted, strict=True)
    ]
    headings = ["Category", *(name.capitalize() for name in names), "Predicted, learned", "Predicted, baseline"]
    return joined(
        figure(first, "The three sets share no document: members, candidates of a subcategory, and new ones."),
        figure(second, "How many documents of the whole corpus each model predicts to belong."),
        table("Documents by category", headings, rows),
    )


def _learned(subjects: Sequence[Subject]) -> Markup:
    sizes = [(each.run.about.members, each.model_size) for each in subjects]
    by_size = scatter(
        [(subject.name, *size) for subject, size in zip(subjects, sizes, strict=True)],
        x_name="members of the category",
        y_name="words of the model",
        summary="Size of the category against size of the model; the table has the figures.",
    )
    rows = [
        [
            subject.name,
            f"{members:,}",
            f"{words:,}",
            repr(subject.run.prior),
            share(expected_at(subject.run.ranking, subject.k)),
        ]
        for subject, (members, words) in zip(subjects, sizes, strict=True)
    ]
    headings = ["Category", "Members", "Words", "Prior", "Expected precision"]
    return joined(
        figure(by_size, "The size of each category and the size of its model."),
        _strengths(subjects),
        table("Priors by category", headings, rows, text=(3,)),
    )


def _strengths(subjects: Sequence[Subject]) -> Markup | None:
    """The ratio of the strengths, where every ranking is by a presence model."""
    points = [
        (subject.name, subject.model_size, ratio)
        for subject in subjects
        if (ratio := subject.run.ranker.strength_ratio) is not None
    ]
    if len(points) < len(subjects):
        return None
    picture = scatter(
        points,
        x_name="words of the model",
        y_name="λ− / λ+",
        summary="Size of the model against the ratio of the strengths; the table has the priors.",
    )
    return figure(picture, "The size of each model and the ratio of its learned strengths.")


def _names(subjects: Sequence[Subject]) -> tuple[str, str]:
    """What the rankings are called, if all runs call them the same."""
    names = {names_of(subject.run) for subject in subjects}
    return names.pop() if len(names) == 1 else ("learned model", "baseline")
