"""How common each class is taken to be."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.errors import InputError
from priorwise.models.labels import Labels
from priorwise.models.naive_bayes.class_counts import ClassCounts
from priorwise.priors.counts import log_complement, log_rate

Floats = NDArray[np.float64]


def log_class_rates(class_rate: str | ArrayLike, counts: ClassCounts, labels: Labels) -> Floats:
    """Logarithm of each class's rate; of its odds, where a class is told from all other documents.

    Parameters
    ----------
    class_rate : {"counted", "uniform"} or array
        As in the training documents; the same for each class (for a label: as likely as not); or given.
    counts : ClassCounts
        What was counted.
    labels : Labels
        The classes.
    """
    if isinstance(class_rate, str):
        rates = _named(class_rate, counts, labels)
    else:
        rates = _given(class_rate, labels)
    return log_rate(rates) - log_complement(rates) if labels.against_rest else log_rate(rates)


def _named(name: str, counts: ClassCounts, labels: Labels) -> Floats:
    if name == "counted":
        return counts.documents / counts.all_documents if counts.all_documents > 0 else np.zeros(counts.n_classes)
    if name == "uniform":
        return np.full(counts.n_classes, 0.5 if labels.against_rest else 1 / counts.n_classes)
    raise InputError(f"no class rate '{name}'; there are 'counted' and 'uniform', or give the rates")


def _given(class_rate: Any, labels: Labels) -> Floats:
    rates = np.asarray(class_rate, dtype=np.float64)
    if rates.shape != labels.classes.shape:
        raise InputError(f"give one class rate for each of the {len(labels.classes)} classes, not {rates.size}")
    if not np.all((rates >= 0) & (rates <= 1)):
        raise InputError("a class rate must lie between 0 and 1")
    if not labels.multilabel and abs(rates.sum() - 1) > 1e-6:
        raise InputError(f"the class rates must add up to 1, not to {rates.sum():g}")
    return rates[1:] if labels.n_outputs == 1 and len(rates) == 2 else rates
