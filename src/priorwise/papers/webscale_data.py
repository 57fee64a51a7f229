"""Collections with few and with thousands of classes, each document in one class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.papers.data import Data
from priorwise.papers.split import membership
from priorwise.papers.taxonomies import GlossesReader, TitlesReader

Ints = NDArray[np.int64]

TEST_SHARE = 0.2


@dataclass(frozen=True)
class Classes:
    """Documents, each in one class.

    Attributes
    ----------
    X : scipy.sparse.csr_matrix
        How often each word occurs in each document.
    y : array of int
        The class of each document, from 0.
    """

    X: Any
    y: Ints

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(np.unique(self.y))

    @property
    def counts(self) -> str:
        """How much there is, in words."""
        words = np.count_nonzero(np.diff(self.X.tocsc().indptr))
        return f"{len(self.y):,} documents, {words:,} words, {self.n_classes:,} classes"

    def of_classes(self, count: int, seed: int = 0) -> Classes:
        """Only so many of the classes, drawn by chance; fewer are always among more."""
        drawn = np.random.default_rng(seed).permutation(np.unique(self.y))[:count]
        rows = np.flatnonzero(np.isin(self.y, drawn))
        return Classes(self.X[rows], self.y[rows])

    def split(self, seed: int) -> tuple[Any, Ints, Any, Ints]:
        """X and y of the training documents, four in five, then of the test documents.

        Words that no training document has are left out.
        """
        order = np.random.default_rng(seed).permutation(len(self.y))
        cut = len(order) - round(TEST_SHARE * len(order))
        train, test = order[:cut], order[cut:]
        X_train = self.X[train]
        seen = np.flatnonzero(np.diff(X_train.tocsc().indptr))
        return X_train[:, seen], self.y[train], self.X[test][:, seen], self.y[test]


def newsgroups(data: Data, keep: Callable[[str], bool] = lambda word: True) -> Classes:
    """All messages of 20 Newsgroups with their headers; `keep` says which words count."""
    corpus = data.corpus("newsgroups")
    names = corpus.token_names(range(corpus.n_vocabulary))
    kept = np.flatnonzero([keep(name) for name in names])
    return Classes(corpus.matrix()[:, kept], one_class(corpus)[1])


def onet(data: Data) -> Classes:
    """Job titles of O*NET; the classes are occupations."""
    corpus = data.kept_corpus("onet", lambda: TitlesReader(data.path("onet")))
    return Classes(corpus.matrix(), one_class(corpus)[1])


def wordnet(data: Data) -> Classes:
    """Glosses of WordNet; the classes are the synsets with at least five below them."""
    corpus = data.kept_corpus("wordnet", lambda: GlossesReader(data.path("wordnet")))
    rows, y = one_class(corpus, at_least=5)
    return Classes(corpus.matrix(rows), y)


def medline(data: Data) -> Classes:
    """Abstracts of MEDLINE; the class is the rarest main heading that at least ten abstracts have."""
    corpus = data.corpus("medline", major=True, labelled=True)
    rows, y = one_class(corpus, at_least=10)
    return Classes(corpus.matrix(rows), y)


def one_class(corpus: Corpus, at_least: int = 1) -> tuple[Ints, Ints]:
    """Give each document one class: the rarest of its labels that have at least so many documents.

    Returns
    -------
    rows, classes : arrays of int
        The documents that have such a label, and its number.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["a", "b", "c"], labels=[["x", "y"], ["x"], ["z", "x"]])
    >>> rows, classes = one_class(corpus, at_least=1)
    >>> corpus.label_names(classes)
    ['y', 'x', 'z']
    >>> one_class(corpus, at_least=2)[1].tolist() == [corpus.label_names(range(3)).index("x")] * 3
    True
    """
    found = membership(corpus).tocoo()
    sizes = np.bincount(found.col, minlength=corpus.n_labels)
    order = np.lexsort((found.col, sizes[found.col], found.row))
    order = order[sizes[found.col[order]] >= at_least]
    rows, first = np.unique(found.row[order], return_index=True)
    return rows.astype(np.int64), found.col[order][first].astype(np.int64)
