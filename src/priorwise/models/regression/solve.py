"""One logistic regression: a design, labels and a penalty in, the most probable weights out. No scikit-learn here."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError, NotEnoughData
from priorwise.kernels import Floats
from priorwise.models.regression.design import DesignMatrix, Found, Penalty, Problem, entropies

DUAL_PASSES = 48
"""After this many passes of dual descent Newton's method takes over: under weak priors it needs fewer."""

LARGEST_DUAL = 1000.0
"""Where cases are longer than this on average, Σ σ_j² x_ij², dual descent crawls from the start."""

DUAL_TOLERANCE = 1e-9
"""For a smaller gap than this Newton's method, which converges faster and faster, does without the dual."""

SHARES = 0.1 ** np.arange(5)
"""How much of the slopes at the mode dual descent may start from."""


def minimise_gaussian(problem: Problem, w: Floats, b: float, *, warm: bool, dual: bool) -> Found:
    """Fill `w` with the most probable weights; `warm` says that `w` and `b` are those of a neighbouring problem."""
    from priorwise.models.regression._kernels.logistic_rows import fit_newton

    penalty, spent = problem.penalty, 0
    if dual and _dual_pays(problem):
        w_before, b_before = w.copy(), b
        b, objective, gap, spent = _dual(problem, w, b, warm)
        if problem.is_solved(objective, gap) or spent >= problem.max_iter:
            return b, objective, gap, spent
        if objective > problem.objective(w_before, b_before):
            w[:], b = w_before, b_before
    b, objective, gap, steps = fit_newton(
        *problem.design.rows, problem.y, problem.weight, problem.offset, penalty.l2, problem.flat,
        penalty.intercept, penalty.l2_b, w, b, problem.tol, problem.floor, problem.max_iter - spent,
    )  # fmt: skip
    return b, objective, gap, spent + steps


def _dual_pays(problem: Problem) -> bool:
    if problem.flat.shape[1] or problem.tol < DUAL_TOLERANCE:
        return False
    size = problem.design.column_squares @ (1.0 / problem.penalty.l2)
    return bool(size <= LARGEST_DUAL * problem.design.shape[0])


def _dual(problem: Problem, w: Floats, b: float, warm: bool) -> Found:
    from priorwise.models.regression._kernels.logistic_rows import fit_dual

    penalty, design = problem.penalty, problem.design
    starts, columns, _ = design.rows
    scale = 1.0 / np.sqrt(penalty.l2)
    logits = -problem.y * (problem.offset + b + (design.by_rows @ w if warm else 0.0))
    a = _sigmoid(logits)
    u = scale * (design.transposed @ (problem.weight * a * problem.y))
    if not warm:
        share = _best_share(problem, a, u)
        u *= share
        a = np.clip(share * a, 1e-300, 1.0 - 1e-16)
        logits = np.log(a) - np.log1p(-a)
    b, objective, gap, passes = fit_dual(
        starts, columns, design.scaled_rows(scale), design.row_sizes(scale), problem.y, problem.weight, problem.offset,
        penalty.intercept, penalty.l2_b, u, b, logits, problem.tol, problem.floor,
        min(DUAL_PASSES, problem.max_iter), 0,
    )  # fmt: skip
    w[:] = scale * u
    return b, objective, gap, passes


def _best_share(problem: Problem, a: Floats, u: Floats) -> float:
    """Shorten the slopes at the mode as the dual likes best."""
    s, square, toward = problem.weight, float(u @ u), float((problem.weight * a) @ (problem.y * problem.offset))
    values = [s @ entropies(share * a) - share * toward - 0.5 * square * share**2 for share in SHARES]
    return float(SHARES[int(np.argmax(values))])


def _sigmoid(t: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(t), dtype=np.float64)


SOLVERS = ("auto", "newton")

LARGEST_DENSE = 1000
"""Up to this many features in play at a time, proximal Newton works in the space of their Gram matrix."""


@dataclass(frozen=True)
class Solution:
    """The most probable weights, and the proof of how probable they are."""

    coef: Floats
    intercept: float
    objective: float
    gap: float
    n_iter: int


def solve(
    design: DesignMatrix,
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

    w, b = np.zeros(design.shape[1]), 0.0
    if start is not None:
        w, b = start[0] - penalty.mode, start[1] - penalty.mode_b
    elif penalty.flat_intercept and not penalty.mode.any():
        rate = float(weight @ positive / weight.sum())
        b = float(np.log(rate / (1.0 - rate)))
    problem = Problem.of(design, positive, weight, penalty, tol, max_iter)
    if penalty.l1.any():
        b, objective, gap, n_iter = _sparse(problem, w, b)
    else:
        b, objective, gap, n_iter = minimise_gaussian(problem, w, b, warm=start is not None, dual=solver == "auto")
    gap = problem.relative(objective, gap)
    problem.refuse_separation(w, gap, name)
    return Solution(w + penalty.mode, b + penalty.mode_b, objective, gap, n_iter)


def _sparse(problem: Problem, w: Floats, b: float) -> Found:
    from priorwise.models.regression._kernels.logistic_columns import fit_sparse

    penalty = problem.penalty
    return fit_sparse(
        *problem.design.columns, problem.y, problem.weight, problem.offset, penalty.l1, penalty.l2, problem.flat,
        penalty.intercept, penalty.l2_b, w, b, problem.tol, problem.floor, problem.max_iter, LARGEST_DENSE,
    )  # fmt: skip
