"""Naive Bayes models of counts as scikit-learn classifiers: Bernoulli, multinomial and weighted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_matrix
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_non_negative, column_or_1d

from priorwise.errors import InputError
from priorwise.features.matrices import validate_data
from priorwise.kernels import Floats
from priorwise.models.base import LinearClassifier
from priorwise.models.labels import OutputLabels
from priorwise.models.naive_bayes.class_scores import best_outputs, score_documents
from priorwise.models.naive_bayes.count_leave_one_out import BernoulliLeaveOneOut, LeftOut, MultinomialLeaveOneOut
from priorwise.models.naive_bayes.counts import (
    Bernoulli,
    ClassCounts,
    EventModel,
    Multinomial,
    class_weights,
    log_class_rates,
)
from priorwise.models.naive_bayes.presence import presence
from priorwise.models.weights import Background, Weights
from priorwise.priors import Beta, Dirichlet, JelinekMercer, WeightManipulation, WittenBell
from priorwise.priors.base import CountSummary, Prior, one_each
from priorwise.priors.counts import RatePrior, WeightPrior, WordPrior
from priorwise.priors.informed import imagines, smoothing_of
from priorwise.search.held_out import HeldOut, candidates_of


class CountNB(LinearClassifier, listed=False):
    """Base of the naive Bayes models that keep counts of class and token; the members say what a count means."""

    _event_model: ClassVar[type[EventModel]]
    _leave_one_out: ClassVar[type[LeftOut]]

    def __init__(self, prior: Any = None, *, class_rate: str | ArrayLike = "counted") -> None:
        self.prior = prior
        self.class_rate = class_rate

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Count, then blend the counts with the prior."""
        X, y = self._validated(X, y, reset=True)
        self._labels = OutputLabels.of(y)
        self.classes_ = self._labels.classes
        self.counts_ = self._count(X, y, sample_weight)
        self.weights_ = self._blend()
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add the counts of more documents.

        The first call must name all `classes`, unless `y` is an indicator matrix.
        """
        first = not hasattr(self, "classes_")
        X, y = self._validated(X, y, reset=first)
        self._first_classes(y, classes)
        counts = self._count(X, y, sample_weight)
        self.counts_ = counts if first else self.counts_ + counts
        self.weights_ = self._blend()
        return self

    def _validated(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        X, y = validate_data(self, X, y, accept_sparse="csr", multi_output=True, reset=reset)
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        return self._features(X), y

    def _features(self, X: Any) -> Any:
        """Sparse matrix of what is counted."""
        raise NotImplementedError

    def _count(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> ClassCounts:
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        return ClassCounts.of(X, self._labels.membership(y), weight)

    def _blend(self) -> Weights:
        labels = self._labels
        rates = log_class_rates(self.class_rate, self.counts_, labels)
        counts = self._with_imagined(self.counts_)
        priors, rest_priors = self._priors(labels)
        return class_weights(
            counts,
            self._event_model(counts),  # type: ignore[call-arg]
            priors,
            rest_priors if labels.against_rest else None,
            rates,
        )

    def _with_imagined(self, counts: ClassCounts) -> ClassCounts:
        """What was counted, and what the prior imagines to have been; of two classes the second has the counts."""
        prior = self.given_prior
        if not imagines(prior):
            return counts
        pairs, documents = prior.counts(len(self._labels.classes), counts.n_tokens)
        own = slice(1, None) if self._labels.n_outputs < len(self._labels.classes) else slice(None)
        imagined = ClassCounts(
            pairs[own].tocsc(), documents[own], np.asarray(pairs.sum(axis=0)).ravel(), float(documents.sum())
        )
        return counts + imagined

    def _priors(self, labels: OutputLabels) -> tuple[Sequence[Any], Sequence[Any]]:
        """The prior of each output, and of the documents it is told from."""
        each = one_each(smoothing_of(self.given_prior), len(labels.classes))
        for prior in each:
            self.check_prior(prior)
        if labels.n_outputs == 1 and len(each) == 2:
            return [each[1]], [each[0]]
        return each, each

    def held_out(self, X: Any, y: Any, weight: Any, folds: Any = None, grid: Sequence[Any] | None = None) -> HeldOut:
        """Exact leave-one-out, or folds if asked for.

        Imagined texts are about all classes at once: they are judged by folds, and all labels share them.
        """
        own, candidates = candidates_of(grid, self.given_prior)
        for prior in candidates:
            self.check_prior(smoothing_of(prior))
        imagined = any(map(imagines, candidates))
        if folds is None and not imagined:
            held_out: HeldOut = self._leave_one_out(self._features(X), y, weight, self.class_rate)
        else:
            held_out = super().held_out(X, y, weight, folds, candidates)
        held_out.own, held_out.candidates, held_out.one_for_all = own, candidates, imagined
        return held_out

    def _take(self, weights: Weights) -> None:
        values, n = csc_matrix(weights.table(self.n_features_in_)), self.n_features_in_
        nothing = Background(np.zeros((len(weights.bias), 1)), np.zeros(n, dtype=np.int32))
        self.weights_ = Weights(np.arange(n), values, weights.bias, nothing)

    def _counted(self) -> CountSummary:
        sizes = self.counts_.sizes
        unit = "word" if self.reads == "counts" else "document"
        size = sizes.occurrences if self.reads == "counts" else self.counts_.documents
        return CountSummary(unit, self.counts_.n_tokens, float(size.mean()), float(sizes.distinct.mean()))

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self, "weights_")
        return score_documents(self.weights_, self._read(X))

    def _read(self, X: Any) -> Any:
        return self._features(validate_data(self, X, accept_sparse="csr", reset=False))

    def predict(self, X: Any) -> Any:
        """The class with the largest posterior, a tie to the first; or every label whose log odds are above 0."""
        check_is_fitted(self, "weights_")
        if self._labels.against_rest:
            return super().predict(X)
        best, _ = best_outputs(self.weights_, self._read(X), need_scores=False)
        return self.classes_[best[:, 0]]

    def top_k(self, X: Any, k: int) -> tuple[NDArray[Any], Floats]:
        """The k best classes of each document, best first, with their scores as in `decision_function`.

        Of two classes each one's score is its log odds. All but the few classes in question are ruled out without a
        full sum, and nothing is sorted.
        """
        check_is_fitted(self, "weights_")
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}")
        if self._two_classes:
            scores = self._scores(X)[:, 0]
            both = np.column_stack([-scores, scores])
            order = np.argsort(-both, axis=1, kind="stable")[:, :k]
            return self.classes_[order], np.take_along_axis(both, order, axis=1)
        best, scores = best_outputs(self.weights_, self._read(X), k)
        return self.classes_[best], scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


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
        The prior of the rates, or a list of one for each class; ``Beta.laplace()`` by default.
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


class MultinomialNB(CountNB):
    """Naive Bayes that reads how often each word occurs, for any number of classes.

    A document with f_i occurrences of word i goes to the class with the largest::

        log p(c) + Σ f_i · weight(i, c)

    The prior decides what a word weighs. All words that a class has never seen weigh the same there (relative to the
    corpus-wide rates, if the prior is centred on them). So a class is a list of the words it has seen and one number
    more, and memory grows with the pairs of class and word that occur, never with classes × words.

    With an indicator matrix as `y`, each label is told from all documents without it, which are a class of their own
    with the same prior.

    Parameters
    ----------
    prior : Dirichlet, AbsoluteDiscount, LinearDiscount, WittenBell, JelinekMercer or CollectionBeta, optional
        The prior of the words, or a list of one for each class; ``Dirichlet(1)`` by default.
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

    @classmethod
    def learned_priors(cls) -> tuple[Prior, ...]:
        """Around the corpus, which suits long documents, or all unseen words alike, which suits titles."""
        return *JelinekMercer.grid(), *WittenBell.grid()

    def _features(self, X: Any) -> Any:
        check_non_negative(X, type(self).__name__)
        return sp.csr_matrix(X, dtype=np.float64)

    def _default_prior(self) -> Any:
        return Dirichlet.laplace()

    def _priors(self, labels: OutputLabels) -> tuple[Sequence[Any], Sequence[Any]]:
        both = super()._priors(labels)
        if not labels.multilabel and len({prior.reads_collection for priors in both for prior in priors}) > 1:
            raise InputError(
                "some classes have a prior centred on the whole corpus and others do not, so their scores cannot be "
                "compared: give all the same centre"
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

    @classmethod
    def learned_priors(cls) -> tuple[Prior, ...]:
        """None: γ is chosen by hand."""
        return ()

    def _default_prior(self) -> Any:
        return WeightManipulation()
