"""Kinship by spelling: words that share a run of four characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.features.recipe import inverse_document_frequency
from priorwise.kernels import Ints

RUN = 4
"""How many characters a run has; a word's beginning and end count as characters."""

SAMPLE = 512
"""How many documents are used to scale the traits."""


@dataclass(frozen=True)
class Spelling:
    """Which words are kin, because they share runs of four characters.

    Each run that at least two words share is a *trait*. A word of rarity i has a run of rarity j to the extent j/i, so
    that a document with the word has the run as if it were a word of its own. All traits are scaled so that documents
    are as long in runs as they are in words.

    Parameters
    ----------
    names : function
        From the numbers of some features to their words.
    holding : array of int, optional
        In how many documents each word occurs; by default what the documents at hand show.
    n_documents : int, optional
        How many documents that counts; by default those at hand.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> traits = Spelling.of(["film", "filmed", "law"]).traits(np.arange(3), csr_matrix(np.eye(3)))
    >>> (traits > 0).toarray().astype(int).tolist()
    [[1, 1], [1, 1], [0, 0]]
    """

    names: Callable[[Ints], Sequence[str]]
    holding: NDArray[Any] | None = None
    n_documents: int | None = None

    @classmethod
    def of(cls, words: Sequence[str]) -> Spelling:
        """Kinship of these words, a word per feature."""
        return cls(partial(_take, list(words)))

    def traits(self, features: Ints, X: Any) -> Any | None:
        """The traits of some features, given documents with these features as columns; None if there are none."""
        from scipy.sparse import csr_matrix

        words, runs, n_runs = _runs(self.names(features))
        if not n_runs:
            return None
        holding = np.bincount(X.indices, minlength=X.shape[1]) if self.holding is None else self.holding[features]
        n_documents = X.shape[0] if self.n_documents is None else self.n_documents
        # Documents with two words of a run count twice: an upper bound that needs no pass over the documents.
        of_run = np.minimum(np.bincount(runs, weights=holding[words], minlength=n_runs), n_documents)
        rarity = inverse_document_frequency(holding, n_documents, "smooth")
        of_run_rarity = inverse_document_frequency(of_run, n_documents, "smooth")
        extent = of_run_rarity[runs] / rarity[words]
        traits = csr_matrix((extent, (words, runs)), shape=(len(features), n_runs))
        some = X[np.unique(np.linspace(0, X.shape[0] - 1, min(SAMPLE, X.shape[0])).astype(np.int64))]
        in_runs, in_words = (some @ traits).power(2).sum(), some.power(2).sum()
        return traits * np.sqrt(in_words / in_runs) if in_runs > 0 else None


def _take(words: Sequence[str], features: Ints) -> list[str]:
    return [words[feature] for feature in features.tolist()]


def _runs(names: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Each pair of a word and a run that it shares with another word, and how many runs there are."""
    text = np.frombuffer(("\0" + "\0\0".join(names) + "\0").encode("utf-32-le"), np.uint32)
    lengths = np.fromiter(map(len, names), np.int64, len(names)) + 2
    within = np.maximum(lengths - RUN + 1, 0)
    word = np.repeat(np.arange(len(names)), within)
    at = np.arange(len(word)) + np.repeat(np.cumsum(lengths) - lengths - (np.cumsum(within) - within), within)
    letters, n_letters = _numbered(text)
    if n_letters**RUN >= 2**62:
        letters, n_letters = letters % 2**15, 2**15
    key = np.zeros(len(at), np.int64)
    for place in range(RUN):
        key = key * n_letters + letters[at + place]
    _, run = np.unique(key, return_inverse=True)
    width = int(run.max(initial=0)) + 1
    pairs = np.sort(word * width + run)
    word, run = np.divmod(pairs[np.diff(pairs, prepend=-1) > 0], width)
    several = np.bincount(run, minlength=width) >= 2
    kept = several[run]
    return word[kept], (np.cumsum(several) - 1)[run[kept]], int(several.sum())


def _numbered(text: NDArray[np.uint32]) -> tuple[NDArray[np.int64], int]:
    """Each character as a number, counting only characters that occur, and how many there are."""
    occurs = np.zeros(int(text.max()) + 1, bool)
    occurs[text] = True
    return (np.cumsum(occurs) - 1)[text], int(occurs.sum())
