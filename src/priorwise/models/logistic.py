"""Logistic regression whose prior is chosen per coefficient, as a scikit-learn classifier."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight

from priorwise.errors import InputError
from priorwise.models.labels import Labels
from priorwise.models.linear_outputs import LinearOutputs
from priorwise.models.logistic_design import Design, Penalty
from priorwise.models.logistic_solve import Solution, solve
from priorwise.models.shared_work import on_threads
from priorwise.priors.coefficients import CoefficientPrior, Gaussian

Floats = NDArray[np.float64]


class LogisticRegression(LinearOutputs, BaseEstimator):
    """The most probable weights of a logistic regression under a prior on each of them.

    ::

        p(y = 1|x) = 1/(1 + e^{−(βᵀx + b)})
        β, b       = argmax Σ_i s_i log p(y_i|x_i) + Σ_j log p(β_j) + log p(b)

    Several classes are one-vs-rest: each class has weights of its own against all other documents. The same holds for
    the labels of an indicator matrix. They share the matrix, and run on several threads.

    Parameters
    ----------
    prior : Gaussian or Laplace, optional
        What is believed of the coefficients: a mode and a variance, each a number, one per feature, or classes ×
        features. An infinite variance leaves a coefficient to the data. ``Gaussian(1)`` by default.
    fit_intercept : bool
        Whether there is an intercept b.
    intercept_prior : Gaussian or Laplace, optional
        The intercept's prior; flat by default. The papers give the intercept the features' prior, with mode 0.
    solver : {"auto", "newton", "bbr"}
        "auto" is proximal Newton on a working set for Laplace, and dual coordinate descent, then Newton's method,
        for Gaussian priors. "newton" leaves the dual out. "bbr" is the papers' cyclic coordinate descent, for
        comparison.
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

    References
    ----------
    *knowledge*: Dayanik, Lewis, Madigan, Menkov and Genkin, *Constructing informative prior distributions from domain
    knowledge in text classification*; *sparse*: Eyheramendy and others, *Sparse Bayesian classifiers for text
    categorization*.

    Examples
    --------
    >>> from priorwise.priors.coefficients import Laplace
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    >>> model = LogisticRegression(Laplace(variance=8.0)).fit(X, ["sport", "sport", "law", "law"])
    >>> model.coef_.round(2), model.predict([[1, 1]]).tolist()
    (array([[2.2, 0. ]]), ['sport'])
    """

    def __init__(
        self,
        prior: CoefficientPrior | None = None,
        *,
        fit_intercept: bool = True,
        intercept_prior: CoefficientPrior | None = None,
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
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not (self.tol > 0 and self.max_iter >= 1):
            raise InputError(f"tol must be positive and max_iter at least 1, not {self.tol!r} and {self.max_iter!r}")
        before = self._start(X.shape[1]) if self.warm_start else None
        self._labels = Labels.of(y)
        self.classes_ = self._labels.classes
        membership = self._labels.membership(y).tocsc()
        self._check_outputs()
        design = Design(X)
        n_outputs = self._labels.n_outputs
        if before is not None and before[0].shape[0] != n_outputs:
            before = None

        def fit_one(output: int) -> tuple[Any, Solution]:
            positive = np.zeros(X.shape[0], dtype=bool)
            positive[membership.indices[membership.indptr[output] : membership.indptr[output + 1]]] = True
            found = solve(
                design,
                positive,
                weight,
                self._penalty(X.shape[1], output, n_outputs),
                solver=self.solver,
                tol=self.tol,
                max_iter=self.max_iter,
                start=None if before is None else (before[0][output], float(before[1][output])),
                name=self._name(output),
            )
            row = sp.csr_matrix(found.coef) if self.sparse_coef else found.coef
            return row, found

        found = on_threads(fit_one, range(n_outputs), self.threads)
        rows = [row for row, _ in found]
        self.coef_ = sp.vstack(rows, format="csr") if self.sparse_coef else np.array(rows)
        self.intercept_ = np.array([solution.intercept for _, solution in found])
        self.objective_ = np.array([solution.objective for _, solution in found])
        self.gap_ = np.array([solution.gap for _, solution in found])
        self.n_iter_ = np.array([solution.n_iter for _, solution in found])
        self._warn()
        return self

    def _penalty(self, n_features: int, output: int, n_outputs: int) -> Penalty:
        return Penalty.of(
            self.prior if self.prior is not None else Gaussian(1.0),
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
                stacklevel=3,
            )
