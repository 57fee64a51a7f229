"""Train any linear classifier on the labels of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import NotEnoughData
from priorwise.models.linear_model import LinearModel
from priorwise.models.weights import Weights

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Examples:
    """The documents of a corpus to learn from, and their labels.

    Parameters
    ----------
    rows : array of int
        The documents.
    labels : list of str
        The labels, sorted; each has a document.
    membership : scipy.sparse.csr_matrix, shape (n_documents, n_labels)
        One where a document has a label.
    multilabel : bool
        Whether each label is learned on its own, against all other documents.
    left_out : dict of str to int
        What was left out and why, with how many.
    unlabelled : int
        How many of the documents have none of the labels.
    """

    rows: Ints
    labels: list[str]
    membership: Any
    multilabel: bool
    left_out: dict[str, int]
    unlabelled: int


def examples_of(
    corpus: Corpus, *, multilabel: bool | None = None, min_members: int = 1, labelled_only: bool = False
) -> Examples:
    """Find what a classifier can learn from a corpus.

    Parameters
    ----------
    corpus : Corpus
        Documents and labels.
    multilabel : bool, optional
        Whether a document may have any number of labels; by default whether one of the corpus has several. If not,
        documents that have several are left out.
    min_members : int
        Labels with fewer documents are left out.
    labelled_only : bool
        If labels are learned each on its own: leave out the documents without any, which otherwise are examples of
        what each label is not.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["a", "b", "c", "d"], labels=["x", "y", "y", None])
    >>> found = examples_of(corpus)
    >>> found.rows.tolist(), found.labels, found.multilabel, found.left_out
    ([0, 1, 2], ['x', 'y'], False, {'documents without a label': 1})
    """
    from scipy.sparse import csr_matrix

    starts, numbers = corpus.take_labels(np.arange(corpus.n_documents))
    every = csr_matrix((np.ones(len(numbers)), numbers, starts), shape=(corpus.n_documents, corpus.n_labels))
    kept = np.asarray(every.sum(axis=0)).ravel() >= max(1, min_members)
    left_out = {f"labels with fewer than {min_members} documents": int(np.count_nonzero(~kept))}
    per_document = np.diff(every[:, kept].indptr)
    multilabel = bool(per_document.max(initial=0) > 1) if multilabel is None else multilabel
    if multilabel:
        used = np.ones(corpus.n_documents, dtype=bool) if not labelled_only else per_document > 0
    else:
        used = per_document == 1
        left_out["documents with several labels"] = int(np.count_nonzero(per_document > 1))
    unlabelled = np.diff(starts) == 0
    left_out["documents without a label"] = int(np.count_nonzero(~used & unlabelled))
    left_out["documents whose labels are all left out"] = int(
        np.count_nonzero(~used & ~unlabelled & (per_document == 0))
    )
    rows = np.flatnonzero(used)
    columns = np.flatnonzero(kept & (np.asarray(every[rows].sum(axis=0)).ravel() > 0))
    membership = every[rows][:, columns]
    found = Examples(
        rows,
        corpus.label_names(columns),
        membership,
        multilabel,
        {why: count for why, count in left_out.items() if count},
        int(np.count_nonzero(np.diff(membership.indptr) == 0)),
    )
    _check(found)
    return found


def _check(examples: Examples) -> None:
    if not examples.labels:
        raise NotEnoughData("there is no label to learn: no label has enough documents")
    if examples.multilabel:
        everywhere = np.flatnonzero(np.asarray(examples.membership.sum(axis=0)).ravel() == len(examples.rows))
        if len(everywhere):
            label = examples.labels[everywhere[0]]
            raise NotEnoughData(f"every document has the label '{label}': there is nothing to tell it from")
    elif len(examples.labels) == 1:
        label = examples.labels[0]
        raise NotEnoughData(
            f"'{label}' is the only class: it takes two to tell apart (to tell it from the documents without a label, "
            "decide each label on its own)"
        )


def train(
    corpus: Corpus,
    examples: Examples,
    make: Callable[[int], Any],
    *,
    features: str,
    link: str,
    about: Callable[[Any], dict[str, Any]],
) -> tuple[LinearModel, Any]:
    """Fit a classifier, and return it both ready to be saved and as it was fitted.

    Parameters
    ----------
    corpus : Corpus
        Where the examples are.
    examples : Examples
        What to learn from.
    make : function
        Given the size of the vocabulary, returns a scikit-learn estimator whose `weights_` are `Weights` when fitted,
        or a search whose `best_estimator_` is one.
    features, link : str
        As in `LinearModel`.
    about : function
        Given the fitted estimator, returns what the model's description is to say of it.
    """
    X = corpus.matrix(examples.rows, binary=features == "presence")
    columns = np.unique(X.indices)
    if not len(columns):
        raise NotEnoughData("the documents have no words to learn from")
    if len(columns) < corpus.n_vocabulary:
        X = X[:, columns]
    fitted = make(len(columns)).fit(X, targets_of(examples))
    weights = getattr(fitted, "best_estimator_", fitted).weights_
    tokens = corpus.token_names(columns)
    return saved_model(corpus, examples, weights, tokens, about=about(fitted), features=features, link=link), fitted


def saved_model(
    corpus: Corpus,
    examples: Examples,
    weights: Weights,
    tokens: Sequence[str],
    *,
    about: dict[str, Any],
    **details: Any,
) -> LinearModel:
    """What was learned from the examples of a corpus, ready to be saved; details are as in `LinearModel`."""
    return LinearModel.of(
        weights,
        tokens,
        labels=examples.labels,
        multilabel=examples.multilabel,
        tokenizer=corpus.tokenizer,
        members=np.asarray(examples.membership.sum(axis=0)).ravel(),
        about={
            **about,
            "corpus": {
                "checksum": corpus.checksum,
                "documents": len(examples.rows),
                "without_label": examples.unlabelled,
                "left_out": examples.left_out,
            },
        },
        **details,
    )


def targets_of(examples: Examples) -> Any:
    """The labels in the form in which a scikit-learn classifier takes them."""
    if not examples.multilabel:
        return examples.membership.indices
    if len(examples.labels) == 1:
        # scikit-learn takes an indicator of one column for a class: the label and the rest are two classes.
        return np.diff(examples.membership.indptr) > 0
    return examples.membership.astype(np.int64)
