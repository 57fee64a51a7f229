"""Presence naive Bayes as arithmetic: cases to counts, counts and a prior to weights. No scikit-learn here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from priorwise.models.weights import Weights
from priorwise.priors import PseudoCounts

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cases:
    """Training cases of two classes: the set of tokens of each, whether it is a member, and what it weighs.

    The tokens of case i are ``tokens[indptr[i]:indptr[i + 1]]``, each once. A case of weight 2 is two equal cases.
    Tokens that no member has may be left out; `length` still counts them. `taken_out` is how much of the model's counts
    goes when the case is left out: one of its equals, min(weight, 1), unless the model counts it at another rate.
    """

    indptr: NDArray[np.int64]
    tokens: NDArray[np.integer]
    positive: NDArray[np.bool_]
    weight: Floats
    taken_out: Floats
    length: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        indptr: NDArray[np.integer],
        tokens: NDArray[np.integer],
        positive: NDArray[np.bool_],
        *,
        weight: Floats | None = None,
        taken_out: Floats | None = None,
        length: NDArray[np.integer] | None = None,
    ) -> Cases:
        """Make cases from plain arrays; by default each weighs 1, is taken out whole, and is as long as it looks."""
        starts = np.asarray(indptr, dtype=np.int64)
        positive = np.asarray(positive, dtype=bool)
        weight = np.ones(len(positive)) if weight is None else np.asarray(weight, dtype=np.float64)
        taken_out = np.minimum(weight, 1.0) if taken_out is None else np.asarray(taken_out, dtype=np.float64)
        lengths = np.diff(starts) if length is None else np.asarray(length, dtype=np.int64)
        return cls(starts, np.asarray(tokens), positive, weight, taken_out, lengths)

    def count(self, n_tokens: int) -> PresenceCounts:
        """Count in how many members and how many others each token occurs."""
        of_case = np.repeat(np.arange(len(self.positive)), np.diff(self.indptr))
        member = np.where(self.positive, self.weight, 0.0)
        other = np.where(self.positive, 0.0, self.weight)
        in_members: Floats = np.bincount(self.tokens, member[of_case], n_tokens).astype(np.float64)
        in_others: Floats = np.bincount(self.tokens, other[of_case], n_tokens).astype(np.float64)
        return PresenceCounts(in_members, in_others, float(member.sum()), float(other.sum()))


@dataclass(frozen=True)
class PresenceCounts:
    """Documents of each class, and in how many of them each token occurs: all that presence naive Bayes learns from.

    Parameters
    ----------
    positive, negative : array, shape (n_tokens,)
        n(x,+) and n(x,−).
    n_positive, n_negative : float
        n(+) and n(−).

    Examples
    --------
    >>> counts = PresenceCounts(np.array([2.0, 1.0, 0.0]), np.array([0.0, 1.0, 2.0]), 2, 2)
    >>> weights = counts.weights(PseudoCounts.laplace())
    >>> weights.features
    array([0, 1])
    >>> weights.values.round(4)
    array([[1.0986, 0.    ]])
    """

    positive: Floats
    negative: Floats
    n_positive: float
    n_negative: float

    @property
    def features(self) -> NDArray[np.int64]:
        """The model's vocabulary V: the tokens that occur in at least one member."""
        return np.flatnonzero(self.positive > 0)

    def weights(self, prior: PseudoCounts) -> Weights:
        """Blend the counts with the prior::

        s(d) = log (λ+ + n(+))/(λ− + n(−)) + Σ over x in d∩V of log p(x|+)/p(x|−)
        p(x|c) = (λc + n(x,c)) / (λc + n(c))
        """
        negative, positive = prior.strengths(2)
        features = self.features
        log_positive_size = np.log(positive + self.n_positive)
        log_negative_size = np.log(negative + self.n_negative)
        values = (np.log(positive + self.positive[features]) - log_positive_size) - (
            np.log(negative + self.negative[features]) - log_negative_size
        )
        return Weights(features, values[np.newaxis, :], np.array([log_positive_size - log_negative_size]))
