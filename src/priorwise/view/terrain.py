"""What leave-one-out says of every prior of a family, and the way to the best of them."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.kernels.leave_one_out import TIE
from priorwise.models.leave_one_out import LeaveOneOut
from priorwise.models.presence import presence
from priorwise.models.presence_counts import Cases
from priorwise.models.presence_priors import kind_of
from priorwise.search import CountTarget, radial_search
from priorwise.view.documents import ShownDocuments
from priorwise.view.family import Family, Setting

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TOGETHER = 32
"""How many priors are looked at in one pass over the documents."""


@dataclass(frozen=True)
class FamilyTerrain:
    """The training documents, each left out, under every prior of a family's grid.

    Parameters
    ----------
    family : Family
        The priors.
    axes : tuple of arrays
        The values of each of its numbers, ascending.
    tp, fp : array, an axis for each number
        How many members and how many others are predicted positive.
    positives, negatives : int
        How many there are.
    """

    family: Family
    axes: tuple[Floats, ...]
    tp: Floats
    fp: Floats
    positives: int
    negatives: int

    def values(self, target: CountTarget) -> Floats:
        """The target's value in every cell."""
        return target.from_counts(self.tp, self.fp, self.positives, self.negatives)

    def setting(self, cell: tuple[int, ...]) -> Setting:
        """The prior of a cell."""
        return Setting(self.family, tuple(float(axis[i]) for axis, i in zip(self.axes, cell, strict=True)))

    def nearest(self, setting: Setting) -> tuple[int, ...]:
        """The cell of a prior, or the nearest to it."""
        near = (np.abs(np.log(axis / value)) for axis, value in zip(self.axes, setting.values, strict=True))
        return tuple(int(np.argmin(distance)) for distance in near)

    def path(self, target: CountTarget, start: Setting) -> list[tuple[int, ...]]:
        """Climb from a prior, and go from where that ends to the best of all cells.

        The climb is the radial search of *presence*. Among equally good cells the most sensitive is taken, and of those
        the one nearest to where the climb ended.
        """
        values = np.atleast_2d(self.values(target))
        tp = np.atleast_2d(self.tp)
        first = (0,) * (2 - len(self.axes)) + self.nearest(start)
        climb = radial_search(
            lambda cell: (float(values[cell]), float(tp[cell])), values.shape, [(first[0], first[1])]
        ).paths[0]
        best = np.argwhere(values == values.max())
        best = best[tp[tuple(best.T)] == tp[tuple(best.T)].max()]
        end = best[np.argmin(((best - climb[-1]) ** 2).sum(axis=1))]
        path = climb if tuple(end) == climb[-1] else [*climb, tuple(end.tolist())]
        return [tuple(int(i) for i in cell[2 - len(self.axes) :]) for cell in path]


def axes_of(family: Family) -> tuple[Floats, ...]:
    """The values that each number of a family has in its grid.

    Examples
    --------
    >>> from priorwise.view.families import FAMILIES
    >>> [len(axis) for axis in axes_of(FAMILIES["beta"])], len(axes_of(FAMILIES["jelinek-mercer"])[0])
    ([21, 25], 59)
    """
    if family.model == "presence":
        grid = kind_of(family.make(1.0, 1.0)).grid
        return grid, grid
    columns = np.array([astuple(prior) for prior in family.make.grid()]).T
    return tuple(
        np.unique(column[(column >= parameter.least) & (column <= parameter.most)])
        for column, parameter in zip(columns, family.parameters, strict=True)
    )


class TrainingLeftOut:
    """The training documents, each scored by a model that has not seen it."""

    def __init__(self, documents: ShownDocuments) -> None:
        train = documents.training
        self.member = documents.member[train]
        self._counts = documents.matrix[train]
        self._ready: dict[str, Any] = {}

    def scores(self, setting: Setting) -> Floats:
        """Log odds of every training document under a prior."""
        prior = setting.prior
        if setting.family.model == "presence":
            return self._presence(prior).scores(prior)
        scores: Floats = self._counted(setting.family).output_scores(0, [prior])[:, 0]
        return scores

    def terrain(self, family: Family) -> FamilyTerrain:
        """Look at every prior of the family's grid."""
        axes = axes_of(family)
        if family.model == "presence":
            tp, fp = self._presence(family.make(1.0, 1.0)).predicted_positive(axes[0])
        else:
            tp, fp = self._predicted_positive(family, axes)
        members = int(np.count_nonzero(self.member))
        return FamilyTerrain(family, axes, tp, fp, members, len(self.member) - members)

    def _predicted_positive(self, family: Family, axes: tuple[Floats, ...]) -> tuple[Floats, Floats]:
        left_out = self._counted(family)
        cells = np.stack([each.ravel() for each in np.meshgrid(*axes, indexing="ij")], axis=1)
        tp, fp = np.empty(len(cells)), np.empty(len(cells))
        for start in range(0, len(cells), TOGETHER):
            some = slice(start, start + TOGETHER)
            found = left_out.output_scores(0, [family.make(*values) for values in cells[some].tolist()]) > TIE
            tp[some] = np.count_nonzero(found[self.member], axis=0)
            fp[some] = np.count_nonzero(found[~self.member], axis=0)
        shape = tuple(len(axis) for axis in axes)
        return tp.reshape(shape), fp.reshape(shape)

    def _presence(self, prior: Any) -> LeaveOneOut:
        kind = kind_of(prior)
        if repr(kind) not in self._ready:
            found = presence(self._counts)
            cases = Cases.of(found.indptr, found.indices, self.member)
            self._ready[repr(kind)] = LeaveOneOut(cases, cases.count(found.shape[1]), kind=kind)
        loo: LeaveOneOut = self._ready[repr(kind)]
        return loo

    def _counted(self, family: Family) -> Any:
        if family.model not in self._ready:
            from priorwise.models.labels import Labels

            estimator = family.estimator(None)
            labels = Labels(np.array([False, True]))
            weight = np.ones(len(self.member))
            self._ready[family.model] = estimator.leave_one_out(self._counts, self.member, labels, weight)
        return self._ready[family.model]
