"""What each model of a run learned: in sentences, as a picture, and in figures."""

from __future__ import annotations

from priorwise.charts import Markup, element
from priorwise.charts.markup import joined
from priorwise.discovery.stage import COMPARES, NARROWS, Stage
from priorwise.report.parts import figure, note, table
from priorwise.report.subject import Subject

STRONGEST = 10
"""How many other categories are named."""


def stage_sections(subject: Subject) -> list[tuple[str, Markup]]:
    """Return a heading and what to say for each stage that learned something, the one that ranks first."""
    learned = [stage for stage in reversed(subject.run.stages) if stage.model is not None]
    return [(stage.title.capitalize(), _section(subject, stage)) for stage in learned]


def _section(subject: Subject, stage: Stage) -> Markup:
    run, figures, drawing = subject.run, stage.table(), stage.drawing()
    roles = {
        NARROWS: "This model chose which documents the default model reads: half by its score, half at random.",
        COMPARES: "This model is here to compare; it did not take part in the ranking.",
    }
    return joined(
        element("p", roles[stage.role]) if stage.role in roles else None,
        [_sentence(each) for each in stage.describe()],
        _size(subject, stage) if stage is run.ranker else None,
        _other_categories(stage),
        None if drawing is None else figure(drawing.picture, drawing.caption),
        None if figures is None else table(figures.caption, figures.headings, figures.rows),
    )


def _sentence(text: str) -> Markup:
    return note(text) if text.startswith("Note:") else element("p", text)


def _size(subject: Subject, stage: Stage) -> Markup:
    compared = subject.run.compared
    said = f"The model has {subject.model_size:,} words with a weight."
    if stage.predicted is not None:
        said += f" It predicts {stage.predicted:,} documents to be members"
        said += "." if compared.predicted is None else f"; {compared.title} predicts {compared.predicted:,}."
    return element("p", said)


def _other_categories(stage: Stage) -> Markup | None:
    """The other categories that add most, if any do."""
    labels = stage.model.groups.get("labels") if stage.model is not None else None
    if labels is None:
        return None
    strongest = sorted(labels.by_name.items(), key=lambda each: (-abs(each[1]), each[0]))
    rows = [element("li", element("bdi", name), f" {adds:+.2f}") for name, adds in strongest[:STRONGEST]]
    chosen = f"; the strongest {len(rows)} of {len(strongest):,}" if len(rows) < len(strongest) else ""
    return joined(element("p", f"What other categories of a document add to its score{chosen}:"), element("ul", rows))
