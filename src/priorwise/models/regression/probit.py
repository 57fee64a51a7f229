"""Probit regression with priors that make it sparse, as a scikit-learn classifier."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight

from priorwise.errors import InputError, NotEnoughData
from priorwise.models.labels import Labels
from priorwise.models.regression.linear_outputs import LinearOutputs
from priorwise.models.regression.logistic_design import Design
from priorwise.models.regression.separation import is_separated, separated
from priorwise.models.regression.shared_work import on_threads
from priorwise.priors.base import one_each
from priorwise.priors.regression import Gaussian, RegressionPrior

Floats = NDArray[np.float64]

LARGEST_SYSTEM = 2000
"""More features than this are updated in blocks, unless told otherwise, or unless there are few cases."""

FEW_CASES = 4000
"""With at most this many cases, any number of features is one system of as many equations as there are cases."""

PATIENCE, USUAL_STEPS, SPEED = 60.0, 100, 1e10
"""Who has to wait for longer than so many seconds is told beforehand, at so many steps and operations per second."""

START_VARIANCE = 1.0
"""Of the Gaussian prior under which Laplace's prior starts from the answer, and Jeffreys' from EM's first step."""


class ProbitRegression(LinearOutputs):
    """The most probable weights of a probit regression, by EM.

    ::

        p(y = 1|x) = Φ(βᵀx + b)
        v_i = m_i ± φ(m_i)/Φ(±m_i)          m_i = βᵀx_i + b, + for members and − for others
        β   ← (Ω + XᵀX)⁻¹Xᵀv                Ω = diag(ω): 1/σ² Gaussian, λ/|β_j| Laplace, 1/β_j² Jeffreys

    Under Gaussian and Laplace priors the answer is the one best; under Jeffreys' a local optimum, so the start is part
    of the method: EM's first step from 0 under ``Gaussian(1)``, a ridge regression on the labels. Several classes are
    one-vs-rest.

    Parameters
    ----------
    prior : Gaussian, Laplace or Jeffreys, optional
        What is believed of the coefficients; ``Gaussian(1)`` by default.
    fit_intercept : bool
        Whether there is an intercept b.
    intercept_prior : prior, optional
        The intercept's prior, of the same kind as `prior`; flat by default. The paper gives it the features' prior.
    block_size : int, optional
        How many features are updated at a time, the others staying as they are. By default all, unless there are more
        than 2,000 features and more than 4,000 cases: then 1,000 at a time.
    tol : float
        Stops when an iteration promises to lower the objective by less than this part of it.
    max_iter : int
        The most iterations; beyond it there is a warning.
    accelerate : bool
        Whether steps longer than EM's are tried, and taken if they do better. Under Jeffreys' prior, where they could
        lead to another optimum, only once the same coefficients have been 0 for a while.
    threads : int, optional
        How many classes are fitted at a time; as many as there are cores by default.

    Attributes
    ----------
    classes_, coef_, intercept_, weights_
        As in `LogisticRegression`.
    n_iter_ : array, shape (n_outputs,)
        Iterations taken.
    objective_trace_ : list of arrays
        For each output minus the log-posterior, up to a constant, from the start through every iteration. It never
        rises.

    References
    ----------
    *sparse*: Eyheramendy, Genkin, Ju, Lewis and Madigan, *Sparse Bayesian classifiers for text categorization*; after
    Figueiredo and Jain.

    Examples
    --------
    >>> from priorwise.priors import Laplace
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    >>> model = ProbitRegression(Laplace(variance=8.0)).fit(X, [1, 1, 0, 0])
    >>> model.coef_.round(2)
    array([[2.21, 0.  ]])
    """

    asks = RegressionPrior
    link = "probit"
    usual_folds = 5

    def __init__(
        self,
        prior: RegressionPrior | Sequence[RegressionPrior] | None = None,
        *,
        fit_intercept: bool = True,
        intercept_prior: RegressionPrior | None = None,
        block_size: int | None = None,
        tol: float = 1e-8,
        max_iter: int = 2000,
        accelerate: bool = True,
        threads: int | None = None,
    ) -> None:
        self.prior = prior
        self.fit_intercept = fit_intercept
        self.intercept_prior = intercept_prior
        self.block_size = block_size
        self.tol = tol
        self.max_iter = max_iter
        self.accelerate = accelerate
        self.threads = threads

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find the most probable weights."""
        X, y = self._validated(X, y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not (self.tol > 0 and self.max_iter >= 1 and (self.block_size is None or self.block_size >= 1)):
            raise InputError("tol must be positive, max_iter and block_size at least 1")
        self._labels = Labels.of(y)
        self.classes_ = self._labels.classes
        self._check_outputs()
        members = self._labels.membership(y).tocsc()
        design, n_outputs = Design(X), self._labels.n_outputs
        if self.fit_intercept:
            design = design.with_ones if self.intercept_prior is not None else design
        blocks = self._blocks(design, weight)

        def fit_one(output: int) -> Any:
            positive = np.zeros(X.shape[0], dtype=bool)
            positive[members.indices[members.indptr[output] : members.indptr[output + 1]]] = True
            self._check_sides(positive, weight, output)
            prior, row = self._prior(output, n_outputs), self._row(X.shape[1], output, n_outputs)
            self._refuse_separation(design, positive, weight, row[0], output)
            return self._fit_one(blocks, positive, prior.shape, row)

        found = on_threads(fit_one, range(n_outputs), self.threads)
        coef = np.array([one.coef for one in found])
        self.intercept_ = np.array([one.intercept for one in found])
        if self.fit_intercept and self.intercept_prior is not None:
            coef, self.intercept_ = coef[:, :-1], coef[:, -1]
        self.coef_ = np.ascontiguousarray(coef)
        self.objective_trace_ = [one.trace for one in found]
        self.n_iter_ = np.array([one.n_iter for one in found])
        slow = [output for output, one in enumerate(found) if not one.converged]
        if slow:
            warnings.warn(
                f"EM stopped after {self.max_iter} iterations for {len(slow)} of {n_outputs} outputs, the first being "
                f"{self._name(slow[0])}: raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _blocks(self, design: Design, weight: Floats) -> Any:
        from priorwise.models.regression.probit_em import Blocks

        intercept = self.fit_intercept and self.intercept_prior is None
        n_columns = design.shape[1] + intercept
        whole = n_columns <= LARGEST_SYSTEM or design.shape[0] <= FEW_CASES
        size = self.block_size or (n_columns if whole else LARGEST_SYSTEM // 2)
        self._say_how_long(design.shape[0], n_columns, size)
        return Blocks(design, weight, intercept, size)

    def _say_how_long(self, n_cases: int, n_columns: int, size: int) -> None:
        """Warn before a fit that takes more than a minute; a Gaussian prior solves its systems once."""
        each = min(size, n_cases) ** 3 / 3 * -(-n_columns // size)
        shapes = {getattr(prior, "shape", Gaussian) for prior in one_each(self._bound, self._labels.n_outputs)}
        steps = min(USUAL_STEPS, self.max_iter) if any(shape.sparse for shape in shapes) else 1
        seconds = each * steps * self._labels.n_outputs / SPEED
        if seconds > PATIENCE:
            warnings.warn(
                f"{n_cases:,} cases with {n_columns:,} features will take about {seconds / 60:,.0f} minutes: select "
                "features first, or take LogisticRegression, which needs seconds for as many",
                RuntimeWarning,
                stacklevel=4,
            )

    def _fit_one(
        self, blocks: Any, positive: NDArray[np.bool_], shape: type[RegressionPrior], row: tuple[Floats, Floats]
    ) -> Any:
        from priorwise.models.regression.probit_em import ProbitEM

        signs, start = np.where(positive, 1.0, -1.0), np.zeros(blocks.X.shape[1])
        if shape.sparse:
            finite = np.where(np.isfinite(row[0]), START_VARIANCE, np.inf)
            ridge = ProbitEM(blocks, Gaussian, (finite, row[1]))
            # From far out, Jeffreys' prior keeps several times the coefficients that the paper reports.
            steps = self.max_iter if shape.log_concave else 1
            start = ridge.fit(signs, start, 1e-4, steps, True).distance
        return ProbitEM(blocks, shape, row).fit(signs, start, self.tol, self.max_iter, self.accelerate)

    def _prior(self, output: int, n_outputs: int) -> Any:
        prior = super()._prior(output, n_outputs)
        if self.intercept_prior is not None and self.intercept_prior.shape is not prior.shape:
            wanted = prior.shape.__name__
            raise InputError(f"intercept_prior must be a {wanted} as prior is, not {self.intercept_prior!r}")
        return prior

    def _row(self, n_features: int, output: int, n_outputs: int) -> tuple[Floats, Floats]:
        """Variance and mode of each column."""
        variance, mode = self._prior(output, n_outputs).of_features(n_features, output, n_outputs)
        if self.fit_intercept and self.intercept_prior is not None:
            own_variance, own_mode = self.intercept_prior.of_features(1, output, n_outputs)
            variance, mode = np.append(variance, own_variance), np.append(mode, own_mode)
        return variance, mode

    def _check_sides(self, positive: NDArray[np.bool_], weight: Floats, output: int) -> None:
        for side, sign in ((positive, "with"), (~positive, "without")):
            if self.fit_intercept and self.intercept_prior is None and not np.any(weight[side] > 0):
                raise NotEnoughData(f"no example {sign} {self._name(output)}: add one, or give an intercept_prior")

    def _refuse_separation(
        self, design: Design, positive: NDArray[np.bool_], weight: Floats, variance: Floats, output: int
    ) -> None:
        """EM would take ever smaller steps towards infinite weights."""
        flat = np.flatnonzero(np.isinf(variance))
        if not len(flat):
            return
        cases = weight > 0
        columns = design.by_columns[:, flat].toarray()[cases]
        if self.fit_intercept and self.intercept_prior is None:
            columns = np.hstack([columns, np.ones((len(columns), 1))])
        if is_separated(columns, positive[cases]):
            raise separated(flat, self._name(output))

    def log_odds(self, X: Any) -> Floats:
        """The scores as log odds, log Φ(z)/Φ(−z), which is what targets read; in the shape of `decision_function`."""
        from scipy.special import log_ndtr

        scores = self.decision_function(X)
        return np.asarray(log_ndtr(scores) - log_ndtr(-scores), dtype=np.float64)

    def _link(self, scores: Floats) -> Floats:
        from scipy.special import ndtr

        return np.asarray(ndtr(scores), dtype=np.float64)
