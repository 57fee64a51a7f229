"""Multinomial naive Bayes, and its cousin with weights that are no probabilities, as scikit-learn classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_non_negative

from priorwise.errors import InputError
from priorwise.models.labels import Labels
from priorwise.models.naive_bayes.count_nb import CountNB
from priorwise.models.naive_bayes.event_models import Multinomial
from priorwise.models.naive_bayes.multinomial_leave_one_out import MultinomialLeaveOneOut
from priorwise.priors import Dirichlet, WeightManipulation
from priorwise.priors.base import Prior
from priorwise.priors.counts import WeightPrior, WordPrior


class MultinomialNB(CountNB):
    """Naive Bayes that reads how often each word occurs, for any number of classes.

    A document with f_i occurrences of word i goes to the class with the largest::

        log p(c) + Σ f_i · weight(i, c)

    The prior says what a word weighs; all words that a class has never seen weigh the same there, be it beside what the
    collection says of them. So a class is a list
    of the words it has seen and one number more, and memory grows with the pairs of class and word that occur, never
    with classes × words.

    With an indicator matrix as `y`, each label is told from all documents without it, which are a class of their own
    with the same prior.

    Parameters
    ----------
    prior : Dirichlet, AbsoluteDiscount, LinearDiscount, WittenBell, JelinekMercer or CollectionBeta, optional
        What to believe of the words, or a list of one for each class; ``Dirichlet(1)`` by default.
    class_rate : {"counted", "uniform"} or array
        How common each class is: as in the training documents, the same for each, or given.

    Attributes
    ----------
    classes_ : array
        The classes; for an indicator matrix the numbers of its columns.
    counts_ : ClassCounts
        How often each word occurs in each class, and in all.
    weights_ : Weights
        The fitted model: one output for two classes, else one per class or label.

    References
    ----------
    *webscale*: Zhang, Xue, Yu and Zha, *Web-scale classification with naive Bayes*.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> from priorwise import WittenBell
    >>> texts = ["goal match team", "match team win", "vote law", "law court vote"]
    >>> model = make_pipeline(CountVectorizer(), MultinomialNB(WittenBell()))
    >>> model.fit(texts, ["sport", "sport", "politics", "politics"]).predict(["the team", "a vote"]).tolist()
    ['sport', 'politics']
    """

    asks: ClassVar[type[Prior]] = WordPrior
    explored = "Multinomial: words counted"
    _event_model = Multinomial
    _leave_one_out = MultinomialLeaveOneOut

    def _features(self, X: Any) -> Any:
        check_non_negative(X, type(self).__name__)
        return sp.csr_matrix(X, dtype=np.float64)

    def _default_prior(self) -> Any:
        return Dirichlet.laplace()

    def _priors(self, labels: Labels) -> tuple[Sequence[Any], Sequence[Any]]:
        both = super()._priors(labels)
        if not labels.multilabel and len({prior.reads_collection for priors in both for prior in priors}) > 1:
            raise InputError(
                "the collection is the centre of some, but not of all priors: their classes do not compare"
            )
        return both

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


class WeightedNB(MultinomialNB):
    """Naive Bayes with weights in place of probabilities, WMNB: all unseen words of a class share γ.

    ::

        weight(i, c) = log N_c^i − log N_c  if seen,     γ / Z_c  if not

    Everything else is as in `MultinomialNB`. `predict_proba` makes the scores add up to 1, which does not make
    probabilities of them.

    Parameters
    ----------
    prior : WeightManipulation, optional
        γ, or a list of one for each class; −10⁶ by default. The best γ grows with the vocabulary.
    class_rate : {"counted", "uniform"} or array
        How common each class is: as in the training documents, the same for each, or given.

    References
    ----------
    *webscale*: Zhang, Xue, Yu and Zha, *Web-scale classification with naive Bayes*.

    Examples
    --------
    >>> from priorwise import WeightManipulation
    >>> model = WeightedNB(WeightManipulation(-20)).fit([[2, 0, 0, 1], [0, 2, 1, 0]], ["a", "b"])
    >>> model.predict([[1, 0, 0, 0]]).tolist()
    ['a']
    """

    asks = WeightPrior

    def _default_prior(self) -> Any:
        return WeightManipulation()
