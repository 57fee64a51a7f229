"""Decisions on test documents, and the recall, precision and F1 that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def f1(found: Floats, decided: Floats, true: Floats) -> Floats:
    """Return the F1 of each category; 0 where nothing is true and nothing was decided."""
    return share(2 * found, decided + true)


def share(part: Floats, whole: Floats) -> Floats:
    """Divide; 0/0 is 0."""
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=whole > 0)


@dataclass(frozen=True)
class Outcome:
    """Decisions on test documents, counted by category.

    Parameters
    ----------
    found : array
        How many members of each category were assigned to it.
    decided : array
        How many documents were assigned to it, members or not.
    true : array
        How many members it has.
    """

    found: Floats
    decided: Floats
    true: Floats

    @property
    def f1(self) -> Floats:
        """F1 of each category."""
        return f1(self.found, self.decided, self.true)

    def macro(self) -> tuple[float, float, float]:
        """Recall, precision and F1, means over the categories."""
        recall, precision = share(self.found, self.true), share(self.found, self.decided)
        return float(recall.mean()), float(precision.mean()), float(self.f1.mean())

    def micro(self) -> tuple[float, float, float]:
        """Recall, precision and F1 of all decisions together."""
        summed = Outcome(*(np.array([each.sum()]) for each in (self.found, self.decided, self.true)))
        return summed.macro()
