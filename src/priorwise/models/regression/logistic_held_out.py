"""Cases scored by logistic regressions that did not see them, under many priors at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.models.probabilities import log_probabilities
from priorwise.models.regression.approximate_loo import approximate_leave_one_out
from priorwise.models.regression.logistic_solve import Solution
from priorwise.models.regression.logistic_table import Folds, Table
from priorwise.models.regression.shared_work import on_threads
from priorwise.priors.informed import Informed
from priorwise.priors.regression import CoefficientPrior
from priorwise.search import HeldOut, LogLikelihood

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

APPROXIMATE = "approximate"
"""What to give as folds for leave-one-out by one Newton step."""

USUAL_FOLDS = 10

PRIORS_AT_A_TIME = 20
"""So many priors are walked together; the scores of more would fill the memory."""

TOLERANCE = 1e-4
"""Relative duality gap of fits that only compare priors."""


class LogisticHeldOut(HeldOut):
    """Cases scored by logistic regressions that did not see them.

    All folds share one matrix, in which a case that is held out weighs nothing. Within a fold, each prior starts from
    the answer of the one before it. Without folds one case at a time is left out, approximately, from one fit of all.

    Parameters
    ----------
    estimator : LogisticRegression
        Says how to fit.
    table : Table
        The cases, and which of them are of each output.
    folds : int, Dealt, array, list of masks, or None
        How many folds, members and others of each output dealt evenly; or which; None for leave-one-out.
    tol : float, optional
        Relative duality gap of the fits.
    """

    usual_target = LogLikelihood()

    def __init__(self, estimator: Any, table: Table, folds: Folds | None, tol: float | None = None) -> None:
        self.estimator, self.table, self.folds, self.weight = estimator, table, folds, table.weight
        self.tol = max(estimator.tol, TOLERANCE) if tol is None else tol

    def members(self) -> Mask:
        """Which cases are of which output."""
        return np.asarray(self.table.members.toarray() > 0)

    def score_matrices(self, priors: Sequence[Any]) -> Iterator[Floats]:
        """For each prior in turn, the scores of every case for every output."""
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
            on_threads(leave_out, range(table.n_outputs), 1 if table.n_outputs == 1 else how.threads)
        else:
            jobs = [(output, fold) for output in range(table.n_outputs) for fold in table.folds(self.folds, output)]
            on_threads(hold_out, jobs, how.threads)
        return scores


def folds_of(folds: Any, X: Any, y: Any) -> Any:
    """Read what `PriorSearch` calls folds: a number, `Dealt`, a splitter, "approximate", or None for ten."""
    if folds is None:
        return USUAL_FOLDS
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
