"""What is found for many categories, as two tables: the candidates, and the categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from priorwise.corpus import Corpus
from priorwise.discovery.many_learning import LearnedLabel
from priorwise.discovery.run import Run
from priorwise.ranking.evidence import evidence_lines
from priorwise.ranking.scorer import Top

TABLE = pa.schema(
    {
        "label": pa.string(),
        "rank": pa.int32(),
        "id": pa.string(),
        "title": pa.string(),
        "score": pa.float64(),
        "probability": pa.float64(),
        "evidence": pa.string(),
    }
)
LABELS = pa.schema(
    {
        "label": pa.string(),
        "members": pa.int64(),
        "missing": pa.float64(),
        "missing_low": pa.float64(),
        "missing_high": pa.float64(),
        "prior": pa.string(),
        "length_power": pa.float64(),
        "leave_one_out": pa.float64(),
        "predicted_positive": pa.int64(),
    }
)


@dataclass(frozen=True)
class ManyFound:
    """What was found for many categories.

    Attributes
    ----------
    candidates : pyarrow.Table
        The best documents of each category: label, rank, id, title, score, probability, evidence.
    labels : pyarrow.Table
        Each category with its members, the estimated number of missing ones with its 80% interval (default model), its
        prior, the leave-one-out value of the objective there (presence model), and how many documents are predicted to
        be members.
    """

    candidates: pa.Table
    labels: pa.Table


def labels_table(runs: Sequence[Run]) -> pa.Table:
    """Return a row for each run."""
    rows = []
    for run in runs:
        missing, facts = run.missing, run.ranker.facts()
        rows.append(
            {
                "label": run.about.label,
                "members": run.about.members,
                "missing": None if missing is None else missing.expected,
                "missing_low": None if missing is None else missing.low,
                "missing_high": None if missing is None else missing.high,
                "prior": repr(run.prior),
                "length_power": facts.get("length_power"),
                "leave_one_out": (facts.get("learned") or {}).get("score"),
                "predicted_positive": run.ranker.predicted,
            }
        )
    return pa.Table.from_pylist(rows, schema=LABELS)


def candidates_of(run: Run) -> pa.Table:
    """Return the candidates of a run."""
    label = pa.array([run.about.label] * len(run.ranking), pa.string())
    return run.ranking.table.append_column("label", label).select(TABLE.names).cast(TABLE)


def candidates(corpus: Corpus, learned: LearnedLabel, found: Top) -> pa.Table:
    """Return the candidates of one category."""
    return pa.table(
        {
            "label": [learned.label] * len(found.documents),
            "rank": np.arange(1, len(found.documents) + 1, dtype=np.int32),
            "id": corpus.ids(found.documents),
            "title": corpus.titles(found.documents),
            "score": found.scores,
            "probability": learned.calibration.probability(found.scores),
            "evidence": evidence_lines(corpus, found.documents, learned.scorer),
        },
        schema=TABLE,
    )


def about_labels(learned: Sequence[LearnedLabel], tops: Sequence[Top]) -> pa.Table:
    """Return a row for each category that was learned and ranked."""
    return pa.table(
        {
            "label": [each.label for each in learned],
            "members": [len(each.members) for each in learned],
            **{name: pa.nulls(len(learned), pa.float64()) for name in ("missing", "missing_low", "missing_high")},
            "prior": [repr(each.prior) for each in learned],
            "length_power": [each.length_power for each in learned],
            "leave_one_out": [each.leave_one_out for each in learned],
            "predicted_positive": [found.predicted_positive for found in tops],
        },
        schema=LABELS,
    )
