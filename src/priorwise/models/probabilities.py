"""From the scores of a linear model to probabilities of its labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LINKS = ("softmax", "logistic", "probit")
"""What a score is: log-probability up to a term that all share, log odds, or a quantile of the normal distribution."""


def label_scores(scores: Floats, n_labels: int) -> Floats:
    """Scores with a column for each label: the one output of two classes speaks for the second, against the first."""
    return np.column_stack([-scores[:, 0], scores[:, 0]]) if scores.shape[1] == 1 and n_labels == 2 else scores


def log_probabilities(scores: Floats, link: str, *, multilabel: bool) -> Floats:
    """Logarithm of each label's probability: of one class among all, or of each label on its own.

    ::

        softmax    exp(s_c) / Σ exp(s)          logistic    1 / (1 + exp(−s))          probit    Φ(s)

    Of two classes, whose scores are opposites, and of labels, softmax is logistic. Other links of several classes are
    made to add up to 1.

    Parameters
    ----------
    scores : array, shape (n_documents, n_labels)
        From `label_scores`.
    link : {"softmax", "logistic", "probit"}
        What a score is.
    multilabel : bool
        Whether a document may have any number of labels.

    Examples
    --------
    >>> np.exp(log_probabilities(np.log([[1.0, 3.0, 4.0]]), "softmax", multilabel=False)).round(3)
    array([[0.125, 0.375, 0.5  ]])
    >>> np.exp(log_probabilities(np.array([[0.0, 2.0]]), "logistic", multilabel=True)).round(3)
    array([[0.5  , 0.881]])
    """
    if not multilabel and scores.shape[1] > 2:
        each = scores if link == "softmax" else _of_each(scores, link)
        return each - np.logaddexp.reduce(each, axis=1, keepdims=True)
    return _of_each(scores, link)


def _of_each(scores: Floats, link: str) -> Floats:
    if link != "probit":
        return -np.logaddexp(0.0, -scores)
    from scipy.special import log_ndtr

    return np.asarray(log_ndtr(scores), dtype=np.float64)
