"""What leave-one-out says of every prior of a family, and the way to the best of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from priorwise.explorer.documents import ShownDocuments
from priorwise.explorer.family import Family, Setting
from priorwise.explorer.naive_bayes_family import NaiveBayesFamily
from priorwise.search import HeldOut, Target, best_place, radial

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class FamilyTerrain:
    """The training documents, each left out, under every prior of a family's grid.

    Parameters
    ----------
    family : NaiveBayesFamily
        The priors.
    axes : tuple of arrays
        The values of each of its numbers, ascending.
    tp, fp : array, an axis for each number
        How many members and how many others are predicted positive.
    positives, negatives : int
        How many there are.
    """

    family: NaiveBayesFamily
    axes: tuple[Floats, ...]
    tp: Floats
    fp: Floats
    positives: int
    negatives: int

    def values(self, target: Target) -> Floats:
        """The target's value in every cell."""
        return target.from_counts(self.tp, self.fp, self.positives, self.negatives)

    def drawn(self, objective: Target) -> dict[str, Any]:
        """The axes, and a value for each cell."""
        return {"axes": [axis.tolist() for axis in self.axes], "values": self.values(objective).round(5).tolist()}

    def way(self, objective: Target, start: Setting) -> list[Setting]:
        """The way from a prior to the best one, which is the last."""
        return [self.setting(cell) for cell in self.path(objective, start)]

    def setting(self, cell: tuple[int, ...]) -> Setting:
        """The prior of a cell."""
        return Setting(self.family, tuple(float(axis[i]) for axis, i in zip(self.axes, cell, strict=True)))

    def nearest(self, setting: Setting) -> tuple[int, ...]:
        """The cell of a prior, or the nearest to it."""
        near = (np.abs(np.log(axis / value)) for axis, value in zip(self.axes, setting.values, strict=True))
        return tuple(int(np.argmin(distance)) for distance in near)

    def path(self, target: Target, start: Setting) -> list[tuple[int, ...]]:
        """Climb from a prior, and go from where that ends to the best of all cells.

        The climb is the radial search of *presence*. Among equally good cells the most sensitive is taken, and of those
        the one nearest to where the climb ended.
        """
        shape = (1,) * (2 - len(self.axes)) + self.tp.shape
        values = np.column_stack([self.values(target).ravel(), self.tp.ravel()])

        def value(cells: Any) -> Floats:
            return values[np.ravel_multi_index(tuple(np.transpose(cells)), shape)]

        first = (0,) * (2 - len(self.axes)) + self.nearest(start)
        climb = radial(shape, [first]).search(value).paths[0]
        away = ((np.indices(shape).reshape(2, -1).T - climb[-1]) ** 2).sum(axis=1)
        end = np.unravel_index(best_place(values, away), shape)
        path = climb if end == climb[-1] else [*climb, end]
        return [tuple(int(i) for i in cell[2 - len(self.axes) :]) for cell in path]


def axes_of(family: Family) -> tuple[Floats, ...]:
    """The values that each number of a family has in its grid.

    Examples
    --------
    >>> from priorwise.explorer.families import FAMILIES
    >>> [len(axis) for axis in axes_of(FAMILIES["beta"])], len(axes_of(FAMILIES["jelinek-mercer"])[0])
    ([21, 25], 59)
    """
    columns = ((each, np.array(each.values)) for each in family.parameters)
    return tuple(np.unique(values[(values >= each.least) & (values <= each.most)]) for each, values in columns)


class TrainingLeftOut:
    """The training documents, each scored by a model that has not seen it."""

    def __init__(self, documents: ShownDocuments) -> None:
        train = documents.training
        self.member = documents.member[train]
        self._counts = documents.matrix[train]
        self._ready: dict[str, HeldOut] = {}

    def scores(self, family: NaiveBayesFamily, prior: Any) -> Floats:
        """Log odds of every training document under a prior."""
        return next(self._held_out(family).score_matrices([prior]))[:, 0]

    def terrain(self, family: NaiveBayesFamily) -> FamilyTerrain:
        """Look at every prior of the family's grid."""
        axes = axes_of(family)
        tp, fp = self._held_out(family).terrain(axes, family.make)
        if tp.ndim > len(axes):  # one number for both classes
            tp, fp = np.diagonal(tp), np.diagonal(fp)
        members = int(np.count_nonzero(self.member))
        return FamilyTerrain(family, axes, tp, fp, members, len(self.member) - members)

    def _held_out(self, family: NaiveBayesFamily) -> HeldOut:
        # Models of counts are judged alike whatever their prior; those of presence prepare for one kind of prior.
        key = family.name if family.model.prepares_for_one_kind else family.model.name
        if key not in self._ready:
            weight = np.ones(len(self.member))
            self._ready[key] = family.estimator(family.prior).held_out(self._counts, self.member, weight)
        return self._ready[key]
