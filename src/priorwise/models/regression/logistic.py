"""Logistic regression whose prior is chosen per coefficient, as a scikit-learn classifier."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from priorwise.errors import InputError, NotEnoughData
from priorwise.features.matrices import validate_data
from priorwise.kernels import Floats
from priorwise.models.base import LinearClassifier
from priorwise.models.labels import OutputLabels
from priorwise.models.regression.design import DesignMatrix, Penalty, solve_each
from priorwise.models.regression.solve import Solution, solve
from priorwise.models.weights import Background, Weights
from priorwise.priors.base import bound, is_several, one_each
from priorwise.priors.regression import Gaussian, PenaltyPrior
from priorwise.search import LogLikelihood
from priorwise.search.held_out import HeldOut, candidates_of


class LinearOutputs(LinearClassifier, listed=False):
    """Reads `coef_` and `intercept_`; an output is a class against the rest, or the second of two classes."""

    regression = True

    coef_: Any
    intercept_: Floats
    usual_target = LogLikelihood()

    def _validated(self, X: Any, y: Any, *, reset: bool = True) -> tuple[Any, Any]:
        words = getattr(X, "words", None)
        X, y = validate_data(self, X, y, accept_sparse=["csr", "csc"], multi_output=True, dtype=np.float64, reset=reset)
        given, words = self.given_prior, getattr(self, "feature_names_in_", words)
        self._bound = [bound(each, words) for each in given] if is_several(given) else bound(given, words)
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        return X, y

    def _default_prior(self) -> Gaussian:
        return Gaussian(1.0)

    def _prior(self, output: int, n_outputs: int) -> Any:
        """The prior of one output, bound to the words of the columns if they have names."""
        prior = one_each(self._bound, n_outputs, "rows of coef_")[output]
        self.check_prior(prior)
        return prior

    def _check_outputs(self) -> None:
        if len(self.classes_) < 2 and not self._labels.multilabel:
            raise NotEnoughData(f"all examples are of one class, {self.classes_.tolist()[0]!r}: add another one")
        for output in range(self._labels.n_outputs):
            self._prior(output, self._labels.n_outputs)

    def _name(self, output: int) -> str:
        return self._labels.name(output)

    @property
    def weights_(self) -> Weights:
        """The fitted model as everything after fitting reads it: the features whose weight is not 0 somewhere."""
        check_is_fitted(self, "coef_")
        if sp.issparse(self.coef_):
            values = self.coef_.tocsc()
            used = np.flatnonzero(np.diff(values.indptr))
            nothing = Background(np.zeros((values.shape[0], 1)), np.zeros(len(used), dtype=np.int32))
            return Weights(used, values[:, used], self.intercept_, nothing)
        used = np.flatnonzero(np.any(self.coef_ != 0, axis=0))
        return Weights(used, self.coef_[:, used], self.intercept_)

    def _take(self, weights: Weights) -> None:
        self.coef_, self.intercept_ = weights.table(self.n_features_in_), weights.bias

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse=["csr", "csc"], dtype=np.float64, reset=False)
        scores = X @ self.coef_.T
        return (scores.toarray() if sp.issparse(scores) else np.asarray(scores)) + self.intercept_


Precisions = tuple[Floats, float]
"""1/variance of each coefficient of an output, and of its intercept."""

OUTPUTS_AT_A_TIME = 16
"""This many outputs share one pass over the cases; the scores of more would fill the memory."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """A Gaussian for each coefficient: the mode where a fit ended, and the curvature of the log-posterior there."""

    mode: Floats
    precision: Floats
    intercept_mode: Floats
    intercept_precision: Floats
    fit_intercept: bool

    @classmethod
    def of(
        cls,
        design: DesignMatrix,
        weight: Floats,
        priors: Sequence[Precisions],
        coef: Floats,
        intercept: Floats,
        *,
        fit_intercept: bool,
        threads: int | None = None,
    ) -> Posterior:
        """Add to each Gaussian prior's precision the curvature of the log-likelihood: Σ_i s_i p_i (1 − p_i) x_ij²."""
        precision = np.array([of_features for of_features, _ in priors])
        of_intercept = np.array([one for _, one in priors])
        squares = design.squares.T

        def add(first: int) -> None:
            some = slice(first, first + OUTPUTS_AT_A_TIME)
            bent = np.exp(-np.abs(design.by_rows @ coef[some].T + intercept[some]))
            curvature = weight[:, np.newaxis] * bent / (1.0 + bent) ** 2
            precision[some] += (squares @ curvature).T
            of_intercept[some] += curvature.sum(axis=0)

        solve_each(add, range(0, len(coef), OUTPUTS_AT_A_TIME), threads)
        return cls(coef.copy(), precision, intercept.copy(), of_intercept, fit_intercept)

    @property
    def coefficients(self) -> Gaussian:
        """What is known of the coefficients, as the prior of any other regression."""
        with np.errstate(divide="ignore"):
            return Gaussian(1.0 / self.precision, self.mode)

    @property
    def intercepts(self) -> Gaussian:
        """What is known of the intercepts, as an `intercept_prior`."""
        with np.errstate(divide="ignore"):
            return Gaussian(1.0 / self.intercept_precision[:, np.newaxis], self.intercept_mode[:, np.newaxis])

    def penalty(self, n_features: int, output: int, n_outputs: int) -> Penalty:
        """Read the prior of one output as solvers do."""
        return Penalty.of(
            self.coefficients,
            n_features,
            output=output,
            n_outputs=n_outputs,
            fit_intercept=self.fit_intercept,
            intercept_prior=self.intercepts,
        )


