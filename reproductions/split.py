"""A collection's training and test documents as matrices over the same words and labels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from priorwise.corpus import Corpus


@dataclass(frozen=True)
class Split:
    """Documents to learn from and documents to judge by.

    Attributes
    ----------
    X_train, X_test : scipy.sparse.csr_matrix
        Counts; the columns are `words`. Words that no training document has are left out.
    Y_train, Y_test : scipy.sparse.csr_matrix
        1 where a document has a label; the columns are `labels`.
    words, labels : list of str
        The names of the columns.
    """

    X_train: Any
    X_test: Any
    Y_train: Any
    Y_test: Any
    words: list[str]
    labels: list[str]

    @property
    def counts(self) -> str:
        """How much there is, in words."""
        return (
            f"{self.X_train.shape[0]:,} training and {self.X_test.shape[0]:,} test documents, "
            f"{len(self.words):,} words, {len(self.labels):,} classes"
        )


def split_of(
    train: Corpus,
    test: Corpus,
    *,
    stop_words: Collection[str] = (),
    labels: Sequence[str] | None = None,
    word: Callable[[str], str] = str,
) -> Split:
    """Put two corpora on the same words and labels.

    Parameters
    ----------
    train, test : Corpus
        The documents.
    stop_words : collection of str
        Tokens to leave out, before `word` is asked.
    labels : sequence of str, optional
        The labels that count; all of the training documents by default. Documents without any of them stay.
    word : function
        From a token to the word it counts as, such as its stem; counts of tokens with the same word are added. A token
        whose word is empty is left out.

    Examples
    --------
    >>> train = Corpus.from_texts(["the teas", "tea and oil"], labels=["x", "y"])
    >>> test = Corpus.from_texts(["tea teas wine"], labels=["x"])
    >>> split = split_of(train, test, stop_words={"the", "and"}, word=lambda token: token.rstrip("s"))
    >>> split.words, split.X_test.toarray().tolist(), split.Y_test.toarray().tolist()
    (['oil', 'tea'], [[0.0, 2.0]], [[1.0, 0.0]])
    """
    rows = [_words(corpus, stop_words, word) for corpus in (train, test)]
    words = sorted({name for name in rows[0] if name})
    wanted = sorted(train.label_names(range(train.n_labels))) if labels is None else list(labels)
    return Split(
        _onto(train.matrix(), rows[0], words),
        _onto(test.matrix(), rows[1], words),
        _onto(membership(train), train.label_names(range(train.n_labels)), wanted),
        _onto(membership(test), test.label_names(range(test.n_labels)), wanted),
        words,
        wanted,
    )


def of_letters(token: str) -> str:
    """Return a token made of letters, and nothing for one with digits or apostrophes in it.

    Which tokens count as words matters, and the papers say little about it.

    Examples
    --------
    >>> of_letters("tea"), of_letters("3.14"), of_letters("mp3"), of_letters("naïve")
    ('tea', '', '', 'naïve')
    """
    return token if token.isalpha() else ""


def membership(corpus: Corpus) -> Any:
    """Return documents by labels as a ``scipy.sparse.csr_matrix`` of ones."""
    starts, labels = corpus.take_labels(np.arange(corpus.n_documents))
    return csr_matrix((np.ones(len(labels)), labels, starts), shape=(corpus.n_documents, corpus.n_labels))


def _words(corpus: Corpus, stop_words: Collection[str], word: Callable[[str], str]) -> list[str]:
    names = corpus.token_names(range(corpus.n_vocabulary))
    return ["" if name in stop_words else word(name) for name in names]


def _onto(X: Any, names: Sequence[str], columns: Sequence[str]) -> Any:
    """Add up the columns of a matrix by their names; those with other names are left out."""
    place = {name: i for i, name in enumerate(columns)}
    pairs = [(i, place[name]) for i, name in enumerate(names) if name in place]
    old, new = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return csr_matrix(X @ csr_matrix((np.ones(len(old)), (old, new)), shape=(len(names), len(columns))))
