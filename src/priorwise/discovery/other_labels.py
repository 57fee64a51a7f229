"""What else a document is labelled: labels that the members of a category carry more often than others do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.features.recipe import inverse_document_frequency

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

LIFT = 2.0
"""A label says something if members carry it more than twice as often as documents do."""


@dataclass(frozen=True)
class OtherLabels:
    """Labels that speak for a category.

    Parameters
    ----------
    numbers : array of int
        The labels' numbers in the corpus, ascending.
    amounts : array
        What a document that carries one has of it: its rarity, 1 for the rarest there can be.
    """

    numbers: Rows
    amounts: Floats

    def __len__(self) -> int:
        """How many there are."""
        return len(self.numbers)

    def columns(self, corpus: Corpus, rows: Rows) -> Any:
        """Return a matrix with a row per document and a column per label."""
        from scipy.sparse import csr_matrix

        offsets, carried = corpus.take_labels(rows)
        place = np.searchsorted(self.numbers, carried)
        place[place == len(self.numbers)] = 0
        speaks = self.numbers[place] == carried if len(self.numbers) else np.zeros(len(carried), bool)
        indptr = np.concatenate([[0], np.cumsum(speaks)])[offsets]
        chosen = place[speaks]
        return csr_matrix((self.amounts[chosen], chosen, indptr), shape=(len(rows), len(self.numbers)))


@dataclass(frozen=True)
class LabelWeights:
    """What each label adds to the score of a document that carries it.

    Parameters
    ----------
    names : sequence of str
        The labels.
    adds : array
        What they add.
    """

    names: Sequence[str] = ()
    adds: Floats = field(default_factory=lambda: np.empty(0))

    @classmethod
    def of(cls, corpus: Corpus, labels: OtherLabels, weights: Floats) -> LabelWeights:
        """From the weight per amount of each label."""
        used = np.flatnonzero(weights)
        return cls(corpus.label_names(labels.numbers[used]), (weights * labels.amounts)[used])

    def scores(self, corpus: Corpus) -> Floats:
        """What the labels add to the score of every document of the corpus they were learned from."""
        scores = np.zeros(corpus.n_documents)
        for name, adds in zip(self.names, self.adds, strict=True):
            scores[corpus.members(name)] += adds
        return scores

    def carried_by(self, corpus: Corpus, row: int) -> list[tuple[str, float]]:
        """The labels of a document that add something, the strongest first."""
        found = [(name, self._by_name[name]) for name in corpus.labels_of(row) if name in self._by_name]
        return sorted(found, key=lambda each: (-abs(each[1]), each[0]))

    @cached_property
    def _by_name(self) -> dict[str, float]:
        return dict(zip(self.names, self.adds.tolist(), strict=True))


def beside(X: Any, columns: Any) -> Any:
    """Put the columns of labels right of those of tokens; a text about the category, the last row, carries none."""
    if not columns.shape[1]:
        return X
    from scipy.sparse import hstack

    columns.resize((X.shape[0], columns.shape[1]))
    return hstack([X, columns]).tocsr()


def other_labels(corpus: Corpus, members: Rows, label: str | None) -> OtherLabels:
    """Find the labels that speak for a category, which is a label itself.

    Those that members carry more than twice as often as documents do. What lies below the category does not count: who
    is in a subcategory is not missing. Labels that members do not carry are not asked: what a document is not labelled
    says more about who labelled it than about the document.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    members : array of int
        The rows of the members that are known.
    label : str, optional
        The category. It is no evidence of itself, also where more documents carry it than are known. None: no labels.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["a"] * 6, labels=[["jazz", "music"], ["jazz"], ["music"], ["law"], [], ["law"]])
    >>> found = other_labels(corpus, np.array([0, 1]), "jazz")
    >>> corpus.label_names(found.numbers), found.columns(corpus, np.arange(4)).toarray().round(2).ravel().tolist()
    ([], [])
    >>> found = other_labels(corpus, np.array([0]), "jazz")
    >>> corpus.label_names(found.numbers), found.columns(corpus, np.arange(4)).toarray().round(2).ravel().tolist()
    (['music'], [0.82, 0.0, 0.82, 0.0])
    """
    if label is None:
        return OtherLabels(np.empty(0, np.int64), np.empty(0))
    _, carried = corpus.take_labels(members)
    numbers, among_members = np.unique(carried.astype(np.int64), return_counts=True)
    sizes = corpus.label_sizes()["documents"].to_numpy()[numbers]
    share, expected = among_members / max(len(members), 1), sizes / max(corpus.n_documents, 1)
    speaks = (share > LIFT * expected) & (sizes >= 2)
    speaks &= ~_is_or_is_below(corpus, label, corpus.label_names(numbers))
    rarity = inverse_document_frequency(sizes[speaks], corpus.n_documents, "smooth")
    rarest = inverse_document_frequency(np.ones(1), corpus.n_documents, "smooth")
    return OtherLabels(numbers[speaks], rarity / rarest)


def _is_or_is_below(corpus: Corpus, label: str, names: list[str]) -> NDArray[np.bool_]:
    same = np.array([name == label for name in names], bool)
    graph = corpus.graph
    if label not in graph:
        return same
    return same | np.isin(graph.find_many(names), graph.below(label).numbers)
