"""What regressions ask of a prior on their coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from priorwise.priors.base import Prior

Floats = NDArray[np.float64]

GONE = 1e-10
"""A coefficient this close to its mode has arrived there; a density that is infinite there stops growing here."""


class RegressionPrior(Prior, listed=False):
    """A prior on coefficients with a density around a mode: what a probit regression asks for."""

    sparse: ClassVar[bool] = True
    """Whether a coefficient can stay exactly at its mode."""
    log_concave: ClassVar[bool] = True
    """Whether there is one best answer, wherever a fit starts."""

    @property
    def shape(self) -> type[Any]:
        """The class that knows the density: its own, unless the prior is made from another one."""
        return type(self)

    def describe(self, about: Sequence[Any] | None = None, *, output: int = 0, limit: int = 20) -> str:
        """Say in words what the prior means; word by word for one output, if it is given the words and knows them."""
        return super().describe()

    def of_features(self, n_features: int, output: int = 0, n_outputs: int = 1) -> tuple[Floats, Floats]:
        """Give the variance and the mode of each feature for one of the outputs."""
        raise NotImplementedError

    @classmethod
    def precision_at(cls, distance: Floats, variance: Any) -> Floats:
        """E[1/τ] of a coefficient at this distance from its mode, if the density is a mixture of Gaussians."""
        raise NotImplementedError

    @classmethod
    def cost(cls, distance: Floats, variance: Any) -> Floats:
        """−log p of a coefficient at this distance from its mode, up to a constant."""
        raise NotImplementedError


class PenaltyPrior(RegressionPrior, listed=False):
    """A prior that is a penalty l1·|β − μ| + l2·(β − μ)²/2: what a logistic regression asks for."""

    @classmethod
    def penalty(cls, variance: Any) -> tuple[Any, Any]:
        """Give l1 and l2 at a variance."""
        raise NotImplementedError

    @classmethod
    def precision_at(cls, distance: Floats, variance: Any) -> Floats:
        """E[1/τ]: ``l2 + l1/|β − μ|``, infinite at the mode if there is an l1."""
        l1, l2 = (np.broadcast_to(part, np.shape(distance)) for part in cls.penalty(np.asarray(variance)))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(l1 == 0, l2, l2 + l1 / np.abs(distance))

    @classmethod
    def cost(cls, distance: Floats, variance: Any) -> Floats:
        """The penalty itself."""
        l1, l2 = cls.penalty(variance)
        return np.asarray(l1 * np.abs(distance) + l2 * distance**2 / 2.0)

    def penalties(self, n_features: int, output: int = 0, n_outputs: int = 1) -> tuple[Floats, Floats, Floats]:
        """Give l1, l2 and the mode of each feature for one of the outputs."""
        variance, mode = self.of_features(n_features, output, n_outputs)
        return *self.shape.penalty(variance), mode

    def along(self, variances: Any) -> tuple[Any, ...]:
        """List the same prior at each of these variances."""
        raise NotImplementedError
