"""One logistic regression: a design, labels and a penalty in, the most probable weights out. No scikit-learn here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError, NotEnoughData
from priorwise.models.logistic_design import Design, Penalty
from priorwise.models.separation import is_separated, separated

Floats = NDArray[np.float64]
Found = tuple[float, float, float, int]

SOLVERS = ("auto", "newton", "bbr")

DUAL_PASSES = 48
"""After so many passes of dual descent Newton's method takes over: under weak priors it needs fewer."""

LARGEST_DUAL = 1000.0
"""Where cases are longer than this on average, Σ σ_j² x_ij², dual descent crawls from the start."""

DUAL_TOLERANCE = 1e-9
"""For a smaller gap than this Newton's method, which converges faster and faster, does without the dual."""

LARGEST_DENSE = 1000
"""Up to so many features in play at a time, proximal Newton works in the space of their Gram matrix."""

NOTHING_TO_GAIN = 1e-2
"""Once the objective is this part of what knowing only the class rate costs, the gap is taken relative to that part."""

SUSPICIOUS_SPREAD = 8.0
"""Unpenalised features that spread the log odds further than this may tell the classes apart altogether."""


@dataclass(frozen=True)
class Solution:
    """The most probable weights, and the proof of how probable they are.

    Parameters
    ----------
    coef, intercept : array and float
        The weights.
    objective : float
        Minus the log-posterior, up to a constant.
    gap : float
        By how much it can exceed the least possible one, relative to it: the duality gap.
    n_iter : int
        Steps or passes taken.
    """

    coef: Floats
    intercept: float
    objective: float
    gap: float
    n_iter: int


@dataclass(frozen=True)
class _Problem:
    design: Design
    y: Floats
    weight: Floats
    offset: Floats
    penalty: Penalty
    flat: Floats
    tol: float
    floor: float
    max_iter: int


def solve(
    design: Design,
    positive: NDArray[np.bool_],
    weight: Floats,
    penalty: Penalty,
    *,
    solver: str = "auto",
    tol: float = 1e-6,
    max_iter: int = 1000,
    start: tuple[Floats, float] | None = None,
    name: str = "the class",
) -> Solution:
    """Find the most probable weights of one class against the rest.

    Cases of weight 0 take no part. `start` is the solution of a neighbouring problem; `name` is for error messages.
    Stops when the duality gap is at most `tol` times the objective.

    Examples
    --------
    >>> from priorwise.priors.coefficients import Laplace
    >>> X, positive = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([False, True, False, True])
    >>> found = solve(Design(X), positive, np.ones(4), Penalty.of(Laplace(variance=8.0), 1))
    >>> found.coef.round(3), found.gap <= 1e-6
    (array([0.411]), True)
    """
    if solver not in SOLVERS:
        raise InputError(f"no solver '{solver}'; there are {', '.join(map(repr, SOLVERS))}")
    if penalty.flat_intercept:
        for side, sign in ((positive, "with"), (~positive, "without")):
            if not np.any(weight[side] > 0):
                raise NotEnoughData(
                    f"no example {sign} {name}, so nothing holds its intercept: add one, or give an intercept_prior"
                )
    if design.occupied is not None:
        # Nothing moves a coefficient whose column is empty away from its mode.
        columns, smaller = design.occupied
        inner = None if start is None else (start[0][columns], start[1])
        found = solve(
            smaller, positive, weight, penalty.of_columns(columns),
            solver=solver, tol=tol, max_iter=max_iter, start=inner, name=name,
        )  # fmt: skip
        coef = penalty.mode.copy()
        coef[columns] = found.coef
        return replace(found, coef=coef)
    if penalty.l1_b > 0:
        inner = None if start is None else (np.append(start[0], start[1]), 0.0)
        found = solve(
            design.with_ones, positive, weight, penalty.with_intercept_as_feature(),
            solver=solver, tol=tol, max_iter=max_iter, start=inner, name=name,
        )  # fmt: skip
        return Solution(found.coef[:-1], float(found.coef[-1]), found.objective, found.gap, found.n_iter)

    rate = float(np.average(positive, weights=weight))
    w, b = np.zeros(design.shape[1]), 0.0
    if start is not None:
        w, b = start[0] - penalty.mode, start[1] - penalty.mode_b
    elif penalty.flat_intercept and not penalty.mode.any():
        b = float(np.log(rate / (1.0 - rate)))
    problem = _Problem(
        design,
        np.where(positive, 1.0, -1.0),
        weight,
        design.offsets(penalty.mode) + penalty.mode_b,
        penalty,
        _flat_columns(design, penalty),
        tol,
        NOTHING_TO_GAIN * float(weight.sum()) * _entropy(rate),
        max_iter,
    )
    run = _bbr if solver == "bbr" else _sparse if penalty.l1.any() else _gaussian
    b, objective, gap, n_iter = run(problem, w, b, start is not None, solver)
    gap = max(gap, 0.0) / max(objective, problem.floor, np.finfo(np.float64).tiny)
    _refuse_separation(problem, w, gap, name)
    return Solution(w + penalty.mode, b + penalty.mode_b, objective, gap, n_iter)


