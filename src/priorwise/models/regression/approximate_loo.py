"""Leave-one-out scores of a regression from one fit: each case is taken out by one Newton step."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from priorwise.models.regression.logistic_design import Design, Penalty
from priorwise.models.regression.logistic_solve import Solution

Floats = NDArray[np.float64]


def approximate_leave_one_out(
    design: Design, positive: NDArray[np.bool_], weight: Floats, penalty: Penalty, found: Solution
) -> Floats:
    """Score every case by a model that has not seen it, to the accuracy of one Newton step.

    With ℓ′ and ℓ″ the derivatives of a case's loss, times its weight, and h_i = x_iᵀH⁻¹x_i, H being the Hessian of the
    objective at the answer::

        z_i without i  ≈  z_i + h_i ℓ′_i / (1 − h_i ℓ″_i)

    Under Laplace priors H is taken over the coefficients that are not at their mode, as if leaving one case out did not
    change which those are. It does: the closer such coefficients come to the cases in number, the worse the scores look
    beside exact ones, and the stronger the prior that is chosen by them. Folds are the better judge there.

    The cost is that of one dense matrix of the features in play or of the cases, whichever are fewer.

    References
    ----------
    Rad and Maleki, *A scalable estimate of the out-of-sample prediction error via approximate leave-one-out*.
    """
    scores = design.by_rows @ found.coef + found.intercept
    a = 1.0 / (1.0 + np.exp(-scores))
    slope = weight * (a - positive)
    curvature = weight * a * (1.0 - a)
    h = leverage(design, curvature, penalty, found)
    out: Floats = scores + h * slope / np.maximum(1.0 - h * curvature, 1e-12)
    return out


def leverage(design: Design, curvature: Floats, penalty: Penalty, found: Solution) -> Floats:
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
