"""Choose a prior as scikit-learn chooses hyperparameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import _check_sample_weight, column_or_1d, validate_data

from priorwise.errors import InputError
from priorwise.models.best_estimator import BestEstimator
from priorwise.models.class_strengths import choose_class_strengths
from priorwise.models.count_nb import CountNB
from priorwise.models.folds import FoldedScores
from priorwise.models.held_out import HeldOut
from priorwise.models.labels import Labels
from priorwise.models.leave_one_out import LeaveOneOut
from priorwise.models.logistic import LogisticRegression
from priorwise.models.logistic_held_out import LogisticHeldOut
from priorwise.models.presence import PresenceNB, presence
from priorwise.models.presence_counts import Cases
from priorwise.models.presence_priors import kind_of
from priorwise.models.prior_choice import choose_prior
from priorwise.models.prior_grid import choose_from_grid
from priorwise.priors import Gaussian
from priorwise.priors.imagined import ImaginedTexts, smoothing_of
from priorwise.search import Accuracy, ClassTarget, CountTarget, FBeta, LogLikelihood, ScoreTarget, Target, as_target

Floats = NDArray[np.float64]


class PriorSearch(BestEstimator):
    """Find the prior whose target is best on documents that the model has not seen, and fit the estimator with it.

    For `PresenceNB`, `BernoulliNB`, `MultinomialNB` and `WeightedNB` that is exact leave-one-out by subtraction,
    without refits. Any other estimator with a parameter `prior` is judged by cross-validation; that of
    `LogisticRegression` shares its work among folds and priors, and can also be approximate leave-one-out.

    For `PresenceNB` and two classes every pair of strengths of the grid is valued at once. For more classes, strengths
    are improved one class at a time until none improves the target, which is then the mean over the classes of the
    target of one class against the rest.

    For the others every prior of the grid is tried. With an indicator matrix as `y` each label chooses for itself.

    Parameters
    ----------
    estimator : PresenceNB, BernoulliNB, MultinomialNB, WeightedNB, LogisticRegression, or another with a `prior`
        The model whose prior is searched.
    target : Target or callable, optional
        What a good prior is good at: an object such as ``PPV()`` or ``MacroF1()``, or a function of (y_true, scores).
        By default ``FBeta(0.5)`` for `PresenceNB`, log-likelihood for regressions; for the others F1 for two classes or
        labels, accuracy for more.
    search : {"exhaustive", "radial"}
        For `PresenceNB`: every cell of the grid, or the paper's nine climbs.
    grid : sequence, optional
        For `PresenceNB` the strengths to choose from, ascending; by default the paper's 203, or 57 up to a million if
        its prior is centred on the collection, or the 41 scales of `TermBeta` if it has that. For the others the priors
        to choose from; by default the `grid()` of the estimator's own kind of prior.
    negative_weight : float
        How many documents each negative stands for, where negatives are a sample; targets at corpus odds use it.
    per_label : bool
        Whether each label chooses its own prior, where the target allows it.
    folds : int, scikit-learn splitter or "approximate", optional
        Judge by cross-validation with so many folds. By default leave-one-out where it is exact, 10 folds for
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
    terrain_ : Terrain
        For `PresenceNB` and two classes: ``grid``, and ``tp``, ``fp``, ``score`` with rows λ− and columns λ+.
    remark_ : str
        What to know before trusting the prior, such as a degenerate optimum; empty if nothing.

    Examples
    --------
    >>> X = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]])
    >>> search = PriorSearch(PresenceNB()).fit(X, [1, 1, 1, 0, 0, 0])
    >>> search.terrain_.score.shape
    (203, 203)
    >>> search.predict([[1, 0, 0, 0]])
    array([1])
    >>> from priorwise import BernoulliNB, JelinekMercer
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
        search: str = "exhaustive",
        grid: Sequence[Any] | None = None,
        negative_weight: float = 1.0,
        per_label: bool = True,
        folds: Any = None,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        self.estimator = estimator
        self.target = target
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
                f"PriorSearch needs an estimator with a parameter 'prior', which {self.estimator!r} has not"
            )
        X, y = validate_data(self, X, y, accept_sparse="csr", multi_output=True, reset=True)
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        labels = Labels.of(y)
        self.classes_ = labels.classes
        if isinstance(self.estimator, PresenceNB) and self.folds is None:
            self._search_strengths(X, y, weight, labels)
        else:
            self._search_priors(X, y, weight, labels)
        self.best_estimator_ = clone(self.estimator).set_params(prior=self.best_prior_)
        self.best_estimator_.fit(X, y, sample_weight=sample_weight)
        return self

    def _target(self, default: CountTarget | ClassTarget) -> CountTarget | ScoreTarget | ClassTarget:
        if self.target is None:
            return default
        return self.target if isinstance(self.target, ClassTarget) else as_target(self.target)

    def _search_strengths(self, X: Any, y: Any, weight: Floats, labels: Labels) -> None:
        if labels.multilabel:
            raise InputError("PresenceNB tells classes apart; for an indicator matrix wrap it in OneVsRestClassifier")
        target = _of_one_class(self._target(FBeta(0.5)))
        kind = kind_of(self.estimator.prior)
        grid = kind.grid if self.grid is None else _checked_grid(self.grid)
        place = np.searchsorted(labels.classes, y)
        present = presence(X)
        if len(self.classes_) == 2:
            cases = Cases.of(present.indptr, present.indices, place == 1, weight=weight)
            samples = [LeaveOneOut(cases, cases.count(X.shape[1]), kind=kind)]
            choice = choose_prior(samples, target, grid=grid, search=self.search, negative_weight=self.negative_weight)
            self.best_prior_, self.best_score_, self.remark_ = choice.prior, choice.score, choice.remark
            self.terrain_ = choice.terrains[0]
            self.trials_ = {
                "lambda_negative": grid[choice.trials.rows],
                "lambda_positive": grid[choice.trials.columns],
                "score": choice.trials.score,
                "sensitivity": choice.trials.sensitivity,
            }
        else:
            many = choose_class_strengths(present, place, weight, len(self.classes_), target, grid, kind)
            self.best_prior_, self.best_score_, self.trials_, self.remark_ = many

    def _search_priors(self, X: Any, y: Any, weight: Floats, labels: Labels) -> None:
        regression = hasattr(self.estimator, "intercept_prior")
        usual = LogLikelihood() if regression else FBeta(1.0) if labels.against_rest else Accuracy()
        target = self._target(usual)
        own = self.estimator.given_prior if isinstance(self.estimator, CountNB) else self.estimator.prior
        if own is None and regression:
            own = Gaussian(1.0)
        if isinstance(own, Sequence) and not isinstance(own, str):
            own = own[0]
        candidates = self._candidates(own)
        imagines = any(isinstance(prior, ImaginedTexts) for prior in candidates)
        held_out: HeldOut
        if self.folds is None and isinstance(self.estimator, CountNB) and not imagines:
            held_out = self.estimator.leave_one_out(X, y, labels, weight)
        elif isinstance(self.estimator, LogisticRegression):
            held_out = LogisticHeldOut(self.estimator, X, y, labels, weight, 10 if self.folds is None else self.folds)
        else:
            held_out = FoldedScores(self.estimator, X, y, labels, weight, 5 if self.folds is None else self.folds)
        if self.progress is not None:
            held_out.progress = self.progress
        choice = choose_from_grid(
            held_out,
            candidates,
            target,
            own,
            per_label=self.per_label and not imagines,
            negative_weight=self.negative_weight,
        )
        self.best_prior_, self.best_score_ = choice.prior, choice.score
        self.trials_, self.remark_ = choice.trials, choice.remark

    def _candidates(self, own: Any) -> list[Any]:
        given = self.grid
        if given is None:
            if not hasattr(own, "grid"):
                raise InputError(f"give PriorSearch a grid, a list of the priors to choose from; {own!r} has none")
            given = own.grid()
        priors = list(given)
        if not priors:
            raise InputError("the grid is empty: give at least one prior")
        if isinstance(self.estimator, CountNB):
            for prior in priors:
                self.estimator.check_prior(smoothing_of(prior))
        return priors


def _of_one_class(target: CountTarget | ScoreTarget | ClassTarget) -> CountTarget | ScoreTarget:
    if not isinstance(target, ClassTarget):
        return target
    single = target.of_one_label()
    if single is None:
        raise InputError(f"'{target.name}' looks at all classes together, and PresenceNB values one after the other")
    return single


def _checked_grid(grid: Sequence[float]) -> Floats:
    values = np.asarray(grid, dtype=np.float64)
    if values.ndim != 1 or len(values) < 1 or not np.all(values > 0) or np.any(np.diff(values) <= 0):
        raise InputError("a grid is a list of positive strengths in ascending order")
    return values
