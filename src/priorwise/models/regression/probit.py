"""Probit regression with priors that make it sparse, as a scikit-learn classifier, by EM."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import erfcx, log_ndtr
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight

from priorwise.errors import InputError, NotEnoughData
from priorwise.kernels import Floats
from priorwise.models.labels import OutputLabels
from priorwise.models.regression.design import DesignMatrix, is_separated, separated, solve_each
from priorwise.models.regression.logistic import LinearOutputs
from priorwise.priors.base import one_each
from priorwise.priors.regression import GONE, Gaussian, RegressionPrior

PATIENCE = 20
"""Iterations without a coefficient lost, before steps under Jeffreys' prior may be longer than EM's."""

HEADWAY = 1.2
"""By how much longer the next step is tried to be, after one that was longer than EM's and did better."""


@dataclass(frozen=True)
class ProbitFit:
    """Weights, and how EM got there: `trace` is minus the log-posterior at the start, after each iteration, and when
    what was still on its way to its mode was put there; `distance` is from the modes, the intercept last.
    """

    coef: Floats
    intercept: float
    distance: Floats
    trace: Floats
    n_iter: int
    converged: bool


def hazard(t: Floats) -> Floats:
    """φ(t)/Φ(t), in both tails."""
    with np.errstate(over="ignore"):
        ratio: Floats = np.sqrt(2.0 / np.pi) / erfcx(-t / np.sqrt(2.0))
    return ratio


class Blocks:
    """The columns, and the intercept's ones, in blocks; with XᵀSX of each, which no iteration and no class changes."""

    def __init__(self, design: DesignMatrix, weight: Floats, intercept: bool, block_size: int) -> None:
        self.X = design.with_ones.by_rows if intercept else design.by_rows
        self.weight, self.intercept = weight, intercept
        by_columns = self.X.tocsc()
        columns = np.arange(self.X.shape[1])
        self.columns = [columns[start : start + block_size] for start in range(0, len(columns), block_size)]
        self.parts = [by_columns[:, block] for block in self.columns]
        self.grams = [self._gram(part) for part in self.parts]
        self.squares = np.asarray(self.X.multiply(self.X).T @ weight)

    def _gram(self, part: Any) -> Floats | None:
        """XᵀSX of a block; None if the system of cases is smaller."""
        if part.shape[1] > part.shape[0]:
            return None
        return np.asarray((part.T @ part.multiply(self.weight[:, np.newaxis])).toarray())


