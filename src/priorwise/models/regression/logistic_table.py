"""What many fits of one regression share: the matrix, the members, the weights and the folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from priorwise.errors import InputError, NotEnoughData
from priorwise.models.regression.logistic_design import Design, Penalty
from priorwise.models.regression.logistic_solve import Solution, solve
from priorwise.priors.informed import Informed
from priorwise.priors.regression import CoefficientPrior

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Dealt:
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
        """Give the cases that each fold holds out; folds without any are left out.

        Examples
        --------
        >>> [int(fold.sum()) for fold in Dealt(10).of(np.arange(13) < 3)]
        [2, 2, 2, 1, 1, 1, 1, 1, 1, 1]
        """
        of_case = np.empty(len(positive), dtype=np.int64)
        random = np.random.default_rng(self.seed)
        for side in (np.flatnonzero(positive), np.flatnonzero(~positive)):
            of_case[random.permutation(side)] = np.arange(len(side)) % self.folds
        return _held_out(of_case)


Folds = int | Dealt | NDArray[np.integer] | list[Mask]
"""How many folds, how to deal them, the fold of each case, or the cases that each holds out."""


@dataclass(frozen=True)
class Table:
    """Cases, which of them are of each output, and what each weighs; shared by all priors and folds."""

    design: Design
    members: sp.csc_matrix
    weight: Floats
    names: Sequence[str] | None = None

    @classmethod
    def of(cls, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, names: Sequence[str] | None = None) -> Table:
        """Check that all are of one length, and lay the matrix out for the solvers."""
        design = Design(X)
        members = sp.csc_matrix(y if sp.issparse(y) else np.asarray(y, dtype=bool).reshape(design.shape[0], -1))
        weight = np.ones(design.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if members.shape[0] != design.shape[0] or weight.shape != (design.shape[0],):
            raise InputError(
                f"X has {design.shape[0]} cases, y {members.shape[0]} and sample_weight {len(weight)}: give one of each"
            )
        if not np.isfinite(design.by_rows.data).all():
            raise InputError("X has a value that is no finite number: leave such cases out, or fill them in")
        if not (np.isfinite(weight).all() and np.all(weight >= 0) and weight.any()):
            raise InputError("every sample_weight must be a number of at least 0, and one of them above 0")
        for each in (design, design.occupied[1] if design.occupied is not None else design):
            each.columns, each.rows  # noqa: B018 - made before threads ask for them
        return cls(design, members, weight, names)

    @property
    def n_outputs(self) -> int:
        """How many outputs."""
        return int(self.members.shape[1])

    def name(self, output: int) -> str:
        """An output, as errors call it."""
        return f"output {output}" if self.names is None else self.names[output]

    def positive(self, output: int) -> Mask:
        """Which cases are of an output."""
        return np.asarray(self.members[:, [output]].toarray()[:, 0], dtype=bool)

    def penalties(
        self,
        priors: Sequence[CoefficientPrior | Informed],
        output: int,
        fit_intercept: bool,
        intercept_prior: CoefficientPrior | None,
    ) -> list[Penalty]:
        """Read every prior, for one output."""
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
                name=self.name(output),
            )  # fmt: skip
            start = (found[int(place)].coef, found[int(place)].intercept)
        return [found[place] for place in range(len(penalties))]

    def folds(self, folds: Folds, output: int) -> list[Mask]:
        """Masks of the cases held out: as given, or dealt in turn, members and others apart."""
        if isinstance(folds, list):
            return folds
        positive = self.positive(output)
        dealt = Dealt(int(folds)) if isinstance(folds, int | np.integer) else folds
        if isinstance(dealt, Dealt):
            if min(positive.sum(), (~positive).sum()) < 2:
                raise NotEnoughData(f"{self.name(output)} has fewer than 2 cases of a side, so none can be held out")
            return dealt.of(positive)
        of_case = np.asarray(dealt)
        if of_case.shape != positive.shape:
            raise InputError(f"folds has shape {of_case.shape}, but there are {len(positive)} cases: one for each")
        return _held_out(of_case)


def _held_out(of_case: NDArray[np.integer]) -> list[Mask]:
    return [of_case == fold for fold in np.unique(of_case)]
