"""Presence naive Bayes as arithmetic: cases to counts, counts and a prior to weights. No scikit-learn here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.models.weights import Weights
from priorwise.priors.counts import TermCounts, remainder
from priorwise.priors.presence import kind_of, strengths_of

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
    collection : array, shape (n_tokens,), optional
        In how many documents of the collection each token occurs, for priors that are centred there; by default in how
        many of both classes.
    n_collection : float, optional
        How many documents the collection has.

    Examples
    --------
    >>> from priorwise.priors import PseudoCounts
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
    collection: Floats | None = None
    n_collection: float | None = None

    @property
    def features(self) -> NDArray[np.int64]:
        """The model's vocabulary V: the tokens that occur in at least one member."""
        return np.flatnonzero(self.positive > 0)

    def without(self, from_positive: float = 0.0, from_negative: float = 0.0) -> tuple[TermCounts, TermCounts]:
        """Counts of the vocabulary, of the members and of the others, when so much of a document is taken out of each.

        Both know the collection's rates, from which a document is taken out too, and share one strength per token.
        """
        features = self.features
        n_positive, n_negative = self.n_positive - from_positive, self.n_negative - from_negative
        positive = remainder(self.positive[features], np.array(from_positive))
        negative = remainder(self.negative[features], np.array(from_negative))
        if self.collection is None or self.n_collection is None:
            members = TermCounts(positive, np.array(n_positive), positive + negative, np.array(n_positive + n_negative))
        else:
            one = float(from_positive + from_negative > 0)
            in_all = remainder(self.collection[features], np.array(one))
            members = TermCounts(positive, np.array(n_positive), in_all, np.array(self.n_collection - one))
        return members, members.beside(negative, np.array(n_negative))

    def weights(self, prior: Any) -> Weights:
        """Blend the counts with the prior::

        s(d) = log p(+)/p(−) + Σ over x in d∩V of log p(x|+)/p(x|−)
        """
        kind = kind_of(prior)
        negative, positive = strengths_of(prior, 2)
        members, others = self.without()
        of_members = kind.table(members, np.array([positive]))
        of_others = kind.table(others, np.array([negative]))
        values = of_members.log_rates() - of_others.log_rates()
        return Weights(self.features, values[np.newaxis, :], of_members.sizes - of_others.sizes)
