"""What a model says of some documents, as records that JSON can hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from priorwise.ranking.classifier import Bags, Classifier


def classified(
    classifier: Classifier, names: Sequence[tuple[str, str]], bags: Bags, top: int | None = None, evidence: int = 0
) -> Iterator[dict[str, Any]]:
    """Yield what is said of each document: the labels decided, and of `top` labels how probable they are.

    Parameters
    ----------
    classifier : Classifier
    names : sequence of (id, title)
    bags : Bags
        The documents.
    top : int, optional
        How many labels to tell of each, the most probable first, beside those decided.
    evidence : int
        How many words to tell for each label.
    """
    model = classifier.model
    verdict = classifier.judge(bags)
    shown = verdict.best(top) if top is not None else None
    for row, (identity, title) in enumerate(names):
        probability = np.exp(verdict.log_probability[row])
        decided = np.flatnonzero(verdict.decided[row])
        decided = decided[np.argsort(-verdict.scores[row, decided], kind="stable")]

        def entry(label: int, row: int = row, probability: Any = probability) -> dict[str, Any]:
            said = {"label": model.labels[label], "probability": float(probability[label])}
            if evidence:
                said["evidence"] = [
                    {"token": token, "weight": weight}
                    for token, weight in classifier.evidence(bags, row, label, evidence)
                ]
            return said

        record: dict[str, Any] = {"id": identity} if title == identity else {"id": identity, "title": title}
        if model.multilabel:
            record["labels"] = [entry(label) for label in decided.tolist()]
        else:
            record.update(entry(int(decided[0])))
        if shown is not None:
            record["top"] = [entry(label) for label in shown[row].tolist()]
        yield {**record, "known_words": int(bags.known[row]), "unknown_words": int(bags.unknown[row])}
