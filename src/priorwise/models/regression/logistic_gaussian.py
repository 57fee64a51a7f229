"""Logistic regression under Gaussian priors: dual descent, and Newton's method where that is slow or has no dual."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from priorwise.models.regression.logistic_problem import Found, Problem, entropies

Floats = NDArray[np.float64]

DUAL_PASSES = 48
"""After so many passes of dual descent Newton's method takes over: under weak priors it needs fewer."""

LARGEST_DUAL = 1000.0
"""Where cases are longer than this on average, Σ σ_j² x_ij², dual descent crawls from the start."""

DUAL_TOLERANCE = 1e-9
"""For a smaller gap than this Newton's method, which converges faster and faster, does without the dual."""

SHARES = 0.1 ** np.arange(5)
"""How much of the slopes at the mode dual descent may start from."""


def minimise_gaussian(problem: Problem, w: Floats, b: float, *, warm: bool, dual: bool) -> Found:
    """Fill `w` with the most probable weights; `warm` says that `w` and `b` are those of a neighbouring problem."""
    from priorwise.models.regression._kernels.logistic_newton import fit_newton

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
    from priorwise.models.regression._kernels.logistic_dual import fit_dual

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