def _sparse(problem: _Problem, w: Floats, b: float, warm: bool, solver: str) -> Found:
    from priorwise.kernels.logistic_sparse import fit_sparse

    penalty = problem.penalty
    return fit_sparse(
        *problem.design.columns, problem.y, problem.weight, problem.offset, penalty.l1, penalty.l2, problem.flat,
        penalty.intercept, penalty.l2_b, w, b, problem.tol, problem.floor, problem.max_iter, LARGEST_DENSE,
    )  # fmt: skip


def _bbr(problem: _Problem, w: Floats, b: float, warm: bool, solver: str) -> Found:
    from priorwise.kernels.logistic_bbr import fit_bbr

    penalty = problem.penalty
    return fit_bbr(
        *problem.design.columns, problem.y, problem.weight, problem.offset, penalty.l1, penalty.l2, problem.flat,
        penalty.intercept, penalty.l2_b, w, b, problem.tol, problem.floor, problem.max_iter,
    )  # fmt: skip


def _gaussian(problem: _Problem, w: Floats, b: float, warm: bool, solver: str) -> Found:
    """Dual descent, and Newton's method where that is slow or has no dual to descend."""
    from priorwise.kernels.logistic_newton import fit_newton

    penalty, spent = problem.penalty, 0
    if solver == "auto" and _dual_pays(problem):
        w_before, b_before = w.copy(), b
        b, objective, gap, spent = _dual(problem, w, b, warm)
        if gap <= problem.tol * max(objective, problem.floor) or spent >= problem.max_iter:
            return b, objective, gap, spent
        if objective > _objective(problem, w_before, b_before):
            w[:], b = w_before, b_before
    b, objective, gap, steps = fit_newton(
        *problem.design.rows, problem.y, problem.weight, problem.offset, penalty.l2, problem.flat,
        penalty.intercept, penalty.l2_b, w, b, problem.tol, problem.floor, problem.max_iter - spent,
    )  # fmt: skip
    return b, objective, gap, spent + steps


def _dual_pays(problem: _Problem) -> bool:
    if problem.flat.shape[1] or problem.tol < DUAL_TOLERANCE:
        return False
    size = problem.design.column_squares @ (1.0 / problem.penalty.l2)
    return bool(size <= LARGEST_DUAL * problem.design.shape[0])


def _objective(problem: _Problem, w: Floats, b: float) -> float:
    scores = problem.offset + problem.design.by_rows @ w + b
    loss = problem.weight @ np.logaddexp(0.0, -problem.y * scores)
    return float(loss + 0.5 * problem.penalty.l2 @ w**2 + 0.5 * problem.penalty.l2_b * b**2)


def _dual(problem: _Problem, w: Floats, b: float, warm: bool) -> Found:
    from priorwise.kernels.logistic_dual import fit_dual

    penalty = problem.penalty
    starts, columns, values = problem.design.rows
    scale = 1.0 / np.sqrt(penalty.l2)
    scaled = values * (scale[0] if np.all(scale == scale[0]) else scale[columns])
    if warm:
        logits = -problem.y * (problem.offset + problem.design.by_rows @ w + b)
    else:
        logits = _first_logits(problem, scale, b)
    u = np.empty(len(w))
    b, objective, gap, passes = fit_dual(
        starts, columns, scaled, problem.y, problem.weight, problem.offset, penalty.intercept, penalty.l2_b, u, b,
        logits, problem.tol, problem.floor, min(DUAL_PASSES, problem.max_iter), 0,
    )  # fmt: skip
    w[:] = scale * u
    return b, objective, gap, passes


def _first_logits(problem: _Problem, scale: Floats, b: float) -> Floats:
    """Start from the slopes at the mode, shortened as the dual likes best."""
    from scipy.special import expit

    y, s = problem.y, problem.weight
    a = expit(-y * (problem.offset + b))
    toward = scale * (problem.design.by_columns.T @ (s * a * y))
    square = float(toward @ toward)
    shares = 0.1 ** np.arange(0.0, 5.0)
    values = [-0.5 * square * k**2 + s @ (_entropies(k * a) - k * a * y * problem.offset) for k in shares]
    best = np.clip(shares[int(np.argmax(values))] * a, 1e-300, 1.0 - 1e-16)
    return np.log(best) - np.log1p(-best)


def _flat_columns(design: Design, penalty: Penalty) -> Floats:
    """The unpenalised columns, dense, and ones for an unpenalised intercept; nothing if there is only that."""
    flat = penalty.flat
    if not len(flat):
        return np.zeros((design.shape[0], 0))
    columns = design.by_columns[:, flat].toarray()
    if penalty.flat_intercept:
        columns = np.hstack([columns, np.ones((len(columns), 1))])
    return np.ascontiguousarray(columns)


def _refuse_separation(problem: _Problem, w: Floats, gap: float, name: str) -> None:
    flat = problem.penalty.flat
    if not len(flat):
        return
    part = problem.flat[:, : len(flat)] @ w[flat]
    if gap <= problem.tol and np.ptp(part) < SUSPICIOUS_SPREAD:
        return
    cases = problem.weight > 0
    if is_separated(problem.flat[cases], problem.y[cases] > 0):
        raise separated(flat, name)


def _entropy(rate: float) -> float:
    return float(_entropies(np.array([rate]))[0])


def _entropies(a: Floats) -> Floats:
    from scipy.special import entr

    values: Any = entr(a) + entr(1.0 - a)
    return np.asarray(values, dtype=np.float64)
