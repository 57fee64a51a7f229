"""Compare what a classifier says of a corpus with the corpus's own labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorwise.corpus import Corpus
from priorwise.errors import NotEnoughData
from priorwise.models.weights import log_probabilities
from priorwise.ranking.classifier import Classifier
from priorwise.ranking.evaluation import Evaluation


@dataclass(frozen=True)
class CorpusEvaluation:
    """The figures, and what there is to know of the corpus.

    Parameters
    ----------
    figures : Evaluation
        What was decided, and what is true.
    labels : list of str
        The labels of the model.
    unknown_labels : list of str
        Labels of the corpus that the model does not know.
    with_unknown : int
        How many documents have one of these.
    left_out : int
        How many documents were not counted: without a label that the model knows.
    words, unknown_words : int
        How many words the documents have, and how many of them the model does not know.
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
        """Everything, as JSON can hold it."""
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

    Parameters
    ----------
    classifier : Classifier
        The model.
    corpus : Corpus
        Documents and labels.
    labelled_only : bool
        Leave out documents without a label that the model knows.
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
