"""How a document gets its score, and its place in the ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import InputError
from priorwise.features.document_vectors import rarity
from priorwise.kernels import Floats
from priorwise.models.linear_model import LinearModel
from priorwise.models.naive_bayes.terrain import length_divisor
from priorwise.models.weights import Weights


@dataclass(frozen=True)
class Scorer:
    """One output of a model, ready to score the documents of a corpus.

    ::

        score = (bias + Σ_t w_t x_dt) / n^power          x_dt = 1, or (1 + log f_dt) · r_t / |…| with a rarity

    over the tokens t of document d, where f_dt is how often t occurs in d and n the number of distinct tokens of d.

    `weights`: by the numbers of the corpus's tokens. `length_power`: the power of a document's number of distinct
    tokens that its score is divided by. `output`: which output of the weights. `rarity` (shape (n_vocabulary,)): r
    of every token of the corpus, also of tokens without a weight, which make a document longer.
    """

    weights: Weights
    length_power: float = 0.0
    output: int = 0
    rarity: Floats | None = None

    @classmethod
    def of(cls, model: LinearModel, corpus: Corpus) -> Scorer:
        """Lay a model's words over a corpus's vocabulary."""
        ids = corpus.token_ids(model.tokens.to_pylist())
        found = np.flatnonzero(ids >= 0)
        order = found[np.argsort(ids[found])]
        weights = Weights(ids[order], model.weights.row(0)[order][None, :], model.weights.bias)
        return cls(weights, model.length_power, rarity=_rarity(model, corpus, ids))

    @property
    def bias(self) -> float:
        """What every document starts from."""
        return float(self.weights.bias[self.output])

    def table(self, n_tokens: int) -> Floats:
        return self.weights.lookup(n_tokens, self.output)

    def prepared(self, n_tokens: int) -> Callable[[NDArray[Any], NDArray[np.uint32], NDArray[Any]], Floats]:
        """Return a function from offsets, tokens and counts of some documents to their scores."""
        from priorwise.kernels.scoring import score_documents
        from priorwise.ranking._kernels import score_vectors

        table = self.table(n_tokens)

        def score(offsets: NDArray[Any], tokens: NDArray[np.uint32], counts: NDArray[Any]) -> Floats:
            scores = np.empty(len(offsets) - 1)
            if self.rarity is None:
                score_documents(offsets, tokens, table, self.bias, scores)
            else:
                score_vectors(offsets, tokens, counts, table, self.rarity, scores)
            return scores / self.divisor(np.diff(offsets))

        return score

    def amounts(self, offsets: NDArray[Any], tokens: NDArray[np.uint32], counts: NDArray[Any]) -> Floats:
        """How much of each token a document has: what its weight is multiplied by in the score."""
        document = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        if self.rarity is None:
            return 1.0 / self.divisor(np.diff(offsets))[document]
        amounts = (1.0 + np.log(counts.astype(np.float64))) * self.rarity[tokens]
        length = np.sqrt(np.bincount(document, amounts**2, len(offsets) - 1))
        return np.asarray(amounts / np.maximum(length, 1e-300)[document])

    def divisor(self, length: NDArray[np.integer]) -> Floats:
        """What the sum is divided by, for documents of this many distinct tokens."""
        return length_divisor(length, self.length_power)


def _rarity(model: LinearModel, corpus: Corpus, ids: NDArray[np.int64]) -> Floats | None:
    """The rarity of every token: the corpus's own if the model was learned from it, else what the model remembers."""
    if model.recipe is None:
        return None
    if model.about.get("corpus", {}).get("checksum") == corpus.checksum:
        return rarity(corpus)
    if model.recipe.factors is None:
        raise InputError(
            "this model does not say how rare words are, and fits only the corpus that it was learned from"
        )
    factors = np.full(corpus.n_vocabulary, model.recipe.unknown or 0.0)
    factors[ids[ids >= 0]] = model.recipe.factors[ids >= 0]
    return factors


@dataclass(frozen=True)
class Top:
    """The best documents under one scorer, best first; equals in the order of the corpus.

    `predicted_positive` counts the documents, among all that were ranked, whose s(d) is above 0; where many scorers
    share a pass, to rounding.
    """

    documents: NDArray[np.int64]
    scores: Floats
    predicted_positive: int


def best_first(scores: Floats, documents: NDArray[np.int64], top: int) -> tuple[NDArray[np.int64], Floats]:
    """Order by score, equals by document, and cut."""
    order = np.lexsort((documents, -scores))[:top]
    return documents[order], scores[order]


def places(scores: Floats, documents: NDArray[np.int64], skip: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The place, from 1, of each of `documents` in the whole ranking by `scores`; skipped documents take no place."""
    own = scores[documents]
    ascending = np.sort(scores[~skip])
    up_to = np.searchsorted(ascending, own, side="right")
    ahead = len(ascending) - up_to
    tied = np.flatnonzero(up_to - np.searchsorted(ascending, own) > 1)
    if len(tied):
        # Equal scores are in the order of the corpus: find each one's place among those of its score.
        values = np.unique(own[tied])
        nearest = np.minimum(np.searchsorted(values, scores), len(values) - 1)
        rivals = np.flatnonzero(~skip & (values[nearest] == scores))
        rivals = rivals[np.argsort(scores[rivals], kind="stable")]
        first, last = (np.searchsorted(scores[rivals], own[tied], side=side) for side in ("left", "right"))
        for i, start, end in zip(tied, first, last, strict=True):
            ahead[i] += np.searchsorted(rivals[start:end], documents[i])
    return ahead + 1
