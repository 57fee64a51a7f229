"""What words have in common that are spelled alike: the runs of four characters in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.features.recipe import inverse_document_frequency

Floats = NDArray[np.float64]

RUN = 4
"""How many characters a run has; a word's beginning and end count as characters."""

SAMPLE = 512
"""So many documents tell how large the traits are beside the words."""


def spelling(names: Sequence[str], holding: NDArray[np.integer[Any]], n_documents: int, X: Any) -> Any | None:
    """The traits of words: a column for every run of four characters that at least two of them have.

    A word of rarity i has a run of rarity j to the extent of j/i, so that a document that holds the word holds the run
    like a word of its own. All are scaled so that the documents are as long in runs as they are in words.

    Parameters
    ----------
    names : sequence of str
        The words.
    holding : array of int, shape (n_words,)
        In how many documents each is.
    n_documents : int
        Of how many.
    X : scipy.sparse.csr_matrix, shape (n_vectors, n_words)
        Some documents.

    Returns
    -------
    scipy.sparse.csr_matrix, shape (n_words, n_runs), or None
        None where no two words have anything in common.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> traits = spelling(["film", "filmed", "law"], np.array([1, 1, 1]), 3, csr_matrix(np.eye(3)))
    >>> (traits > 0).toarray().astype(int).tolist()
    [[1, 1], [1, 1], [0, 0]]
    """
    from scipy.sparse import csr_matrix

    words, runs, n_runs = _runs(names)
    if not n_runs:
        return None
    # Documents that hold two words of a run are counted twice: an upper bound, which costs no pass over the documents.
    of_run = np.minimum(np.bincount(runs, weights=holding[words], minlength=n_runs), n_documents)
    rarity = inverse_document_frequency(holding, n_documents, "smooth")
    of_run_rarity = inverse_document_frequency(of_run, n_documents, "smooth")
    extent = of_run_rarity[runs] / rarity[words]
    traits = csr_matrix((extent, (words, runs)), shape=(len(names), n_runs))
    some = X[np.unique(np.linspace(0, X.shape[0] - 1, min(SAMPLE, X.shape[0])).astype(np.int64))]
    in_runs, in_words = (some @ traits).power(2).sum(), some.power(2).sum()
    return traits * np.sqrt(in_words / in_runs) if in_runs > 0 else None


def _runs(names: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Pairs of a word and a run in it, each once, and how many runs there are; those of one word only are left out."""
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
    """Each character by its place among those that occur, and how many do."""
    occurs = np.zeros(int(text.max()) + 1, bool)
    occurs[text] = True
    return (np.cumsum(occurs) - 1)[text], int(occurs.sum())
