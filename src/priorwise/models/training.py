"""Train any linear classifier on the labels of a corpus: counts or features in, a model ready to be saved out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorwise.corpus import Corpus
from priorwise.errors import InputError, NotEnoughData
from priorwise.features.recipe import Recipe, inverse_document_frequency
from priorwise.kernels import Ints
from priorwise.models.linear_model import LinearModel
from priorwise.models.threshold import fit_threshold
from priorwise.models.weights import Weights
from priorwise.priors.informed import Informed
from priorwise.priors.keywords import LabelTexts
from priorwise.priors.knowledge import informed, of_two_classes
from priorwise.priors.regression import CoefficientPrior
from priorwise.text.tokens import tokens as cut


@dataclass(frozen=True)
class Examples:
    """The documents of a corpus to learn from, and their labels."""

    rows: Ints
    labels: list[str]
    membership: Any
    multilabel: bool
    left_out: dict[str, int]
    unlabelled: int


def examples_of(
    corpus: Corpus, *, multilabel: bool | None = None, min_members: int = 1, labelled_only: bool = False
) -> Examples:
    """Find what a classifier can learn from a corpus."""
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
    _check_examples(found)
    return found


def _check_examples(examples: Examples) -> None:
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
            f"'{label}' is the only class: add another one (to tell it from the documents without a label, "
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
    """Fit a classifier, and return it both ready to be saved and as it was fitted."""
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


RECIPES = ("tfidf", "log", "counts", "presence")
"""Features by name: 1 + log f times the inverse document frequency, cosine; 1 + log f; f; 1."""


@dataclass(frozen=True)
class Vocabulary:
    """The words of a corpus, and more that somebody knows of; what a `CountVectorizer` is to `informed`."""

    words: Sequence[str]

    @property
    def vocabulary_(self) -> dict[str, int]:
        return {word: column for column, word in enumerate(self.words)}

    def build_analyzer(self) -> Callable[[str], list[str]]:
        """The rule that cuts texts into words, everywhere."""
        return cut


@dataclass(frozen=True)
class Prepared:
    """Documents as a regression reads them."""

    X: Any
    vocabulary: Vocabulary
    recipe: Recipe


def prepare(
    corpus: Corpus, examples: Examples, features: str = "tfidf", knowledge: LabelTexts | None = None
) -> Prepared:
    """Turn examples into features.

    Every word of the corpus has a column, those of documents without a label too, and so has every word of the
    knowledge texts: there a prior may speak where no example does. Document frequencies are those of the whole corpus.
    """
    if features not in RECIPES:
        raise InputError(f"no features '{features}'; there are {', '.join(RECIPES)}")
    counts = corpus.matrix(examples.rows)
    if not counts.nnz:
        raise NotEnoughData("the documents have no words to learn from")
    words = corpus.token_names(np.arange(corpus.n_vocabulary))
    words += _unheard_of(words, knowledge)
    counts.resize(counts.shape[0], len(words))
    factors = None
    if features == "tfidf":
        holding = np.zeros(len(words))
        holding[: corpus.n_vocabulary] = corpus.document_frequency
        factors = inverse_document_frequency(holding, corpus.n_documents, "lookahead")
    frequency = {"counts": "raw", "presence": "boolean"}.get(features, "log")
    recipe = Recipe(frequency, factors, cosine=features == "tfidf")
    return Prepared(recipe.apply(counts), Vocabulary(words), recipe)


def _unheard_of(words: Sequence[str], knowledge: LabelTexts | None) -> list[str]:
    """Words of the knowledge texts that no document has."""
    if knowledge is None:
        return []
    known = set(words)
    texts = [" ".join([text] if isinstance(text, str) else text) for text in knowledge.of_labels.values()]
    return sorted({word for text in texts for word in cut(text)} - known)


def prior_of_knowledge(
    knowledge: LabelTexts,
    examples: Examples,
    vocabulary: Vocabulary,
    prior: CoefficientPrior,
    method: str = "var-tfidf",
    strength: float = 1.0,
) -> Informed:
    """Make the prior of each label's words from the texts about them; of two classes the second has the output."""
    if np.ndim(prior.variance) or np.any(prior.mode):
        raise InputError(f"knowledge sets modes and variances itself: give a prior of one variance, not {prior!r}")
    texts = [knowledge.of_labels.get(label) for label in examples.labels]
    believed = informed(
        texts,
        vocabulary,
        method,
        strength,
        variance=float(np.asarray(prior.variance)),
        prior=type(prior),
        others=knowledge.others,
    )
    two = len(examples.labels) == 2 and not examples.multilabel
    return of_two_classes(believed) if two else believed


def fit_regression(
    corpus: Corpus,
    examples: Examples,
    prepared: Prepared,
    estimator: Any,
    *,
    link: str,
    about: Callable[[Any], dict[str, Any]],
    threshold: Any = None,
) -> tuple[LinearModel, Any]:
    """Fit, draw the line, and return the model both ready to be saved and as it was fitted."""
    if threshold is not None and not examples.multilabel and len(examples.labels) > 2:
        raise InputError("a threshold is for two classes, or for labels that are decided each on its own")
    fitted = estimator.fit(prepared.X, targets_of(examples))
    best = getattr(fitted, "best_estimator_", fitted)
    weights, told = best.weights_, about(fitted)
    if threshold is not None:
        scores = np.reshape(best.decision_function(prepared.X), (prepared.X.shape[0], -1))
        last = examples.membership[:, -scores.shape[1] :]
        lines = np.array([
            fit_threshold(scores[:, k], last[:, [k]].toarray()[:, 0] > 0, threshold).value
            for k in range(scores.shape[1])
        ])  # fmt: skip
        weights = replace(weights, bias=weights.bias - lines)
        told = {**told, "thresholds": lines.tolist()}
    model = saved_model(
        corpus, examples, weights, prepared.vocabulary.words,
        features="counts", link=link, about=told, recipe=prepared.recipe,
    )  # fmt: skip
    return model, fitted
