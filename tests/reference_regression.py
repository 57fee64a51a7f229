"""Regression, slow and literal: dense NumPy, one formula per function; nothing of priorwise."""

from __future__ import annotations

import itertools
import math

import numpy as np


def minus_log_posterior(X, positive, weight, coef, intercept, kind, variance, mode):
    """Σ s log(1 + e^{−yz}) plus minus the log of the prior's density, constants left out."""
    total = 0.0
    for x, label, s in zip(X, positive, weight, strict=True):
        score = float(np.dot(x, coef)) + intercept
        total += s * float(np.logaddexp(0.0, -score if label else score))
    for beta, v, mu in zip(coef, variance, mode, strict=True):
        if kind == "laplace":
            total += math.sqrt(2 / v) * abs(beta - mu)
        else:
            total += (beta - mu) ** 2 / (2 * v)
    return total


def worst_slope(X, positive, weight, coef, intercept, kind, variance, mode, *, fit_intercept=True):
    """How far from 0 the nearest subgradient is, in its worst coordinate: 0 exactly at the optimum."""
    residual = np.array(
        [
            s * (1 / (1 + math.exp(-(float(np.dot(x, coef)) + intercept))) - label)
            for x, label, s in zip(X, positive, weight, strict=True)
        ]
    )
    worst = abs(residual.sum()) if fit_intercept else 0.0
    for j, (beta, v, mu) in enumerate(zip(coef, variance, mode, strict=True)):
        slope = float(X[:, j] @ residual)
        if kind == "gaussian":
            worst = max(worst, abs(slope + (beta - mu) / v))
        elif beta == mu:
            worst = max(worst, abs(slope) - math.sqrt(2 / v))
        else:
            worst = max(worst, abs(slope + math.copysign(math.sqrt(2 / v), beta - mu)))
    return worst


def normal_density(t):
    return math.exp(-t * t / 2) / math.sqrt(2 * math.pi)


def normal_cumulative(t):
    return math.erfc(-t / math.sqrt(2)) / 2


def probit_em_step(X, positive, beta, precision):
    """β ← (Ω + XᵀX)⁻¹Xᵀv, as printed; for moderate scores and non-zero coefficients only."""
    v = []
    for x, label in zip(X, positive, strict=True):
        m = float(np.dot(x, beta))
        if label:
            v.append(m + normal_density(m) / normal_cumulative(m))
        else:
            v.append(m - normal_density(m) / normal_cumulative(-m))
    return np.linalg.solve(np.diag(precision) + X.T @ X, X.T @ np.array(v))


def probit_minus_log_posterior(X, positive, beta, kind, parameter, penalised):
    """Minus the log-posterior of a probit regression; `parameter` is the variance, or None for Jeffreys."""
    total = 0.0
    for x, label in zip(X, positive, strict=True):
        m = float(np.dot(x, beta))
        total -= math.log(normal_cumulative(m if label else -m))
    for b in beta[penalised]:
        if kind == "gaussian":
            total += b * b / (2 * parameter)
        elif kind == "laplace":
            total += math.sqrt(2 / parameter) * abs(b)
        elif b != 0:
            total += math.log(abs(b))
    return total


def probit_slopes(X, positive, beta):
    """Gradient of minus the log-likelihood of a probit regression."""
    slopes = np.zeros(len(beta))
    for x, label in zip(X, positive, strict=True):
        m = float(np.dot(x, beta))
        ratio = normal_density(m) / normal_cumulative(m if label else -m)
        slopes -= (ratio if label else -ratio) * x
    return slopes


def best_threshold(scores, positive, value):
    """Try a threshold below, between and above all scores; the best value and the smallest number predicted with it."""
    ordered = sorted(set(scores))
    cuts = [ordered[0] - 1] + [(a + b) / 2 for a, b in itertools.pairwise(ordered)] + [ordered[-1] + 1]
    best = None
    for cut in cuts:
        tp = sum(s > cut and y for s, y in zip(scores, positive, strict=True))
        fp = sum(s > cut and not y for s, y in zip(scores, positive, strict=True))
        reached = value(tp, fp, sum(positive), len(positive) - sum(positive))
        best = reached if best is None else max(best, reached)
    return best
