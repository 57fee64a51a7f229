"""Other categories as evidence: labels that members of a category carry more often than documents do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.features.recipe import inverse_document_frequency
from priorwise.kernels import Floats, Rows

LIFT = 2.0
"""A label is evidence if members carry it more than twice as often as documents do."""


@dataclass(frozen=True)
class OtherLabels:
    """Labels that are evidence for a category.

    `numbers`: the labels' numbers in the corpus, ascending. `amounts`: how much of it a document has that carries
    it: its rarity, 1 for the rarest possible label.
    """

    numbers: Rows
    amounts: Floats

    def __len__(self) -> int:
        return len(self.numbers)

    def columns(self, corpus: Corpus, rows: Rows) -> Any:
        """Return a matrix with a row per document and a column per label."""
        from scipy.sparse import csr_matrix

        offsets, carried = corpus.take_labels(rows)
        place = np.searchsorted(self.numbers, carried)
        place[place == len(self.numbers)] = 0
        counts = self.numbers[place] == carried if len(self.numbers) else np.zeros(len(carried), bool)
        indptr = np.concatenate([[0], np.cumsum(counts)])[offsets]
        chosen = place[counts]
        return csr_matrix((self.amounts[chosen], chosen, indptr), shape=(len(rows), len(self.numbers)))


def other_labels(corpus: Corpus, members: Rows, label: str | None, *, maintenance: bool = False) -> OtherLabels:
    """Find the labels that are evidence for a category, which is a label itself.

    These are the labels that members carry more than twice as often as documents do. Subcategories do not count: a
    document in a subcategory is filed correctly already. Labels that no member carries do not count either: which
    labels a document lacks says more about whoever labelled it than about the document.

    `members`: the rows of the members that are known. `label`: the category. It is not evidence for itself, even if
    more documents carry it than are known. None: no labels. `maintenance`: whether categories that serve a wiki's
    editors count as well. They do in any case for one of them.
    """
    if label is None:
        return OtherLabels(np.empty(0, np.int64), np.empty(0))
    _, carried = corpus.take_labels(members)
    numbers, among_members = np.unique(carried.astype(np.int64), return_counts=True)
    sizes = corpus.label_sizes()["documents"].to_numpy()[numbers]
    share, expected = among_members / max(len(members), 1), sizes / max(corpus.n_documents, 1)
    counts = (share > LIFT * expected) & (sizes >= 2)
    names = corpus.label_names(numbers)
    counts &= ~_is_or_is_below(corpus, label, names)
    if not maintenance and not corpus.maintenance_labels([label])[0]:
        counts &= ~corpus.maintenance_labels(names)
    rarity = inverse_document_frequency(sizes[counts], corpus.n_documents, "smooth")
    rarest = inverse_document_frequency(np.ones(1), corpus.n_documents, "smooth")
    return OtherLabels(numbers[counts], rarity / rarest)


def _is_or_is_below(corpus: Corpus, label: str, names: list[str]) -> NDArray[np.bool_]:
    same = np.array([name == label for name in names], bool)
    graph = corpus.graph
    if label not in graph:
        return same
    return same | np.isin(graph.find_many(names), graph.below(label).numbers)