class ProbitEM:
    """One probit regression, y ∈ {−1, +1} and p(y = 1|x) = Φ(βᵀx + b), by EM::

        v_i = m_i + y_i φ(m_i)/Φ(y_i m_i)                                 the expected hidden score
        Ω   = diag(ω),  ω_j = E[1/τ_j]                                    the expected precision of the prior
        β   ← μ + (Ω + XᵀSX)⁻¹ XᵀS(v − Xμ)                                ridge regression on the hidden scores

    The last line is solved for ω^{1/2}(β − μ), which stays finite as β_j → μ_j and ω_j → ∞, and by the smaller of the
    systems of features and of cases. Features in blocks are updated in turn, each block after an E-step of its own.
    """

    def __init__(self, blocks: Blocks, shape: type[RegressionPrior], row: tuple[Floats, Floats]) -> None:
        self.blocks, self.shape = blocks, shape
        self.X, self.weight, self.intercept = blocks.X, blocks.weight, blocks.intercept
        self.variance, self.mode = row
        self.n_features = len(self.mode)
        self.offset = self.X[:, : self.n_features] @ self.mode if self.mode.any() else np.zeros(self.X.shape[0])
        self._factors: dict[int, Any] = {}
        self.held = np.zeros(self.X.shape[1], dtype=bool)
        self.held[: self.n_features] = np.isfinite(self.variance)

    def fit(self, y: Floats, start: Floats, tol: float, max_iter: int, accelerate: bool) -> ProbitFit:
        """Iterate from `start`, distances from the mode, until a step promises less than `tol` of the objective.

        Under Jeffreys' prior longer steps than EM's could lead to another optimum; there they wait until the same
        coefficients have been at 0 for a while.
        """
        patience = 0 if self.shape.log_concave else PATIENCE
        delta, trace = start.copy(), [self.objective(y, start)]
        longer, converged, unchanged = 1.0, False, 0
        for _ in range(max_iter):
            stepped, promised = self.sweep(y, delta)
            if accelerate and longer > 1.0 and unchanged >= patience:
                further = delta + longer * (stepped - delta)
                value, beyond = self.objective(y, stepped), self.objective(y, further)
                longer = HEADWAY * longer if beyond < value else 1.0
                if beyond < value:
                    stepped = further
            elif accelerate:
                longer = HEADWAY
            if self.shape.sparse:
                stepped[self.held & (np.abs(stepped) < GONE)] = 0.0
            self._revive(y, stepped)
            unchanged = unchanged + 1 if np.array_equal(stepped == 0.0, delta == 0.0) else 0
            delta = stepped
            trace.append(self.objective(y, delta))
            if promised <= tol * abs(trace[-1]):
                converged = True
                break
        delta = self._settle(y, delta)
        trace.append(self.objective(y, delta))
        d = self.n_features
        intercept = float(delta[d]) if self.intercept else 0.0
        return ProbitFit(delta[:d] + self.mode, intercept, delta, np.array(trace), len(trace) - 2, converged)

    def sweep(self, y: Floats, delta: Floats) -> tuple[Floats, float]:
        """Update each block in turn; give the new distances and how much the objective should fall, to first order."""
        delta, promised = delta.copy(), 0.0
        scores = self.offset + self.X @ delta
        for number, block in enumerate(self.blocks.columns):
            residual = y * hazard(y * scores)  # v − m
            step, slope = self._update(number, delta[block], residual)
            promised += float(slope @ step)
            delta[block] += step
            if number + 1 < len(self.blocks.columns):
                scores = scores + self.blocks.parts[number] @ step
        return delta, promised

    def _update(self, number: int, old: Floats, residual: Floats) -> tuple[Floats, Floats]:
        """Solve (Ω + XᵀSX)·step = XᵀS(v − m) − Ωδ on one block, scaled by ω^{−1/2}."""
        block, part, gram = self.blocks.columns[number], self.blocks.parts[number], self.blocks.grams[number]
        held = self.held[block]
        omega = np.where(held, self._omega(old, block), 1.0)
        scale = np.where(held, 1.0 / np.sqrt(omega), 1.0)  # 0 where ω is infinite
        alive = scale > 0.0
        pull, moving = np.zeros(len(block)), alive & held
        pull[moving] = omega[moving] * old[moving]
        slope = np.where(alive, part.T @ (self.weight * residual) - pull, 0.0)
        step = np.zeros(len(block))
        t = scale[alive]
        if gram is None and len(t) <= part.shape[0]:
            few = part[:, alive]
            gram = np.asarray((few.T @ few.multiply(self.weight[:, np.newaxis])).toarray())
        elif gram is not None:
            gram = gram[np.ix_(alive, alive)] if len(t) < len(block) else gram
        if gram is not None:
            step[alive] = t * cho_solve(
                self._factor(number, lambda: self._of_features(gram, held[alive], t)), t * slope[alive]
            )
        else:
            step[alive] = self._by_cases(number, part[:, alive], held[alive], t, slope[alive])
        return step, slope

    def _factor(self, number: int, make: Callable[[], Any]) -> Any:
        """Make what a block's system is solved with; under a Gaussian prior no iteration changes it, so it is kept."""
        if self.shape.sparse:
            return make()
        if number not in self._factors:
            self._factors[number] = make()
        return self._factors[number]

    def _of_features(self, gram: Floats, held: NDArray[np.bool_], t: Floats) -> Any:
        square = t[:, np.newaxis] * gram * t
        square[np.diag_indices_from(square)] += np.where(held, 1.0, 1e-12)
        return cho_factor(square, overwrite_a=True)

    def _by_cases(self, number: int, part: Any, held: NDArray[np.bool_], t: Floats, slope: Floats) -> Floats:
        """Solve the same through the system of cases, with F the columns that nothing holds, and P all others::

        M = S⁻¹ + P Ω⁻¹ Pᵀ          (FᵀM⁻¹F) z = g_F − FᵀM⁻¹PΩ⁻¹g_P          u = M⁻¹(PΩ⁻¹g_P + Fz)
        step of P: Ω⁻¹(g_P − Pᵀu)          step of F: z
        """
        cases, flat, inverse = self.weight > 0, ~held, t[held] ** 2

        def make() -> tuple[Any, Any, Floats, Floats]:
            rows = part.tocsr()[cases]
            P, F = rows[:, held], rows[:, flat].toarray()
            square = (P @ P.multiply(inverse).T).toarray()
            square[np.diag_indices_from(square)] += 1.0 / self.weight[cases]
            factor = cho_factor(square, overwrite_a=True)
            return factor, P, F, cho_solve(factor, F)

        factor, P, F, solved = self._factor(number, make)
        u = cho_solve(factor, P @ (inverse * slope[held]))
        step = np.empty(len(t))
        border = F.T @ solved
        border[np.diag_indices_from(border)] *= 1.0 + 1e-12
        step[flat] = np.linalg.solve(border, slope[flat] - F.T @ u) if len(border) else 0.0
        step[held] = inverse * (slope[held] - P.T @ (u + solved @ step[flat]))
        return step

    def _omega(self, distance: Floats, block: NDArray[np.int64]) -> Floats:
        omega = np.zeros(len(block))
        features = block < self.n_features
        inside = block[features]
        omega[features] = self.shape.precision_at(distance[features], self.variance[inside])
        return omega

    def objective(self, y: Floats, delta: Floats) -> float:
        d = self.n_features
        scores = self.offset + self.X @ delta
        likelihood = float(self.weight @ log_ndtr(y * scores))
        part, held = delta[:d], self.held[:d]
        return float(np.sum(self.shape.cost(part[held], self.variance[held]))) - likelihood

    @property
    def _hold(self) -> Floats:
        """How hard the prior holds a coefficient that is at its mode: the slope of the density there."""
        return self.shape.cost(np.full(self.n_features, GONE), self.variance) / GONE

    def _slopes(self, y: Floats, delta: Floats) -> Floats:
        scores = self.offset + self.X @ delta
        return np.asarray(self.X.T @ (self.weight * y * hazard(y * scores)))[: self.n_features]

    def _revive(self, y: Floats, delta: Floats) -> None:
        """Let coefficients leave a Laplace prior's mode again if the data pull harder than the prior holds."""
        d = self.n_features
        gone = self.held[:d] & (delta[:d] == 0.0)
        if not (self.shape.sparse and self.shape.log_concave) or not gone.any():
            return
        pull, hold = self._slopes(y, delta), self._hold
        wrong = gone & (np.abs(pull) > hold * (1.0 + 1e-6))
        if not wrong.any():
            return
        before = self.objective(y, delta)
        # A case's curvature is at most 1; the steps are taken together, so each is a part of what it could be alone.
        step = np.sign(pull) * (np.abs(pull) - hold) / (self.blocks.squares[:d] + GONE)
        delta[:d][wrong] = step[wrong] / (2 * np.count_nonzero(wrong))
        if self.objective(y, delta) > before:
            delta[:d][wrong] = 0.0

    def _settle(self, y: Floats, delta: Floats) -> Floats:
        """Put at its mode what EM was still carrying there, as far as that does not make things worse."""
        if not self.shape.sparse:
            return delta
        d = self.n_features
        tiny = np.abs(delta[:d]) < 1e-6 * max(1.0, float(np.max(np.abs(delta), initial=0.0)))
        held_back = tiny
        if self.shape.log_concave:
            held_back = tiny | (np.abs(self._slopes(y, delta)) < self._hold * (1.0 - 1e-3))
        value = self.objective(y, delta)
        for small in (held_back, tiny):
            settled = delta.copy()
            settled[:d][self.held[:d] & small] = 0.0
            if self.objective(y, settled) <= value:
                return settled
        return delta


