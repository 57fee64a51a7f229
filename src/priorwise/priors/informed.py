"""A prior in which some coefficients are known better than others, by one number that can be learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from priorwise.counting import counted
from priorwise.errors import InputError
from priorwise.priors.coefficients import PAPER_VARIANCES, CoefficientPrior, Gaussian
from priorwise.priors.notebook import Shown
from priorwise.priors.numbers import above_zero

Floats = NDArray[np.float64]

MODE_STRENGTHS: tuple[float, ...] = (0.5, 1, 2, 3, 4, 5, 10, 20, 50, 100, 1e4)
VARIANCE_STRENGTHS: tuple[float, ...] = (2, 5, 10, 20, 50, 100, 1e4)
"""The strengths C that *knowledge* chooses from."""


@dataclass(frozen=True, eq=False)
class Informed(Shown):
    """Something is known of some coefficients, k_j of the j-th; one number, C, says how far to trust it.

    ::

        moves        mode        variance
        "mode"       C·k_j       σ²
        "variance"   0           C·|k_j|·σ²   where k_j is not 0, else σ²

    What is known is kept once, however many pairs (C, σ²) are tried. `prior` writes it out, number by number.

    Parameters
    ----------
    kind : Gaussian or Laplace
        The class of the prior.
    known : scipy.sparse.csr_matrix, shape (n_outputs, n_features) or (1, n_features)
        k: one row for each output of the model, or one for all of them.
    moves : {"mode", "variance"}
        Whether knowledge gives a coefficient a push, or more room.
    strength : float
        C.
    variance : float
        σ².

    References
    ----------
    *knowledge*: Dayanik, Lewis, Madigan, Menkov and Genkin, *Constructing informative prior distributions from domain
    knowledge in text classification*.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> from priorwise.priors.coefficients import Laplace
    >>> believed = Informed(Laplace, csr_matrix([[0.0, 1.0, -0.5]]), "mode", strength=2.0)
    >>> believed, believed.prior()
    (Informed(Laplace, mode of 2 words, strength=2, variance=1), Laplace(variance=1, mode=[0, 2, -1]))
    >>> len(believed.grid()), believed.grid()[0]
    (220, Informed(Laplace, mode of 2 words, strength=0.5, variance=0.25))
    """

    kind: type[CoefficientPrior]
    known: Any
    moves: str
    strength: float = 1.0
    variance: float = 1.0

    @classmethod
    def from_model(
        cls, model: Any, kind: type[CoefficientPrior] = Gaussian, *, strength: float = 1.0, variance: float = 1.0
    ) -> Informed:
        """Take a fitted model's weights for what is known: the modes of the next model's prior are C times them.

        A naive Bayes model's weights are a good guess at a logistic model's, too large as a rule, for they count words
        that come together as if each were news: learn the strength (`PriorSearch`). Of several classes a naive Bayes
        model's weights are taken beyond their mean over the classes, which is what tells a class from the rest.

        Parameters
        ----------
        model : classifier
            Fitted, with `weights_` and `n_features_in_`: any of priorwise's.
        kind : Gaussian or Laplace
            The class of the prior.

        Examples
        --------
        >>> from priorwise import LogisticRegression, MultinomialNB
        >>> X, y = [[2, 0, 1], [1, 0, 0], [0, 2, 1], [0, 1, 0]], [0, 0, 1, 1]
        >>> believed = Informed.from_model(MultinomialNB().fit(X, y), strength=0.5)
        >>> believed.prior()
        Gaussian(variance=1, mode=[-0.693147, 0.693147, 0])
        >>> LogisticRegression(believed).fit(X, y).coef_.round(2)
        array([[-1.13,  1.13,  0.  ]])
        """
        from scipy.sparse import csr_matrix

        if not hasattr(model, "weights_"):
            raise InputError(f"a prior is made from a fitted model with weights, which {model!r} is not: fit it first")
        known = model.weights_.table(model.n_features_in_)
        labels = getattr(model, "_labels", None)
        each_on_its_own = hasattr(model, "coef_") or (labels is not None and labels.multilabel)
        if len(known) > 1 and not each_on_its_own:
            known = known - known.mean(axis=0)
        return cls(kind, csr_matrix(known), "mode", strength, variance)

    def __post_init__(self) -> None:
        if self.moves not in ("mode", "variance"):
            raise InputError(f"knowledge moves the 'mode' or the 'variance', not {self.moves!r}")
        object.__setattr__(self, "strength", above_zero("a strength", self.strength))
        object.__setattr__(self, "variance", above_zero("a variance", self.variance))
        if not np.isfinite(self.known.data).all():
            raise InputError("what is known of a coefficient must be a finite number")

    def __repr__(self) -> str:
        words = len(np.unique(self.known.indices))
        return (
            f"Informed({self.kind.__name__}, {self.moves} of {counted(words, 'word')}, "
            f"strength={self.strength:g}, variance={self.variance:g})"
        )

    @property
    def numbers(self) -> tuple[float, float]:
        """The two numbers that a search compares priors by."""
        return self.strength, self.variance

    def with_variance(self, variance: float) -> Self:
        """Give the same with another σ²."""
        return replace(self, variance=variance)

    def scaled(self, factor: float) -> Self:
        """Give the same with every variance multiplied by `factor`."""
        return replace(self, variance=self.variance * factor)

    def grid(
        self, strengths: Sequence[float] | None = None, variances: Sequence[float] = PAPER_VARIANCES
    ) -> tuple[Self, ...]:
        """Priors to choose from: every pair (C, σ²), by default those of *knowledge*."""
        usual = MODE_STRENGTHS if self.moves == "mode" else VARIANCE_STRENGTHS
        return tuple(
            replace(self, strength=strength, variance=variance)
            for strength in (usual if strengths is None else strengths)
            for variance in variances
        )

    def of_features(self, n_features: int, output: int = 0, n_outputs: int = 1) -> tuple[Floats, Floats]:
        """Give the variance and the mode of each feature for one of the outputs."""
        rows, columns = self.known.shape
        if columns != n_features:
            raise InputError(f"{self!r} is about {columns} features, but there are {n_features}")
        if rows not in (1, n_outputs):
            raise InputError(f"{self!r} has {rows} rows, but the model has {n_outputs}: one per class, as in coef_")
        row = output if rows > 1 else 0
        own = slice(self.known.indptr[row], self.known.indptr[row + 1])
        variance, mode = np.full(n_features, self.variance), np.zeros(n_features)
        where, known = self.known.indices[own], self.known.data[own]
        if self.moves == "mode":
            mode[where] = self.strength * known
        else:
            variance[where] *= np.where(known != 0, self.strength * np.abs(known), 1.0)
        return variance, mode

    def prior(self) -> CoefficientPrior:
        """Write the prior out: a Gaussian or Laplace with a number for each feature, or for each class and feature."""
        rows, columns = self.known.shape
        each = [self.of_features(columns, row, rows) for row in range(rows)]
        variance, mode = (np.array([pair[k] for pair in each]) for k in (0, 1))
        if rows == 1:
            variance, mode = variance[0], mode[0]
        if self.moves == "mode":
            return self.kind(variance=self.variance, mode=mode)
        return self.kind(variance=variance)

    def describe(self, names: Sequence[str] | None = None, *, output: int = 0, limit: int = 20) -> str:
        """Tell the prior of one output as a table; see `CoefficientPrior.describe`."""
        rows, columns = self.known.shape
        variance, mode = self.of_features(columns, output, rows)
        return self.kind(variance, mode).describe(names, limit=limit)
