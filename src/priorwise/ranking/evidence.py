"""Why a document has its score, token by token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.models.presence_counts import PresenceCounts
from priorwise.priors import PseudoCounts

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class TokenEvidence:
    """What one token adds to a score: what the data say, plus what the prior says.

    `data` is the log ratio of the rates as counted (with half a document added to each class, so that a count of zero
    stays finite), `prior` is what the prior adds to it, and `weight` is their sum.
    """

    token: str
    in_members: float
    in_others: float
    data: float
    prior: float

    @property
    def weight(self) -> float:
        """What the token adds to s(d)."""
        return self.data + self.prior


@dataclass(frozen=True)
class Explanation:
    """A document's score, taken apart. The start and the tokens add up to s(d); s(d) / divisor is the score.

    Parameters
    ----------
    id, title : str
        The document.
    start : TokenEvidence
        What every document starts from: the classes' sizes.
    tokens : list of TokenEvidence
        The tokens that the model knows, the strongest first.
    unknown : list of str
        The tokens that no member has; they say nothing.
    divisor : float
        The power of the document's length that s(d) is divided by.
    n_members, n_others : float
        How many documents of each class the model was trained on.
    """

    id: str
    title: str
    start: TokenEvidence
    tokens: list[TokenEvidence]
    unknown: list[str]
    divisor: float
    n_members: float
    n_others: float

    @property
    def total(self) -> float:
        """The sum, s(d)."""
        return self.start.weight + sum(token.weight for token in self.tokens)

    @property
    def score(self) -> float:
        """The score that the ranking orders by."""
        return self.total / self.divisor


def split_weights(counts: PresenceCounts, prior: PseudoCounts) -> tuple[Floats, Floats]:
    """Split the weight of every token of the model's vocabulary into what the data say and what the prior says."""
    features = counts.features
    plain = PresenceCounts(
        counts.positive[features] + 0.5, counts.negative[features] + 0.5, counts.n_positive + 1, counts.n_negative + 1
    )
    data = np.log(plain.positive / plain.n_positive) - np.log(plain.negative / plain.n_negative)
    return data, counts.weights(prior).values[0] - data


def strongest(tokens: Sequence[str], weights: Floats, count: int = 5) -> str:
    """The strongest tokens as a line of text.

    Examples
    --------
    >>> strongest(["the", "neural", "cat"], np.array([0.1, 3.25, -1.0]), 2)
    'neural:+3.25 cat:-1.00'
    """
    order = np.lexsort((np.arange(len(weights)), -np.abs(weights)))[:count]
    return " ".join(f"{tokens[i]}:{weights[i]:+.2f}" for i in order)


def evidence_lines(corpus: Corpus, rows: Rows, table: Floats, count: int = 5) -> list[str]:
    """The strongest tokens of each of some documents as a line of text, given a number for each token.

    Examples
    --------
    >>> from priorwise.corpus import Corpus
    >>> corpus = Corpus.from_texts(["a b c", "b"])
    >>> weights = np.zeros(3)
    >>> weights[corpus.token_ids(["a", "b"])] = 0.5, -2.0
    >>> evidence_lines(corpus, np.array([1, 0]), weights)
    ['b:-2.00', 'b:-2.00 a:+0.50']
    """
    from priorwise.kernels.strongest import strongest_of_each

    starts, tokens = corpus.take(rows)
    weights = table[tokens]
    places, found = np.zeros((len(rows), count), np.int64), np.zeros(len(rows), np.int64)
    strongest_of_each(starts, weights, places, found)
    chosen = places[np.arange(count) < found[:, np.newaxis]]
    distinct, name_of = np.unique(tokens[chosen], return_inverse=True)
    # A token's word is written once, however many of the documents have it.
    written = zip(corpus.token_names(distinct), table[distinct].tolist(), strict=True)
    word = np.array([f"{name}:{weight:+.2f}" for name, weight in written], object)
    words = word[name_of].tolist()
    bounds = [0, *np.cumsum(found).tolist()]
    return [" ".join(words[begin:end]) for begin, end in pairwise(bounds)]