LARGEST_SYSTEM = 2000
"""More features than this are updated in blocks, unless told otherwise, or unless there are few cases."""

FEW_CASES = 4000
"""With at most this many cases, any number of features is one system of as many equations as there are cases."""

LONGEST_WAIT, USUAL_STEPS, SPEED = 60.0, 100, 1e10
"""A fit that will take longer than this many seconds says so first, at this many steps and operations per second."""

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
        The prior of the coefficients; ``Gaussian(1)`` by default.
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
        self._labels = OutputLabels.of(y)
        self.classes_ = self._labels.classes
        self._check_outputs()
        members = self._labels.membership(y).tocsc()
        design, n_outputs = DesignMatrix(X), self._labels.n_outputs
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

        found = solve_each(fit_one, range(n_outputs), self.threads)
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

    def _blocks(self, design: DesignMatrix, weight: Floats) -> Any:

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
        if seconds > LONGEST_WAIT:
            warnings.warn(
                f"{n_cases:,} cases with {n_columns:,} features will take about {seconds / 60:,.0f} minutes: select "
                "features first, or take LogisticRegression, which needs seconds for as many",
                RuntimeWarning,
                stacklevel=4,
            )

    def _fit_one(
        self, blocks: Any, positive: NDArray[np.bool_], shape: type[RegressionPrior], row: tuple[Floats, Floats]
    ) -> Any:

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
        self, design: DesignMatrix, positive: NDArray[np.bool_], weight: Floats, variance: Floats, output: int
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
