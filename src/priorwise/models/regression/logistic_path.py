"""Many priors at once: the path over variances, cross-validated or left one out, with warm starts and shared work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from priorwise.errors import InputError
from priorwise.models.regression.logistic import LogisticRegression
from priorwise.models.regression.logistic_held_out import TOLERANCE, LogisticHeldOut
from priorwise.models.regression.logistic_solve import Solution
from priorwise.models.regression.logistic_table import Table
from priorwise.models.regression.shared_work import on_threads
from priorwise.priors.informed import Informed
from priorwise.priors.regression import CoefficientPrior
from priorwise.search import LogLoss, Target, as_target

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trials:
    """What was tried: a value for each prior and output, the larger the better, and the scores it was taken from.

    Parameters
    ----------
    priors : sequence
        The priors, in the order given.
    value : array, shape (n_priors, n_outputs)
        The target.
    scores : array, shape (n_priors, n_cases, n_outputs)
        Of every case by a model that did not see it.
    """

    priors: Sequence[CoefficientPrior | Informed]
    value: Floats
    scores: Floats

    @property
    def best(self) -> int:
        """The prior with the best mean over the outputs; of equals the first."""
        return int(np.argmax(self.value.mean(axis=1)))


def variance_path(
    X: Any,
    y: ArrayLike,
    prior: CoefficientPrior | Informed,
    variances: Sequence[float],
    *,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
    intercept_prior: CoefficientPrior | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
    threads: int | None = None,
) -> list[list[Solution]]:
    """Fit one class or many under every variance, each from the answer of the one before.

    Parameters
    ----------
    X : matrix
        The cases.
    y : array of bool, shape (n_cases,) or (n_cases, n_outputs)
        Which cases are of each output.
    prior : Gaussian, Laplace or Informed
        Its variance is replaced if it is one number. If it is an array, it is multiplied: its shape is kept and its
        strength varied.
    variances : sequence of float
        In any order; they are walked from the smallest.

    Returns
    -------
    list of lists of Solution
        For each variance, in the order given, one for each output.

    Examples
    --------
    >>> from priorwise.priors.regression import Laplace
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]), np.array([False, True, False, True])
    >>> [int(np.count_nonzero(path[0].coef)) for path in variance_path(X, y, Laplace(), [0.01, 4.0])]
    [0, 2]
    """
    table = Table.of(X, y, sample_weight)
    priors: Sequence[CoefficientPrior | Informed] = prior.along(variances)

    def walk(output: int) -> list[Solution]:
        penalties = table.penalties(priors, output, fit_intercept, intercept_prior)
        return table.walk(output, table.weight, penalties, tol, max_iter)

    paths = on_threads(walk, range(table.n_outputs), threads)
    return [[path[place] for path in paths] for place in range(len(priors))]


def try_priors(
    X: Any,
    y: ArrayLike,
    priors: Sequence[CoefficientPrior | Informed],
    *,
    folds: int | NDArray[np.integer] | None = 10,
    target: Target | Callable[..., Any] | None = None,
    sample_weight: ArrayLike | None = None,
    tol: float = TOLERANCE,
    **fit: Any,
) -> Trials:
    """Value every prior on cases that the model did not see.

    All folds share one matrix: a case that is held out weighs nothing. Within a fold, each prior starts from the answer
    of the one before it, so put neighbours next to each other.

    Parameters
    ----------
    X, y : as for `variance_path`
        The cases, and which of them are of each output.
    priors : sequence
        What to choose from.
    folds : int, array of int, or None
        How many folds, dealt so that each output's members are spread evenly, or the fold of each case. None leaves
        out one case at a time, approximately, from one fit of all (`approximate_leave_one_out`): faster.
    target : Target or callable, optional
        Log-likelihood (`LogLoss`) by default; its value is taken over the held-out scores of all folds together.
    tol : float
        Relative duality gap of the fits; priors differ by more than this.
    fit : fit_intercept, intercept_prior, max_iter, threads
        As for `LogisticRegression`.

    Examples
    --------
    >>> from priorwise.priors.regression import Gaussian
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 5))
    >>> y = X[:, 0] + random.normal(size=200) > 0
    >>> trials = try_priors(X, y, [Gaussian(v) for v in (1e-4, 1.0, 1e4)], folds=5)
    >>> trials.priors[trials.best]
    Gaussian(variance=1)
    """
    table = Table.of(X, y, sample_weight)
    if not len(priors):
        raise InputError("no prior to choose from: give at least one")
    measure = as_target(target if target is not None else LogLoss())
    held_out = LogisticHeldOut(LogisticRegression(**fit), table, folds, tol)
    scores = np.array(list(held_out.score_matrices(priors)))
    return Trials(priors, np.array([measure.values(held_out.outcome(each)) for each in scores]), scores)
