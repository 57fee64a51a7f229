"""Cases scored by logistic regressions that did not see them, under many priors at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.errors import InputError
from priorwise.models.approximate_loo import approximate_leave_one_out
from priorwise.models.held_out import HeldOut
from priorwise.models.labels import Labels
from priorwise.models.logistic_solve import Solution
from priorwise.models.logistic_table import Folds, Table
from priorwise.models.probabilities import log_probabilities
from priorwise.models.shared_work import on_threads
from priorwise.priors.coefficients import CoefficientPrior
from priorwise.priors.informed import Informed

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Priors = Sequence[CoefficientPrior | Informed]

APPROXIMATE = "approximate"
"""What to give as folds for leave-one-out by one Newton step."""

PRIORS_AT_A_TIME = 20
"""So many priors are walked together; the scores of more would fill the memory."""

TOLERANCE = 1e-4
"""Relative duality gap of fits that only compare priors."""


@dataclass(frozen=True)
class HowToFit:
    """What all fits of a comparison share; the names are those of `LogisticRegression`."""

    fit_intercept: bool = True
    intercept_prior: CoefficientPrior | None = None
    tol: float = TOLERANCE
    max_iter: int = 1000
    threads: int | None = None


def held_out_scores(table: Table, priors: Priors, folds: Folds | None, how: HowToFit) -> Floats:
    """Score every case under every prior by a model that did not see it: priors × cases × outputs.

    All folds share one matrix, in which a case that is held out weighs nothing. Within a fold, each prior starts from
    the answer of the one before it. Without folds one case at a time is left out, approximately, from one fit of all.
    """
    scores = np.empty((len(priors), table.design.shape[0], table.n_outputs))

    def walk(output: int, weight: Floats) -> tuple[list[Any], list[Solution]]:
        penalties = table.penalties(priors, output, how.fit_intercept, how.intercept_prior)
        return penalties, table.walk(output, weight, penalties, how.tol, how.max_iter)

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

    if folds is None:
        on_threads(leave_out, range(table.n_outputs), 1 if table.n_outputs == 1 else how.threads)
    else:
        jobs = [(output, fold) for output in range(table.n_outputs) for fold in table.folds(folds, output)]
        on_threads(hold_out, jobs, how.threads)
    return scores


class LogisticHeldOut(HeldOut):
    """What `PriorSearch` judges the priors of a `LogisticRegression` by.

    Parameters
    ----------
    estimator : LogisticRegression
        Says how to fit.
    X, y : arrays
        The documents and their classes.
    labels : Labels
        What is told apart.
    weight : array
        What each document weighs.
    folds : int, Dealt, scikit-learn splitter, or "approximate"
        How many folds, members and others of each output dealt evenly; how to split; or leave-one-out by one Newton
        step from a single fit.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, labels: Labels, weight: Floats, folds: Any) -> None:
        self.labels, self.weight = labels, weight
        names = [labels.name(output) for output in range(labels.n_outputs)]
        self.table = Table.of(X, labels.membership(y), weight, names)
        self.how = HowToFit(
            estimator.fit_intercept,
            estimator.intercept_prior,
            max(estimator.tol, TOLERANCE),
            estimator.max_iter,
            estimator.threads,
        )
        self.folds = _folds(folds, X, None if labels.multilabel else y)

    def truth(self) -> Mask:
        """Which documents are of which output."""
        return np.asarray(self.table.members.toarray() > 0)

    def score_matrices(self, priors: Sequence[Any]) -> Iterator[tuple[int, Floats]]:
        """For each prior its place, and the scores of every document for every output."""
        for first in range(0, len(priors), PRIORS_AT_A_TIME):
            some = priors[first : first + PRIORS_AT_A_TIME]
            for place, scores in enumerate(held_out_scores(self.table, some, self.folds, self.how)):
                # The probabilities of several classes add up to 1, as those that the model predicts do.
                several = not self.labels.against_rest
                yield first + place, log_probabilities(scores, "logistic", multilabel=False) if several else scores


def _folds(folds: Any, X: Any, y: Any) -> Any:
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
