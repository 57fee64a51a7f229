"""Cases scored by logistic regressions that did not see them, under many priors at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from priorwise.errors import InputError, NotEnoughData
from priorwise.kernels import Floats, Mask
from priorwise.models.regression.design import DesignMatrix, Penalty, solve_each
from priorwise.models.regression.solve import Solution, solve
from priorwise.models.weights import log_probabilities
from priorwise.priors.informed import Informed
from priorwise.priors.regression import CoefficientPrior
from priorwise.search import HeldOut, LogLikelihood


@dataclass(frozen=True)
class StratifiedFolds:
    """Folds that are drawn by chance, each output's members and others spread evenly.

    Both are dealt from the first fold on. With five members, five others and ten folds, five folds hold out one of
    each, and five are empty. Had every case a fold of its own, it would always be missing from the side that is then
    the smaller, and the less a prior lets be learned, the better it would look.
    """

    folds: int
    seed: int = 0

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise InputError(f"cross-validation takes at least 2 folds, not {self.folds}")

    def of(self, positive: Mask) -> list[Mask]:
        """Give the cases that each fold holds out; folds without any are left out."""
        of_case = np.empty(len(positive), dtype=np.int64)
        random = np.random.default_rng(self.seed)
        for side in (np.flatnonzero(positive), np.flatnonzero(~positive)):
            of_case[random.permutation(side)] = np.arange(len(side)) % self.folds
        return [of_case == fold for fold in np.unique(of_case)]


Folds = StratifiedFolds | list[Mask]
"""How to deal folds, or the cases that each holds out."""


@dataclass(frozen=True)
class Table:
    """Cases, which of them are of each output, and what each weighs; shared by all priors and folds."""

    design: DesignMatrix
    members: sp.csc_matrix
    weight: Floats
    names: Sequence[str]

    @classmethod
    def of(cls, X: Any, members: sp.csr_matrix, weight: Floats, names: Sequence[str]) -> Table:
        """Lay the matrix out for the solvers."""
        design = DesignMatrix(X)
        for each in (design, design.occupied[1] if design.occupied is not None else design):
            each.columns, each.rows  # noqa: B018 - made before threads ask for them
        return cls(design, members.tocsc(), weight, names)

    @property
    def n_outputs(self) -> int:
        return int(self.members.shape[1])

    def positive(self, output: int) -> Mask:
        return np.asarray(self.members[:, [output]].toarray()[:, 0], dtype=bool)

    def penalties(
        self,
        priors: Sequence[CoefficientPrior | Informed],
        output: int,
        fit_intercept: bool,
        intercept_prior: CoefficientPrior | None,
    ) -> list[Penalty]:
        return [
            Penalty.of(
                prior,
                self.design.shape[1],
                output=output,
                n_outputs=self.n_outputs,
                fit_intercept=fit_intercept,
                intercept_prior=intercept_prior,
            )
            for prior in priors
        ]

    def walk(
        self, output: int, weight: Floats, penalties: Sequence[Penalty], tol: float, max_iter: int
    ) -> list[Solution]:
        """Solve one output under each penalty, strongest first, each from the answer before it."""
        order = np.argsort([-float(np.sum(penalty.l1) + np.sum(penalty.l2)) for penalty in penalties], kind="stable")
        positive, start = self.positive(output), None
        found: dict[int, Solution] = {}
        for place in order:
            found[int(place)] = solve(
                self.design, positive, weight, penalties[place], tol=tol, max_iter=max_iter, start=start,
                name=self.names[output],
            )  # fmt: skip
            start = (found[int(place)].coef, found[int(place)].intercept)
        return [found[place] for place in range(len(penalties))]

    def folds(self, folds: Folds, output: int) -> list[Mask]:
        """Masks of the cases held out: as given, or dealt in turn, members and others apart."""
        if isinstance(folds, list):
            return folds
        positive = self.positive(output)
        if min(positive.sum(), (~positive).sum()) < 2:
            name = self.names[output]
            raise NotEnoughData(f"{name} has fewer than 2 cases in one of its two classes, so none can be held out")
        return folds.of(positive)


def approximate_leave_one_out(
    design: DesignMatrix, positive: NDArray[np.bool_], weight: Floats, penalty: Penalty, found: Solution
) -> Floats:
    """Score every case by a model that has not seen it, to the accuracy of one Newton step.

    With ℓ′ and ℓ″ the derivatives of a case's loss, times its weight, and h_i = x_iᵀH⁻¹x_i, H being the Hessian of the
    objective at the answer::

        z_i without i  ≈  z_i + h_i ℓ′_i / (1 − h_i ℓ″_i)

    Under Laplace priors H is taken over the coefficients that are not at their mode, as if leaving one case out did not
    change which those are. It does: the closer such coefficients come to the cases in number, the worse the scores look
    compared with exact ones, and the stronger the prior that is chosen by them. Folds are the better judge there.

    The cost is that of one dense matrix of the features in play or of the cases, whichever are fewer.

    Rad and Maleki, *A scalable estimate of the out-of-sample prediction error via approximate leave-one-out*.
    """
    scores = design.by_rows @ found.coef + found.intercept
    a = 1.0 / (1.0 + np.exp(-scores))
    slope = weight * (a - positive)
    curvature = weight * a * (1.0 - a)
    h = leverage(design, curvature, penalty, found)
    out: Floats = scores + h * slope / np.maximum(1.0 - h * curvature, 1e-12)
    return out


def leverage(design: DesignMatrix, curvature: Floats, penalty: Penalty, found: Solution) -> Floats:
    """x_iᵀH⁻¹x_i of every case, over the coefficients that can move."""
    moving = (penalty.l1 == 0) | (found.coef != penalty.mode)
    X, precision = design.by_columns[:, moving], penalty.l2[moving]
    if penalty.intercept:
        X = sp.hstack([X, np.ones((X.shape[0], 1))], format="csr")
        precision = np.append(precision, penalty.l2_b)
    n, d = X.shape
    if d == 0:
        return np.zeros(n)
    held = precision > 0
    if d <= n or np.count_nonzero(~held) >= n:
        return _by_features(X.tocsr(), curvature, precision)
    return _by_cases(X[:, held], X[:, ~held].toarray(), curvature, precision[held])


def _by_features(X: sp.csr_matrix, curvature: Floats, precision: Floats) -> Floats:
    from scipy.linalg import cho_factor, solve_triangular

    hessian = (X.T @ X.multiply(curvature[:, np.newaxis])).toarray()
    hessian[np.diag_indices_from(hessian)] += precision + 1e-12
    factor, lower = cho_factor(hessian, lower=True, overwrite_a=True)
    h = np.empty(X.shape[0])
    for start in range(0, X.shape[0], 1024):
        rows = slice(start, start + 1024)
        h[rows] = np.sum(solve_triangular(factor, X[rows].toarray().T, lower=lower) ** 2, axis=0)
    return h


def _by_cases(X: sp.csr_matrix, free: Floats, curvature: Floats, precision: Floats) -> Floats:
    """The same by the matrix of cases: with K = X·precision⁻¹·Xᵀ and M = (K + D⁻¹)⁻¹, h_i = K_ii − k_iᵀMk_i.

    Columns that nothing holds, F, add u_iᵀ(FᵀMF)⁻¹u_i, where u_i = f_i − FᵀMk_i.
    """
    from scipy.linalg import cholesky, solve_triangular

    kernel = (X @ X.multiply(1.0 / precision).T).toarray()
    root = np.sqrt(curvature)
    factor = cholesky(np.eye(len(root)) + root[:, np.newaxis] * kernel * root, lower=True, overwrite_a=True)
    half = solve_triangular(factor, root[:, np.newaxis] * kernel, lower=True)
    h = np.diag(kernel) - np.sum(half**2, axis=0)
    if free.shape[1]:
        half_free = solve_triangular(factor, root[:, np.newaxis] * free, lower=True)
        u = free - half.T @ half_free
        h = h + np.sum(u * np.linalg.solve(half_free.T @ half_free, u.T).T, axis=1)
    return np.asarray(h, dtype=np.float64)


APPROXIMATE = "approximate"
"""What to give as folds for leave-one-out by one Newton step."""

USUAL_FOLDS = 10

PRIORS_AT_A_TIME = 20
"""This many priors are walked together; the scores of more would fill the memory."""

TOLERANCE = 1e-4
"""Relative duality gap of fits that only compare priors."""


class LogisticHeldOut(HeldOut):
    """Cases scored by logistic regressions that did not see them.

    All folds share one matrix, in which a case that is held out weighs nothing. Within a fold, each prior starts from
    the answer of the one before it. Without folds one case at a time is left out, approximately, from one fit of all.
    """

    usual_target = LogLikelihood()

    def __init__(self, estimator: Any, table: Table, folds: Folds | None) -> None:
        self.estimator, self.table, self.folds, self.weight = estimator, table, folds, table.weight
        self.tol = max(estimator.tol, TOLERANCE)

    def members(self) -> Mask:
        return np.asarray(self.table.members.toarray() > 0)

    def score_matrices(self, priors: Sequence[Any]) -> Iterator[Floats]:
        for first in range(0, len(priors), PRIORS_AT_A_TIME):
            for scores in self._scores(priors[first : first + PRIORS_AT_A_TIME]):
                # The probabilities of several classes add up to 1, as those that the model predicts do.
                yield log_probabilities(scores, "logistic", multilabel=False) if self.exclusive else scores

    def _scores(self, priors: Sequence[CoefficientPrior | Informed]) -> Floats:
        """Score every case under every prior: priors × cases × outputs."""
        how, table = self.estimator, self.table
        scores = np.empty((len(priors), table.design.shape[0], table.n_outputs))

        def walk(output: int, weight: Floats) -> tuple[list[Any], list[Solution]]:
            penalties = table.penalties(priors, output, how.fit_intercept, how.intercept_prior)
            return penalties, table.walk(output, weight, penalties, self.tol, how.max_iter)

        def leave_out(output: int) -> None:
            for place, (penalty, found) in enumerate(zip(*walk(output, table.weight), strict=True)):
                scores[place, :, output] = approximate_leave_one_out(
                    table.design, table.positive(output), table.weight, penalty, found
                )

        def hold_out(job: tuple[int, Mask]) -> None:
            output, held = job
            _, found = walk(output, np.where(held, 0.0, table.weight))
            rows = table.design.by_rows[held]
            for place, solution in enumerate(found):
                scores[place, held, output] = rows @ solution.coef + solution.intercept

        if self.folds is None:
            solve_each(leave_out, range(table.n_outputs), 1 if table.n_outputs == 1 else how.threads)
        else:
            jobs = [(output, fold) for output in range(table.n_outputs) for fold in table.folds(self.folds, output)]
            solve_each(hold_out, jobs, how.threads)
        return scores


def folds_of(folds: Any, X: Any, y: Any) -> Any:
    """Read what `PriorSearch` calls folds: a number, `StratifiedFolds`, a splitter, "approximate", or None for ten."""
    if folds is None or isinstance(folds, int | np.integer):
        return StratifiedFolds(USUAL_FOLDS if folds is None else int(folds))
    if isinstance(folds, str):
        if folds != APPROXIMATE:
            raise InputError(f"folds is a number, a splitter or '{APPROXIMATE}', not {folds!r}")
        return None
    if not hasattr(folds, "split"):
        return folds
    masks = []
    for _, test in folds.split(X, y):
        held = np.zeros(X.shape[0], dtype=bool)
        held[test] = True
        masks.append(held)
    if not np.all(np.sum(masks, axis=0) == 1):
        raise InputError("the folds must hold out each document once: a splitter such as KFold does")
    return masks
