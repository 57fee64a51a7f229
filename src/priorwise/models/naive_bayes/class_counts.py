"""What naive Bayes learns from: how often each token occurs in each class and in the whole collection."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from priorwise.priors.counts import ClassSize, remainder

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class ClassCounts:
    """Counts of the pairs of class and token that occur, and of nothing else.

    Classes may overlap, and a document may be of none, so the collection's counts stand apart.

    Parameters
    ----------
    pairs : scipy.sparse.csc_matrix, shape (n_classes, n_tokens)
        How often each token occurs in the documents of each class: documents that have it, or occurrences.
    documents : array, shape (n_classes,)
        The weight of the documents of each class.
    collection : array, shape (n_tokens,)
        How often each token occurs in all documents.
    all_documents : float
        The weight of all documents.

    Examples
    --------
    >>> X = sp.csr_matrix([[1.0, 2.0], [0.0, 1.0], [3.0, 0.0]])
    >>> counts = ClassCounts.of(X, sp.csr_matrix([[1, 0], [1, 0], [0, 1]]), np.ones(3))
    >>> counts.pairs.toarray()
    array([[1., 3.],
           [3., 0.]])
    >>> (counts + counts).documents
    array([4., 2.])
    """

    pairs: Any
    documents: Floats
    collection: Floats
    all_documents: float

    @classmethod
    def of(cls, X: Any, membership: Any, weight: Floats) -> ClassCounts:
        """Count the documents of a sparse matrix.

        Parameters
        ----------
        X : scipy.sparse.csr_matrix, shape (n_documents, n_tokens)
            What to count.
        membership : scipy.sparse matrix, shape (n_documents, n_classes)
            Not 0 where a document is of a class.
        weight : array, shape (n_documents,)
            How many times each document counts.
        """
        from priorwise.models.naive_bayes._kernels.class_counts import (
            add_up_pairs,
            add_up_tokens,
            count_classes_per_token,
        )

        by_class = membership.tocsc()
        class_starts, members = by_class.indptr.astype(np.int64), by_class.indices.astype(np.int64)
        starts = np.empty(X.shape[1] + 1, dtype=np.int64)
        count_classes_per_token(X.indptr, X.indices, class_starts, members, starts)
        classes, counts = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1])
        add_up_pairs(X.indptr, X.indices, X.data, class_starts, members, weight, starts, classes, counts)
        pairs = sp.csc_matrix((counts, classes, starts), shape=(by_class.shape[1], X.shape[1]))
        if not counts.all():
            pairs.eliminate_zeros()
        documents = np.bincount(
            np.repeat(np.arange(by_class.shape[1]), np.diff(class_starts)), weight[members], by_class.shape[1]
        )
        collection = np.zeros(X.shape[1])
        add_up_tokens(X.indptr, X.indices, X.data, weight, collection)
        return cls(pairs, documents.astype(np.float64), collection, float(weight.sum()))

    def __add__(self, other: ClassCounts) -> ClassCounts:
        return ClassCounts(
            (self.pairs + other.pairs).tocsc(),
            self.documents + other.documents,
            self.collection + other.collection,
            self.all_documents + other.all_documents,
        )

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.documents)

    @property
    def n_tokens(self) -> int:
        """How many tokens there are, those that never occur included."""
        return len(self.collection)

    @cached_property
    def tokens(self) -> Ints:
        """The token of each pair, as `pairs.indices` is its class."""
        return np.repeat(np.arange(self.n_tokens), np.diff(self.pairs.indptr))

    def of_class(self, c: int) -> tuple[Ints, Floats]:
        """The tokens that occur in a class, ascending, and how often each does."""
        own = slice(self._by_class.indptr[c], self._by_class.indptr[c + 1])
        return self._by_class.indices[own], self._by_class.data[own]

    @cached_property
    def _by_class(self) -> Any:
        return self.pairs.tocsr()

    @cached_property
    def sizes(self) -> ClassSize:
        """Occurrences and distinct tokens of each class."""
        classes, n = self.pairs.indices, self.n_classes
        return ClassSize(
            np.bincount(classes, self.pairs.data, n).astype(np.float64),
            np.bincount(classes, minlength=n).astype(np.float64),
            np.bincount(classes, np.minimum(self.pairs.data, 1.0), n).astype(np.float64),
            self.n_tokens,
        )

    @cached_property
    def sizes_of_rest(self) -> ClassSize:
        """Occurrences and distinct tokens of the documents that are not of each class."""
        classes, n = self.pairs.indices, self.n_classes
        in_all = self.collection[self.tokens]
        in_rest = remainder(in_all, self.pairs.data)
        lost = np.bincount(classes[in_rest <= 0], minlength=n).astype(np.float64)
        lost_whole = np.bincount(classes, np.minimum(in_all, 1.0) - np.minimum(in_rest, 1.0), n)
        return ClassSize(
            remainder(self.collection.sum(), self.sizes.occurrences),
            np.count_nonzero(self.collection > 0) - lost,
            np.minimum(self.collection, 1.0).sum() - lost_whole,
            self.n_tokens,
        )
