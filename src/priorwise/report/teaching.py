"""What verdicts are worth: members found for each document judged, and what runs that learned from them expect."""

from __future__ import annotations

from collections.abc import Sequence

from priorwise.charts import Markup, element, line_chart
from priorwise.charts.markup import joined
from priorwise.counting import rounded
from priorwise.discovery.run import VerdictCounts
from priorwise.report.parts import figure, table
from priorwise.report.subject import Subject, expected_at

NAMES = {"blind": "blind", "teaching": "to teach"}


def gain(subject: Subject) -> Markup | None:
    """Return how many members were accepted for each document judged, blindly and to teach apart."""
    progress = {NAMES[kind]: found for kind, found in subject.results["progress"].items() if found}
    if not progress:
        return None
    said = "; ".join(
        f"{name}, {accepted[-1]:,} of {len(accepted):,} documents accepted" for name, accepted in progress.items()
    )
    picture = line_chart(
        [(name, [(0, 0), *enumerate(accepted, start=1)]) for name, accepted in progress.items()],
        x_name="documents judged",
        y_name="accepted",
        summary=f"Documents accepted against documents judged: {said}.",
    )
    rows = [
        [name.capitalize(), f"{len(accepted):,}", f"{accepted[-1]:,}", f"{accepted[-1] / len(accepted):.3f}"]
        for name, accepted in progress.items()
    ]
    return joined(
        figure(picture, "Documents accepted, in the order in which they were judged.", _apart(progress)),
        table("What a verdict yields", ["", "Judged", "Accepted", "For each"], rows),
    )


def _apart(progress: dict[str, list[int]]) -> str:
    if NAMES["teaching"] not in progress:
        return ""
    return (
        " To teach, the documents come first that the model is least sure of; what such a verdict is worth shows in a "
        "run that learns from it. They count in no figure of precision."
    )


def growth(subjects: Sequence[Subject]) -> Markup | None:
    """Return what runs of one category expect, against the number of verdicts that each learned from."""
    by_label: dict[str, list[Subject]] = {}
    for subject in subjects:
        if subject.run.about.label is not None:
            by_label.setdefault(subject.run.about.label, []).append(subject)
    parts = [_grown(label, sorted(own, key=lambda each: each.learned_from)) for label, own in by_label.items()]
    found = [part for part in parts if part is not None]
    return joined(element("h3", "What the verdicts taught"), found) if found else None


def _grown(label: str, subjects: Sequence[Subject]) -> Markup | None:
    subjects = [subject for subject in subjects if subject.run.ranking.has_probabilities]
    if len({subject.learned_from for subject in subjects}) < 2:
        return None
    k = min(250, *(len(subject.run.ranking) for subject in subjects))
    expected = [k * expected_at(subject.run.ranking, k) for subject in subjects]
    verdicts = [subject.run.about.verdicts or VerdictCounts() for subject in subjects]
    picture = line_chart(
        [
            (
                f"expected in the first {k:,}",
                [(subject.learned_from, number) for subject, number in zip(subjects, expected, strict=True)],
            ),
            (
                "with those accepted before",
                [
                    (subject.learned_from, number + own.accepted)
                    for subject, number, own in zip(subjects, expected, verdicts, strict=True)
                ],
            ),
        ],
        x_name="verdicts that the run learned from",
        y_name="members",
        summary=f"{label}: members expected in the first {k:,} of each run against the verdicts that it learned from; "
        "the table has the figures.",
    )
    rows = [
        [
            subject.name,
            f"{own.accepted:,}",
            f"{own.rejected:,}",
            f"{subject.run.about.members:,}",
            f"{number:,.0f}",
            _missing(subject),
        ]
        for subject, own, number in zip(subjects, verdicts, expected, strict=True)
    ]
    headings = ["Run", "Accepted before", "Rejected before", "Members", f"Expected in the first {k:,}", "Missing"]
    return joined(
        figure(
            picture,
            f"{label}: the probabilities of the first {k:,} candidates, added up, for each run by the number of "
            "verdicts that it learned from. What was accepted is no candidate again, so the lower line may fall while "
            "more is found; the upper one adds it.",
        ),
        table(f"Runs of {label} by verdicts", headings, rows),
    )


def _missing(subject: Subject) -> str:
    missing = subject.run.missing
    if missing is None:
        return "–"
    return f"{rounded(missing.expected)} ({rounded(missing.low)} to {rounded(missing.high)})"
