"""Train a regression on the labels of a corpus: counts to features, knowledge to a prior, a line between yes and no."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.corpus import Corpus
from priorwise.errors import InputError, NotEnoughData
from priorwise.features.recipe import Recipe, inverse_document_frequency
from priorwise.models.corpus_training import Examples, saved_model, targets_of
from priorwise.models.linear_model import LinearModel
from priorwise.models.threshold import fit_threshold
from priorwise.priors.informed import Informed
from priorwise.priors.keywords import LabelTexts
from priorwise.priors.knowledge import informed, of_two_classes
from priorwise.priors.regression import CoefficientPrior
from priorwise.text.tokens import tokens as cut

Floats = NDArray[np.float64]

RECIPES = ("tfidf", "log", "counts", "presence")
"""Features by name: 1 + log f times the inverse document frequency, cosine; 1 + log f; f; 1."""


@dataclass(frozen=True)
class Vocabulary:
    """The words of a corpus, and more that somebody knows of; what a `CountVectorizer` is to `informed`."""

    words: Sequence[str]

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each word."""
        return {word: column for column, word in enumerate(self.words)}

    def build_analyzer(self) -> Callable[[str], list[str]]:
        """The rule that cuts texts into words, everywhere."""
        return cut


@dataclass(frozen=True)
class Prepared:
    """Documents as a regression reads them.

    Parameters
    ----------
    X : scipy.sparse.csr_matrix
        The examples' features.
    vocabulary : Vocabulary
        The word of each column.
    recipe : Recipe
        How counts became features.
    """

    X: Any
    vocabulary: Vocabulary
    recipe: Recipe


def prepare(
    corpus: Corpus, examples: Examples, features: str = "tfidf", knowledge: LabelTexts | None = None
) -> Prepared:
    """Turn examples into features.

    Every word of the corpus has a column, those of documents without a label too, and so has every word of the
    knowledge texts: there a prior may speak where no example does. Document frequencies are those of the whole corpus.

    Examples
    --------
    >>> from priorwise.models.corpus_training import examples_of
    >>> corpus = Corpus.from_texts(["oil up", "wheat up", "up"], labels=["oil", "grain", None])
    >>> prepared = prepare(corpus, examples_of(corpus), knowledge=LabelTexts({"oil": "oil barrels"}))
    >>> prepared.vocabulary.words, prepared.X.toarray().round(2).tolist()
    (['up', 'oil', 'wheat', 'barrels'], [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
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
    heard = set(words)
    texts = [" ".join([text] if isinstance(text, str) else text) for text in knowledge.of_labels.values()]
    return sorted({word for text in texts for word in cut(text)} - heard)


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
    """Fit, draw the line, and return the model both ready to be saved and as it was fitted.

    Parameters
    ----------
    estimator : estimator
        A regression, or a search whose `best_estimator_` is one.
    link : {"logistic", "probit"}
        As in `LinearModel`.
    about : function
        Given the fitted estimator, returns what the model's description is to say of it.
    threshold : target of counts, optional
        What the decisions are to be best at on the examples. The threshold is taken off the bias: a document is put to
        a label when its probability is above ½, as before, and probabilities are no longer calibrated.
    """
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
