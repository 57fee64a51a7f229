"""Bernoulli naive Bayes as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any

from priorwise.models.naive_bayes.bernoulli_leave_one_out import BernoulliLeaveOneOut
from priorwise.models.naive_bayes.count_nb import CountNB
from priorwise.models.naive_bayes.event_models import Bernoulli
from priorwise.models.naive_bayes.presence import presence
from priorwise.priors import Beta
from priorwise.priors.counts import RatePrior


class BernoulliNB(CountNB):
    """Naive Bayes that reads what a document contains and what it lacks.

    A document is the set of its tokens (the columns with a positive value). θ_k is the rate of token k in a class, as
    the prior and the counts agree on it::

        log P(d|c) = Σ over k in d of log θ_k + Σ over all other k of log(1 − θ_k)

    computed as one number per class and a sum over the tokens that are there.

    With an indicator matrix as `y`, each label is told from all documents without it, which are a class of their own
    with the same prior.

    Parameters
    ----------
    prior : Beta, JelinekMercer, CollectionBeta or TermBeta, optional
        What to believe of the rates, or a list of one for each class; ``Beta.laplace()`` by default.
    class_rate : {"counted", "uniform"} or array
        How common each class is: as in the training documents, the same for each, or given.

    Attributes
    ----------
    classes_ : array
        The classes; for an indicator matrix the numbers of its columns.
    counts_ : ClassCounts
        In how many documents of each class, and of all, each token occurs.
    weights_ : Weights
        The fitted model: one output for two classes, else one per class or label.

    References
    ----------
    *bernoulli*: Di Nunzio and Sordoni, *How well do we know Bernoulli?*

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> from priorwise import JelinekMercer
    >>> texts = ["goal match team", "match team win", "vote law", "law court vote"]
    >>> model = make_pipeline(CountVectorizer(), BernoulliNB(JelinekMercer(0.2)))
    >>> model.fit(texts, ["sport", "sport", "politics", "politics"]).predict(["the team", "a vote"]).tolist()
    ['sport', 'politics']
    """

    asks = RatePrior
    reads = "presence"
    explored = "Bernoulli: words present and absent"
    _event_model = Bernoulli
    _leave_one_out = BernoulliLeaveOneOut

    def _features(self, X: Any) -> Any:
        return presence(X)

    def _default_prior(self) -> Beta:
        return Beta.laplace()
