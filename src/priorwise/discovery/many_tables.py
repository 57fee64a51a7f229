"""What is found for many categories, as two tables: the candidates, and the categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
        "lambda_negative": pa.float64(),
        "lambda_positive": pa.float64(),
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
        Each category with its members, its prior, the leave-one-out value of the target there (average precision, if no
        other was chosen), and how many documents are predicted positive.
    """

    candidates: pa.Table
    labels: pa.Table


def labels_table(abouts: Sequence[dict[str, Any]]) -> pa.Table:
    """Return a row for each run, from what it says about itself."""
    rows = [
        {
            "label": about["label"],
            "members": about["members"],
            **{name: about["learned"][name] for name in ("lambda_negative", "lambda_positive", "length_power")},
            "leave_one_out": about["leave_one_out"]["learned"]["score"],
            "predicted_positive": about["predicted_positive"]["learned"],
        }
        for about in abouts
    ]
    return pa.Table.from_pylist(rows, schema=LABELS)


def candidates_of(run: Run) -> pa.Table:
    """Return the candidates of a run."""
    label = pa.array([run.about["label"]] * len(run.ranking), pa.string())
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
            "evidence": evidence_lines(corpus, found.documents, learned.scorer.table(corpus.n_vocabulary)),
        },
        schema=TABLE,
    )


def about_labels(learned: Sequence[LearnedLabel], tops: Sequence[Top]) -> pa.Table:
    """Return a row for each category that was learned and ranked."""
    return pa.table(
        {
            "label": [each.label for each in learned],
            "members": [len(each.members) for each in learned],
            "lambda_negative": [each.prior.negative for each in learned],
            "lambda_positive": [each.prior.positive for each in learned],
            "length_power": [each.length_power for each in learned],
            "leave_one_out": [each.leave_one_out for each in learned],
            "predicted_positive": [found.predicted_positive for found in tops],
        },
        schema=LABELS,
    )