def _keeps_gaussians(model: LogisticRegression) -> bool:
    """Whether every prior is Gaussian, so that what is known after a fit can be taken for one as well."""
    given = model.given_prior
    priors = [*(given if is_several(given) else [given]), model.intercept_prior]
    shapes = [getattr(prior, "shape", None) for prior in priors if prior is not None]
    return not model.sparse_coef and all(shape is not None and not shape.sparse for shape in shapes)


class LogisticRegression(LinearOutputs):
    """The most probable weights of a logistic regression under a prior on each of them.

    ::

        p(y = 1|x) = 1/(1 + e^{−(βᵀx + b)})
        β, b       = argmax Σ_i s_i log p(y_i|x_i) + Σ_j log p(β_j) + log p(b)

    Several classes are one-vs-rest: each class has weights of its own against all other documents. The same holds for
    the labels of an indicator matrix. They share the matrix, and run on several threads.

    Parameters
    ----------
    prior : Gaussian, Laplace or Informed, optional
        The prior of the coefficients: a mode and a variance, each a number, one per feature, or classes ×
        features. An infinite variance leaves a coefficient to the data. A list has a prior for each row of `coef_`.
        ``Gaussian(1)`` by default.
    fit_intercept : bool
        Whether there is an intercept b.
    intercept_prior : Gaussian or Laplace, optional
        The intercept's prior; flat by default. The papers give the intercept the features' prior, with mode 0.
    solver : {"auto", "newton"}
        "auto" is proximal Newton on a working set for Laplace, and dual coordinate descent, then Newton's method,
        for Gaussian priors. "newton" leaves the dual out.
    tol : float
        Stops when the duality gap is at most `tol` times the objective: the objective is then within that of the least
        possible, whatever the solver. Where the objective has become less than a hundredth of what knowing only the
        class rate costs, the gap is relative to that hundredth.
    max_iter : int
        The most steps (Newton) or passes (descent); beyond it a warning says what gap is left.
    warm_start : bool
        Whether `fit` starts from the weights of the last one.
    sparse_coef : bool
        Whether `coef_` is a scipy.sparse matrix. With thousands of classes and a Laplace prior it saves most memory:
        nothing of size classes × features is made.
    threads : int, optional
        How many classes are fitted at a time; as many as there are cores by default.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_ : array or scipy.sparse.csr_matrix, shape (n_outputs, n_features)
        β; one row for two classes, else one per class or label.
    intercept_ : array, shape (n_outputs,)
        b.
    objective_, gap_, n_iter_ : array, shape (n_outputs,)
        Minus the log-posterior up to a constant, the relative duality gap reached, and the steps taken.
    weights_ : Weights
        The fitted model as everything after fitting reads it.
    posterior_ : Posterior
        Under Gaussian priors: what is known after the fit, as priors for examples to come; see `partial_fit`.

    References
    ----------
    *knowledge*: Dayanik, Lewis, Madigan, Menkov and Genkin, *Constructing informative prior distributions from domain
    knowledge in text classification*; *sparse*: Eyheramendy and others, *Sparse Bayesian classifiers for text
    categorization*.

    Examples
    --------
    >>> from priorwise.priors.regression import Laplace
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    >>> model = LogisticRegression(Laplace(variance=8.0)).fit(X, ["sport", "sport", "law", "law"])
    >>> model.coef_.round(2), model.predict([[1, 1]]).tolist()
    (array([[2.2, 0. ]]), ['sport'])
    """

    asks = PenaltyPrior
    link = "logistic"
    usual_folds = 10
    shares_folds = True

    def __init__(
        self,
        prior: PenaltyPrior | Sequence[PenaltyPrior] | None = None,
        *,
        fit_intercept: bool = True,
        intercept_prior: PenaltyPrior | None = None,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 1000,
        warm_start: bool = False,
        sparse_coef: bool = False,
        threads: int | None = None,
    ) -> None:
        self.prior = prior
        self.fit_intercept = fit_intercept
        self.intercept_prior = intercept_prior
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.sparse_coef = sparse_coef
        self.threads = threads

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find the most probable weights."""
        X, y = self._validated(X, y)
        weight = self._checked_weight(X, sample_weight)
        before = self._start(X.shape[1]) if self.warm_start else None
        self._labels = OutputLabels.of(y)
        self.classes_ = self._labels.classes
        self._check_outputs()
        if before is not None and before[0].shape[0] != self._labels.n_outputs:
            before = None
        self._solve(DesignMatrix(X), y, weight, self._penalty, before)
        return self

    @available_if(_keeps_gaussians)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from more examples: what was learned from those before, `posterior_`, is the prior for these.

        Laplace's approximation: the posterior of each coefficient is taken for a Gaussian with its mode where the fit
        ended, and with the curvature there for its strength::

            1/σ_j² ← 1/σ_j² + Σ_i s_i p_i (1 − p_i) x_ij²

        The first call, if there was no `fit`, is one under `prior`, and must name all `classes`, unless `y` is an
        indicator matrix. Batches give nearly what one fit of all their examples gives, the more so the larger they are
        and the less features go together: that two coefficients are uncertain together is forgotten. There is no
        `partial_fit` with Laplace priors, whose posterior is not Gaussian, nor with `sparse_coef`.

        Examples
        --------
        >>> from priorwise.priors.regression import Gaussian
        >>> model = LogisticRegression(Gaussian(4.0))
        >>> for x, y in (([[0.0], [1.0], [2.0]], [0, 1, 0]), ([[3.0], [4.0], [1.0]], [1, 1, 0])):
        ...     model = model.partial_fit(x, y, classes=[0, 1])
        >>> model.coef_.round(2), model.posterior_.coefficients.variance.round(2)
        (array([[0.64]]), array([[0.19]]))
        """
        first = not hasattr(self, "posterior_")
        X, y = self._validated(X, y, reset=first)
        weight = self._checked_weight(X, sample_weight)
        if first:
            self.__dict__.pop("classes_", None)
        self._first_classes(y, classes)
        if first:
            self._check_outputs()
        self._solve(DesignMatrix(X), y, weight, self._penalty if first else self.posterior_.penalty, None)
        return self

    def _checked_weight(self, X: Any, sample_weight: ArrayLike | None) -> Floats:
        if not (self.tol > 0 and self.max_iter >= 1):
            raise InputError(f"tol must be positive and max_iter at least 1, not {self.tol!r} and {self.max_iter!r}")
        return np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))

    def _solve(
        self,
        design: DesignMatrix,
        y: Any,
        weight: Floats,
        penalty_of: Callable[[int, int, int], Penalty],
        before: tuple[Floats, Floats] | None,
    ) -> None:
        """Fit every output, and keep the answers."""
        (n, d), n_outputs = design.shape, self._labels.n_outputs
        membership = self._labels.membership(y).tocsc()
        keeps = _keeps_gaussians(self)

        def fit_one(output: int) -> tuple[Any, Solution, Precisions | None]:
            positive = np.zeros(n, dtype=bool)
            positive[membership.indices[membership.indptr[output] : membership.indptr[output + 1]]] = True
            penalty = penalty_of(d, output, n_outputs)
            found = solve(
                design,
                positive,
                weight,
                penalty,
                solver=self.solver,
                tol=self.tol,
                max_iter=self.max_iter,
                start=None if before is None else (before[0][output], float(before[1][output])),
                name=self._name(output),
            )
            row = sp.csr_matrix(found.coef) if self.sparse_coef else found.coef
            return row, found, (penalty.l2, penalty.l2_b) if keeps else None

        found = solve_each(fit_one, range(n_outputs), self.threads)
        rows = [row for row, _, _ in found]
        self.coef_ = sp.vstack(rows, format="csr") if self.sparse_coef else np.array(rows)
        self.intercept_ = np.array([solution.intercept for _, solution, _ in found])
        self.objective_ = np.array([solution.objective for _, solution, _ in found])
        self.gap_ = np.array([solution.gap for _, solution, _ in found])
        self.n_iter_ = np.array([solution.n_iter for _, solution, _ in found])
        self.__dict__.pop("posterior_", None)
        if keeps:
            self.posterior_ = Posterior.of(
                design,
                weight,
                [precisions for _, _, precisions in found if precisions is not None],
                self.coef_,
                self.intercept_,
                fit_intercept=self.fit_intercept,
                threads=self.threads,
            )
        self._warn()

    def held_out(self, X: Any, y: Any, weight: Any, folds: Any = None, grid: Sequence[Any] | None = None) -> HeldOut:
        """Ten folds that share one matrix, or as `folds` says; "approximate" leaves out one document at a time."""
        from priorwise.models.regression.logistic_search import LogisticHeldOut, Table, folds_of

        labels = OutputLabels.of(y)
        names = [labels.name(output) for output in range(labels.n_outputs)]
        table = Table.of(X, labels.membership(y), weight, names)
        held_out = LogisticHeldOut(self, table, folds_of(folds, X, None if labels.multilabel else y))
        held_out.classes, held_out.exclusive = labels.classes, not labels.against_rest
        held_out.own, held_out.candidates = candidates_of(grid, self.given_prior)
        return held_out

    def _penalty(self, n_features: int, output: int, n_outputs: int) -> Penalty:
        return Penalty.of(
            self._prior(output, n_outputs),
            n_features,
            output=output,
            n_outputs=n_outputs,
            fit_intercept=self.fit_intercept,
            intercept_prior=self.intercept_prior,
        )

    def _start(self, n_features: int) -> tuple[Floats, Floats] | None:
        if not hasattr(self, "coef_") or self.coef_.shape[1] != n_features:
            return None
        coef = self.coef_.toarray() if sp.issparse(self.coef_) else self.coef_
        return coef, self.intercept_

    def _warn(self) -> None:
        short = np.flatnonzero(self.gap_ > self.tol)
        if len(short):
            warnings.warn(
                f"{len(short)} of {len(self.gap_)} outputs stopped after {self.max_iter} steps, {self._name(short[0])} "
                f"with a relative gap of {self.gap_[short[0]]:.2g}: raise max_iter, or give a smaller variance",
                ConvergenceWarning,
                stacklevel=4,
            )
