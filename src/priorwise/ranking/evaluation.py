"""How good a classifier is, when the labels are known: counted part by part, told as one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from priorwise.corpus import Corpus
from priorwise.errors import NotEnoughData
from priorwise.kernels import Floats, Mask
from priorwise.models.weights import log_probabilities
from priorwise.ranking.classifier import Classifier

BINS = 10


class CalibrationBin(NamedTuple):
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

        `decided` (shape (n_documents, n_labels)): the labels that were given. `log_probability` (shape
        (n_documents, n_labels)): logarithm of the probability of each label. `log_complement`: if each label
        was decided on its own: logarithm of the probability that it is not one. `truth` (shape (n_documents,
        n_labels)): not 0 where a label is true. If a document gets one label, it must have at least one.
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
    def bins(self) -> list[CalibrationBin]:
        """Ten stretches of probability, and how often what had it was true; empty ones are left out."""
        return [
            CalibrationBin(f"{i / BINS:g} to {(i + 1) / BINS:g}", int(count), probability / count, true / count)
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


@dataclass(frozen=True)
class CorpusEvaluation:
    """The figures, and what there is to know of the corpus.

    `figures`: what was decided, and what is true. `labels`: the labels of the model. `unknown_labels`: labels of
    the corpus that the model does not know. `with_unknown`: how many documents have one of these. `left_out`: how
    many documents were not counted: without a label that the model knows. `words`, `unknown_words`: how many words
    the documents have, and how many of them the model does not know.
    """

    figures: Evaluation
    labels: list[str]
    unknown_labels: list[str]
    with_unknown: int
    left_out: int
    words: int
    unknown_words: int

    def by_label(self) -> list[dict[str, Any]]:
        """The figures of each label that is true or decided somewhere."""
        figures = self.figures
        columns = zip(self.labels, figures.true, figures.decided, *figures.of_labels, strict=True)
        names = ("label", "true", "decided", "precision", "recall", "f1")
        return [
            dict(zip(names, (row[0], *map(float, row[1:])), strict=True)) for row in columns if row[1] > 0 or row[2] > 0
        ]

    def to_json(self) -> dict[str, Any]:
        figures = self.figures
        names = ("precision", "recall", "f1")
        return {
            "documents": figures.documents,
            "left_out": self.left_out,
            "unknown_labels": self.unknown_labels,
            "documents_with_unknown_labels": self.with_unknown,
            "words": self.words,
            "unknown_words": self.unknown_words,
            "accuracy": figures.accuracy,
            "all_labels_right": figures.exact_share,
            "macro": dict(zip(names, figures.macro, strict=True)),
            "micro": dict(zip(names, figures.micro, strict=True)),
            "log_loss": figures.log_loss,
            "calibration_error": figures.calibration_error,
            "calibration": [each._asdict() for each in figures.bins],
            "confusions": [
                {"true": self.labels[pair.true], "given": self.labels[pair.given], "documents": pair.documents}
                for pair in figures.worst_pairs(1000)
            ],
            "labels": self.by_label(),
        }


def evaluate_on(classifier: Classifier, corpus: Corpus, *, labelled_only: bool = False) -> CorpusEvaluation:
    """Classify the documents of a corpus whose labels are known.

    A model that gives every document one label is asked of those that have one it knows. One that decides each label on
    its own is asked of all, and a document without a label has none of them, unless `labelled_only`.
    """
    from scipy.sparse import csr_matrix

    model = classifier.model
    starts, numbers = corpus.take_labels(np.arange(corpus.n_documents))
    every = csr_matrix((np.ones(len(numbers)), numbers, starts), shape=(corpus.n_documents, corpus.n_labels))
    names = corpus.label_names(np.arange(corpus.n_labels))
    place = {label: column for column, label in enumerate(model.labels)}
    columns = np.array([place.get(name, -1) for name in names], dtype=np.int64)
    known = np.flatnonzero(columns >= 0)
    onto = csr_matrix((np.ones(len(known)), (known, columns[known])), shape=(len(names), len(model.labels)))
    truth = (every @ onto).tocsr()
    has_known = np.diff(truth.indptr) > 0
    used = has_known if labelled_only or not model.multilabel else np.ones(len(has_known), dtype=bool)
    if not used.any():
        raise NotEnoughData(f"no document of {corpus.path or 'the corpus'} has a label that the model knows")
    figures = Evaluation(len(model.labels), model.multilabel)
    words = unknown_words = 0
    for rows, bags in classifier.read_corpus(corpus, np.flatnonzero(used)):
        verdict = classifier.judge(bags)
        complement = log_probabilities(-verdict.scores, model.link, multilabel=True) if model.multilabel else None
        figures.add(verdict.decided, verdict.log_probability, complement, truth[rows])
        words += int(bags.known.sum() + bags.unknown.sum())
        unknown_words += int(bags.unknown.sum())
    return CorpusEvaluation(
        figures,
        list(model.labels),
        [name for name, column in zip(names, columns, strict=True) if column < 0],
        int(np.count_nonzero(np.diff(every[:, np.flatnonzero(columns < 0)].tocsr().indptr))),
        int(np.count_nonzero(~used)),
        words,
        unknown_words,
    )
