"""How good a classifier is, when the labels are known: counted part by part, told as one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

BINS = 10


class Bin(NamedTuple):
    """Decisions whose probability lies in one stretch: how many, their mean probability, and the share that is true."""

    stretch: str
    cases: int
    probability: float
    true: float


class Pair(NamedTuple):
    """Documents that have one label and were given another in its place."""

    true: int
    given: int
    documents: int


@dataclass
class Evaluation:
    """What was decided about documents whose labels are known.

    ::

        precision  tp / decided          recall  tp / true          F1  2 tp / (decided + true)

    0/0 counts as 0. Macro is the mean over the labels that are true or decided somewhere, micro takes all decisions
    together.

    Parameters
    ----------
    n_labels : int
        How many labels the model knows.
    multilabel : bool
        Whether each label was decided on its own.
    """

    n_labels: int
    multilabel: bool
    documents: int = 0
    exact: int = 0
    hits: int = 0
    log_loss_sum: float = 0.0
    tp: Floats = field(init=False)
    decided: Floats = field(init=False)
    true: Floats = field(init=False)

    def __post_init__(self) -> None:
        from scipy.sparse import csr_matrix

        self.tp, self.decided, self.true = (np.zeros(self.n_labels) for _ in range(3))
        self._in_place_of: Any = csr_matrix((self.n_labels, self.n_labels))
        self._bins = np.zeros((3, BINS))

    def add(self, decided: Mask, log_probability: Floats, log_complement: Floats | None, truth: Any) -> None:
        """Count some documents.

        Parameters
        ----------
        decided : array of bool, shape (n_documents, n_labels)
            The labels that were given.
        log_probability : array, shape (n_documents, n_labels)
            Logarithm of the probability of each label.
        log_complement : array, optional
            If each label was decided on its own: logarithm of the probability that it is not one.
        truth : scipy.sparse matrix, shape (n_documents, n_labels)
            Not 0 where a label is true. If a document gets one label, it must have at least one.
        """
        from scipy.sparse import csr_matrix

        given, truth = csr_matrix(decided, dtype=np.float64), csr_matrix(truth, dtype=np.float64)
        right = given.multiply(truth).tocsr()
        right.eliminate_zeros()
        self.tp += np.asarray(right.sum(axis=0)).ravel()
        self.decided += np.asarray(given.sum(axis=0)).ravel()
        self.true += np.asarray(truth.sum(axis=0)).ravel()
        n_right, n_given, n_true = (np.diff(each.indptr) for each in (right, given, truth))
        self.documents += len(n_true)
        self.exact += int(np.count_nonzero((n_right == n_given) & (n_right == n_true)))
        self.hits += int(np.count_nonzero(n_right))
        self._in_place_of = self._in_place_of + (truth - right).T @ (given - right)
        if self.multilabel and log_complement is not None:
            is_true = truth.toarray() > 0
            self._count_bins(np.exp(log_probability).ravel(), is_true.ravel())
            self.log_loss_sum -= float(np.where(is_true, log_probability, log_complement).sum())
        else:
            self._count_bins(np.exp(log_probability[decided]), n_right > 0)
            document = np.repeat(np.arange(len(n_true)), n_true)
            self.log_loss_sum -= float((log_probability[document, truth.indices] / n_true[document]).sum())

    def _count_bins(self, probability: Floats, true: Mask) -> None:
        place = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
        for row, weights in enumerate((np.ones(len(place)), probability, true.astype(np.float64))):
            self._bins[row] += np.bincount(place, weights, BINS)

    @property
    def accuracy(self) -> float:
        """Share of the documents whose label is right; of labels each on its own, share of the right decisions."""
        if not self.multilabel:
            return self.hits / self.documents if self.documents else 0.0
        decisions = self.documents * self.n_labels
        wrong = self.decided.sum() + self.true.sum() - 2 * self.tp.sum()
        return float(1 - wrong / decisions) if decisions else 0.0

    @property
    def exact_share(self) -> float:
        """Share of the documents whose labels are all right, and no others."""
        return self.exact / self.documents if self.documents else 0.0

    @property
    def of_labels(self) -> tuple[Floats, Floats, Floats]:
        """Precision, recall and F1 of each label."""
        return _share(self.tp, self.decided), _share(self.tp, self.true), _share(2 * self.tp, self.decided + self.true)

    @property
    def macro(self) -> tuple[float, float, float]:
        """Precision, recall and F1, means over the labels that are true or decided somewhere."""
        there = (self.decided > 0) | (self.true > 0)
        if not there.any():
            return 0.0, 0.0, 0.0
        precision, recall, f1 = (float(each[there].mean()) for each in self.of_labels)
        return precision, recall, f1

    @property
    def micro(self) -> tuple[float, float, float]:
        """Precision, recall and F1 of all decisions together."""
        tp, decided, true = (np.array([each.sum()]) for each in (self.tp, self.decided, self.true))
        precision, recall, f1 = _share(tp, decided)[0], _share(tp, true)[0], _share(2 * tp, decided + true)[0]
        return float(precision), float(recall), float(f1)

    @property
    def log_loss(self) -> float:
        """Mean of −log of the probability of what is true: of each document's label, or of each decision."""
        cases = self.documents * (self.n_labels if self.multilabel else 1)
        return self.log_loss_sum / cases if cases else 0.0

    @property
    def bins(self) -> list[Bin]:
        """Ten stretches of probability, and how often what had it was true; empty ones are left out."""
        return [
            Bin(f"{i / BINS:g} to {(i + 1) / BINS:g}", int(count), probability / count, true / count)
            for i, (count, probability, true) in enumerate(self._bins.T.tolist())
            if count
        ]

    @property
    def calibration_error(self) -> float:
        """Mean distance between probability and truth, over the bins, each counting by its size (ECE)."""
        count, probability, true = self._bins
        return float(np.abs(probability - true).sum() / count.sum()) if count.sum() else 0.0

    def worst_pairs(self, count: int) -> list[Pair]:
        """The pairs of labels that were most often taken for each other, one way each."""
        found = self._in_place_of.tocoo()
        found.eliminate_zeros()
        order = np.lexsort((found.col, found.row, -found.data))[:count]
        return [Pair(int(found.row[i]), int(found.col[i]), int(found.data[i])) for i in order]


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
