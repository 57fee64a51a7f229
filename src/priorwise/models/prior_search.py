"""Choose a prior as scikit-learn chooses hyperparameters: by leave-one-out if a model offers it, else by folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from priorwise.errors import InputError, NotEnoughData
from priorwise.features.matrices import validate_data
from priorwise.kernels import Floats
from priorwise.models.labels import OutputLabels
from priorwise.models.weights import Weights
from priorwise.priors.base import bound
from priorwise.search import HeldOut, SearchResult, Strategy, Target, as_target
from priorwise.search.held_out import candidates_of

SEED = 0
USUAL_FOLDS = 5


OUT_OF_THE_QUESTION = -1e6
"""Score of a class that a training fold has no document of."""


class FoldedScores(HeldOut):
    """Scores of every document under models fitted without its fold."""

    def __init__(self, estimator: Any, X: Any, y: Any, weight: Floats, folds: Any, grid: Sequence[Any] | None) -> None:
        self.estimator, self.X, self.y, self.weight = estimator, X, y, weight
        self.labels = labels = OutputLabels.of(y)
        self.classes, self.exclusive = labels.classes, not labels.against_rest
        self.own, self.candidates = candidates_of(grid, getattr(estimator, "given_prior", estimator.prior))
        if not hasattr(folds, "split"):
            folds = _usual_folds(USUAL_FOLDS if folds is None else folds, y, labels)
        self.folds = list(folds.split(X, None if labels.multilabel else y))

    @property
    def usual_target(self) -> Target:
        """What the estimator says, or F1, or accuracy of several classes."""
        return getattr(self.estimator, "usual_target", None) or super().usual_target

    def members(self) -> NDArray[np.bool_]:
        return self.labels.membership(self.y).toarray() > 0

    def score_matrices(self, priors: Sequence[Any]) -> Iterator[Floats]:
        for p, prior in enumerate(priors):
            scores = np.full((self.X.shape[0], self.labels.n_outputs), OUT_OF_THE_QUESTION)
            for fold, (train, test) in enumerate(self.folds):
                self.progress((p + fold / len(self.folds)) / len(priors))
                model = clone(self.estimator).set_params(prior=prior)
                model.fit(self.X[train], self.y[train], sample_weight=self.weight[train])
                if self.labels.against_rest:
                    log_odds = getattr(model, "log_odds", None) or model.decision_function
                    scores[test] = np.reshape(log_odds(self.X[test]), (len(test), -1))
                else:
                    places = np.searchsorted(self.labels.classes, model.classes_)
                    scores[np.ix_(test, places)] = model.predict_log_proba(self.X[test])
            yield scores


def held_out_of(estimator: Any, X: Any, y: Any, weight: Floats, folds: Any, grid: Sequence[Any] | None) -> HeldOut:
    """Score documents as the estimator offers to; any other estimator with a parameter `prior`, by folds."""
    offered = getattr(estimator, "held_out", None)
    if offered is None:
        return FoldedScores(estimator, X, y, weight, folds, grid)
    return offered(X, y, weight, folds, grid)


def _usual_folds(folds: int, y: Any, labels: OutputLabels) -> Any:
    if folds < 2:
        raise InputError(f"cross-validation takes at least 2 folds, not {folds}")
    if labels.multilabel:
        return KFold(min(folds, y.shape[0]), shuffle=True, random_state=SEED)
    largest = int(np.unique(y, return_counts=True)[1].max())
    if largest < 2:
        raise NotEnoughData("no class has two documents, so none can be held out: give more, or a prior of your own")
    return StratifiedKFold(min(folds, largest), shuffle=True, random_state=SEED)


LEAST_SHARE = 1e-3
"""A prior that is less than a thousandth as probable as the best one takes no part in an average."""


def _fitted_has(method: str) -> Callable[[Any], bool]:
    def check(self: Any) -> bool:
        getattr(self.best_estimator_ if hasattr(self, "best_estimator_") else self.estimator, method)
        return True

    return check


class PriorSearch(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Find the prior whose target is best on documents that the model has not seen, and fit the estimator with it.

    For `PresenceNB`, `BernoulliNB`, `MultinomialNB` and `WeightedNB` that is exact leave-one-out by subtraction,
    without refits. Any other estimator with a parameter `prior` is judged by cross-validation; that of
    `LogisticRegression` shares its work among folds and priors, and can also be approximate leave-one-out.

    For `PresenceNB` and two classes every pair of strengths of the grid is valued at once. For more classes, strengths
    are improved one class at a time until none improves the target. For the others every prior of the grid is tried.
    With an indicator matrix as `y` each label chooses for itself. A target of one class, such as ``FBeta(0.5)``, is
    averaged over the classes, each against the rest.

    Of equally good priors the one nearest to the estimator's own is taken. For `PresenceNB` and two classes it is the
    one nearest to Laplace of the most sensitive ones.

    Parameters
    ----------
    estimator : PresenceNB, BernoulliNB, MultinomialNB, WeightedNB, LogisticRegression, or another with a `prior`
        The model whose prior is searched.
    target : Target or callable, optional
        What a good prior is good at: an object such as ``PPV()`` or ``MacroF1()``, or a function of (y_true, scores).
        By default ``FBeta(0.5)`` for `PresenceNB`, log-likelihood for regressions; for the others F1 for two classes or
        labels, accuracy for more.
    strategy : Grid or Climb, optional
        How to look for the best prior; its candidates are priors. By default every prior of the grid is tried, or for
        `PresenceNB` what `search` says.
    average : bool
        Predict with the mean of the models of all tried priors, each in proportion to the probability that it gives to
        the held-out cases together, instead of with the best one. The target must be a log-probability, such as
        ``LogLikelihood()``, and labels then share one prior.
    search : {"exhaustive", "radial", "quick"}
        For `PresenceNB`: every cell of the grid, or the paper's nine climbs. For the other naive Bayes models: every
        prior of the grid; or "quick", five of each kind and then those around the best, on at most 4,096 documents.
        A document that a quick search leaves out stays in the corpus without its label, as far as corpus-wide rates go.
    grid : sequence, optional
        For `PresenceNB` the strengths to choose from, ascending; by default the paper's 203, or 57 up to a million if
        its prior has a corpus-wide centre, or the 41 scales of `TermBeta` if it has that. For the others the priors
        to choose from; by default the `grid()` of the estimator's own kind of prior.
    negative_weight : float
        How many documents each negative stands for, where negatives are a sample; targets at corpus odds use it.
    per_label : bool
        Whether each label chooses its own prior, where the target allows it.
    folds : int, scikit-learn splitter or "approximate", optional
        Judge by cross-validation with this many folds. By default leave-one-out where it is exact, 10 folds for
        `LogisticRegression`, else 5. ``"approximate"``, for `LogisticRegression`, leaves out one document at a time by
        one Newton step from a single fit: close to exact under Gaussian priors, and under Laplace priors as long as
        there are many more documents than coefficients off their mode.
    progress : callable, optional
        Told which share of a long search is done, label by label where each has its own scores.

    Attributes
    ----------
    best_prior_ : prior, or tuple of one prior for each label
        The best.
    best_score_ : float
        Its target.
    best_estimator_ : estimator
        The model fitted with it.
    trials_ : dict of arrays
        Every trial, in order: strengths (or priors), score, and sensitivity (or label).
    shares_, weights_ : array, Weights
        With `average`: what each trial counts for, and the mean of the models. `best_estimator_` predicts with it.
    terrain_ : Terrain
        For `PresenceNB` and two classes: ``grid``, and ``tp``, ``fp``, ``score`` with rows λ− and columns λ+.
    remark_ : str
        What to know before trusting the prior, such as a degenerate optimum; empty if nothing.

    Examples
    --------
    >>> X = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]])
    >>> from priorwise import BernoulliNB, JelinekMercer, PresenceNB
    >>> search = PriorSearch(PresenceNB()).fit(X, [1, 1, 1, 0, 0, 0])
    >>> search.terrain_.score.shape
    (203, 203)
    >>> search.predict([[1, 0, 0, 0]])
    array([1])
    >>> search = PriorSearch(BernoulliNB(), grid=[JelinekMercer(0.1), JelinekMercer(0.9)]).fit(X, [1, 1, 1, 0, 0, 0])
    >>> search.trials_["score"].tolist()
    [1.0, 0.3333333333333333]
    >>> search.best_prior_
    JelinekMercer(0.1)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        target: Target | Callable[..., Any] | None = None,
        strategy: Strategy | None = None,
        average: bool = False,
        search: str = "exhaustive",
        grid: Sequence[Any] | None = None,
        negative_weight: float = 1.0,
        per_label: bool = True,
        folds: Any = None,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        self.estimator = estimator
        self.target = target
        self.strategy = strategy
        self.average = average
        self.search = search
        self.grid = grid
        self.negative_weight = negative_weight
        self.per_label = per_label
        self.folds = folds
        self.progress = progress

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        written = cast("str", super().__repr__(N_CHAR_MAX))
        best = getattr(self, "best_prior_", None)
        if best is None:
            return written
        shown = f"<{len(best):,} priors>" if isinstance(best, tuple) else repr(best)
        return f"{written.removesuffix(')')}, best_prior_={shown})"

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Search, then fit."""
        if "prior" not in getattr(self.estimator, "get_params", dict)():
            raise InputError(
                f"PriorSearch needs an estimator with a parameter 'prior', but {self.estimator!r} has none"
            )
        words = getattr(X, "words", None)
        X, y = validate_data(self, X, y, accept_sparse="csr", multi_output=True, reset=True)
        self._words = getattr(self, "feature_names_in_", words)
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.classes_ = OutputLabels.of(y).classes
        held_out = self._held_out(X, y, weight)
        choice = self._choose(held_out, self.strategy)
        self.best_prior_, self.best_score_ = choice.prior, choice.score
        self.trials_, self.remark_ = choice.trials, choice.remark
        if choice.terrain is not None:
            self.terrain_ = choice.terrain
        self.best_estimator_ = self._fitted(choice.prior, X, y, sample_weight)
        if self.average:
            self._average(held_out, choice, lambda prior: self._fitted(prior, X, y, sample_weight))
        return self

    def _held_out(self, X: Any, y: Any, weight: Floats) -> HeldOut:
        grid = None if self.grid is None else [bound(prior, self._words) for prior in self.grid]
        given, estimator = self.estimator.get_params(deep=False)["prior"], self.estimator
        if (prior := bound(given, self._words)) is not given:
            estimator = clone(estimator).set_params(prior=prior)
        held_out = held_out_of(estimator, X, y, weight, self.folds, grid)
        if self.progress is not None:
            held_out.progress = self.progress
        return held_out

    def _choose(self, held_out: HeldOut, strategy: Strategy | None) -> SearchResult:
        target = held_out.usual_target if self.target is None else as_target(self.target)
        if self.average and not target.is_log_probability:
            raise InputError(
                f"priors are averaged by the probability of what is true, and '{target.name}' is not one: "
                "give target=LogLikelihood()"
            )
        per_label, r = self.per_label and not self.average, self.negative_weight
        return held_out.choose(target, strategy, search=self.search, per_label=per_label, negative_weight=r)

    def _fitted(self, prior: Any, X: Any, y: Any, sample_weight: ArrayLike | None) -> Any:
        return clone(self.estimator).set_params(prior=prior).fit(X, y, sample_weight=sample_weight)

    def _average(self, held_out: HeldOut, choice: SearchResult, fitted: Callable[[Any], Any]) -> None:
        """Let `best_estimator_` predict with the mean of all tried models, each weighed by its share."""
        decisions = held_out.truth.total * (1 if held_out.exclusive else held_out.truth.members.shape[1])
        log_share = choice.trials["score"] * decisions
        shares = np.exp(log_share - np.nanmax(log_share))
        shares = np.where(shares < LEAST_SHARE, 0.0, shares)
        self.shares_ = shares / shares.sum()
        used = np.flatnonzero(self.shares_)
        models = [fitted(choice.prior_of(place)).weights_ for place in used.tolist()]
        self.weights_ = average_weights(models, self.shares_[used], self.n_features_in_)
        self.best_estimator_._take(self.weights_)

    @available_if(_fitted_has("predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> Any:
        """Predict with the best estimator."""
        return self._ask("predict", X)

    @available_if(_fitted_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Scores of the best estimator."""
        return self._ask("decision_function", X)

    @available_if(_fitted_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the best estimator."""
        return self._ask("predict_proba", X)

    @available_if(_fitted_has("predict_log_proba"))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Log-probabilities of the best estimator."""
        return self._ask("predict_log_proba", X)

    def _ask(self, method: str, X: Any) -> Any:
        check_is_fitted(self, "best_estimator_")
        return getattr(self.best_estimator_, method)(validate_data(self, X, accept_sparse="csr", reset=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator)
        tags.input_tags.sparse = own.input_tags.sparse
        tags.input_tags.positive_only = own.input_tags.positive_only
        tags.classifier_tags.poor_score = True
        tags.classifier_tags.multi_label = own.classifier_tags is not None and own.classifier_tags.multi_label
        return tags


def average_weights(models: Sequence[Weights], shares: Floats, n_features: int) -> Weights:
    """Mean of several models of the same features, each with its share."""
    features = np.unique(np.concatenate([weights.features for weights in models]))
    values = sum(share * weights.table(n_features) for share, weights in zip(shares, models, strict=True))
    bias = sum(share * weights.bias for share, weights in zip(shares, models, strict=True))
    return Weights(features, np.asarray(values)[:, features], np.asarray(bias))
